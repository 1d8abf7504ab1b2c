#include "traffic/goal_search.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/pair_groups.hpp"

#include <algorithm>

namespace proxstream {
namespace {

class Diverse {
  public:
    Diverse(const Network& network, ConstView costs, Index k, Real dearer)
        : goal_(network), costs_(costs), k_(k), dearer_(dearer), factors_(network.links(), 1) {}

    void add_paths(const Pair& pair, PathLists& out) {
        if (!aimed_ || goal_.destination() != pair.destination) goal_.aim(pair.destination, costs_);
        aimed_ = true;
        if (k_ == 0 || !goal_.tree().reaches(pair.origin)) return;
        found_.clear();
        goal_.tree().path(pair.origin, goal_.path);
        keep(out);
        const auto any = [](LinkIndex) { return true; };
        const auto price = [&](LinkIndex link) { return costs_[link] * factors_[link]; };
        Index same = 0;  // searches in a row that gave nothing new
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
    bool aimed_ = false;
    std::vector<Real> factors_;  // by link, 1 between pairs
    std::vector<LinkIndex> touched_;
    std::vector<std::vector<LinkIndex>> found_;
};

}  // namespace

PathLists diverse_paths(const Network& network, std::span<const Pair> pairs, ConstView costs, Index k,
                        Real dearer) {
    return lists_by_destination(pairs, [&] { return Diverse(network, costs, k, dearer); });
}

}  // namespace proxstream
