/// A study is a repeatable experiment: a plan of streams and methods, run with several seeds, with its
/// tables, charts and expectations. run_study() runs every plan.
#pragma once

#include "proxstream/core/stop_flag.hpp"

#include "run/learn_settings.hpp"
#include "studies/chart.hpp"
#include "studies/results.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

enum class StudyPreset : std::uint8_t {
    quick,  // seconds, for a first look
    full,   // long enough for conclusions
};

inline constexpr Real kNoPlace = std::numeric_limits<Real>::quiet_NaN();

/// A row of the tables.
struct Method {
    std::string name;
    std::string text = {};  // its text on the command line, for the list of names
    std::string line = {};  // charts join the methods of a line; empty: the name
    Real x = kNoPlace;      // its place on its line, in units of StudyStream::x
    bool draws = false;     // its results depend on the seed even if the stream does not
};

/// A fixed window of the time-smoothed learner.
Method fixed_window(Index window, const std::string& line = {});

/// The unit of work: one method, or all methods, on one stream for one seed. Figures other than times depend
/// on the plan and the seed alone, so that a study repeats exactly.
struct Cell {
    std::string stream;
    std::span<const Method> methods;
    std::uint64_t seed = 1;
    StopFlag stop = nullptr;
    std::function<void(Real)> on_share = {};  // is called with the share that is done, from 0 to 1

    std::vector<Measurement> results = {};
    std::vector<std::string> notes = {};  // violated certificates, refused rounds
    bool interrupted = false;             // the results cover a part of the run: they are dropped

    const Method& method() const { return methods.front(); }
    bool stopped() const { return stop != nullptr && *stop; }
    void share(Real done, Real all) const {
        if (on_share) on_share(done / all);
    }
    void add(const std::string& method, const std::string& figure, Real value) {
        results.push_back({stream, method, figure, seed, value});
    }
    /// For a cell of one method.
    void add(const std::string& figure, Real value) { add(method().name, figure, value); }
};

/// A table of the report, and a panel of the charts.
struct StudyStream {
    std::string name;
    std::string text = {};  // what to type to get it, or its formula
    Axis x = {};            // what varies along a line of methods
    std::vector<Method> methods = {};
    std::function<void(Cell&)> run = {};
    bool random = true;     // differs from seed to seed; if not, later seeds run only methods that draw
    bool together = false;  // all methods run in one cell
};

enum class Measure : std::uint8_t {
    value,     // of one method, by its name
    slope,     // of the figure along a line, on two logarithmic axes: the exponent of a rate
    largest,   // mean among the methods of a line
    smallest,  // likewise
};

/// What is measured, and where it has to lie.
struct Expectation {
    Measure kind = Measure::value;
    std::string stream;
    std::string line;
    std::string figure;
    Real low = -kInfinity;  // the ends are inside
    Real high = kInfinity;
    std::string paper = {};  // what the paper says of the same quantity, if that differs
    std::string over = {};   // kind value: divided by this method's figure, seed by seed
};

/// An expectation with what was found.
struct Finding {
    std::string statement;
    Estimate measured = {};
    Real low = -kInfinity;
    Real high = kInfinity;
    std::string paper = {};

    /// False also for what was not measured or is not a number.
    bool holds() const;
};

/// "holds: STATEMENT: -1.98 +- 0.01, expected from -2.2 to -1.8; the paper: -1", or "DOES NOT HOLD: ...".
std::string to_text(const Finding& finding);

/// Slope of log y against log x by least squares. Its error is the standard error for independent deviations
/// from the line, for three points or more; `count` is the number of points. Nothing (count 0) if a point has
/// no logarithm or all have the same x.
Estimate log_log_slope(std::span<const ChartPoint> points);

struct ChartFigure {
    std::string key;
    std::string name = {};  // added to the name of the line
    bool curve = false;     // drawn without markers: bounds
};

/// A chart: a panel for each stream, a series for each line of methods and figure.
struct ChartPlan {
    enum class Panels : std::uint8_t {
        streams,
        lines,  // a panel for each line, a series for each figure
        one,    // the streams side by side on the x axis
    };
    std::string file;  // without folder: "loss.svg"
    std::string title;
    Axis y;
    std::vector<ChartFigure> figures;
    std::string x_figure = {};  // what stands on the x axis; empty: Method::x
    Axis x = {};                // of x_figure
    Panels panels = Panels::streams;
    std::vector<std::string> streams = {};  // empty: all
    std::vector<std::string> lines = {};    // empty: all
};

struct NamedChart {
    std::string file;
    Chart chart;
};

struct StudyPlan {
    std::string question;
    std::string subtitle = {};  // of the charts
    std::vector<StudyStream> streams;
    std::vector<StudyFigure> figures;  // those of the tables; the CSV file may hold more
    std::vector<ChartPlan> charts = {};
    std::vector<Expectation> expectations = {};
    std::vector<std::string> skipped = {};                             // what cannot run here, a line each
    std::vector<std::pair<std::string, std::string>> more_names = {};  // for the list of names
    /// Throws ConfigError if the study cannot run here; called before anything is made. May be empty.
    std::function<void()> check = {};
    /// In place of the tables of the figures, as Markdown. May be empty.
    std::function<std::string(const ResultTable&)> tables = {};
};

struct StudyRow {
    std::string_view name;
    std::string_view help;
    Index full_seeds;
    Index quick_seeds;
    StudyPlan (*plan)(StudyPreset preset);
    /// The same study on the user's own rows; null: it has its own data only.
    StudyPlan (*plan_on)(const LearnSettings& rows, StudyPreset preset) = nullptr;
};

std::span<const StudyRow> studies();

/// What was found of each expectation.
std::vector<Finding> find(const StudyPlan& plan, const ResultTable& table);
std::vector<NamedChart> draw(const StudyPlan& plan, const ResultTable& table);

struct StudyOptions {
    StudyPreset preset = StudyPreset::full;
    Index seeds = 0;                         // 0: those of the preset
    std::optional<LearnSettings> rows = {};  // data and model of the user
    std::string folder;
    bool replace = false;  // write into a folder that is not empty
    std::string command;   // for the record
    std::string version;
};

struct StudyProgress {
    Index done = 0;  // cells
    Index cells = 0;
    Real share = 0;             // of everything, from 0 to 1
    std::string_view finished;  // the cell that has just ended; empty in between
};

struct StudyOutcome {
    std::string report;              // the Markdown report
    std::vector<std::string> files;  // those written
    std::vector<std::string> notes;
    std::vector<std::string> skipped;
    std::vector<Finding> findings;  // of a study that was not interrupted
    bool interrupted = false;

    /// No certificate was violated, no round refused, no finding failed.
    bool sound() const;
};

/// Runs the study and writes results.csv, table.md and the charts into the folder. The folder is made before
/// the first cell runs, and results.csv grows with every cell. When stopped, what is finished is reported.
/// Throws ConfigError for a folder that is not empty, IoError for one that cannot be written.
StudyOutcome run_study(const StudyRow& row, const StudyOptions& options, StopFlag stop,
                       const std::function<void(const StudyProgress&)>& on_progress);

}  // namespace proxstream
