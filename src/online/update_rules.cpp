#include "proxstream/online/update_rules.hpp"

namespace proxstream {

void Adam::advance(ConstView gradient, View out) {
    const auto [step, first_decay, second_decay, floor] = options_;
    std::swap(moments_, before_);
    ++round_;
    const Real first_weight = 1 - std::pow(first_decay, static_cast<Real>(round_));
    const Real second_weight = 1 - std::pow(second_decay, static_cast<Real>(round_));
    for (Index i = 0; i < out.size(); ++i) {
        moments_.first[i] = first_decay * before_.first[i] + (1 - first_decay) * gradient[i];
        moments_.second[i] =
            second_decay * before_.second[i] + (1 - second_decay) * gradient[i] * gradient[i];
        out[i] = (moments_.first[i] / first_weight) / (std::sqrt(moments_.second[i] / second_weight) + floor);
    }
}

void AdaGrad::precondition(View gradient) {
    for (Index i = 0; i < gradient.size(); ++i) {
        squares_[i] += gradient[i] * gradient[i];
        gradient[i] /= std::sqrt(squares_[i]) + options_.floor;
    }
}

}  // namespace proxstream
