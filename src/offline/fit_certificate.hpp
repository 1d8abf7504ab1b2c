/// What was proved of the point a fit ends with: F1 to F5 (docs/fitting.md), measured by the referee at that
/// very point, and what it cost to get there.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "offline/fit.hpp"

#include <string>
#include <string_view>

namespace proxstream {

struct FitCertificate : CertificateLines {
    FitStatus status = FitStatus::budget_exhausted;
    std::string method;
    std::string output;  // best, last or random
    Real reference_step = 0;
    SmoothnessFacts smoothness;
    Real confidence = 0;
    bool exact = true;  // gaps are of f's own gradient
    MeasuredPoint point;
    OfflineResult result;
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

/// The point a method's result is taken from unless another is asked for: "best" of stochastic methods,
/// "last" of those that lower F in every step.
std::string usual_output(std::string_view method);

FitCertificate certify_fit(const OfflineProblem& problem, OfflineResult result,
                           const FitCertificateOptions& options);

std::string to_text(const FitCertificate& certificate);
std::string to_json(const FitCertificate& certificate);

}  // namespace proxstream
