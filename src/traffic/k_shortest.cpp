#include "traffic/k_shortest.hpp"

#include "proxstream/core/parallel.hpp"

#include "traffic/goal_search.hpp"

#include <algorithm>

namespace proxstream {
namespace {

/// Yen's method in Lawler's form. All paths not yet found are partitioned into classes: the continuations
/// from one node of a found path, without some links. A class has a lower bound, the cost of its cheapest
/// link plus the tree from there on. When a class has the least bound, its path along the tree is checked for
/// a repeated node. A search runs only if it has one.
class Yen {
  public:
    Yen(const Network& network, ConstView costs, Index k) : goal_(network, costs), costs_(costs), k_(k) {
        for (const Link& link : network.all_links()) heads_.push_back(link.to);
    }

    void add_paths(const Pair& pair, PathLists& out) {
        goal_.set_destination(pair.destination);
        if (k_ == 0 || !goal_.tree().reaches(pair.origin)) return;
        found_.clear();
        steps_.clear();
        bans_.clear();
        classes_.clear();
        spurs_.clear();
        made_ = 0;
        goal_.tree().path(pair.origin, rest_);
        accept({}, pair.origin, out);
        while (found_.size() < k_) {
            branch(static_cast<Number>(found_.size() - 1));
            if (!accept_next(out)) return;
        }
    }

  private:
    using Number = std::uint32_t;
    static constexpr Number kNone = std::numeric_limits<Number>::max();
    struct Step {  // of a path: a node, its distance from the origin, and the link that leaves it
        NodeIndex node = 0;
        LinkIndex link = 0;
        Real so_far = 0;
    };
    struct Found {
        Number first = 0, end = 0;  // its steps
        Number branch = 0;          // earlier steps belong to an earlier path
        Number bans = kNone;        // at that step
    };
    struct Ban {
        LinkIndex link = 0;
        Number next = kNone;
    };
    struct Class {
        Real cost = kInfinity;  // of its best path, or a lower bound
        Number number = 0;
        Number path = 0;      // the path it follows up to step `at`
        Number at = 0;        // counted from the path's first
        Number bans = kNone;  // links that may not follow
        LinkIndex link = 0;   // the link with the bound
        bool tree = false;    // the bound is the cost along the tree
        Number spur = kNone;  // the continuation after `at` in spurs_, once the best path is known
        Number spur_end = 0;
    };
    /// Of classes with equal cost, the first one made comes first.
    static bool after(const Class& a, const Class& b) {
        return a.cost > b.cost || (a.cost == b.cost && a.number > b.number);
    }

    bool banned(Number bans, LinkIndex link) const {
        for (; bans != kNone; bans = bans_[bans].next) {
            if (bans_[bans].link == link) return true;
        }
        return false;
    }
    void push(const Class& made) {
        classes_.push_back(made);
        std::push_heap(classes_.begin(), classes_.end(), after);
    }

    /// The steps of `best` up to its `at`, then rest_, are a path.
    void accept(const Class& best, NodeIndex origin, PathLists& out) {
        const auto first = static_cast<Number>(steps_.size());
        if (!found_.empty()) {
            const Number from = found_[best.path].first;
            for (Number i = 0; i < best.at; ++i) steps_.push_back(steps_[from + i]);
            origin = steps_[from + best.at].node;
        }
        Real so_far = best.at == 0 ? 0 : steps_.back().so_far + costs_[steps_.back().link];
        for (const LinkIndex link : rest_) {
            steps_.push_back({origin, link, so_far});
            so_far += costs_[link];
            origin = heads_[link];
        }
        found_.push_back({first, static_cast<Number>(steps_.size()), best.at, best.bans});
        links_.clear();
        for (Number i = first; i < steps_.size(); ++i) links_.push_back(steps_[i].link);
        out.add_path(links_);
    }

    /// The classes that are left after a path was found.
    void branch(Number path) {
        const Found& from = found_[path];
        goal_.clear_marks();
        for (Number i = from.first; i < from.end; ++i) {
            goal_.mark(steps_[i].node);
            const Number at = i - from.first;
            if (at < from.branch) continue;
            bans_.push_back({steps_[i].link, at == from.branch ? from.bans : kNone});
            Class made{
                .number = made_++, .path = path, .at = at, .bans = static_cast<Number>(bans_.size() - 1)};
            find_bound(made, steps_[i]);
            if (made.cost < kInfinity) push(made);
        }
    }

    void find_bound(Class& made, const Step& from) const {
        for (const LinkStar::Arc& arc : goal_.star().at(from.node)) {
            const Real so_far = from.so_far + costs_[arc.link];
            if (so_far >= made.cost || !goal_.usable(arc.node) || banned(made.bans, arc.link)) continue;
            // With two-way streets the tree often leads straight back, so one link more is checked.
            const bool tree = arc.node == goal_.destination() || goal_.usable(goal_.tree().before(arc.node));
            const Real cost = so_far + (tree ? goal_.tree().distance(arc.node) : beyond(arc.node));
            if (cost >= made.cost) continue;
            made.cost = cost;
            made.link = arc.link;
            made.tree = tree;
        }
    }
    Real beyond(NodeIndex node) const {
        Real least = kInfinity;
        for (const LinkStar::Arc& arc : goal_.star().at(node)) {
            if (goal_.usable(arc.node))
                least = std::min(least, costs_[arc.link] + goal_.tree().distance(arc.node));
        }
        return least;
    }

