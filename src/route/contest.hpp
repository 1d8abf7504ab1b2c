/// Who plays beside the lead, on the same periods: rivals that decide before they see, and the clairvoyant,
/// which does not. Their figures are made as the lead's are.
#pragma once

#include "route/route_rows.hpp"
#include "route/strategy.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace proxstream {

class Contest {
  public:
    /// Nobody plays.
    Contest() = default;
    /// Those the settings name. Rivals that need the mean demand beforehand stay away where it is not known.
    /// `before`: the lead's sums over the periods before the first demand, in which all methods had the same
    /// splits. `keeps_costs`: of every period, for costs().
    Contest(const StrategyParts& parts, const MethodSums& before, bool keeps_costs = true);

    /// Everybody's splits meet the demand; then everybody learns from it. Returns what the clairvoyant pays,
    /// if it plays.
    Real play(const RowBlock& demand);
    /// A period that nobody could be measured on.
    void hold();
    /// The network has changed; `repair` takes splits to what is possible now.
    void revise(const std::function<void(View)>& repair);

    /// A row each, the clairvoyant last; ratios are left to the caller.
    void add_rows(std::vector<MethodRow>& rows) const;
    /// Cost of every period, in the order of the rows.
    std::vector<std::vector<Real>> costs() const;
    /// Between two periods, of a contest made from the same settings.
    void exchange(Checkpoint& checkpoint);

  private:
    struct Rival {
        std::string text;
        std::unique_ptr<Strategy> strategy;    // null: the clairvoyant
        std::unique_ptr<DemandSolver> solver;  // of the clairvoyant, for the demand itself
        std::vector<Real> splits;
        std::vector<Real> before;
        MethodSums sums;
        std::vector<Real> cost = {};
        double seconds = 0;
        std::uint64_t gradients = 0;
        LinkFigures links = {};
    };
    void foresee(Rival& rival, ConstView demand) const;

    StrategyParts parts_;
    bool keeps_costs_ = true;
    std::vector<Rival> rivals_;
    Scratch scratch_;
};

}  // namespace proxstream
