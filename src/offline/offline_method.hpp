/// A method on one problem, one iteration at a time. FitRun decides when to measure, stop and save.
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
    stalled,     // at the level of rounding: no step can lower the objective
    not_finite,  // a loss or gradient was NaN or infinite; point() is the last one that was not
};

/// A parameter in use, for the record.
struct MethodParameter {
    std::string name;
    std::string value;
    std::string source;  // "given", or where the default comes from: the paper, its theorem
};

/// A bound on the expected mean of |P|^2 over the iterations, at the method's own step, from its parameters.
struct MethodPromise {
    std::string theorem;
    Real step = 0;     // of the gap
    Real per_gap = 0;  // bound = per_gap (F(x_1) - inf F) / iterations + floor
    Real floor = 0;
    bool noise_measured = false;  // the floor uses a measured sigma_0
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

    /// One iteration. Charges what was evaluated. A gradient of one sample at one point is one base sample,
    /// and a batch of them at one point one oracle call. A whole evaluation of f is n base samples and a
    /// pass.
    virtual StepStatus advance(Cost& cost) = 0;
    /// Its current point, in dom g.
    virtual ConstView point() const = 0;
    /// f and its gradient at point(), if the method has them: tests are then free.
    virtual std::optional<Exact> exact() const { return std::nullopt; }
    /// The step the next iteration would take, or the last one took.
    virtual Real step() const = 0;
    /// The most samples that one iteration may take, if they are many; else 0.
    virtual std::uint64_t largest_batch() const { return 0; }
    /// Whether t* may be point().
    virtual bool candidate() const { return true; }
    /// The decrease of F that the accepted steps prove; nullopt: nothing is proved.
    virtual std::optional<Real> certified_decrease() const { return std::nullopt; }
    virtual std::optional<MethodPromise> promise() const { return std::nullopt; }
    virtual std::vector<MethodParameter> parameters() const = 0;
    /// Everything that later iterations depend on.
    virtual void serialise(StateArchive& archive) = 0;
};

}  // namespace proxstream
