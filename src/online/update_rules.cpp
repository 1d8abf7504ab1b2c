#include "online/update_rules.hpp"

namespace proxstream {

Real Adam::advance(ConstView gradient, View out) {
    std::swap(moments_, before_);
    return adam_direction(options_, ++round_, gradient, {before_.first, before_.second},
                          {moments_.first, moments_.second}, out);
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
