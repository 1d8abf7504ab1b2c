// Losses given as code. Every round chooses three shares, and only then the right shares are revealed.
// Window, reference step and tolerance are automatic; the certificate says what the run proved.
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <vector>

#include <proxstream/proxstream.hpp>

namespace ps = proxstream;

int main() {
    // The right shares drift around the simplex.
    std::vector<std::array<double, 3>> targets(1000);
    for (std::size_t t = 0; t < targets.size(); ++t) {
        const double angle = 0.005 * static_cast<double>(t);
        targets[t] = {(1 + std::cos(angle)) / 3, (1 + std::cos(angle + 2)) / 3,
                      (1 + std::cos(angle + 4)) / 3};
    }

    ps::OnlineLearner learner({.dimension = 3, .regulariser = ps::Simplex()});
    for (const auto& target : targets) {
        // learner.decision() is the current decision; observe() reveals its loss and finds the next one.
        // f(x) = sum log(1 + (x_i - target_i)^2) / 2 is smooth, robust to outliers, and not convex.
        learner.observe([&](ps::ConstView x, ps::View gradient) {
            double value = 0;
            for (ps::Index i = 0; i < x.size(); ++i) {
                const double miss = x[i] - target[i];
                value += std::log1p(miss * miss) / 2;
                gradient[i] = miss / (1 + miss * miss);
            }
            return value;
        });
    }
    const ps::Certificate certificate = learner.certificate();
    std::cout << certificate;
    return certificate.sound() && certificate.summary.mean_loss < 1e-3 ? EXIT_SUCCESS : EXIT_FAILURE;
}
