#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"
#include "studies/study.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace proxstream {
namespace {

namespace fs = std::filesystem;

void prepare_folder(const std::string& folder, bool replace) {
    std::error_code error;
    const fs::file_status status = fs::status(folder, error);
    if (fs::exists(status) && !fs::is_directory(status))
        throw ConfigError("out = '" + folder + "': this is a file, not a folder");
    if (fs::exists(status) && !replace) {
        const bool empty = fs::is_empty(folder, error);
        if (error) throw IoError(folder, "cannot be read", error.value());
        if (!empty) {
            throw ConfigError("out = '" + folder +
                              "': the folder is not empty; choose another with --out, or replace the study "
                              "in it with --force");
        }
    }
    fs::create_directories(folder, error);
    if (error) throw IoError(folder, "cannot be made", error.value());
}

struct PlannedCell {
    const StudyStream* stream;
    std::uint64_t seed;
    std::vector<Method> methods;

    std::string name() const {
        const std::string which = stream->together ? "" : ", " + methods.front().name;
        return fmt::format("{}{}, seed {}", stream->name, which, seed);
    }
};

/// Seeds form the outer loop, so that an interrupted study has results of all streams.
std::vector<PlannedCell> planned_cells(const StudyPlan& plan, Index seeds) {
    std::vector<PlannedCell> cells;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const StudyStream& stream : plan.streams) {
            std::vector<Method> methods;
            for (const Method& method : stream.methods)
                if (seed == 1 || stream.random || method.draws) methods.push_back(method);
            if (methods.empty()) continue;
            if (stream.together) {
                cells.push_back({&stream, seed, std::move(methods)});
                continue;
            }
            for (Method& method : methods) cells.push_back({&stream, seed, {std::move(method)}});
        }
    }
    return cells;
}

/// Explains the entries of the tables.
std::string table_key(const StudyPlan& plan, Index seeds) {
    if (plan.tables) return {};
    std::string text = seeds > 1 ? " Mean +- standard error over the seeds" : "";
    const bool bold = std::any_of(plan.figures.begin(), plan.figures.end(),
                                  [](const StudyFigure& f) { return f.better != Better::neither; });
    if (bold) text += seeds > 1 ? "; the best mean of a column is bold" : " The best of a column is bold";
    return text.empty() ? text : text + ".";
}

std::string list_text(const char* heading, const std::vector<std::string>& lines) {
    if (lines.empty()) return {};
    std::string text = fmt::format("## {}\n\n", heading);
    for (const std::string& line : lines) text += "- " + line + "\n";
    return text + '\n';
}

std::vector<std::string> finding_lines(const StudyPlan& plan, const StudyOutcome& outcome) {
    if (!plan.expectations.empty() && outcome.interrupted) return {"Not checked: the study was interrupted."};
    std::vector<std::string> lines;
    for (const Finding& finding : outcome.findings) lines.push_back(to_text(finding));
    return lines;
}

std::vector<std::string> name_lines(const StudyPlan& plan) {
    std::vector<std::string> lines;
    const auto add = [&](const std::string& name, const std::string& text) {
        const std::string line = fmt::format("{}: `{}`", name, text);
        if (!text.empty() && std::find(lines.begin(), lines.end(), line) == lines.end())
            lines.push_back(line);
    };
    for (const StudyStream& stream : plan.streams) add(stream.name, stream.text);
    for (const StudyStream& stream : plan.streams)
        for (const Method& method : stream.methods) add(method.name, method.text);
    for (const auto& [name, text] : plan.more_names) add(name, text);
    return lines;
}

class StudyRun {
  public:
    StudyRun(const StudyRow& row, const StudyOptions& options)
        : row_(row),
          options_(options),
          seeds_(options.seeds > 0                     ? options.seeds
                 : options.preset == StudyPreset::full ? row.full_seeds
                                                       : row.quick_seeds),
          plan_(options.rows ? row.plan_on(*options.rows, options.preset) : row.plan(options.preset)),
          cells_(planned_cells(plan_, seeds_)) {
        outcome_.skipped = plan_.skipped;
        if (plan_.check) plan_.check();
        prepare_folder(options.folder, options.replace);
    }

    StudyOutcome run(StopFlag stop, const std::function<void(const StudyProgress&)>& on_progress) {
        run_cells(stop, on_progress);
        outcome_.interrupted = done_ < cells_.size();
        if (!outcome_.interrupted) outcome_.findings = find(plan_, table_);
        outcome_.report = report();
        write("table.md", outcome_.report + list_text("Names", name_lines(plan_)));
        if (table_.empty()) return outcome_;
        for (const NamedChart& named : draw(plan_, table_)) write(named.file, to_svg(named.chart));
        return outcome_;
    }

  private:
    void run_cells(StopFlag stop, const std::function<void(const StudyProgress&)>& on_progress) {
        OutputFile csv(path("results.csv"));
        csv.write(csv_header());
        csv.flush();
        const auto all = static_cast<Real>(cells_.size());
        for (const PlannedCell& planned : cells_) {
            Cell cell{planned.stream->name, planned.methods, planned.seed, stop};
            // A cell with several runs reports each of them from 0 to 1.
            Real most = 0;
            cell.on_share = [&](Real share) {
                most = std::max(most, share);
                on_progress({done_, cells_.size(), (static_cast<Real>(done_) + most) / all, {}});
            };
            if (cell.stopped()) break;
            planned.stream->run(cell);
            if (cell.interrupted) break;
            table_.add(cell.results);
            csv.write(to_csv(cell.results));
            csv.flush();
            for (const std::string& note : cell.notes) outcome_.notes.push_back(planned.name() + ": " + note);
            ++done_;
            on_progress({done_, cells_.size(), static_cast<Real>(done_) / all, planned.name()});
        }
        csv.close();
        outcome_.files.push_back(path("results.csv"));
    }

    std::string report() const {
        std::string text = fmt::format(
            "# Study {}\n\n{}\n\n    {}\n\nproxstream {}, preset {}, seeds 1 to {}.{}\n\n", row_.name,
            plan_.question, options_.command, options_.version,
            options_.preset == StudyPreset::full ? "full" : "quick", seeds_, table_key(plan_, seeds_));
        if (outcome_.interrupted) {
            text +=
                fmt::format("**Interrupted: {} of {} cells are in these tables.**\n\n", done_, cells_.size());
        }
        text += list_text("Findings", finding_lines(plan_, outcome_));
        if (!table_.empty()) text += plan_.tables ? plan_.tables(table_) : table_.to_markdown(plan_.figures);
        return text + list_text("Skipped", plan_.skipped) + list_text("Notes", outcome_.notes);
    }

    std::string path(const std::string& name) const { return (fs::path(options_.folder) / name).string(); }

    void write(const std::string& name, const std::string& text) {
        write_whole_file(path(name), text);
        outcome_.files.push_back(path(name));
    }

    const StudyRow& row_;
    const StudyOptions& options_;
    Index seeds_;
    StudyPlan plan_;
    std::vector<PlannedCell> cells_;
    Index done_ = 0;  // cells
    ResultTable table_;
    StudyOutcome outcome_;
};

}  // namespace

bool StudyOutcome::sound() const {
    return notes.empty() &&
           std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.holds(); });
}

StudyOutcome run_study(const StudyRow& row, const StudyOptions& options, StopFlag stop,
                       const std::function<void(const StudyProgress&)>& on_progress) {
    if (options.rows && row.plan_on == nullptr)
        throw ConfigError(fmt::format("study '{}' takes no data", row.name));
    return StudyRun(row, options).run(stop, on_progress);
}

}  // namespace proxstream
