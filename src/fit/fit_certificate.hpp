/// What was proved of the point a fit ends with: each inequality with both sides, measured by the referee at
/// that very point, and what it cost to get there.
#pragma once

#include "offline/fit.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxstream {

enum class FitVerdict : std::uint8_t {
    holds,
    fails,
    likely,      // with the confidence asked for, by an independent batch
    measured,    // a figure, nothing was asked of it
    on_average,  // theory speaks of the mean over all draws: one run does not decide it
};
std::string_view name(FitVerdict verdict);

struct FitClaim {
    std::string id;  // F1, F2, ...
    std::string statement;
    Real left = 0;
    Real right = 0;
    FitVerdict verdict = FitVerdict::measured;
    std::string note = {};
};

struct FitCertificate {
    FitStatus status = FitStatus::budget_exhausted;
    std::string method;
    std::string output;  // best, last or random
    Real reference_step = 0;
    SmoothnessFacts smoothness;
    Real confidence = 0;
    bool exact = true;  // residuals are of f's own gradient
    MeasuredPoint point;
    FitResult result;
    std::vector<FitClaim> claims;

    /// No claim fails.
    bool sound() const;
};

struct FitCertificateOptions {
    std::string method;
    std::string output = "best";
    Real epsilon = 0;  // 0: none was asked for
    /// The number of iterations was settled beforehand, by a budget of them or of samples: what theory says
    /// of a random one among them holds only then.
    bool fixed_length = false;
    Real confidence = 0.95;
};

FitCertificate certify_fit(const OfflineProblem& problem, FitResult result,
                           const FitCertificateOptions& options);

std::string to_text(const FitCertificate& certificate);
std::string to_json(const FitCertificate& certificate);

}  // namespace proxstream
