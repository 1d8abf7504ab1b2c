#include "studies/compare_fit.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

constexpr Real kComparedPasses = 30;

/// Whether its step is given; other methods search for their step.
bool has_step(const OfflineMethodRow& row) {
    return row.stochastic || row.name == "prox-grad";
}

std::vector<std::string> all_methods(const SampledLoss& loss) {
    std::vector<std::string> names;
    for (const OfflineMethodRow& row : offline_methods()) {
        if (row.name == "reduction") continue;  // has a stopping test of its own, for an epsilon
        if (row.stochastic || loss.knows_f()) names.emplace_back(row.name);
    }
    return names;
}

std::vector<Real> numbers(const std::vector<std::string>& texts, const char* option) {
    std::vector<Real> values;
    for (const std::string& text : texts) {
        const Real value = parse_real(text, option);
        if (!(value > 0 && value < kAbsurd))
            throw ConfigError(std::string(option) + " = " + text + ": must be positive and finite");
        values.push_back(value);
    }
    return values;
}

FitFigure figure_of(const std::vector<Real>& squares) {
    const auto count = static_cast<Real>(squares.size());
    Real mean = 0;
    for (const Real each : squares) mean += std::log(each) / count;
    Real scatter = 0;
    for (const Real each : squares) scatter += std::pow(std::log(each) - mean, 2);
    FitFigure figure{.geometric_mean = std::exp(mean)};
    if (squares.size() > 1) figure.spread = std::exp(std::sqrt(scatter / (count - 1) / count));
    return figure;
}

/// Logarithms need a positive number, and below this a squared gap is rounding.
Real square(Real gap) {
    constexpr Real kFloor = 1e-40;
    return std::max(gap * gap, kFloor);
}

template <class Within>
const TracePoint& last_within(const std::vector<TracePoint>& trace, const Within& within) {
    const TracePoint* last = &trace.front();
    for (const TracePoint& point : trace) {
        if (within(point)) last = &point;
    }
    return *last;
}

/// The final value of a run; infinite if it met a NaN. F, not |P|: bounded losses are flat far from the data,
/// so the longest steps would have the smallest |P|.
Real score(const FitCell& cell) {
    return cell.status == FitStatus::not_finite ? kInfinity : cell.trace.back().objective;
}

/// The step whose runs have the lowest mean score.
FitEntry best_of(const std::vector<FitCell>& cells, const std::string& method) {
    FitEntry best{.method = method};
    std::vector<Real> scales;
    for (const FitCell& cell : cells) {
        if (cell.method == method && std::find(scales.begin(), scales.end(), cell.scale) == scales.end())
            scales.push_back(cell.scale);
    }
    Real lowest = kInfinity;
    for (const Real scale : scales) {
        std::vector<Index> runs;
        Real total = 0;
        for (Index i = 0; i < cells.size(); ++i) {
            if (cells[i].method != method || cells[i].scale != scale) continue;
            runs.push_back(i);
            total += score(cells[i]);
        }
        total /= static_cast<Real>(runs.size());
        if (!best.runs.empty() && !(total < lowest)) continue;
        lowest = total;
        best.scale = scale;
        best.runs = std::move(runs);
    }
    best.swept = scales.size() > 1;
    return best;
}

}  // namespace

const TracePoint& FitCell::after_samples(std::uint64_t base_samples) const {
    return last_within(trace, [&](const TracePoint& point) { return point.base_samples <= base_samples; });
}

const TracePoint& FitCell::after_seconds(double limit) const {
    return last_within(trace, [&](const TracePoint& point) { return point.seconds <= limit; });
}

FitFigure FitComparison::squared_gap(const FitEntry& entry, Real passes) const {
    std::vector<Real> squares;
    for (const Index i : entry.runs)
        squares.push_back(square(cells[i].after_samples(samples_at(passes)).gap));
    return figure_of(squares);
}

FitFigure FitComparison::squared_gap_in_time(const FitEntry& entry) const {
    std::vector<Real> squares;
    for (const Index i : entry.runs) squares.push_back(square(cells[i].after_seconds(seconds).gap));
    return figure_of(squares);
}

Real FitComparison::mean_objective(const FitEntry& entry, Real passes) const {
    Real mean = 0;
    for (const Index i : entry.runs)
        mean += cells[i].after_samples(samples_at(passes)).objective / static_cast<Real>(entry.runs.size());
    return mean;
}

Real FitComparison::mean_seconds(const FitEntry& entry) const {
    Real mean = 0;
    for (const Index i : entry.runs) mean += cells[i].seconds / static_cast<Real>(entry.runs.size());
    return mean;
}

CompareFit::CompareFit(const FitSettings& settings, StopFlag stop)
    : settings_(settings), stop_(stop), task_(settings, stop), methods_(settings.methods) {
    if (methods_.size() == 1) methods_ = split_outside_parentheses(methods_.front(), ';');
    if (methods_.empty()) methods_ = all_methods(*task_.problem().loss);
    if (settings_.passes == 0 && settings_.seconds == 0) settings_.passes = kComparedPasses;
    if (settings_.measure == 0) settings_.measure = 1;
    std::vector<std::string> violations;
    std::vector<Real> scales;
    collect(violations, "", [&] { scales = numbers(settings_.scales, "scales"); });
    collect(violations, "", [&] { at_ = numbers(settings_.at, "at"); });
    for (const std::string& method : methods_) {
        collect(violations, "methods",
                [&] { make_method(method, {.problem = task_.problem(), .seed = settings_.seed}); });
    }
    if (!violations.empty()) throw ConfigError(violations);
    if (at_.empty() && settings_.passes > 0) at_ = {settings_.passes / 3, settings_.passes};
    for (const std::string& method : methods_) {
        const OfflineMethodRow& row = method_row(method);
        for (const Real scale : has_step(row) ? scales : std::vector<Real>{1}) {
            const Index runs = row.stochastic ? settings_.seeds : 1;
            for (Index i = 0; i < runs; ++i) plan_.push_back({method, scale, settings_.seed + i});
        }
    }
}

FitComparison CompareFit::run(const std::function<void(Index, const FitCell&)>& on_cell) {
    FitComparison all;
    all.at = at_;
    all.pass = pass_samples(*task_.problem().loss);
    for (const Planned& planned : plan_) {
        OfflineOptions options = fit_options_of(settings_, planned.method);
        options.all_budgets = true;
        options.step_scale = planned.scale;
        options.seed = planned.seed;
        const OfflineResult result = FitRun(task_.problem(), options).run(stop_);
        if (result.status == FitStatus::interrupted) {
            all.interrupted = true;
            break;
        }
        all.cells.push_back({.method = planned.method,
                             .scale = planned.scale,
                             .seed = planned.seed,
                             .status = result.status,
                             .seconds = result.seconds,
                             .trace = result.trace});
        if (on_cell) on_cell(all.cells.size(), all.cells.back());
    }
    all.seconds = kInfinity;
    all.lowest = kInfinity;
    for (const FitCell& cell : all.cells) {
        for (const TracePoint& point : cell.trace) all.lowest = std::min(all.lowest, point.objective);
    }
    for (const std::string& method : methods_) {
        FitEntry best = best_of(all.cells, method);
        if (best.runs.empty()) continue;
        all.seconds = std::min(all.seconds, all.mean_seconds(best));
        all.entries.push_back(std::move(best));
    }
    if (settings_.seconds > 0) all.seconds = settings_.seconds;
    return all;
}

}  // namespace proxstream
