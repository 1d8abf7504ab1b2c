#include "offline/pass_schedule.hpp"

#include "offline/fit.hpp"

#include <cmath>

namespace proxstream {

Real PassSchedule::at(Real passes) const {
    switch (kind_) {
        case Decay::constant:
            return step_;
        case Decay::sqrt:
            return step_ / std::sqrt(1 + decay_ * passes);
        case Decay::inverse:
            return step_ / (1 + decay_ * passes);
        case Decay::epoch:
            return step_ / (1 + decay_ * std::floor(passes));
    }
    return step_;
}

PassSchedule read_schedule(ArgumentReader& arguments, Real step, std::string_view source) {
    using Decay = PassSchedule::Decay;
    const Real first = arguments.step(step, source);
    const std::string kind =
        arguments.word("schedule", {"constant", "sqrt", "inverse", "epoch"}, "constant", source);
    if (kind == "constant") return {Decay::constant, first, 0};
    if (kind == "epoch")
        return {Decay::epoch, first, arguments.not_negative("decay", 0.5, "experiments of Pham et al. 2020")};
    return {kind == "sqrt" ? Decay::sqrt : Decay::inverse, first,
            arguments.not_negative("decay", 1, "a constant")};
}

Real passes_of(std::uint64_t iteration, Index batch, const SampledLoss& loss) {
    return static_cast<Real>(iteration) * static_cast<Real>(batch) / static_cast<Real>(pass_samples(loss));
}

}  // namespace proxstream
