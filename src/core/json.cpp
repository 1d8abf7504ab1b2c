#include "core/json.hpp"

namespace nlohmann::detail {

template class parser<json, StringInput>;
template class parser<json, ViewInput>;
template class parser<ordered_json, StringInput>;
template class parser<ordered_json, ViewInput>;
template class serializer<json>;
template class serializer<ordered_json>;

}  // namespace nlohmann::detail
