/// One method at work on one problem, an iteration at a time. FitRun decides when to measure, to stop and to
/// save; a method can be interrupted between any two iterations.
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/state_archive.hpp"

#include "offline/offline_problem.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

enum class StepStatus : std::uint8_t {
    moved,
    finished,    // a test of the method has passed
    stalled,     // only rounding is left: no step can lower the objective any further
    not_finite,  // a loss or gradient was NaN or infinite; point() is the last one that was not
};

/// A parameter in use, for the record.
struct MethodParameter {
    std::string name;
    std::string value;
    std::string source;  // "given", or where the default comes from: the paper, its theorem
};

/// What theory says of the mean over iterations of |P|^2, at the method's own step, in expectation over the
/// draws; read off the parameters in use.
struct MethodPromise {
    std::string theorem;
    Real step = 0;     // of the gap it speaks of
    Real per_gap = 0;  // bound = per_gap (F(x_1) - inf F) / iterations + floor
    Real floor = 0;
    bool noise_measured = false;  // the floor rests on sigma_0 as it was met at the start
};

class OfflineMethod {
  public:
    struct Exact {
        Real value;          // f
        ConstView gradient;  // grad f
    };

    OfflineMethod() = default;
    OfflineMethod(const OfflineMethod&) = delete;
    OfflineMethod& operator=(const OfflineMethod&) = delete;
    virtual ~OfflineMethod() = default;

    /// One iteration. Charges what was evaluated: a gradient of one sample at one point is one base sample,
    /// a batch of them at one point one oracle call; a whole evaluation of f is n base samples and a pass.
    virtual StepStatus advance(Cost& cost) = 0;
    /// Its current point, in dom g.
    virtual ConstView point() const = 0;
    /// f and its gradient at point(), if the method has them: tests are then free.
    virtual std::optional<Exact> exact() const { return std::nullopt; }
    /// The step the next iteration would take, or the last one took.
    virtual Real step() const = 0;
    /// Samples that a single iteration may take, where they are many; 0: they are not.
    virtual std::uint64_t largest_batch() const { return 0; }
    /// Whether point() is one of those among which theory lets t* be drawn.
    virtual bool candidate() const { return true; }
    /// The decrease of F that the accepted steps so far prove; nullopt if they prove nothing.
    virtual std::optional<Real> certified_decrease() const { return std::nullopt; }
    virtual std::optional<MethodPromise> promise() const { return std::nullopt; }
    virtual std::vector<MethodParameter> parameters() const = 0;
    /// Everything that iterations to come depend on.
    virtual void serialise(StateArchive& archive) = 0;
};

}  // namespace proxstream
