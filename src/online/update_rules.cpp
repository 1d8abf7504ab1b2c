#include "proxstream/online/update_rules.hpp"

namespace proxstream {

void Momentum::advance(ConstView gradient, View out) {
    mean_.swap(before_);
    for (Index i = 0; i < out.size(); ++i) {
        mean_[i] = decay_ * before_[i] + (1 - decay_) * gradient[i];
        out[i] = mean_[i];
    }
}

void Adam::advance(ConstView gradient, View out) {
    std::swap(moments_, before_);
    ++round_;
    const Real first_weight = 1 - std::pow(first_decay_, static_cast<Real>(round_));
    const Real second_weight = 1 - std::pow(second_decay_, static_cast<Real>(round_));
    for (Index i = 0; i < out.size(); ++i) {
        moments_.first[i] = first_decay_ * before_.first[i] + (1 - first_decay_) * gradient[i];
        moments_.second[i] =
            second_decay_ * before_.second[i] + (1 - second_decay_) * gradient[i] * gradient[i];
        out[i] =
            (moments_.first[i] / first_weight) / (std::sqrt(moments_.second[i] / second_weight) + floor_);
    }
}

}  // namespace proxstream