    /// Accepts the best remaining path; false if there is none.
    bool accept_next(PathLists& out) {
        while (!classes_.empty()) {
            std::pop_heap(classes_.begin(), classes_.end(), after);
            Class best = classes_.back();
            classes_.pop_back();
            if (best.spur != kNone) {
                rest_.assign(spurs_.begin() + best.spur, spurs_.begin() + best.spur_end);
                accept(best, 0, out);
                return true;
            }
            const Number first = found_[best.path].first;
            goal_.clear_marks();
            for (Number i = 0; i <= best.at; ++i) goal_.mark(steps_[first + i].node);
            if (best.tree && goal_.tree_is_free(heads_[best.link])) {
                goal_.tree().path(heads_[best.link], rest_);
                rest_.insert(rest_.begin(), best.link);
                accept(best, 0, out);
                return true;
            }
            const Step& from = steps_[first + best.at];
            const auto allowed = [&](LinkIndex link) { return !banned(best.bans, link); };
            const auto price = [&](LinkIndex link) { return costs_[link]; };
            if (!goal_.find(from.node, allowed, price)) continue;
            best.cost = from.so_far + goal_.cost;
            best.spur = static_cast<Number>(spurs_.size());
            spurs_.insert(spurs_.end(), goal_.path.begin(), goal_.path.end());
            best.spur_end = static_cast<Number>(spurs_.size());
            push(best);
        }
        return false;
    }

    GoalSearch goal_;
    ConstView costs_;
    Index k_;
    std::vector<NodeIndex> heads_;
    std::vector<Found> found_;
    std::vector<Step> steps_;
    std::vector<Ban> bans_;
    std::vector<Class> classes_;  // a heap
    Number made_ = 0;
    std::vector<LinkIndex> spurs_;
    std::vector<LinkIndex> rest_, links_;
};

/// Up to k paths with few common links, see diverse_paths().
class Diverse {
  public:
    Diverse(const Network& network, ConstView costs, Index k, Real dearer)
        : goal_(network, costs), costs_(costs), k_(k), dearer_(dearer), factors_(network.links(), 1) {}

    void add_paths(const Pair& pair, PathLists& out) {
        goal_.set_destination(pair.destination);
        if (k_ == 0 || !goal_.tree().reaches(pair.origin)) return;
        found_.clear();
        goal_.tree().path(pair.origin, goal_.path);
        keep(out);
        const auto any = [](LinkIndex) { return true; };
        const auto price = [&](LinkIndex link) { return costs_[link] * factors_[link]; };
        Index same = 0;  // consecutive searches without a new path
        for (Index searches = 1; searches < 2 * k_ && found_.size() < k_ && same < 3; ++searches) {
            goal_.clear_marks();
            goal_.mark(pair.origin);
            goal_.find(pair.origin, any, price);
            same = keep(out) ? 0 : same + 1;
        }
        for (const LinkIndex link : touched_) factors_[link] = 1;
        touched_.clear();
    }

  private:
    bool keep(PathLists& out) {
        for (const LinkIndex link : goal_.path) {
            if (factors_[link] == 1) touched_.push_back(link);
            factors_[link] *= 1 + dearer_;
        }
        if (std::find(found_.begin(), found_.end(), goal_.path) != found_.end()) return false;
        found_.push_back(goal_.path);
        out.add_path(goal_.path);
        return true;
    }

    GoalSearch goal_;
    ConstView costs_;
    Index k_;
    Real dearer_;
    std::vector<Real> factors_;  // by link, 1 between pairs
    std::vector<LinkIndex> touched_;
    std::vector<std::vector<LinkIndex>> found_;
};

/// The paths of all pairs, in order. Pairs with the same destination share work: pairs are sorted by
/// destination and cut into chunks. Every chunk gets a copy of `worker`, on several threads.
template <class Worker>
PathLists lists_by_destination(std::span<const Pair> pairs, const Worker& worker) {
    std::vector<Index> order(pairs.size());
    for (Index i = 0; i < pairs.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](Index a, Index b) { return pairs[a].destination < pairs[b].destination; });
    // Many more chunks than threads balance the load, but every chunk needs memory of its own.
    const Index count = threads() == 1 ? 1 : std::min<Index>(16 * threads(), pairs.size());
    std::vector<PathLists> pieces(count);
    const auto begin_of = [&](Index piece) { return pairs.size() * piece / count; };
    parallel_for(count, [&](Index piece) {
        Worker own = worker;
        for (Index i = begin_of(piece); i < begin_of(piece + 1); ++i) {
            own.add_paths(pairs[order[i]], pieces[piece]);
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

}  // namespace

PathLists k_shortest(const Network& network, std::span<const Pair> pairs, ConstView costs, Index k) {
    return lists_by_destination(pairs, Yen(network, costs, k));
}

PathLists diverse_paths(const Network& network, std::span<const Pair> pairs, ConstView costs, Index k,
                        Real dearer) {
    return lists_by_destination(pairs, Diverse(network, costs, k, dearer));
}

}  // namespace proxstream
