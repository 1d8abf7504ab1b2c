#include "solve/adam_direction.hpp"

#include <cmath>

namespace proxstream {

Real adam_direction(const AdamOptions& options, Round round, ConstView gradient, const AdamMoments& before,
                    const AdamMoments& after, View out) {
    const auto [step, first_decay, second_decay, floor] = options;
    const Real first_weight = 1 - std::pow(first_decay, static_cast<Real>(round));
    const Real second_weight = 1 - std::pow(second_decay, static_cast<Real>(round));
    MeanScale scales;
    for (Index i = 0; i < out.size(); ++i) {
        after.first[i] = first_decay * before.first[i] + (1 - first_decay) * gradient[i];
        after.second[i] = second_decay * before.second[i] + (1 - second_decay) * gradient[i] * gradient[i];
        const Real root = std::sqrt(after.second[i] / second_weight);
        out[i] = (after.first[i] / first_weight) / (root + floor);
        scales.add(root, floor);
    }
    return scales.mean();
}

}  // namespace proxstream
