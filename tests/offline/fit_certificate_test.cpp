/// Certificates of hand-made results: every claim can fail, and the texts say what was found.
#include "offline/fit_certificate.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "offline/function_loss.hpp"

#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

OfflineProblem problem_of(bool knows_f) {
    FunctionLoss::Parts parts;
    parts.dimension = 2;
    parts.components = knows_f ? 10 : 0;
    parts.sample = [](SampleId, ConstView, View gradient) {
        gradient[0] = gradient[1] = 0;
        return Real{0};
    };
    parts.infimum = 0.5;
    return {.loss = std::make_shared<FunctionLoss>(std::move(parts)),
            .g = parse_regulariser("l1:1"),
            .start = {1, 1},
            .smoothness = {.mean = 4, .mean_square = 6, .largest = 9, .proved = true, .origin = "known"},
            .reference_step = 0.25};
}

MeasuredPoint point(Real loss, Real gap, Real error = 0) {
    return {.x = {loss, gap},
            .iteration = 3,
            .loss = loss,
            .regulariser = 1,
            .gap = gap,
            .gap_error = error,
            .loss_error = error,
            .nonzeros = 2};
}

/// From F = 6 to F = 3, of which the steps prove 2.
OfflineResult result_of(Real error = 0) {
    OfflineResult result;
    result.status = FitStatus::budget_exhausted;
    result.iterations = 100;
    result.start = point(5, 4, error);
    result.last = point(2, 0.5, error);
    result.best = point(2.5, 0.25, error);
    result.random = point(3, 0.75, error);
    result.certified_decrease = 2;
    result.promise = MethodPromise{.theorem = "a bound", .step = 0.5, .per_gap = 8, .floor = 0.01};
    return result;
}

FitCertificateOptions asking(Real epsilon, std::string output = "best") {
    return {.method = "test",
            .output = std::move(output),
            .epsilon = epsilon,
            .fixed_length = true,
            .confidence = 0.9};
}

const Inequality* claim_of(const FitCertificate& certificate, std::string_view id) {
    for (const Inequality& claim : certificate.inequalities) {
        if (claim.id == id) return &claim;
    }
    return nullptr;
}

Verdict verdict(const FitCertificate& certificate, std::string_view id) {
    const Inequality* claim = claim_of(certificate, id);
    EXPECT_NE(claim, nullptr) << id;
    return claim != nullptr ? claim->verdict : Verdict::not_applicable;
}

TEST(FitCertificate, VerdictsAreTrueInExactArithmetic) {
    const OfflineProblem problem = problem_of(true);
    const FitCertificate certificate = certify_fit(problem, result_of(), asking(0.3));
    EXPECT_TRUE(certificate.sound());
    EXPECT_EQ(certificate.point.loss, 2.5);
    for (const char* id : {"F1", "F2", "F3", "F4"}) EXPECT_EQ(verdict(certificate, id), Verdict::holds);
    EXPECT_EQ(verdict(certificate, "F5"), Verdict::holds);
    const Inequality& promise = *claim_of(certificate, "F5");
    EXPECT_EQ(promise.confidence, 0) << "it is about the mean over runs";
    EXPECT_DOUBLE_EQ(promise.left, 0.75 * 0.75);
    // At half the step a gap may be twice as large: (F(x_1) - inf f - inf g = 5.5) 8/100 + floor.
    EXPECT_DOUBLE_EQ(promise.right, 4 * (8 * 5.5 / 100 + 0.01));
    EXPECT_EQ(promise.explanation.find("sigma_0"), std::string::npos);
    OfflineResult unlucky = result_of();
    unlucky.random->gap = 10;
    EXPECT_EQ(verdict(certify_fit(problem, unlucky, asking(0.3)), "F5"), Verdict::missed);
    EXPECT_TRUE(certify_fit(problem, unlucky, asking(0.3)).sound());
    OfflineResult noisy = result_of();
    noisy.promise->noise_measured = true;
    const FitCertificate measured = certify_fit(problem, noisy, asking(0.3));
    EXPECT_NE(claim_of(measured, "F5")->explanation.find("sigma_0 was measured"), std::string::npos);
}

TEST(FitCertificate, EachClaimCanFail) {
    const OfflineProblem problem = problem_of(true);
    const auto fails = [&](const OfflineResult& result, Real epsilon, std::string_view id) {
        const FitCertificate certificate = certify_fit(problem, result, asking(epsilon));
        EXPECT_FALSE(certificate.sound()) << id;
        for (const Inequality& claim : certificate.inequalities)
            EXPECT_EQ(claim.verdict == Verdict::violated, claim.id == id) << claim.id << " for " << id;
    };
    OfflineResult outside = result_of();
    outside.best.regulariser = kInfinity;
    EXPECT_EQ(verdict(certify_fit(problem, outside, asking(1)), "F1"), Verdict::violated);
    OfflineResult higher = result_of();
    higher.best.loss = 5.000001;
    fails(higher, 1, "F2");
    fails(result_of(), 0.2, "F3");
    OfflineResult boastful = result_of();
    boastful.certified_decrease = 3.0001;
    fails(boastful, 1, "F4");
    OfflineResult nothing = result_of();
    nothing.best.gap = std::numeric_limits<Real>::quiet_NaN();
    fails(nothing, 1, "F3");
}

