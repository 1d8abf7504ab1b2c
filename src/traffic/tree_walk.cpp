#include "tree_walk.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/simd.hpp"

namespace proxstream {
namespace {

/// kRoom numbers in a register, or as many registers as it takes.
template <Index kRoom>
struct Pack {
    using Type [[gnu::vector_size(kRoom * sizeof(Real)), gnu::aligned(alignof(Real)), gnu::may_alias]] = Real;
};
template <>
struct Pack<1> {
    using Type = Real;
};
template <Index kRoom>
[[gnu::always_inline]] inline typename Pack<kRoom>::Type& pack(Real* at) {
    return *reinterpret_cast<typename Pack<kRoom>::Type*>(at);
}
template <Index kRoom>
[[gnu::always_inline]] inline const typename Pack<kRoom>::Type& pack(const Real* at) {
    return *reinterpret_cast<const typename Pack<kRoom>::Type*>(at);
}

/// body(k) for every pack of a node: one, unless the room is more than eight.
template <Index kRoom, class Body>
[[gnu::always_inline]] inline void for_packs(Index room, Body body) {
    if (kRoom < kLanes) {
        body(0);
    } else {
        for (Index k = 0; k < room; k += kRoom) body(k);
    }
}

template <Index kRoom>
[[gnu::always_inline]] inline void load(const PathSet& paths, const PathSet::Tree& tree,
                                        std::span<const DemandColumn> columns, const Real* x, Index room,
                                        View demand, Real* flow, Real* loads) {
    for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
        gather_demand(columns, pair, demand);
        for (const SlotIndex slot : paths.live_slots(pair)) {
            const Real share = x[slot];
            if (share == 0) continue;
            Real* at = flow + (paths.leaf(slot) - tree.begin) * room;
            for_packs<kRoom>(room, [&](Index k) { pack<kRoom>(at + k) += share * pack<kRoom>(&demand[k]); });
        }
    }
    // Children come after their parents: from the back, everything below a node has reached it.
    for (TreeNode node = tree.end - 1; node > tree.begin; --node) {
        const Real* at = flow + (node - tree.begin) * room;
        Real* above = flow + (paths.parent(node) - tree.begin) * room;
        Real* on_link = loads + paths.link(node) * room;
        for_packs<kRoom>(room, [&](Index k) {
            const typename Pack<kRoom>::Type here = pack<kRoom>(at + k);
            pack<kRoom>(above + k) += here;
            pack<kRoom>(on_link + k) += here;
        });
    }
}

template <Index kRoom>
[[gnu::always_inline]] inline void descend(const PathSet& paths, const PathSet::Tree& tree,
                                           const Real* prices, Index room, Real* price) {
    for_packs<kRoom>(room, [&](Index k) { pack<kRoom>(price + k) = typename Pack<kRoom>::Type{}; });
    for (TreeNode node = tree.begin + 1; node < tree.end; ++node) {
        const Real* above = price + (paths.parent(node) - tree.begin) * room;
        const Real* on_link = prices + paths.link(node) * room;
        Real* at = price + (node - tree.begin) * room;
        for_packs<kRoom>(
            room, [&](Index k) { pack<kRoom>(at + k) = pack<kRoom>(above + k) + pack<kRoom>(on_link + k); });
    }
}

[[gnu::always_inline]] inline Real add_pack(Real one) {
    return one;
}
[[gnu::always_inline]] inline Real add_pack(const Pack<2>::Type& two) {
    return two[0] + two[1];
}
[[gnu::always_inline]] inline Real add_pack(const Pack<4>::Type& four) {
    return (four[0] + four[2]) + (four[1] + four[3]);
}
[[gnu::always_inline]] inline Real add_pack(const Pack<8>::Type& eight) {
    return add_lanes(Lanes(eight));
}

template <Index kRoom>
[[gnu::always_inline]] inline void price_ends(const PathSet& paths, const PathSet::Tree& tree,
                                              std::span<const DemandColumn> columns, const Real* price,
                                              Index room, View demand, Real* slot_prices) {
    const SlotIndex first = paths.first_slot(tree.first_pair);
    for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
        gather_demand(columns, pair, demand);
        for (const SlotIndex slot : paths.live_slots(pair)) {
            const Real* at = price + (paths.leaf(slot) - tree.begin) * room;
            typename Pack<kRoom>::Type total{};
            for_packs<kRoom>(room, [&](Index k) { total += pack<kRoom>(&demand[k]) * pack<kRoom>(at + k); });
            slot_prices[slot - first] = add_pack(total);
        }
    }
}

