#include "proxstream/prox/group.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/norms.hpp"

namespace proxstream {

GroupL2::GroupL2(Coefficients weights, BlockLayout groups)
    : weights_(checked_weights(std::move(weights), "weight")), groups_(std::move(groups)) {
    if (groups_.fixed_count() != 0) weights_.check_size(groups_.fixed_count(), "weights");
}

Real GroupL2::value(ConstView x, Scratch&) const {
    Real total = 0;
    groups_.for_each(x.size(), [&](Index k, Index begin, Index size) {
        total += weights_[k] * norm(x.subspan(begin, size));
    });
    return total;
}

Real GroupL2::prox(ConstView v, Real step, View out, Scratch&) const {
    Real total = 0;
    groups_.for_each(v.size(), [&](Index k, Index begin, Index size) {
        total +=
            weights_[k] * shrink_norm(v.subspan(begin, size), step * weights_[k], out.subspan(begin, size));
    });
    return total;
}

void GroupL2::check_dimension(Index n) const {
    groups_.check_dimension(n);
    weights_.check_size(groups_.count(n), "weights");
}

SumTraits GroupL2::sum_traits() const {
    return {.homogeneous = true, .radial_by_blocks = true};
}

}  // namespace proxstream
