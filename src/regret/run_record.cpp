#include "proxstream/regret/run_record.hpp"

#include "proxstream/core/error.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {

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

void RunHeader::validate() const {
    std::vector<std::string> violations;
    const auto ask = [&](bool fine, std::string_view field, auto value, std::string_view allowed) {
        if (!fine)
            violations.push_back(fmt::format("run header: {} is {}; allowed: {}", field, value, allowed));
    };
    ask(version >= 1 && version <= kLedgerVersion, "version", version, fmt::format("1..{}", kLedgerVersion));
    ask(dimension > 0, "dimension", dimension, "at least 1");
    ask(window > 0, "window", window, "at least 1");
    ask(std::isfinite(reference_step) && reference_step > 0, "step", reference_step, "a finite number > 0");
    if (smoothness) {
        ask(std::isfinite(*smoothness) && *smoothness >= 0, "smoothness", *smoothness,
            "a finite number >= 0");
    }
    ask(acceptance > 0 && acceptance < 2, "lambda", acceptance, "between 0 and 2, both excluded");
    ask(std::isfinite(initial_residual) && initial_residual >= 0, "initial residual", initial_residual,
        "a finite number >= 0");
    ask(!std::isnan(initial_regulariser) && initial_regulariser != -kInfinity, "g(x_1)", initial_regulariser,
        "a number or +infinity");
    ask(!std::isnan(regulariser_infimum) && regulariser_infimum != kInfinity, "inf g", regulariser_infimum,
        "a number or -infinity");
    if (max_seconds) {
        ask(std::isfinite(*max_seconds) && *max_seconds >= 0, "max_seconds", *max_seconds,
            "a finite number >= 0");
    }
    for (const Index other : other_windows) ask(other > 0, "other window", other, "at least 1");
    if (!violations.empty()) throw ConfigError(std::move(violations));
}

}  // namespace proxstream
