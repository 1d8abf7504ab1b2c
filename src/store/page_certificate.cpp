#include "store/page_certificate.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"

#include <string_view>

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

/// Sides that are no numbers (inf, nan) are texts already.
Json page_claim(const Json& claim, const std::string& part) {
    const std::string explanation = text(claim, "explanation");
    return {{"id", part + text(claim, "id")},
            {"statement", text(claim, "statement")},
            {"verdict", text(claim, "verdict")},
            {"left", member(claim, "left")},
            {"right", member(claim, "right")},
            {"explanation", explanation.empty() ? text(claim, "note") : explanation}};
}

const Json& claims_of(const Json& certificate) {
    static const Json none = Json::array();
    for (const char* name : {"inequalities", "claims"}) {
        const auto found = certificate.find(name);
        if (found != certificate.end() && found->is_array()) return *found;
    }
    return none;
}

bool is_sound(const Json& certificate) {
    const Json sound = member(certificate, "sound");
    return sound.is_boolean() && sound.get<bool>();
}

Json page_form(const Json& certificate) {
    Json claims = Json::array();
    for (const Json& claim : claims_of(certificate)) claims.push_back(page_claim(claim, ""));
    return {{"conclusion", text(certificate, "conclusion")},
            {"sound", is_sound(certificate)},
            {"claims", std::move(claims)}};
}

/// Of several parts the last one's claims are shown, and whatever fails in any other.
Json page_form(const Json& parts, std::string_view noun) {
    if (parts.size() == 1) return page_form(parts[0]);
    Json claims = Json::array();
    std::size_t sound = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        sound += is_sound(parts[i]) ? 1 : 0;
        for (const Json& claim : claims_of(parts[i])) {
            const std::string verdict = text(claim, "verdict");
            if (i + 1 == parts.size() || verdict == "violated" || verdict == "missed")
                claims.push_back(page_claim(claim, std::string(noun) + " " + std::to_string(i + 1) + ": "));
        }
    }
    std::string conclusion =
        std::to_string(sound) + " of " + std::to_string(parts.size()) + " " + std::string(noun) + "s hold.";
    const std::string last = parts.empty() ? std::string() : text(parts.back(), "conclusion");
    if (!last.empty()) conclusion += " The last: " + last;
    return {{"conclusion", conclusion}, {"sound", sound == parts.size()}, {"claims", std::move(claims)}};
}

}  // namespace

std::string page_certificate(const std::string& json, const std::string& kind) {
    if (json.empty()) return "null";
    const Json certificate = Json::parse(json, nullptr, false);
    if (certificate.is_discarded())
        throw DataError({"certificate", 0, 0, {}}, "it is no JSON", "a JSON object");
    const std::string_view noun = kind == "play" ? "player" : "epoch";
    const auto epochs = certificate.is_object() ? certificate.find("epochs") : certificate.end();
    Json form;
    if (certificate.is_array()) {
        form = page_form(certificate, noun);
    } else if (epochs != certificate.end() && epochs->is_array()) {
        form = page_form(*epochs, noun);
        form["sound"] = is_sound(certificate);
    } else if (certificate.is_object()) {
        form = page_form(certificate);
    }
    return form.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string accounts_json(const std::vector<Certificate>& accounts) {
    std::string list = "[";
    for (const Certificate& account : accounts) list += (list.size() > 1 ? "," : "") + to_json(account);
    return list + "]";
}

}  // namespace proxstream
