/// nlohmann's JSON, whose heavy parts are compiled once, in json.cpp. Otherwise each source that reads or
/// writes JSON pays seconds of compilation for the same parser and the same writer.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace nlohmann::detail {

using StringInput = iterator_input_adapter<std::string::const_iterator>;
using ViewInput = iterator_input_adapter<std::string_view::const_iterator>;
// Parsing from other inputs compiles a parser of its own.
extern template class parser<json, StringInput>;
extern template class parser<json, ViewInput>;
extern template class parser<ordered_json, StringInput>;
extern template class parser<ordered_json, ViewInput>;
// What dump() works with.
extern template class serializer<json>;
extern template class serializer<ordered_json>;

}  // namespace nlohmann::detail
