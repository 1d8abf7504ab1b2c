#include "tree_walk.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/simd.hpp"

// Lambdas must be inlined into the function with clones that contains them.
#define PROXSTREAM_INLINE __attribute__((always_inline))

namespace proxstream {
namespace {

/// kWidth numbers in one register or several.
template <Index kWidth>
struct PackType {
    using Type [[gnu::vector_size(kWidth * sizeof(Real)), gnu::aligned(alignof(Real)), gnu::may_alias]] =
        Real;
};
template <>
struct PackType<1> {
    using Type = Real;
};
template <Index kWidth>
using Pack = typename PackType<kWidth>::Type;

[[gnu::always_inline]] inline Real add_pack(Real one) {
    return one;
}
[[gnu::always_inline]] inline Real add_pack(const Pack<2>& two) {
    return two[0] + two[1];
}
[[gnu::always_inline]] inline Real add_pack(const Pack<4>& four) {
    return (four[0] + four[2]) + (four[1] + four[3]);
}
[[gnu::always_inline]] inline Real add_pack(const Pack<8>& eight) {
    return add_lanes(Lanes(eight));
}

/// The numbers of a node or link as packs. The width is a constant, so that the compiler sees whole
/// registers.
template <Index kWidth>
struct Packs {
    using Type = Pack<kWidth>;
    Index size;  // kWidth, or a multiple of 8

    [[gnu::always_inline]] Index room() const { return kWidth < kLanes ? kWidth : size; }
    [[gnu::always_inline]] static Type& at(Real* place) { return *reinterpret_cast<Type*>(place); }
    [[gnu::always_inline]] static const Type& at(const Real* place) {
        return *reinterpret_cast<const Type*>(place);
    }
    /// body(k) for the first number of every pack.
    template <class Body>
    [[gnu::always_inline]] void for_each(Body body) const {
        if (kWidth < kLanes) return body(Index{0});
        for (Index k = 0; k < size; k += kWidth) body(k);
    }
};

/// Calls `body` with packs of the width that suits the room.
template <class Body>
[[gnu::always_inline]] inline auto with_packs(Index room, Body body) {
    switch (room) {
        case 1:
            return body(Packs<1>{room});
        case 2:
            return body(Packs<2>{room});
        case 4:
            return body(Packs<4>{room});
        default:
            return body(Packs<kLanes>{room});
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
        chunks[i] = trees.subspan(begin, end - begin);
        begin = end;
    }
    return chunks;
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

TreeWalk::TreeWalk(const PathSet& of, TreeChunk chunk, std::span<const DemandColumn> demands,
                   Scratch::Frame& frame)
    : paths(of), columns(demands) {
    Index most = 0;
    for (const PathSet::Tree& tree : chunk) most = std::max<Index>(most, tree.end - tree.begin);
    const Index room = room_for(demands.size());
    nodes = frame.take(most * room);
    demand = frame.take(room);
    fill(demand, 0);
}

PROXSTREAM_CLONES void load_tree(const TreeWalk& walk, const PathSet::Tree& tree, ConstView x, View loads) {
    fill(walk.nodes.first((tree.end - tree.begin) * walk.demand.size()), 0);
    with_packs(walk.demand.size(), [&](auto packs) PROXSTREAM_INLINE {
        const Index room = packs.room();
        const PathSet& paths = walk.paths;
        Real* const flow = walk.nodes.data();
        for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
            gather_demand(walk.columns, pair, walk.demand);
            for (const SlotIndex slot : paths.live_slots(pair)) {
                const Real share = x[slot];
                if (share == 0) continue;
                Real* at = flow + (paths.leaf(slot) - tree.begin) * room;
                packs.for_each([&](Index k) { packs.at(at + k) += share * packs.at(&walk.demand[k]); });
            }
        }
        // Children come after their parents. So backwards, the loads of a subtree have reached its root.
        for (TreeNode node = tree.end - 1; node > tree.begin; --node) {
            const Real* at = flow + (node - tree.begin) * room;
            Real* above = flow + (paths.parent(node) - tree.begin) * room;
            Real* on_link = loads.data() + paths.link(node) * room;
            packs.for_each([&](Index k) {
                const auto here = packs.at(at + k);
                packs.at(above + k) += here;
                packs.at(on_link + k) += here;
            });
        }
    });
}

PROXSTREAM_CLONES void price_tree(const TreeWalk& walk, const PathSet::Tree& tree, ConstView prices,
                                  View slot_prices) {
    with_packs(walk.demand.size(), [&](auto packs) PROXSTREAM_INLINE {
        using Numbers = typename decltype(packs)::Type;
        const Index room = packs.room();
        const PathSet& paths = walk.paths;
        Real* const price = walk.nodes.data();
        packs.for_each([&](Index k) { packs.at(price + k) = Numbers{}; });
        for (TreeNode node = tree.begin + 1; node < tree.end; ++node) {
            const Real* above = price + (paths.parent(node) - tree.begin) * room;
            const Real* on_link = prices.data() + paths.link(node) * room;
            Real* at = price + (node - tree.begin) * room;
            packs.for_each([&](Index k) { packs.at(at + k) = packs.at(above + k) + packs.at(on_link + k); });
        }
        const SlotIndex first = paths.first_slot(tree.first_pair);
        for (Index pair = tree.first_pair; pair < tree.end_pair; ++pair) {
            gather_demand(walk.columns, pair, walk.demand);
            for (const SlotIndex slot : paths.live_slots(pair)) {
                const Real* at = price + (paths.leaf(slot) - tree.begin) * room;
                Numbers total{};
                packs.for_each([&](Index k) { total += packs.at(&walk.demand[k]) * packs.at(at + k); });
                slot_prices[slot - first] = add_pack(total);
            }
        }
    });
}

PROXSTREAM_CLONES Slope compare_links(ConstView demand, std::span<const LinkIndex> left,
                                      std::span<const LinkIndex> joined, ConstView prices,
                                      ConstView curvatures) {
    Slope slope;
    with_packs(demand.size(), [&](auto packs) PROXSTREAM_INLINE {
        const Index room = packs.room();
        packs.for_each([&](Index k) {
            typename decltype(packs)::Type price{}, curvature{};
            for (const LinkIndex link : left) {
                price += packs.at(&prices[link * room + k]);
                curvature += packs.at(&curvatures[link * room + k]);
            }
            for (const LinkIndex link : joined) {
                price -= packs.at(&prices[link * room + k]);
                curvature += packs.at(&curvatures[link * room + k]);
            }
            const auto& flow = packs.at(&demand[k]);
            slope.price += add_pack(flow * price);
            slope.curvature += add_pack(flow * flow * curvature);
        });
    });
    return slope;
}

PROXSTREAM_CLONES void move_links(ConstView demand, Real share, std::span<const LinkIndex> links,
                                  ConstView curvatures, View moved, View prices) {
    with_packs(demand.size(), [&](auto packs) PROXSTREAM_INLINE {
        const Index room = packs.room();
        packs.for_each([&](Index k) {
            const auto flow = share * packs.at(&demand[k]);
            for (const LinkIndex link : links) {
                const Index at = link * room + k;
                packs.at(&moved[at]) += flow;
                packs.at(&prices[at]) += flow * packs.at(&curvatures[at]);
            }
        });
    });
}

}  // namespace proxstream
