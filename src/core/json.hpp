/// nlohmann's JSON for everybody, with what is heavy about it compiled once, in json.cpp: otherwise each
/// source that reads or writes JSON pays seconds of compilation for the same parser and the same writer.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

// From a std::string, from a std::string_view; a serializer is what writes. Whoever parses from elsewhere
// gets a parser of his own.
#define PROXSTREAM_JSON(prefix)                                                                           \
    namespace nlohmann::detail {                                                                          \
    prefix template class parser<json, iterator_input_adapter<std::string::const_iterator>>;              \
    prefix template class parser<json, iterator_input_adapter<std::string_view::const_iterator>>;         \
    prefix template class parser<ordered_json, iterator_input_adapter<std::string::const_iterator>>;      \
    prefix template class parser<ordered_json, iterator_input_adapter<std::string_view::const_iterator>>; \
    prefix template class serializer<json>;                                                               \
    prefix template class serializer<ordered_json>;                                                       \
    }
PROXSTREAM_JSON(extern)
