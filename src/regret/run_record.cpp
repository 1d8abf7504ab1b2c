#include "proxstream/regret/run_record.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Collects what a header cannot be; `who` names it, a bank or one of its members.
void find_violations(const RunHeader& header, const std::string& who, std::vector<std::string>& violations) {
    const auto ask = [&](bool fine, std::string_view field, auto value, std::string_view allowed) {
        if (!fine) violations.push_back(fmt::format("{}: {} is {}; allowed: {}", who, field, value, allowed));
    };
    const auto finite_from_zero = [](Real value) { return std::isfinite(value) && value >= 0; };
    ask(header.dimension > 0, "dimension", header.dimension, "at least 1");
    ask(header.window > 0, "window", header.window, "at least 1");
    ask(std::isfinite(header.effective_length) && header.effective_length > 0, "effective length",
        header.effective_length, "a finite number > 0");
    ask(header.hysteresis > 0 && header.hysteresis <= 1, "hysteresis", header.hysteresis,
        "above 0 and at most 1");
    ask(finite_from_zero(header.switching), "switching", header.switching, "a finite number >= 0");
    ask(finite_from_zero(header.proximal), "proximal", header.proximal, "a finite number >= 0");
    ask(std::isfinite(header.reference_step) && header.reference_step > 0, "step", header.reference_step,
        "a finite number > 0");
    if (header.smoothness) {
        ask(finite_from_zero(*header.smoothness), "smoothness", *header.smoothness, "a finite number >= 0");
    }
    ask(header.acceptance > 0 && header.acceptance < 2, "lambda", header.acceptance,
        "between 0 and 2, both excluded");
    ask(finite_from_zero(header.initial_residual), "initial residual", header.initial_residual,
        "a finite number >= 0");
    ask(!std::isnan(header.initial_objective) && header.initial_objective != -kInfinity, "g(x_1)",
        header.initial_objective, "a number or +infinity");
    ask(!std::isnan(header.regulariser_infimum) && header.regulariser_infimum != kInfinity, "inf g",
        header.regulariser_infimum, "a number or -infinity");
    ask(finite_from_zero(header.prox_scale), "prox scale", header.prox_scale, "a finite number >= 0");
    if (header.max_seconds) {
        ask(finite_from_zero(*header.max_seconds), "max_seconds", *header.max_seconds,
            "a finite number >= 0");
    }
    if (const auto& noise = header.noise) {
        ask(noise->variant == "fresh" || noise->variant == "paper", "variant", noise->variant,
            "fresh or paper");
        ask(noise->estimator == "sample" || noise->estimator == "spider", "estimator", noise->estimator,
            "sample or spider");
        ask(noise->confirm > 0, "confirm", noise->confirm, "at least 1");
        ask(!noise->sigma || finite_from_zero(*noise->sigma), "sigma", noise->sigma.value_or(0),
            "a finite number >= 0");
        ask(noise->confidence > 0 && noise->confidence < 1, "confidence", noise->confidence,
            "between 0 and 1, both excluded");
    }
    for (const Index other : header.other_windows) ask(other > 0, "other window", other, "at least 1");
    ask(header.play.empty() == header.members.empty(), "the number of members", header.members.size(),
        header.play.empty() ? "0, for a run that is no bank" : "at least 1, for a bank");
}

}  // namespace

std::string_view name(StepRule rule) {
    switch (rule) {
        case StepRule::fixed:
            return "fixed";
        case StepRule::backtracking:
            return "backtracking";
        case StepRule::none:
            return "none";
    }
    return "?";
}

std::string_view name(RunEnding ending) {
    switch (ending) {
        case RunEnding::finished:
            return "finished";
        case RunEnding::interrupted:
            return "interrupted";
        case RunEnding::refused:
            return "refused";
        case RunEnding::failed:
            return "failed";
    }
    return "?";
}

Index RunHeader::points() const {
    return static_cast<Index>(std::count_if(members.begin(), members.end(),
                                            [](const RunHeader& member) { return !member.measured; }));
}

void RunHeader::validate() const {
    std::vector<std::string> violations;
    find_violations(*this, "run header", violations);
    for (Index k = 0; k < members.size(); ++k) {
        const RunHeader& member = members[k];
        const std::string who = fmt::format("run header of member {}", k + 1);
        find_violations(member, who, violations);
        if (member.measured != (k >= points()))
            violations.push_back(who + ": it has no window; allowed: such members come first");
        if (!member.members.empty()) violations.push_back(who + ": a bank cannot be a member of a bank");
        if (!member.other_windows.empty())
            violations.push_back(who + ": other windows are measured for the whole bank only");
        if (member.dimension != dimension) {
            violations.push_back(fmt::format("{}: dimension is {}; allowed: {}, the bank's", who,
                                             member.dimension, dimension));
        }
    }
    if (!members.empty() && points() == members.size())
        violations.emplace_back("run header: no member has a window; allowed: at least one");
    if (!violations.empty()) throw ConfigError(std::move(violations));
}

}  // namespace proxstream
