#include "proxstream/route/decision_log.hpp"

#include "io/json_text.hpp"

namespace proxstream {

DecisionLog::DecisionLog(const std::string& path, const Network& network) : file_(path), network_(network) {}

void DecisionLog::write(Index period, std::string_view after, const PathSet& paths, ConstView splits) {
    JsonText json;
    json.open('{');
    json.key("period");
    json.integer(period);
    if (!after.empty()) {
        json.key("after");
        json.text(after);
    }
    json.key("splits");
    json.open('{');
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        json.key(network_.node_name(paths.pair(pair).origin) + "->" +
                 network_.node_name(paths.pair(pair).destination));
        json.open('[');
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!(splits[slot] > 0)) continue;
            json.open('{');
            json.key("path");
            json.open('[');
            for (const LinkIndex link : paths.links(slot)) json.text(network_.link_name(link));
            json.close(']');
            json.key("share");
            json.number(splits[slot]);
            json.close('}');
        }
        json.close(']');
    }
    json.close('}');
    json.close('}');
    file_.write(json.take() + "\n");
    file_.flush();
}

void DecisionLog::close() {
    file_.close();
}

}  // namespace proxstream
