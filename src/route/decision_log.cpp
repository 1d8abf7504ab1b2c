#include "route/decision_log.hpp"

#include "io/json_text.hpp"

namespace proxstream {

std::string decision_json(Index period, std::string_view after, const Network& network, const PathSet& paths,
                          ConstView splits) {
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
        json.key(network.node_name(paths.pair(pair).origin) + "->" +
                 network.node_name(paths.pair(pair).destination));
        json.open('[');
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            if (!(splits[slot] > 0)) continue;
            json.open('{');
            json.key("path");
            json.open('[');
            for (const LinkIndex link : paths.links(slot)) json.text(network.link_name(link));
            json.close(']');
            json.key("share");
            json.number(splits[slot]);
            json.close('}');
        }
        json.close(']');
    }
    json.close('}');
    json.close('}');
    return json.take();
}

DecisionLog::DecisionLog(const std::string& path, const Network& network) : file_(path), network_(network) {}

void DecisionLog::write(Index period, std::string_view after, const PathSet& paths, ConstView splits) {
    file_.write(decision_json(period, after, network_, paths, splits) + "\n");
    file_.flush();
}

void DecisionLog::close() {
    file_.close();
}

}  // namespace proxstream
