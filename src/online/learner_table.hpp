/// Learners by name, over the run-time faces of g, records and windows: compiled once for records of any
/// type.
#pragma once

#include "proxstream/core/spec.hpp"
#include "proxstream/loss/any_batch.hpp"
#include "proxstream/loss/row_block.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "loss/linear_model.hpp"
#include "online/learner.hpp"
#include "online/point_learner.hpp"
#include "online/proximal_rule.hpp"
#include "online/tolerance.hpp"
#include "solve/inner_solver.hpp"
#include "window/callback_oracle.hpp"
#include "window/window_weights.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

using BatchFactory = std::function<AnyBatch(Index capacity)>;

/// Where a learner's gradients come from, and what is known of their noise.
struct NoiseParts {
    std::string oracle = "exact";                // as parse_oracle reads it
    std::optional<CallbackOracle> sampler = {};  // the user's own, in place of that
    std::string variant = "fresh";
    std::uint64_t confirm = 1;            // m
    std::optional<Real> base_noise = {};  // sigma_0 of a row's gradient, for minibatches
    Index record_rows = 0;                // rows of a record, the last one apart; 0: not known
    std::optional<Real> first_gap = {};   // at the start, of the mean of the first records
    std::string origin = {};              // where what is claimed of the noise comes from, in words
    Real confidence = 0.95;
    bool refereed = true;
    bool force = false;  // run even where nothing says that a round ends
};

/// Everything a learner is made from, whatever its kind.
struct LearnerConfig {
    AnyRegulariser g;
    BatchFactory make_batch;                        // the store of its window
    BatchFactory make_own_batch = {};               // for records it keeps to itself; empty: the same
    std::function<AnyBatch()> make_forecasts = {};  // a store for two, for models of kind `record`
    std::vector<Real> start;                        // x_1
    std::string window = "1";  // as WindowWeights::parse reads it, or auto: an ensemble of windows
    std::optional<LinearModel> linear = {};  // of losses that are those of linear models of rows
    std::optional<Index> last_value = {};    // the feature that holds the target's last value
    bool averages =
        false;  // a mean of points is a decision as good as they are: linear models, convex losses
    std::string selection = {};  // of an ensemble, as Selection::parse reads it; empty: by `averages`
    ForecastRule model = {};
    Real hysteresis = 1;  // theta
    Real switching = 0;   // kappa_0
    ProximalRule proximal = {};
    Real step = 1;        // eta
    Real smoothness = 0;  // the claimed L
    Tolerance tolerance = Tolerance::fixed(1);
    Budget budget;
    Real effort = kInfinity;     // record gradients a round, saved up
    std::string inner = "auto";  // as parse_inner reads it, or spider
    NoiseParts noise = {};
    std::uint64_t seed = 0;
};

struct LearnerRow {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    // One of the two: a learner, or the rule of a first-order learner, which may change the start.
    std::unique_ptr<AnyLearner> (*make)(const Spec& spec, LearnerConfig parts) = nullptr;
    RulePointer (*rule)(const Spec& spec, LearnerConfig& parts) = nullptr;
    bool takes_oracle = false;  // can learn from estimates of gradients
    bool is_point = false;      // an ensemble needs no window to measure it
};

std::span<const LearnerRow> learners();

/// Throws ConfigError for an unknown name or argument. Every learner also takes `window=` in its text, and
/// those that solve windows `model=`, `hysteresis=`, `switching=`, `proximal=`. Several of them can then be
/// compared in one run.
std::unique_ptr<AnyLearner> make_learner(std::string_view text, LearnerConfig parts);

/// The same as a point alone, or null where the learner needs its window.
std::unique_ptr<PointLearner> make_point_learner(std::string_view text, const LearnerConfig& parts);

/// Throws what make_learner would, without data: for checking settings before anything is opened. Of the
/// parts neither stores, start nor tolerance are looked at.
void check_learner(std::string_view text, LearnerConfig parts);

/// The box window that measures all learners of a comparison, from the text of --window. It is its length,
/// the nearest whole number of an effective length, or kMeasured for an automatic window.
Index measured_window(std::string_view window);
inline constexpr Index kMeasured = 64;

}  // namespace proxstream
