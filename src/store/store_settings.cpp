#include "store/store_settings.hpp"

#include "io/field_text.hpp"

namespace proxstream {
namespace {

/// A whole number above 0.
std::optional<std::uint64_t> turns_of(std::string_view text) {
    const auto number = parse_count(text);
    return number == 0U ? std::nullopt : number;
}

/// Turns per commit without synchronisation.
constexpr std::uint64_t kLazyTurns = 256;

}  // namespace

Durability Durability::parse(std::string_view text) {
    if (text == "round") return {1, true};
    if (text == "off") return {kLazyTurns, false};
    if (const auto turns = turns_of(text)) return {*turns, true};
    throw ConfigError("durable = '" + std::string(text) +
                      "': must be round, off, or a number of turns, 1 or more");
}

Retention Retention::parse(std::string_view text) {
    if (text == "turns") return {.ledger_rows = false};
    if (text == "all") return {};
    if (const auto turns = turns_of(text)) return {.turns = turns};
    constexpr std::string_view kUnits = "smhd";
    constexpr double kSeconds[] = {1, 60, 3600, 86400};
    if (const auto unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
        unit != std::string_view::npos) {
        if (const auto count = turns_of(text.substr(0, text.size() - 1)))
            return {.seconds = static_cast<double>(*count) * kSeconds[unit]};
    }
    throw ConfigError("keep = '" + std::string(text) +
                      "': must be turns, all, a number of turns, or an age such as 90s, 30m, 12h or 7d");
}

}  // namespace proxstream
