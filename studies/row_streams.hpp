/// Streams of rows on which all methods are compared in one run of `compare`.
#pragma once

#include "studies/study.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// The figures of a method. All but kNonzeros are means over the rounds.
inline constexpr StudyFigure kLoss{"loss", "realised loss f_t(x_t)", Better::lower};
inline constexpr StudyFigure kRegret{"regret", "Reg_w/T"};  // R_t^2 for the learner's own window
inline constexpr StudyFigure kScaledRegret{"scaled_regret", "w^2 Reg/T", Better::lower};
inline constexpr StudyFigure kRegretOne{"regret_one", "gap of the newest loss alone, Reg_1/T"};
inline constexpr StudyFigure kGradients{"gradients", "record gradients a round", Better::lower};
inline constexpr StudyFigure kSteps{"steps", "updates a round"};
inline constexpr StudyFigure kActive{"active_percent", "active rounds, %", Better::lower};
inline constexpr StudyFigure kMovement{"movement", "movement", Better::lower};  // |x_{t+1} - x_t|
inline constexpr StudyFigure kChanged{"changed", "coordinates changed", Better::lower};
inline constexpr StudyFigure kNonzeros{"nonzeros", "nonzeros of the last point"};

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