template <Index kRoom>
[[gnu::always_inline]] inline Slope compare(Index room, const Real* demand, std::span<const LinkIndex> left,
                                            std::span<const LinkIndex> joined, const Real* prices,
                                            const Real* curvatures) {
    using Type = typename Pack<kRoom>::Type;
    Slope slope;
    for_packs<kRoom>(room, [&](Index k) {
        Type price{};
        Type curvature{};
        for (const LinkIndex link : left) {
            price += pack<kRoom>(prices + link * room + k);
            curvature += pack<kRoom>(curvatures + link * room + k);
        }
        for (const LinkIndex link : joined) {
            price -= pack<kRoom>(prices + link * room + k);
            curvature += pack<kRoom>(curvatures + link * room + k);
        }
        const Type& flow = pack<kRoom>(demand + k);
        slope.price += add_pack(flow * price);
        slope.curvature += add_pack(flow * flow * curvature);
    });
    return slope;
}

template <Index kRoom>
[[gnu::always_inline]] inline void move(Index room, const Real* demand, Real share,
                                        std::span<const LinkIndex> links, const Real* curvatures, Real* moved,
                                        Real* prices) {
    for_packs<kRoom>(room, [&](Index k) {
        const typename Pack<kRoom>::Type flow = share * pack<kRoom>(demand + k);
        for (const LinkIndex link : links) {
            const Index at = link * room + k;
            pack<kRoom>(moved + at) += flow;
            pack<kRoom>(prices + at) += flow * pack<kRoom>(curvatures + at);
        }
    });
}

PROXSTREAM_CLONES Slope compare_packs(Index room, const Real* demand, std::span<const LinkIndex> left,
                                      std::span<const LinkIndex> joined, const Real* prices,
                                      const Real* curvatures) {
    switch (room) {
        case 1:
            return compare<1>(1, demand, left, joined, prices, curvatures);
        case 2:
            return compare<2>(2, demand, left, joined, prices, curvatures);
        case 4:
            return compare<4>(4, demand, left, joined, prices, curvatures);
        default:
            return compare<kLanes>(room, demand, left, joined, prices, curvatures);
    }
}

PROXSTREAM_CLONES void move_packs(Index room, const Real* demand, Real share,
                                  std::span<const LinkIndex> links, const Real* curvatures, Real* moved,
                                  Real* prices) {
    switch (room) {
        case 1:
            return move<1>(1, demand, share, links, curvatures, moved, prices);
        case 2:
            return move<2>(2, demand, share, links, curvatures, moved, prices);
        case 4:
            return move<4>(4, demand, share, links, curvatures, moved, prices);
        default:
            return move<kLanes>(room, demand, share, links, curvatures, moved, prices);
    }
}

PROXSTREAM_CLONES void load_packs(const PathSet& paths, const PathSet::Tree& tree,
                                  std::span<const DemandColumn> columns, const Real* x, Index room,
                                  View demand, Real* flow, Real* loads) {
    switch (room) {
        case 1:
            return load<1>(paths, tree, columns, x, 1, demand, flow, loads);
        case 2:
            return load<2>(paths, tree, columns, x, 2, demand, flow, loads);
        case 4:
            return load<4>(paths, tree, columns, x, 4, demand, flow, loads);
        default:
            return load<kLanes>(paths, tree, columns, x, room, demand, flow, loads);
    }
}

