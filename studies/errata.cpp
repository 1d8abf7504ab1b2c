#include "studies/errata.hpp"

#include "core/find_row.hpp"
#include "studies/plans.hpp"

#include <memory>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr StudyFigure kErratumClaimed{"claimed", "claimed"};
constexpr StudyFigure kErratumMeasured{"measured", "measured"};
constexpr StudyFigure kErratumRatio{"over_claim", "measured / claimed"};
constexpr StudyFigure kClaimHolds{"claim_holds", "claim holds", Better::neither, true};
constexpr StudyFigure kErratumCorrected{"corrected", "corrected"};
constexpr StudyFigure kProofRatio{"over_corrected", "measured / corrected"};
constexpr StudyFigure kCorrectedHolds{"corrected_holds", "corrected holds", Better::neither, true};

/// Tolerance for sums that agree up to rounding or a difference quotient.
constexpr Real kRatioSlack = 1e-6;

void run_erratum(const Erratum& erratum, Cell& cell) {
    const auto value = cell.method().line.empty() ? 1 : static_cast<Index>(cell.method().x);
    const Trial trial = erratum.run(value, cell);
    if (trial.claimed) {
        cell.add(kErratumClaimed, *trial.claimed);
        cell.add(kErratumRatio, trial.measured / *trial.claimed);
        cell.add(kClaimHolds, trial.measured <= *trial.claimed ? 1 : 0);
    }
    cell.add(kErratumMeasured, trial.measured);
    if (!trial.corrected) return;
    const Real ratio = trial.measured / *trial.corrected;
    cell.add(kErratumCorrected, *trial.corrected);
    cell.add(kProofRatio, ratio);
    cell.add(kCorrectedHolds,
             ratio <= 1 + kRatioSlack && (!erratum.identity || ratio >= 1 - kRatioSlack) ? 1 : 0);
}

std::vector<Method> erratum_methods(const Erratum& erratum) {
    const std::string text = fmt::format("{}; {}", erratum.quantity, erratum.set_up);
    if (erratum.parameter.empty()) return {{.name = erratum.name, .text = text, .draws = erratum.random}};
    std::vector<Method> methods;
    for (const Index value : erratum.values) {
        methods.push_back({fmt::format("{}, {} = {}", erratum.name, erratum.parameter, value),
                           value == erratum.values.front() ? text : "", erratum.name,
                           static_cast<Real>(value), erratum.random});
    }
    return methods;
}

void expect_erratum(const Erratum& erratum, std::vector<Expectation>& all) {
    const auto add = [&](Measure kind, const std::string& line, const std::string& figure,
                         const Bounds& range, const std::string& paper) {
        all.push_back({kind, erratum.group, line, figure, range.low, range.high, paper});
    };
    const std::vector<Method> methods = erratum_methods(erratum);
    if (erratum.least_ratio)
        add(Measure::value, methods.back().name, kErratumRatio, {*erratum.least_ratio, kInfinity},
            "at most 1");
    if (erratum.proved)
        add(Measure::largest, erratum.name, kProofRatio,
            {erratum.identity ? 1 - kRatioSlack : -kInfinity, 1 + kRatioSlack}, erratum.paper);
    if (erratum.range)
        for (const Method& method : methods)
            add(Measure::value, method.name, kErratumMeasured, *erratum.range, "");
    if (erratum.ratio_slope) add(Measure::slope, erratum.name, kErratumRatio, *erratum.ratio_slope, "0");
    if (erratum.measured_slope)
        add(Measure::slope, erratum.name, kErratumMeasured, *erratum.measured_slope, "0");
}

}  // namespace

StudyPlan plan_errata(StudyPreset preset) {
    const bool full = preset == StudyPreset::full;
    const auto errata = std::make_shared<std::vector<Erratum>>();
    for (const auto& part : {exact_errata(full), sampled_errata(full), other_errata(full)})
        errata->insert(errata->end(), part.begin(), part.end());
    StudyPlan plan;
    plan.question =
        "Which of the paper's claims fail, by how much, and does what is proved in their place hold? Each "
        "has "
        "a set-up that\nsatisfies every hypothesis; the names below say which, and what is counted or "
        "summed.";
    plan.subtitle = "above 1 a bound is wrong";
    plan.figures = {kErratumClaimed,   kErratumMeasured, kErratumRatio,  kClaimHolds,
                    kErratumCorrected, kProofRatio,      kCorrectedHolds};
    for (const Erratum& erratum : *errata) {
        if (plan.streams.empty() || plan.streams.back().name != erratum.group) {
            plan.streams.push_back({.name = erratum.group, .x = {"value", Scale::log}, .random = false});
            plan.streams.back().run = [errata](Cell& cell) {
                const Method& method = cell.method();
                run_erratum(find_row(*errata, "erratum", method.line.empty() ? method.name : method.line),
                            cell);
            };
        }
        for (const Method& method : erratum_methods(erratum)) plan.streams.back().methods.push_back(method);
        expect_erratum(erratum, plan.expectations);
    }
    plan.charts = {{.file = "growth.svg",
                    .title = "Measured over claimed, and over what is proved instead",
                    .y = {"ratio", Scale::log},
                    .figures = {{kErratumRatio, "measured / claimed"}, {kProofRatio, "measured / corrected"}},
                    .panels = ChartPlan::Panels::lines}};
    return plan;
}

}  // namespace proxstream
