/// What the makers of learners share: how arguments are read and refused, and the store of a learner that is
/// only tried.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"

#include "online/learner_table.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace proxstream {

void require(const Spec& spec, bool holds, const std::string& what);
Real positive_or(const Spec& spec, Index position, const char* key, Real fallback);
Real fraction_or(const Spec& spec, Index position, const char* key, Real fallback);

/// Whether a window text asks for an ensemble.
bool is_auto(std::string_view window);

/// The arguments every learner that solves windows takes, whatever its kind.
void read_solver_arguments(const Spec& spec, LearnerConfig& parts);

std::unique_ptr<AnyLearner> make_ensemble(const Spec& spec, LearnerConfig parts);

/// Whether gradients are estimated: by a stochastic oracle, or by differences of exact ones.
bool is_noisy(const LearnerConfig& parts);
/// The stochastic time-smoothed learner. Throws ConfigError with everything that noise does not allow, and
/// where no theorem says that its rounds end.
std::unique_ptr<AnyLearner> make_noisy(LearnerConfig parts);

/// Steps along estimates made of a fixed number of samples. A window `auto` is 1 to it: nothing is measured.
std::unique_ptr<AnyLearner> make_sampled_steps(const Spec& spec, LearnerConfig parts);

/// A store that never holds anything: the smallest one a learner can be built on, whatever its window.
struct NoRecords {
    using Record = RecordRef;
    void push(const RecordRef& /*record*/) {}
    void drop_newest() {}
    Index size() const { return 0; }
    Index capacity() const { return ~Index{0}; }
    Real value(Index /*age*/, ConstView /*x*/, Scratch& /*scratch*/) const { return 0; }
    Real value_and_gradient(Index /*age*/, ConstView /*x*/, View gradient, Scratch& /*scratch*/) const {
        fill(gradient, 0);
        return 0;
    }
    Real weighted_value(std::span<const Real> /*weights*/, ConstView /*x*/, Scratch& /*scratch*/) const {
        return 0;
    }
    Real weighted_value_and_gradient(std::span<const Real> /*weights*/, ConstView /*x*/, View gradient,
                                     Scratch& /*scratch*/) const {
        fill(gradient, 0);
        return 0;
    }
};

}  // namespace proxstream