PROXSTREAM_CLONES void descend_packs(const PathSet& paths, const PathSet::Tree& tree, const Real* prices,
                                     Index room, Real* price) {
    switch (room) {
        case 1:
            return descend<1>(paths, tree, prices, 1, price);
        case 2:
            return descend<2>(paths, tree, prices, 2, price);
        case 4:
            return descend<4>(paths, tree, prices, 4, price);
        default:
            return descend<kLanes>(paths, tree, prices, room, price);
    }
}

PROXSTREAM_CLONES void price_end_packs(const PathSet& paths, const PathSet::Tree& tree,
                                       std::span<const DemandColumn> columns, const Real* price, Index room,
                                       View demand, Real* slot_prices) {
    switch (room) {
        case 1:
            return price_ends<1>(paths, tree, columns, price, 1, demand, slot_prices);
        case 2:
            return price_ends<2>(paths, tree, columns, price, 2, demand, slot_prices);
        case 4:
            return price_ends<4>(paths, tree, columns, price, 4, demand, slot_prices);
        default:
            return price_ends<kLanes>(paths, tree, columns, price, room, demand, slot_prices);
    }
}

}  // namespace

std::span<const TreeChunk> cut_trees(const PathSet& paths, Index columns, Scratch::Frame& frame) {
    constexpr Index kLeastWork = Index{1} << 16;
    constexpr Index kMostChunks = 16;
    const Index work = paths.tree_nodes() * columns;
    const Index count = std::clamp<Index>(work / kLeastWork, 1, kMostChunks);
    const std::span<TreeChunk> chunks = frame.take<TreeChunk>(count);
    const auto trees = paths.trees();
    Index begin = 0;
    for (Index i = 0; i < count; ++i) {
        const Index target = (i + 1) * paths.tree_nodes() / count;
        Index end = begin;
        while (end < trees.size() && (i + 1 == count || trees[end].end <= target)) ++end;
        chunks[i] = {begin, end};
        begin = end;
    }
    return chunks;
}

Index largest_tree(const PathSet& paths, const TreeChunk& chunk) {
    Index most = 0;
    for (Index t = chunk.begin; t < chunk.end; ++t) {
        most = std::max<Index>(most, paths.trees()[t].end - paths.trees()[t].begin);
    }
    return most;
}

void spread_columns(ConstView by_link, Index columns, Index room, View to) {
    fill(to, 0);
    const Index links = columns > 0 ? by_link.size() / columns : 0;
    for (Index link = 0; link < links; ++link) {
        for (Index k = 0; k < columns; ++k) to[link * room + k] = by_link[link * columns + k];
    }
}

void gather_columns(ConstView spread, Index columns, Index room, View by_link) {
    const Index links = columns > 0 ? by_link.size() / columns : 0;
    for (Index link = 0; link < links; ++link) {
        for (Index k = 0; k < columns; ++k) by_link[link * columns + k] = spread[link * room + k];
    }
}

void load_tree(const PathSet& paths, const PathSet::Tree& tree, std::span<const DemandColumn> columns,
               ConstView x, Index room, View demand, View flow, View loads) {
    fill(flow.first((tree.end - tree.begin) * room), 0);
    load_packs(paths, tree, columns, x.data(), room, demand, flow.data(), loads.data());
}

void price_tree(const PathSet& paths, const PathSet::Tree& tree, ConstView prices, Index room, View price) {
    descend_packs(paths, tree, prices.data(), room, price.data());
}

void price_slots(const PathSet& paths, const PathSet::Tree& tree, std::span<const DemandColumn> columns,
                 ConstView price, Index room, View demand, View slot_prices) {
    price_end_packs(paths, tree, columns, price.data(), room, demand, slot_prices.data());
}

Slope compare_links(ConstView demand, std::span<const LinkIndex> left, std::span<const LinkIndex> joined,
                    ConstView prices, ConstView curvatures) {
    return compare_packs(demand.size(), demand.data(), left, joined, prices.data(), curvatures.data());
}

void move_links(ConstView demand, Real share, std::span<const LinkIndex> links, ConstView curvatures,
                View moved, View prices) {
    move_packs(demand.size(), demand.data(), share, links, curvatures.data(), moved.data(), prices.data());
}

}  // namespace proxstream
