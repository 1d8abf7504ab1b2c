#include "traffic/k_shortest.hpp"

#include "traffic/goal_search.hpp"
#include "traffic/pair_groups.hpp"

#include <cassert>

namespace proxstream {
namespace {

/// Yen's method in Lawler's form: all paths but those found lie in disjoint classes, each the ways to go on
/// from a node of a path that was found, without some links; the best paths of the classes compete. A class
/// enters with a bound, what the cheapest link and then the tree to the destination cost. Only when it comes
/// to be the first is it asked whether that path meets a node twice, and only then is there a search.
class Yen {
  public:
    Yen(const Network& network, ConstView costs, Index k) : goal_(network), costs_(costs), k_(k) {
        for (const Link& link : network.all_links()) heads_.push_back(link.to);
    }

    void add_paths(const Pair& pair, PathLists& out) {
        if (!aimed_ || goal_.destination() != pair.destination) goal_.aim(pair.destination, costs_);
        aimed_ = true;
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
    struct Step {  // of a path: a node, how far it is from the origin, and the link that leaves it
        NodeIndex node = 0;
        LinkIndex link = 0;
        Real so_far = 0;
    };
    struct Found {
        Number first = 0, end = 0;  // its steps
        Number branch = 0;          // those in front of it belong to an earlier path
        Number bans = kNone;        // at that step
    };
    struct Ban {
        LinkIndex link = 0;
        Number next = kNone;
    };
    struct Class {
        Real cost = kInfinity;  // of its best path, or a bound from below
        Number number = 0;
        Number path = 0;      // that is followed up to its step `at`
        Number at = 0;        // counted from the path's first
        Number bans = kNone;  // links that may not come next
        LinkIndex link = 0;   // the one that gave the bound
        bool tree = false;    // whether the tree from there on gave it, or more than that
        Number spur = kNone;  // the best path is known: what follows `at`, in spurs_
        Number spur_end = 0;
    };
    /// Of equals the first that was made comes first.
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

    /// The classes that a path leaves behind.
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
            // The way back is the cheapest wherever streets have two directions: one link more is looked at.
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

    /// The best path that is left; false if there is none.
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
    bool aimed_ = false;
    std::vector<Found> found_;
    std::vector<Step> steps_;
    std::vector<Ban> bans_;
    std::vector<Class> classes_;  // a heap
    Number made_ = 0;
    std::vector<LinkIndex> spurs_;
    std::vector<LinkIndex> rest_, links_;
};

}  // namespace

PathLists k_shortest(const Network& network, std::span<const Pair> pairs, ConstView costs, Index k) {
    return lists_by_destination(pairs, [&] { return Yen(network, costs, k); });
}

}  // namespace proxstream
