#include "store/page_certificate.hpp"
#include "store/page_data.hpp"

#include <algorithm>

namespace proxstream {

PageParts page_parts(const RunStore& store) {
    const StoreState state = store.state();
    PageParts parts{.identity = store.identity()};
    parts.state = {.turn = state.last,
                   .saved = state.saved,
                   .folded = state.folded,
                   .finished = state.finished,
                   .status = state.running ? "running" : "stopped",
                   .message = {}};
    if (!state.running && !state.finished) parts.state.message = "proxstream resume goes on with it";
    parts.series = store.series();
    parts.alarms = page_alarms(store.alarms());
    // What was saved with the end of a run is the certificate of all of it; before that the ledgers are.
    parts.certificate = store.certificate();
    if (!state.finished || parts.certificate.empty()) {
        const std::vector<Certificate> accounts = store.certify();
        if (!accounts.empty()) parts.certificate = accounts_json(accounts);
    }
    if (const auto last = store.turn(state.last)) parts.decision = last->decision;
    return parts;
}

std::vector<PageAlarm> page_alarms(std::span<const std::pair<Turn, StoredAlarm>> alarms) {
    std::vector<PageAlarm> found;
    for (const auto& [turn, alarm] : alarms) {
        if (alarm.raised) {
            found.push_back({.id = alarm.id,
                             .turn = turn,
                             .cleared = {},
                             .kind = alarm.kind,
                             .subject = alarm.subject,
                             .text = alarm.text});
            continue;
        }
        const auto raised = std::find_if(found.rbegin(), found.rend(),
                                         [id = alarm.id](const PageAlarm& each) { return each.id == id; });
        if (raised != found.rend() && !raised->cleared) raised->cleared = turn;
    }
    return found;
}

}  // namespace proxstream
