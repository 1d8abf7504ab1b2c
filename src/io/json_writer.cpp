#include "io/json_writer.hpp"

#include "proxstream/core/spec.hpp"

#include "core/json.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {

void JsonText::separate() {
    if (out_.empty()) return;
    const char last = out_.back();
    if (last != '[' && last != '{' && last != ':') out_ += ',';
}

void JsonText::open(char bracket) {
    separate();
    out_ += bracket;
}

void JsonText::close(char bracket) {
    out_ += bracket;
}

void JsonText::key(std::string_view name) {
    text(name);
    out_ += ':';
}

void JsonText::number(Real value) {
    if (!std::isfinite(value)) return null();
    separate();
    out_ += format_short(value);
}

void JsonText::number(Real value, int digits) {
    if (!std::isfinite(value)) return null();
    separate();
    out_ += fmt::format("{:.{}g}", value, digits);
}

void JsonText::integer(Index value) {
    separate();
    out_ += std::to_string(value);
}

void JsonText::flag(bool value) {
    separate();
    out_ += value ? "true" : "false";
}

void JsonText::null() {
    separate();
    out_ += "null";
}

void JsonText::text(std::string_view value) {
    json(nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void JsonText::json(std::string_view value) {
    separate();
    // All that has to be escaped can only stand in strings.
    for (Index i = 0; i < value.size(); ++i) {
        const std::string_view three = value.substr(i, 3);
        if (value[i] == '<') {
            out_ += "\\u003c";
        } else if (three == "\xE2\x80\xA8" || three == "\xE2\x80\xA9") {
            (out_ += "\\u202") += three.back() == '\xA8' ? '8' : '9';
            i += 2;
        } else {
            out_ += value[i];
        }
    }
}

}  // namespace proxstream
