#include "route/report_layout.hpp"

#include <algorithm>

namespace proxstream {
namespace {

/// Nodes without a place move between their neighbours that have one, ring after ring. What is linked to
/// nothing placed goes to the middle of all that is.
void fill_in(ReportNetwork& network, std::vector<bool> placed) {
    std::vector<ReportNode>& nodes = network.nodes;
    Place middle;
    Real known = 0;
    for (Index i = 0; i < nodes.size(); ++i) {
        if (placed[i]) middle.x += nodes[i].x, middle.y += nodes[i].y, ++known;
    }
    for (bool changed = true; changed;) {
        std::vector<Place> sums(nodes.size());
        std::vector<Real> counts(nodes.size());
        const auto tell = [&](Index from, Index to) {
            if (placed[from] && !placed[to])
                sums[to].x += nodes[from].x, sums[to].y += nodes[from].y, ++counts[to];
        };
        for (const ReportLink& link : network.links) tell(link.from, link.to), tell(link.to, link.from);
        changed = false;
        for (Index i = 0; i < nodes.size(); ++i) {
            if (counts[i] == 0) continue;
            nodes[i].x = sums[i].x / counts[i];
            nodes[i].y = sums[i].y / counts[i];
            placed[i] = changed = true;
        }
    }
    for (Index i = 0; i < nodes.size(); ++i) {
        if (!placed[i]) nodes[i].x = middle.x / known, nodes[i].y = middle.y / known;
    }
}

}  // namespace

ReportNetwork report_network(const Network& network) {
    ReportNetwork made;
    std::vector<bool> placed(network.nodes());
    for (NodeIndex i = 0; i < network.nodes(); ++i) {
        const std::optional<Place> place = network.place(i);
        placed[i] = place.has_value();
        made.nodes.push_back({network.node_name(i), place ? place->x : 0, place ? place->y : 0});
    }
    for (LinkIndex i = 0; i < network.links(); ++i) {
        const Link& link = network.link(i);
        made.links.push_back({network.link_name(i), link.from, link.to, link.capacity});
    }
    if (network.has_places()) {
        fill_in(made, std::move(placed));
        return made;
    }
    const std::vector<Place> places = lay_out(made.nodes.size(), made.links);
    for (Index i = 0; i < places.size(); ++i) made.nodes[i].x = places[i].x, made.nodes[i].y = places[i].y;
    return made;
}

}  // namespace proxstream
