/// Studies that compare learners on built-in streams: streams times methods times seeds, measured by
/// `compare`.
#pragma once

#include "study/study.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

struct StudyStream {
    std::string name;
    std::string builtin;  // "switch,jump=250": what stands behind builtin:, without rows, features and seed
};

struct StudyMethod {
    std::string name;
    std::string learner;  // its textual form
    Real length = 0;      // effective length w_a of its window; 0: it has no single one
};

struct StreamStudy {
    std::vector<StudyStream> streams;
    std::vector<StudyMethod> methods;
    std::uint64_t rows = 0;  // T
    Index seeds = 1;
    Index features = 8;  // n
    std::string loss = "cauchy";
    std::string reg = "l1:0.01";
    Index max_steps = 1000;  // a round
    /// Figures that only all methods of a cell together tell; adds them to the cell's.
    std::function<void(std::vector<Measurement>&)> derive = nullptr;
};

/// i.i.d., slow drift, fast drift, switches: 4 of the weights are not zero.
std::vector<StudyStream> basic_streams();

/// What is measured of each method. All but `nonzeros` are means over the rounds.
inline constexpr const char* kLoss = "loss";                   // f_t(x_t), before learning from f_t
inline constexpr const char* kRegret = "regret";               // R_t^2 for the learner's own window
inline constexpr const char* kScaledRegret = "scaled_regret";  // w_a^2 R_t^2: comparable between lengths
inline constexpr const char* kRegretOne = "regret_one";        // the same residual for w = 1
inline constexpr const char* kGradients = "gradients";         // record gradients
inline constexpr const char* kSteps = "steps";                 // inner updates
inline constexpr const char* kActive = "active_percent";       // rounds in which the point moved
inline constexpr const char* kMovement = "movement";           // |x_{t+1} - x_t|
inline constexpr const char* kChanged = "changed";             // coordinates of x_{t+1} unlike those of x_t
inline constexpr const char* kNonzeros = "nonzeros";           // of the last point

/// A cell for each stream and seed; the seed turns slowest, so that an interrupted study has all streams.
std::vector<StudyCell> stream_cells(const StreamStudy& study);
/// What to type to repeat a stream or a method.
std::vector<std::pair<std::string, std::string>> stream_glossary(const StreamStudy& study);
/// "cauchy + l1:0.01, n = 8, T = 3000, 5 seeds: mean +- standard error"
std::string stream_subtitle(const StreamStudy& study);

/// A chart with a panel for each stream.
Chart chart_by_stream(const StreamStudy& study, const char* title, const Axis& x, const Axis& y,
                      const std::function<std::vector<ChartSeries>(const std::string& stream)>& series);

/// A point of a chart: the method's two figures on the stream, with their errors.
ChartPoint point_of(const ResultTable& table, const std::string& stream, const std::string& method, Real x,
                    const char* y_figure);
ChartPoint point_of(const ResultTable& table, const std::string& stream, const std::string& method,
                    const char* x_figure, const char* y_figure);

}  // namespace proxstream
