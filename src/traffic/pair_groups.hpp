/// Work on many pairs that shares what pairs of one destination have in common, on several threads.
#pragma once

#include "proxstream/core/parallel.hpp"

#include "traffic/k_shortest.hpp"

#include <algorithm>
#include <vector>

namespace proxstream {

/// Pairs in the order of their destinations are cut into pieces; make() gives what a piece is worked on with,
/// and its method add_paths(pair, lists) has to add the paths of one pair. The result is in the order of the
/// pairs, whatever the number of threads.
template <class Make>
PathLists lists_by_destination(std::span<const Pair> pairs, const Make& make) {
    std::vector<Index> order(pairs.size());
    for (Index i = 0; i < pairs.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return pairs[a].destination < pairs[b].destination; });
    // Many more pieces than threads, for an even load, and few, because every piece needs memory of its own.
    const Index count = threads() == 1 ? 1 : std::min<Index>(16 * threads(), pairs.size());
    std::vector<PathLists> pieces(count);
    const auto begin_of = [&](Index piece) { return pairs.size() * piece / count; };
    parallel_for(count, [&](Index piece) {
        auto worker = make();
        for (Index i = begin_of(piece); i < begin_of(piece + 1); ++i) {
            worker.add_paths(pairs[order[i]], pieces[piece]);
            pieces[piece].end_pair();
        }
    });
    struct Spot {
        Index piece = 0;
        Index pair = 0;
    };
    std::vector<Spot> spots(pairs.size());
    for (Index piece = 0; piece < count; ++piece) {
        for (Index i = begin_of(piece); i < begin_of(piece + 1); ++i)
            spots[order[i]] = {piece, i - begin_of(piece)};
    }
    PathLists all;
    for (const Spot& spot : spots) {
        const PathLists& from = pieces[spot.piece];
        for (Index path = from.first_path(spot.pair); path < from.end_path(spot.pair); ++path)
            all.add_path(from.links(path));
        all.end_pair();
    }
    return all;
}

}  // namespace proxstream