TEST(FitCertificate, RoundingCountsAgainstTheClaim) {
    const OfflineProblem problem = problem_of(true);
    OfflineResult equal = result_of();
    equal.best.loss = 5 + 1e-12;
    EXPECT_EQ(verdict(certify_fit(problem, equal, asking(1)), "F2"), Verdict::holds_to_rounding);
    equal.best.loss = 5 + 1e-10;
    EXPECT_EQ(verdict(certify_fit(problem, equal, asking(1)), "F2"), Verdict::violated);
    OfflineResult tight = result_of();
    tight.certified_decrease = 3 + 1e-12;
    EXPECT_EQ(verdict(certify_fit(problem, tight, asking(1)), "F4"), Verdict::holds_to_rounding);
    tight.certified_decrease = 3 + 1e-9;
    EXPECT_EQ(verdict(certify_fit(problem, tight, asking(1)), "F4"), Verdict::violated);
    OfflineResult blurred = result_of();
    blurred.best.gap = 0;
    blurred.best.gap_rounding = 2;
    EXPECT_EQ(verdict(certify_fit(problem, blurred, asking(1)), "F3"), Verdict::undecided);
    EXPECT_TRUE(certify_fit(problem, blurred, asking(1)).sound());
}

TEST(FitCertificate, IntervalsCountAgainstTheClaim) {
    const OfflineProblem problem = problem_of(false);
    const auto at = [&](Real error, Real epsilon) {
        return certify_fit(problem, result_of(error), asking(epsilon));
    };
    EXPECT_FALSE(at(0.04, 0.3).exact);
    EXPECT_EQ(verdict(at(0.04, 0.3), "F3"), Verdict::holds);
    EXPECT_EQ(claim_of(at(0.04, 0.3), "F3")->confidence, 0.9);
    EXPECT_EQ(verdict(at(0.06, 0.3), "F3"), Verdict::violated);
    EXPECT_NE(claim_of(at(0.06, 0.3), "F3")->explanation.find("which contains epsilon"), std::string::npos);
    EXPECT_EQ(claim_of(at(0.06, 0.1), "F3")->explanation.find("which contains epsilon"), std::string::npos);
    EXPECT_EQ(verdict(at(0.06, 0), "F3"), Verdict::not_applicable);
    EXPECT_NE(claim_of(at(0.06, 0), "F3")->explanation.find("0.19 to 0.31"), std::string::npos);
    EXPECT_EQ(verdict(at(0.5, 1), "F2"), Verdict::holds);
    // 3.5 against 6, each up to 2: too close to tell; up to 0.1 and the other way round it fails.
    EXPECT_EQ(verdict(at(2, 3), "F2"), Verdict::undecided);
    OfflineResult higher = result_of(0.1);
    higher.best.loss = 6;
    EXPECT_EQ(verdict(certify_fit(problem, higher, asking(1)), "F2"), Verdict::violated);
    EXPECT_EQ(claim_of(at(0.04, 0.3), "F4"), nullptr) << "an estimate proves no decrease";
}

TEST(FitCertificate, TheMeanOverIterationsNeedsAFixedLength) {
    const OfflineProblem problem = problem_of(true);
    const auto promised = [&](const OfflineResult& result, bool fixed) {
        FitCertificateOptions options = asking(0);
        options.fixed_length = fixed;
        return claim_of(certify_fit(problem, result, options), "F5") != nullptr;
    };
    OfflineResult result = result_of();
    EXPECT_TRUE(promised(result, true));
    EXPECT_FALSE(promised(result, false));
    result.status = FitStatus::converged;
    EXPECT_FALSE(promised(result, true));
    result = result_of();
    result.random.reset();
    EXPECT_FALSE(promised(result, true));
    result = result_of();
    result.promise.reset();
    EXPECT_FALSE(promised(result, true));
}

TEST(FitCertificate, DescribesTheChosenPoint) {
    const OfflineProblem problem = problem_of(true);
    EXPECT_EQ(certify_fit(problem, result_of(), asking(0, "last")).point.loss, 2);
    EXPECT_EQ(certify_fit(problem, result_of(), asking(0, "best")).point.loss, 2.5);
    EXPECT_EQ(certify_fit(problem, result_of(), asking(0, "random")).point.loss, 3);
    OfflineResult without = result_of();
    without.random.reset();
    const FitCertificate certificate = certify_fit(problem, without, asking(0, "random"));
    EXPECT_EQ(certificate.output, "best");
    EXPECT_EQ(certificate.point.loss, 2.5);
}

TEST(FitCertificate, TextsHaveTheFigures) {
    OfflineResult result = result_of();
    result.cost.base_samples = 1234;
    result.cost.oracle_calls = 56;
    result.parameters = {{.name = "batch", .value = "7", .source = "given"}};
    result.best.gap = std::numeric_limits<Real>::quiet_NaN();
    const FitCertificate certificate = certify_fit(problem_of(true), result, asking(0.3));
    const std::string text = to_text(certificate);
    const std::string json = to_json(certificate);
    for (const char* part : {"budget_exhausted after 100 iterations of test", "VIOLATED",
                             "1234 base samples in 56", "mean over runs", "eta = 0.25; L = 4 (known)"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
    for (const char* part : {R"("sound": false)", R"("status": "budget_exhausted")",
                             R"("base_samples": 1234)", R"("gap": "nan")", R"("verdict": "violated")",
                             R"("name": "batch")", R"("right": "inf")", R"("exact": true)"})
        EXPECT_NE(json.find(part), std::string::npos) << part << " in\n" << json;
    EXPECT_EQ(json.find("confidence"), std::string::npos);
    EXPECT_NE(
        to_json(certify_fit(problem_of(false), result_of(0.1), asking(0.3))).find(R"("confidence": 0.9)"),
        std::string::npos);
    EXPECT_NE(to_text(certify_fit(problem_of(false), result_of(0.1), asking(0.3))).find("90 %"),
              std::string::npos);
}

}  // namespace
}  // namespace proxstream
