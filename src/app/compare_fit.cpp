#include "studies/compare_fit.hpp"

#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "io/output_file.hpp"
#include "io/standard_error.hpp"
#include "studies/fit_chart.hpp"

#include <array>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

void make_folder(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (error) throw IoError(folder, "make", error.value());
}

constexpr std::array<const char*, 4> kWritten{"table.md", "results.csv", "traces.csv", "fits.svg"};

void write_folder(const std::string& folder, const FitComparison& comparison, const std::string& heading) {
    const Chart chart = fit_chart(comparison, heading + "; each method with its best step, one seed");
    write_whole_file(folder + "/table.md", heading + "\n\n" + to_markdown(comparison));
    write_whole_file(folder + "/results.csv", results_csv(comparison));
    write_whole_file(folder + "/traces.csv", traces_csv(comparison));
    write_whole_file(folder + "/fits.svg", to_svg(chart));
}

}  // namespace

int compare_fits(const std::vector<std::string>& arguments) {
    FitSettings settings;
    const auto done = parse_command_line(
        "compare-fit",
        "Fits one problem with several methods, the stochastic ones with several steps and seeds, and prints "
        "one table: squared stationarity gap and objective at equal samples and equal seconds. The step "
        "shown is the "
        "best in "
        "hindsight.",
        arguments, settings,
        {.files =
             [&](OutputPlan& plan) {
                 for (const char* name : kWritten)
                     if (!settings.out.empty()) plan.writes_in("out", settings.out, name);
             },
         .takes = belongs_to_compare_fit,
         .checks = {[&] { validate(settings); }}});
    if (done) return *done;
    set_threads(settings.threads);

    CompareFit comparison(settings, stop_requested());
    if (!settings.out.empty()) make_folder(settings.out);
    const OfflineProblem& problem = comparison.task().problem();
    std::string heading = fmt::format("{}: {} + {}, |P| at eta = {:.6g}", fmt::join(settings.data, ", "),
                                      comparison.task().rows() != nullptr ? settings.loss : "its loss",
                                      settings.reg, problem.reference_step);
    const FitComparison outcome = comparison.run([&](Index done_cells, const FitCell& cell) {
        if (settings.quiet) return;
        eprint("{}/{} {} x {:g}, seed {}: {:.3e} ({}, {:.3g} s)\n", done_cells, comparison.cells(),
               cell.method, cell.scale, cell.seed, cell.trace.back().gap, name(cell.status), cell.seconds);
    });
    if (outcome.interrupted) {
        const std::string cut =
            fmt::format("interrupted after {} of {} runs", outcome.cells.size(), comparison.cells());
        eprint("{}\n", cut);
        heading += "; " + cut;
    }
    if (outcome.entries.empty()) return kInterrupted;
    fmt::print("{}\n\n{}", heading, to_text(outcome));
    fmt::print(
        "\nx/: factor of one standard error over {} seeds. step: times the published one, that of {} whose F "
        "was lowest.\n",
        settings.seeds, fmt::join(settings.scales, ", "));
    if (!settings.out.empty()) {
        write_folder(settings.out, outcome, heading);
        fmt::print("written: {}/{}\n", settings.out, fmt::join(kWritten, ", "));
    }
    return outcome.interrupted ? kInterrupted : kOk;
}

}  // namespace proxstream::app
