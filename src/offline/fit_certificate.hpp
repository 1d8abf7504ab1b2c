/// The certificate of a fit: claims F1 to F5 about its result (docs/fitting.md), measured by the referee, and
/// the cost.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "offline/fit.hpp"

#include <string>
#include <string_view>

namespace proxstream {

struct FitCertificateOptions {
    std::string method;
    std::string output = "best";  // best, last or random
    Real epsilon = 0;             // 0: none
    /// A budget of iterations or samples fixed the number of iterations beforehand. The theory of a random
    /// iterate needs that.
    bool fixed_length = false;
    Real confidence = 0.95;
};

struct FitCertificate : CertificateLines, FitCertificateOptions {
    FitStatus status = FitStatus::budget_exhausted;
    Real reference_step = 0;
    SmoothnessFacts smoothness;
    bool exact = true;  // gaps are of f's own gradient
    MeasuredPoint point;
    OfflineResult result;
};

/// The default output: "best" for stochastic methods, "last" for methods that lower F in every step.
std::string usual_output(std::string_view method);

FitCertificate certify_fit(const OfflineProblem& problem, OfflineResult result,
                           const FitCertificateOptions& options);

std::string to_text(const FitCertificate& certificate);
std::string to_json(const FitCertificate& certificate);

}  // namespace proxstream
