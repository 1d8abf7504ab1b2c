#include "study/errata.hpp"
#include "study/plans.hpp"
#include "study/slope.hpp"
#include "study/stream_study.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kClaimed = "claimed";
constexpr const char* kMeasured = "measured";
constexpr const char* kOverClaim = "over_claim";  // measured / claimed
constexpr const char* kCorrected = "corrected";
constexpr const char* kOverProof = "over_corrected";  // measured / corrected
constexpr const char* kClaimHolds = "claim_holds";    // 1 or 0, as the next
constexpr const char* kCorrectedHolds = "corrected_holds";

/// Sums of figures that agree but for rounding or a difference quotient.
constexpr Real kRatioSlack = 1e-6;

using Errata = std::vector<Erratum>;

Errata all_errata(StudyPreset preset) {
    Errata all = exact_errata(preset);
    for (Errata more : {sampled_errata(preset), application_errata()}) {
        std::move(more.begin(), more.end(), std::back_inserter(all));
    }
    return all;
}

CellResult run_cell(const Erratum& erratum, Index value, std::uint64_t seed, StopFlag stop) {
    Trial trial = erratum.run(value, seed, stop);
    CellResult result = std::move(trial.cell);
    const auto add = [&](const char* figure, Real figure_value) {
        result.measurements.push_back({erratum.group, erratum.row(value), figure, seed, figure_value});
    };
    if (trial.claimed) {
        add(kClaimed, *trial.claimed);
        add(kOverClaim, trial.measured / *trial.claimed);
        add(kClaimHolds, trial.measured <= *trial.claimed ? 1 : 0);
    }
    add(kMeasured, trial.measured);
    if (trial.corrected) {
        const Real ratio = trial.measured / *trial.corrected;
        add(kCorrected, *trial.corrected);
        add(kOverProof, ratio);
        add(kCorrectedHolds,
            ratio <= 1 + kRatioSlack && (!erratum.identity || ratio >= 1 - kRatioSlack) ? 1 : 0);
    }
    return result;
}

std::vector<StudyCell> make_cells(const std::shared_ptr<const Errata>& errata, Index seeds) {
    std::vector<StudyCell> cells;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const Erratum& erratum : *errata) {
            if (seed > 1 && !erratum.random) continue;
            for (const Index value : erratum.values) {
                cells.push_back(
                    {fmt::format("{}, seed {}", erratum.row(value), seed),
                     [errata, &erratum, value, seed](StopFlag stop, const std::function<void(Real)>&) {
                         return run_cell(erratum, value, seed, stop);
                     }});
            }
        }
    }
    return cells;
}

std::vector<ChartPoint> points(const ResultTable& table, const Erratum& erratum, const char* figure) {
    std::vector<ChartPoint> line;
    for (const Index value : erratum.values) {
        line.push_back(point_of(table, erratum.group, erratum.row(value), static_cast<Real>(value), figure));
    }
    return line;
}

/// How far the claims are off where something can be turned up.
Chart growth_chart(const ResultTable& table, const Errata& errata) {
    Chart chart;
    chart.title = "Measured over claimed, and over what is proved instead";
    chart.subtitle = "above 1 a bound is wrong";
    for (const Erratum& erratum : errata) {
        if (erratum.values.size() < 2) continue;
        Panel& panel = chart.panels.emplace_back();
        panel.title = erratum.name;
        panel.x = {erratum.parameter, Scale::log};
        panel.y = {"ratio", Scale::log};
        panel.series.push_back({"measured / claimed", points(table, erratum, kOverClaim)});
        if (erratum.proved) {
            panel.series.push_back({"measured / corrected", points(table, erratum, kOverProof)});
        }
        panel.series.push_back({"1", {{1, 1}}, Mark::level});
    }
    return chart;
}

std::vector<Finding> findings(const ResultTable& table, const Errata& errata) {
    std::vector<Finding> found;
    for (const Erratum& erratum : errata) {
        const std::string row = erratum.row(erratum.values.back());
        if (erratum.least_ratio) {
            found.push_back({fmt::format("{}: {}, over what is claimed", row, erratum.quantity),
                             table.at(erratum.group, row, kOverClaim), *erratum.least_ratio, kInfinity,
                             "at most 1"});
        }
        std::vector<std::string> rows;
        for (const Index value : erratum.values) rows.push_back(erratum.row(value));
        if (erratum.proved)
            found.push_back({fmt::format("{}: {}, over what is proved", erratum.name, erratum.quantity),
                             table.largest(erratum.group, rows, kOverProof),
                             erratum.identity ? 1 - kRatioSlack : -kInfinity, 1 + kRatioSlack,
                             erratum.paper});
        if (erratum.range) {
            for (const std::string& each : rows) {
                found.push_back({fmt::format("{}: {}", each, erratum.quantity),
                                 table.at(erratum.group, each, kMeasured), erratum.range->low,
                                 erratum.range->high});
            }
        }
        if (erratum.growth) {
            const Growth& growth = *erratum.growth;
            found.push_back(
                {fmt::format("{}: slope of {}{} against {}, log-log", erratum.name, erratum.quantity,
                             growth.of_ratio ? " over its claim" : "", erratum.parameter),
                 log_log_slope(points(table, erratum, growth.of_ratio ? kOverClaim : kMeasured)), growth.low,
                 growth.high, "0"});
        }
    }
    return found;
}

StudyPlan plan_of(Errata all, const char* question, Index seeds) {
    const auto errata = std::make_shared<const Errata>(std::move(all));
    StudyPlan plan;
    plan.question = question;
    plan.figures = {{kClaimed, "claimed", Better::neither},
                    {kMeasured, "measured", Better::neither},
                    {kOverClaim, "measured / claimed", Better::neither},
                    {kClaimHolds, "claim holds", Better::neither, true},
                    {kCorrected, "corrected", Better::neither},
                    {kOverProof, "measured / corrected", Better::neither},
                    {kCorrectedHolds, "corrected holds", Better::neither, true}};
    plan.layout = TableLayout::by_stream;
    plan.cells = make_cells(errata, seeds);
    plan.charts = [errata](const ResultTable& table) {
        return std::vector<NamedChart>{{"growth.svg", growth_chart(table, *errata)}};
    };
    plan.findings = [errata](const ResultTable& table) { return findings(table, *errata); };
    for (const Erratum& erratum : *errata) {
        plan.glossary.emplace_back(erratum.name, fmt::format("{}; {}", erratum.quantity, erratum.set_up));
    }
    return plan;
}

}  // namespace

std::string Erratum::row(Index value) const {
    return parameter.empty() ? name : fmt::format("{}, {} = {}", name, parameter, value);
}

StudyPlan plan_errata(StudyPreset preset, Index seeds) {
    return plan_of(all_errata(preset),
                   "Which of the paper's claims fail, by how much, and does what is proved in their place "
                   "hold? Each has a set-up that\nsatisfies every hypothesis; the names below say which, "
                   "and what is counted or summed.",
                   seeds);
}

StudyPlan plan_offline_errata(StudyPreset preset, Index seeds) {
    return plan_of(offline_errata(preset),
                   "Which of the paper's claims about one fixed loss, seen through samples, fail, and by how "
                   "much? Each has a set-up that\nsatisfies every hypothesis; the names below say which, "
                   "and what is counted.",
                   seeds);
}

}  // namespace proxstream
