#include "route/contest.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/stopwatch.hpp"

namespace proxstream {

Contest::Contest(const StrategyParts& parts, const MethodSums& before, bool keeps_costs)
    : parts_(parts), keeps_costs_(keeps_costs) {
    for (const std::string& text : rival_texts(*parts.settings)) {
        // A pipe does not tell its mean demand beforehand.
        if (text == "static" && parts.mean_demand.empty()) continue;
        auto strategy = make_strategy(text, parts);
        const ConstView splits = strategy->decide();
        std::vector<Real> first(splits.begin(), splits.end());
        rivals_.push_back({text, std::move(strategy), nullptr, std::move(first), {}, before});
    }
    if (parts.settings->clairvoyant) {
        rivals_.push_back(
            {"clairvoyant", nullptr, std::make_unique<DemandSolver>(parts), parts.start, {}, before});
    }
}

/// The one that does not have to decide before it sees.
void Contest::foresee(Rival& rival, ConstView demand) const {
    const Stopwatch watch(rival.seconds);
    const DemandColumn column{demand};
    const ColumnUse use{};
    rival.solver->solve({{&column, 1}, {&use, 1}, 1}, rival.splits);
    rival.gradients = rival.solver->passes();
}

Real Contest::play(const RowBlock& demand) {
    Real floor = kNotKnown;
    for (Rival& rival : rivals_) {
        const double seconds_before = rival.seconds;
        const std::uint64_t gradients_before = rival.gradients;
        if (!rival.strategy) foresee(rival, demand.values(0));
        const PeriodFigures figures = measure_period(*parts_.routing, demand.values(0), rival.splits,
                                                     rival.before, rival.links, scratch_);
        rival.before = rival.splits;
        if (keeps_costs_) rival.cost.push_back(figures.cost);
        if (rival.strategy) {
            rival.strategy->observe(demand);
            copy(rival.strategy->decide(), rival.splits);
            rival.seconds = rival.strategy->seconds();
            rival.gradients = rival.strategy->record_gradients();
        } else {
            floor = figures.cost;
        }
        rival.sums.add(figures, rival.seconds - seconds_before, rival.gradients - gradients_before);
    }
    return floor;
}

void Contest::hold() {
    for (Rival& rival : rivals_) {
        rival.sums.add_held(0, 0);
        if (keeps_costs_) rival.cost.push_back(kNotKnown);
    }
}

void Contest::revise(const std::function<void(View)>& repair) {
    for (Rival& rival : rivals_) {
        if (rival.strategy) {
            rival.strategy->revise(repair);
            copy(rival.strategy->decide(), rival.splits);
        } else {
            repair(rival.splits);
        }
        if (!rival.before.empty()) repair(rival.before);
    }
}

void Contest::add_rows(std::vector<MethodRow>& rows) const {
    for (const Rival& rival : rivals_) {
        MethodRow& row = rows.emplace_back(rival.sums.row());
        row.name = rival.text;
        row.floor = !rival.strategy;
        row.label = row.floor ? rival.text : strategy_label(rival.text, *parts_.settings);
    }
}

void Contest::exchange(Checkpoint& checkpoint) {
    checkpoint.agree("rivals", rivals_.size());
    for (Rival& rival : rivals_) {
        std::string text = rival.text;
        checkpoint.exchange("rival", text);
        checkpoint.require(text == rival.text, "the same rivals in the same order");
        if (rival.strategy) checkpoint.part("strategy", *rival.strategy);
        if (rival.solver) checkpoint.part("solver", *rival.solver);
        checkpoint.fixed("splits", rival.splits);
        checkpoint.list("before", rival.before);
        checkpoint.require(rival.before.empty() || rival.before.size() == rival.splits.size(),
                           "as many splits as there are");
        checkpoint.part("sums", rival.sums);
        checkpoint.list("cost", rival.cost);
        checkpoint.exchange("seconds", rival.seconds);
        checkpoint.exchange("gradients", rival.gradients);
    }
}

std::vector<std::vector<Real>> Contest::costs() const {
    std::vector<std::vector<Real>> all;
    for (const Rival& rival : rivals_) all.push_back(rival.cost);
    return all;
}

}  // namespace proxstream
