#include "core/violations.hpp"
#include "traffic/k_shortest.hpp"

#include <algorithm>

namespace proxstream {
namespace {

void check(const PathOptions& options) {
    Violations violations;
    violations.require(options.k >= 1 && options.k <= kMostPaths,
                       "paths: {} a pair: from 1 to {} are possible", options.k, kMostPaths);
    violations.require(options.spare <= kMostPaths, "spare: {} slots a pair: at most {} are possible",
                       options.spare, kMostPaths);
    violations.require(options.dearer > 0 && options.dearer <= 1e3,
                       "dearer: {}: links can become dearer by a factor above 0, at most 1000",
                       options.dearer);
    violations.conclude();
}

}  // namespace

MadePaths make_paths(const Network& network, std::vector<Pair> pairs, const PathOptions& options,
                     ConstView costs) {
    check(options);
    const PathLists lists = options.diverse ? diverse_paths(network, pairs, costs, options.k, options.dearer)
                                            : k_shortest(network, pairs, costs, options.k);
    return fill_paths(network, std::move(pairs), lists, options);
}

MadePaths fill_paths(const Network& network, std::vector<Pair> pairs, const PathLists& lists,
                     const PathOptions& options) {
    std::vector<Index> slots, unreachable;
    for (Index i = 0; i < pairs.size(); ++i) {
        const Index paths = lists.end_path(i) - lists.first_path(i);
        if (paths == 0) unreachable.push_back(i);
        slots.push_back(std::max<Index>(paths, 1) + options.spare + (options.slack ? 1 : 0));
    }
    PathSet set(network, std::move(pairs), slots);
    std::vector<PathChange> changes;
    changes.reserve(lists.paths() + (options.slack ? set.pairs() : 0));
    for (Index i = 0; i < set.pairs(); ++i) {
        SlotIndex slot = set.first_slot(i);
        for (Index path = lists.first_path(i); path < lists.end_path(i); ++path) {
            const std::span<const LinkIndex> links = lists.links(path);
            changes.push_back({.slot = slot++, .links = {links.begin(), links.end()}});
        }
        if (options.slack) changes.push_back({.slot = set.end_slot(i) - 1});
    }
    set.change(changes);
    return {std::move(set), std::move(unreachable)};
}

}  // namespace proxstream
