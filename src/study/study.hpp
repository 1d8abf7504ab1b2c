/// Experiments that anybody can repeat: a study is a plan of cells, each a run under one seed, and a way to
/// show what they measured.
#pragma once

#include "proxstream/io/byte_source.hpp"

#include "run/learn_settings.hpp"
#include "study/finding.hpp"
#include "study/result_table.hpp"
#include "study/svg_chart.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

enum class StudyPreset : std::uint8_t {
    quick,  // seconds: does it run, and roughly how does it look
    full,   // what conclusions may be drawn from
};

/// What a cell found. Figures, seconds apart, have to depend on plan and seed alone, so that a study repeats
/// exactly.
struct CellResult {
    std::vector<Measurement> measurements;
    std::vector<std::string> notes;  // what a reader has to know: violated certificates, refused rounds
    bool interrupted = false;        // the figures are of a part of the run: they are thrown away
};

struct StudyCell {
    std::string name;
    /// `on_share` is told how much of the cell is done, from 0 to 1.
    std::function<CellResult(StopFlag stop, const std::function<void(Real)>& on_share)> run;
};

struct NamedChart {
    std::string file;  // without folder: "loss.svg"
    Chart chart;
};

struct StudyPlan {
    std::string question;
    /// Throws ConfigError when the study cannot run here; asked before anything is made. May be empty.
    std::function<void()> check;
    std::vector<StudyFigure> figures;  // those of the tables; the CSV may hold more
    TableLayout layout = TableLayout::by_figure;
    /// The tables as Markdown, in place of those of the figures. May be empty.
    std::function<std::string(const ResultTable&)> tables;
    std::vector<std::string> skipped;  // what cannot be run here, a line each; no failure
    std::vector<StudyCell> cells;
    std::function<std::vector<NamedChart>(const ResultTable&)> charts;
    /// What the tables have to show; asked of whole results only. May be empty.
    std::function<std::vector<Finding>(const ResultTable&)> findings;
    /// Names used in the tables and what to type to get the same again.
    std::vector<std::pair<std::string, std::string>> glossary;
};

struct StudyRow {
    std::string_view name;
    std::string_view help;
    Index full_seeds;
    Index quick_seeds;
    StudyPlan (*plan)(StudyPreset preset, Index seeds);
    /// The same study on the user's own rows; null: it has its own data only.
    StudyPlan (*plan_on)(const LearnSettings& rows, StudyPreset preset, Index seeds) = nullptr;
};

std::span<const StudyRow> studies();

struct StudyOptions {
    StudyPreset preset = StudyPreset::full;
    Index seeds = 0;                         // 0: what the preset has
    std::optional<LearnSettings> rows = {};  // data and model given by the user
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
    std::vector<std::string> files;  // what was written
    std::vector<std::string> notes;
    std::vector<std::string> skipped;
    std::vector<Finding> findings;  // of a study that was not interrupted
    bool interrupted = false;

    /// Everything held: no certificate was violated, no round refused, no finding failed.
    bool sound() const;
};

/// Runs the study and writes results.csv, table.md and the charts into the folder. The folder is made and
/// tried before the first cell runs, and results.csv grows with every cell. When stopped, what is finished is
/// reported. Throws ConfigError for a folder that is not empty, IoError for one that cannot be written.
StudyOutcome run_study(const StudyRow& row, const StudyOptions& options, StopFlag stop,
                       const std::function<void(const StudyProgress&)>& on_progress);

}  // namespace proxstream
