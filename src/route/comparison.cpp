#include "route/comparison.hpp"

#include <utility>

namespace proxstream {

Comparison::Comparison(const StrategyParts& parts, const MethodSums& before, bool keeps_costs)
    : parts_(parts), keeps_costs_(keeps_costs) {
    for (const std::string& text : rival_texts(*parts.settings)) {
        // The mean demand of a pipe is unknown beforehand.
        if (text == "static" && parts.mean_demand.empty()) continue;
        entries_.push_back({text, make_strategy(text, parts), false, {}, before});
    }
    if (parts.settings->clairvoyant)
        entries_.push_back({"clairvoyant", make_clairvoyant(parts), true, {}, before});
}

Real Comparison::play(const RowBlock& demand) {
    Real lowest = kNotKnown;
    for (Entry& entry : entries_) {
        Strategy& strategy = *entry.strategy;
        if (entry.clairvoyant) strategy.observe(demand);
        const ConstView splits = strategy.decide();
        const PeriodFigures figures =
            measure_period(*parts_.routing, demand.values(0), splits, entry.before, entry.links, scratch_);
        entry.before.assign(splits.begin(), splits.end());
        if (keeps_costs_) entry.cost.push_back(figures.cost);
        if (entry.clairvoyant) {
            lowest = figures.cost;
        } else {
            strategy.observe(demand);
        }
        // The strategy's effort for a change of the network counts for the next period.
        entry.sums.add(
            figures, strategy.seconds() - std::exchange(entry.seconds, strategy.seconds()),
            strategy.record_gradients() - std::exchange(entry.gradients, strategy.record_gradients()));
    }
    return lowest;
}

void Comparison::hold() {
    for (Entry& entry : entries_) {
        entry.sums.add_held(0, 0);
        if (keeps_costs_) entry.cost.push_back(kNotKnown);
    }
}

void Comparison::revise(const std::function<void(View)>& repair) {
    for (Entry& entry : entries_) {
        entry.strategy->revise(repair);
        if (!entry.before.empty()) repair(entry.before);
    }
}

void Comparison::add_rows(std::vector<MethodRow>& rows) const {
    for (const Entry& entry : entries_) {
        MethodRow& row = rows.emplace_back(entry.sums.row());
        row.name = entry.text;
        row.lower_bound = entry.clairvoyant;
        row.label = row.lower_bound ? entry.text : strategy_label(entry.text, *parts_.settings);
    }
}

void Comparison::serialise(StateArchive& archive) {
    archive.agree("rivals", entries_.size());
    for (Entry& entry : entries_) {
        std::string text = entry.text;
        archive.field("rival", text);
        archive.require(text == entry.text, "the same rivals in the same order");
        archive.fields(Field{"strategy", *entry.strategy}, Field{"before", entry.before});
        archive.require(entry.before.empty() || entry.before.size() == entry.strategy->decide().size(),
                        "as many splits as there are");
        archive.fields(Field{"sums", entry.sums}, Field{"cost", entry.cost}, Field{"seconds", entry.seconds},
                       Field{"gradients", entry.gradients});
    }
}

std::vector<std::vector<Real>> Comparison::costs() const {
    std::vector<std::vector<Real>> all;
    for (const Entry& entry : entries_) all.push_back(entry.cost);
    return all;
}

}  // namespace proxstream
