/// Streams of rows on which all methods are compared in one run of `compare`.
#pragma once

#include "studies/study.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// What is measured of each method. All but `nonzeros` are means over the rounds.
inline constexpr const char* kLoss = "loss";                   // f_t(x_t), before learning from f_t
inline constexpr const char* kRegret = "regret";               // R_t^2 for the learner's own window
inline constexpr const char* kScaledRegret = "scaled_regret";  // w_a^2 R_t^2: comparable between lengths
inline constexpr const char* kRegretOne = "regret_one";        // the same for w = 1
inline constexpr const char* kGradients = "gradients";         // record gradients
inline constexpr const char* kSteps = "steps";                 // inner updates
inline constexpr const char* kActive = "active_percent";       // rounds in which the point moved
inline constexpr const char* kMovement = "movement";           // |x_{t+1} - x_t|
inline constexpr const char* kChanged = "changed";             // coordinates that differ after a round
inline constexpr const char* kNonzeros = "nonzeros";           // of the last point

/// A method whose text is a learner.
struct RowMethod : Method {
    Real length = 0;  // effective length w_a of its window; 0: it has no single one
};

/// A built-in stream with 8 features of which 4 count; cauchy loss and l1:0.01.
struct RowPlan {
    std::string name;
    std::string builtin;  // "switch,jump=250": what follows builtin:, without rows, features and seed
    std::uint64_t rows = 0;
    Index max_steps = 1000;  // a round
};

StudyStream row_stream(const RowPlan& plan, const std::vector<RowMethod>& methods, const Axis& x);

/// i.i.d., slow drift, fast drift and switches.
std::vector<RowPlan> basic_rows(StudyPreset preset, Index max_steps = 1000);

}  // namespace proxstream
