#include "proxstream/online/update_rules.hpp"

namespace proxstream {
namespace {

/// The mean of 1/(root + floor) over the coordinates that have met a gradient.
class MeanScale {
  public:
    void add(Real root, Real floor) {
        if (root <= 0) return;
        total_ += 1 / (root + floor);
        ++count_;
    }
    Real mean() const { return count_ > 0 ? total_ / static_cast<Real>(count_) : 1; }

  private:
    Real total_ = 0;
    Index count_ = 0;
};

}  // namespace

Real Adam::advance(ConstView gradient, View out) {
    const auto [step, first_decay, second_decay, floor] = options_;
    std::swap(moments_, before_);
    ++round_;
    const Real first_weight = 1 - std::pow(first_decay, static_cast<Real>(round_));
    const Real second_weight = 1 - std::pow(second_decay, static_cast<Real>(round_));
    MeanScale scales;
    for (Index i = 0; i < out.size(); ++i) {
        moments_.first[i] = first_decay * before_.first[i] + (1 - first_decay) * gradient[i];
        moments_.second[i] =
            second_decay * before_.second[i] + (1 - second_decay) * gradient[i] * gradient[i];
        const Real root = std::sqrt(moments_.second[i] / second_weight);
        out[i] = (moments_.first[i] / first_weight) / (root + floor);
        scales.add(root, floor);
    }
    return scales.mean();
}

Real AdaGrad::precondition(View gradient) {
    MeanScale scales;
    for (Index i = 0; i < gradient.size(); ++i) {
        squares_[i] += gradient[i] * gradient[i];
        const Real root = std::sqrt(squares_[i]);
        gradient[i] /= root + options_.floor;
        scales.add(root, options_.floor);
    }
    return scales.mean();
}

}  // namespace proxstream
