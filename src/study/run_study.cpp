#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"
#include "study/study.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace proxstream {
namespace {

namespace fs = std::filesystem;

/// Makes the folder. What lies in it already may be somebody's results.
void prepare_folder(const std::string& folder, bool replace) {
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (fs::exists(status) && !fs::is_directory(status)) {
        throw ConfigError("out = '" + folder + "': this is a file, not a folder");
    }
    if (fs::exists(status) && !replace) {
        const bool empty = fs::is_empty(folder, error);
        if (error) throw IoError(folder, "cannot be read", error.value());
        if (!empty) {
            throw ConfigError(
                "out = '" + folder +
                "': the folder is not empty; choose another with --out, or replace the study in "
                "it with --force");
        }
    }
    fs::create_directories(folder, error);
    if (error) throw IoError(folder, "cannot be made", error.value());
}

/// What a reader has to know of the tables' entries.
std::string table_key(const StudyPlan& plan, Index seeds) {
    if (plan.tables) return {};
    std::string text = seeds > 1 ? " Mean +- standard error over the seeds" : "";
    const bool bold = std::any_of(plan.figures.begin(), plan.figures.end(),
                                  [](const StudyFigure& f) { return f.better != Better::neither; });
    if (bold) text += seeds > 1 ? "; the best mean of a stream is bold" : " The best of a stream is bold";
    return text.empty() ? text : text + ".";
}

std::string findings_text(const StudyPlan& plan, const StudyOutcome& outcome) {
    if (!plan.findings) return {};
    std::string text = "## Findings\n\n";
    if (outcome.interrupted) return text + "Not judged: the study was interrupted.\n\n";
    for (const Finding& finding : outcome.findings) text += "- " + to_text(finding) + "\n";
    return text + '\n';
}

std::string report_text(const StudyRow& row, const StudyOptions& options, const StudyPlan& plan, Index seeds,
                        Index done, const ResultTable& table, const StudyOutcome& outcome) {
    std::string text =
        fmt::format("# Study {}\n\n{}\n\n    {}\n\n", row.name, plan.question, options.command);
    text +=
        fmt::format("proxstream {}, preset {}, seeds 1 to {}.{}\n\n", options.version,
                    options.preset == StudyPreset::full ? "full" : "quick", seeds, table_key(plan, seeds));
    if (outcome.interrupted) {
        text +=
            fmt::format("**Interrupted: {} of {} cells are in these tables.**\n\n", done, plan.cells.size());
    }
    text += findings_text(plan, outcome);
    if (!table.empty()) {
        text += plan.tables ? plan.tables(table) : table.to_markdown(plan.figures, plan.layout);
    }
    if (!plan.skipped.empty()) {
        text += "## Skipped\n\n";
        for (const std::string& line : plan.skipped) text += "- " + line + "\n";
        text += '\n';
    }
    if (!outcome.notes.empty()) {
        text += "## Notes\n\n";
        for (const std::string& note : outcome.notes) text += "- " + note + "\n";
        text += '\n';
    }
    return text;
}

std::string glossary_text(const StudyPlan& plan) {
    if (plan.glossary.empty()) return {};
    std::string text = "## Names\n\n";
    for (const auto& [name, meaning] : plan.glossary) text += fmt::format("- {}: `{}`\n", name, meaning);
    return text;
}

}  // namespace

bool StudyOutcome::sound() const {
    return notes.empty() &&
           std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.holds(); });
}

StudyOutcome run_study(const StudyRow& row, const StudyOptions& options, StopFlag stop,
                       const std::function<void(const StudyProgress&)>& on_progress) {
    const Index preset_seeds = options.preset == StudyPreset::full ? row.full_seeds : row.quick_seeds;
    const Index seeds = options.seeds > 0 ? options.seeds : preset_seeds;
    if (options.rows && row.plan_on == nullptr)
        throw ConfigError(fmt::format("study '{}' takes no data", row.name));
    const StudyPlan plan =
        options.rows ? row.plan_on(*options.rows, options.preset, seeds) : row.plan(options.preset, seeds);
    const auto cells = static_cast<Real>(std::max<Index>(plan.cells.size(), 1));

    if (plan.check) plan.check();
    prepare_folder(options.folder, options.replace);
    const auto path = [&](const std::string& name) { return (fs::path(options.folder) / name).string(); };
    OutputFile csv(path("results.csv"));
    csv.write(csv_header());
    csv.flush();

    StudyOutcome outcome;
    outcome.skipped = plan.skipped;
    ResultTable table;
    Index done = 0;
    for (const StudyCell& cell : plan.cells) {
        if (stop != nullptr && *stop) break;
        const auto base = static_cast<Real>(done);
        CellResult result = cell.run(stop, [&](Real share) {
            on_progress({done, plan.cells.size(), (base + share) / cells, {}});
        });
        if (result.interrupted) break;
        table.add(result.measurements);
        csv.write(to_csv(result.measurements));
        csv.flush();
        for (const std::string& note : result.notes) outcome.notes.push_back(cell.name + ": " + note);
        ++done;
        on_progress({done, plan.cells.size(), static_cast<Real>(done) / cells, cell.name});
    }
    csv.close();
    outcome.interrupted = done < plan.cells.size();
    if (plan.findings && !outcome.interrupted) outcome.findings = plan.findings(table);

    outcome.report = report_text(row, options, plan, seeds, done, table, outcome);
    write_whole_file(path("table.md"), outcome.report + glossary_text(plan));
    outcome.files = {path("results.csv"), path("table.md")};
    if (table.empty()) return outcome;
    for (const NamedChart& named : plan.charts(table)) {
        write_whole_file(path(named.file), to_svg(named.chart));
        outcome.files.push_back(path(named.file));
    }
    return outcome;
}

}  // namespace proxstream
