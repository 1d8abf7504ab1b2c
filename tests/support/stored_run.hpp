/// What a run store says, without what the clock says: two runs that did the same have the same.
#pragma once

#include "store/run_store.hpp"

#include <string>

#include <fmt/format.h>

namespace proxstream::test {

/// JSON without its seconds.
inline std::string timeless(const std::string& text) {
    std::string kept;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t found = text.find("\"seconds\":", at);
        kept += text.substr(at, found - at);
        if (found == std::string::npos) break;
        at = text.find_first_of(",}", found);
    }
    return kept;
}

inline std::string store_text(const RunStore& store) {
    std::string text;
    const std::vector<std::string> channels = store.identity().channels;
    store.turns(1, store.state().last, [&](const StoredTurn& turn) {
        text += fmt::format("{} {}", turn.turn, turn.decision);
        for (Index i = 0; i < turn.figures.size(); ++i)
            if (channels[i] != "seconds") text += fmt::format(" {}", turn.figures[i]);
        text += "\n";
        return true;
    });
    for (std::uint64_t account = 0; account < store.state().accounts; ++account) {
        store.ledger(account, [&](std::string_view line) {
            if (!line.starts_with("{\"end\":")) text += std::string(line) + "\n";
            return true;
        });
    }
    for (const auto& [turn, alarm] : store.alarms())
        text += fmt::format("{} {} {} {} {} {}\n", turn, alarm.id, alarm.raised, alarm.kind, alarm.subject,
                            alarm.text);
    for (const Certificate& each : store.certify()) text += timeless(to_json(each)) + "\n";
    return text;
}

}  // namespace proxstream::test
