#include "route/decision_log.hpp"

#include "io/json_writer.hpp"
#include "traffic/pair_index.hpp"

namespace proxstream {

std::string decision_json(Index period, std::string_view after, const Network& network, const PathSet& paths,
                          ConstView splits) {
    const auto write_share = [&](JsonWriter& to, SlotIndex slot) {
        to.list("path", paths.links(slot), [&](LinkIndex link) { to.out.text(network.link_name(link)); });
        to.put("share", splits[slot]);
    };
    return json_object([&](JsonWriter& to) {
        to.put("period", period);
        if (!after.empty()) to.put("after", std::string(after));
        to.object("splits", [&] {
            for (Index pair = 0; pair < paths.pairs(); ++pair) {
                std::vector<SlotIndex> used;
                for (const SlotIndex slot : paths.live_slots(pair))
                    if (splits[slot] > 0) used.push_back(slot);
                to.objects(pair_name(network, paths.pair(pair)), used,
                           [&](SlotIndex slot) { write_share(to, slot); });
            }
        });
    });
}

void DecisionLog::write(Index period, std::string_view after, const PathSet& paths, ConstView splits) {
    file_.write(decision_json(period, after, network_, paths, splits) + "\n");
    file_.flush();
}

}  // namespace proxstream
