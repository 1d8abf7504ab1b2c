#include "proxstream/core/error.hpp"

#include "core/parse_json.hpp"
#include "store/page_data.hpp"

#include <string_view>

#include <fmt/format.h>

namespace proxstream {
namespace {

using Json = nlohmann::ordered_json;

Json member(const Json& object, const char* name) {
    const auto found = object.find(name);
    return found == object.end() ? Json(nullptr) : *found;
}

std::string text(const Json& object, const char* name) {
    const Json value = member(object, name);
    return value.is_string() ? value.get<std::string>() : std::string();
}

bool is_sound(const Json& certificate) {
    return member(certificate, "sound") == true;
}

const Json& claims_of(const Json& certificate) {
    static const Json none = Json::array();
    for (const char* name : {"inequalities", "claims"}) {
        const auto found = certificate.find(name);
        if (found != certificate.end() && found->is_array()) return *found;
    }
    return none;
}

/// Sides that are not finite (inf, nan) are texts already.
Json page_claim(const Json& claim, const std::string& part) {
    const std::string explanation = text(claim, "explanation");
    return {{"id", part + text(claim, "id")},
            {"statement", text(claim, "statement")},
            {"verdict", text(claim, "verdict")},
            {"left", member(claim, "left")},
            {"right", member(claim, "right")},
            {"explanation", explanation.empty() ? text(claim, "note") : explanation}};
}

Json whole_form(const Json& certificate) {
    Json claims = Json::array();
    for (const Json& claim : claims_of(certificate)) claims.push_back(page_claim(claim, ""));
    return {{"conclusion", text(certificate, "conclusion")},
            {"sound", is_sound(certificate)},
            {"claims", std::move(claims)}};
}

/// Shows all claims of the last part, and the claims of the other parts that fail.
Json parts_form(const Json& parts, std::string_view noun) {
    if (parts.size() == 1) return whole_form(parts[0]);
    Json claims = Json::array();
    std::size_t sound = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        sound += is_sound(parts[i]) ? 1 : 0;
        for (const Json& claim : claims_of(parts[i])) {
            const std::string verdict = text(claim, "verdict");
            if (i + 1 == parts.size() || verdict == "violated" || verdict == "missed")
                claims.push_back(page_claim(claim, fmt::format("{} {}: ", noun, i + 1)));
        }
    }
    std::string conclusion = fmt::format("{} of {} {}s hold.", sound, parts.size(), noun);
    const std::string last = parts.empty() ? std::string() : text(parts.back(), "conclusion");
    if (!last.empty()) conclusion += " The last: " + last;
    return {{"conclusion", conclusion}, {"sound", sound == parts.size()}, {"claims", std::move(claims)}};
}

}  // namespace

std::string page_certificate(const std::string& written, const std::string& kind) {
    if (written.empty()) return "null";
    const Json certificate = parse_json<Json>(written);
    if (certificate.is_discarded()) throw DataError({"certificate", 0, 0, {}}, "not JSON", "a JSON object");
    const std::string_view noun = kind == "play" ? "player" : "epoch";
    const Json epochs = certificate.is_object() ? member(certificate, "epochs") : Json(nullptr);
    Json form;
    if (certificate.is_array()) {
        form = parts_form(certificate, noun);
    } else if (epochs.is_array()) {
        form = parts_form(epochs, noun);
        form["sound"] = is_sound(certificate);
    } else if (certificate.is_object()) {
        form = whole_form(certificate);
    }
    return form.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace proxstream
