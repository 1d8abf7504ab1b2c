// Sparse regression with drifting weights and heavy-tailed noise: Cauchy loss plus L1. The window of a
// linear model is evaluated in one pass over contiguous rows.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include <proxstream/proxstream.hpp>

namespace ps = proxstream;

namespace {

constexpr ps::Index kFeatures = 20;

/// Row t: three features count, their weights drift, and every tenth row has gross noise.
ps::RowBlock make_row(ps::Round t) {
    std::array<double, kFeatures> features{};
    for (ps::Index i = 0; i < kFeatures; ++i)
        features[i] = normal(ps::Draw{.seed = 3, .round = t, .sample = i});
    const double angle = 0.002 * static_cast<double>(t);
    const double noise = normal(ps::Draw{.seed = 4, .round = t}) * (t % 10 == 0 ? 5 : 0.1);
    ps::RowBlock row;
    row.add_dense(features,
                  std::cos(angle) * features[0] + std::sin(angle) * features[1] + features[2] + noise);
    return row;
}

}  // namespace

int main() {
    const auto loss = [] {
        return ps::make_row_family("cauchy", {.features = kFeatures, .intercept = false});
    };
    ps::OnlineLearner window({.regulariser = ps::L1Norm(0.02)}, loss());
    // For comparison: one step along the gradient of the newest loss.
    ps::OnlineLearner newest({.regulariser = ps::L1Norm(0.02), .window = 1, .learner = "prox-gradient"},
                             loss());

    double missed = 0;
    for (ps::Round t = 1; t <= 3000; ++t) {
        const ps::RowBlock row = make_row(t);
        missed += std::abs(window.predict(row).front() - row.target(0));  // before its target is known
        window.observe(row);
        newest.observe(row);
    }
    const ps::Certificate certificate = window.certificate();
    const ps::Certificate other = newest.certificate();
    const auto nonzero = std::ranges::count_if(window.decision(), [](double weight) { return weight != 0; });
    std::printf("mean loss: automatic window %.4f, newest loss alone %.4f\n", certificate.summary.mean_loss,
                other.summary.mean_loss);
    std::printf("mean absolute error %.3f; %d of %zu weights are not zero\n\n", missed / 3000,
                static_cast<int>(nonzero), kFeatures);
    std::cout << certificate;
    return certificate.sound() && other.sound() && certificate.summary.mean_loss < other.summary.mean_loss
               ? EXIT_SUCCESS
               : EXIT_FAILURE;
}
