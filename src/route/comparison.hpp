/// The entries that are compared with the primary method on the same periods. Rivals decide before they see a
/// demand. The lower bound (clairvoyant) sees it first. All have the same figures.
#pragma once

#include "route/route_rows.hpp"
#include "route/strategy.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace proxstream {

class Comparison {
  public:
    /// Without entries.
    Comparison() = default;
    /// The entries that the settings name, without rivals that need the mean demand beforehand if it is
    /// unknown. `before`: the primary method's sums over the periods before the first demand, in which all
    /// methods had the same splits. `keeps_costs`: keep the cost of every period, for costs().
    Comparison(const StrategyParts& parts, const MethodSums& before, bool keeps_costs = true);

    /// Measures all splits on the demand, then all entries learn from it. Returns the cost of the
    /// clairvoyant, if there is one.
    Real play(const RowBlock& demand);
    /// A period that could not be measured.
    void hold();
    /// Call it after a change of the network. `repair` moves splits to the feasible set.
    void revise(const std::function<void(View)>& repair);

    /// One row each, the clairvoyant last. The caller sets the ratios.
    void add_rows(std::vector<MethodRow>& rows) const;
    /// Cost of every period, in the order of the rows.
    std::vector<std::vector<Real>> costs() const;
    /// Between two periods, of a comparison made from the same settings.
    void serialise(StateArchive& archive);

  private:
    struct Entry {
        std::string text;
        std::unique_ptr<Strategy> strategy;
        bool clairvoyant = false;
        std::vector<Real> before;  // splits of the last period
        MethodSums sums;
        std::vector<Real> cost = {};
        double seconds = 0;           // of the strategy, up to the last period
        std::uint64_t gradients = 0;  // likewise
        LinkFigures links = {};
    };

    StrategyParts parts_;
    bool keeps_costs_ = true;
    std::vector<Entry> entries_;
    Scratch scratch_;
};

}  // namespace proxstream
