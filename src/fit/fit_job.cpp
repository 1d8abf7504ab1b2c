#include "proxstream/fit/fit_job.hpp"

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/io/output_file.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Measures and moves nothing.
FitOptions options_for(const FitSettings& settings) {
    FitOptions options = fit_options_of(settings, method_of(settings));
    if (settings.test_only) options.iterations = 0;
    return options;
}

/// The name of a "name = value" line.
std::string_view name_of(std::string_view line) {
    return line.substr(0, line.find(" = "));
}

/// Lines that differ, by their names, as refused settings are told.
std::vector<std::string> differences(const std::string& here, const std::string& there,
                                     const std::string& source) {
    const auto now = split_outside_parentheses(here, '\n');
    const auto before = split_outside_parentheses(there, '\n');
    const auto same_name = [](const std::vector<std::string>& lines, std::string_view line) {
        const auto found = std::find_if(lines.begin(), lines.end(), [&](const std::string& other) {
            return name_of(other) == name_of(line);
        });
        return found == lines.end() ? std::string("nothing") : *found;
    };
    std::vector<std::string> found;
    for (const std::string& line : now) {
        if (const std::string old = same_name(before, line); old != line)
            found.push_back(fmt::format("resume = {}: the run had '{}', now it is '{}'", source, old, line));
    }
    for (const std::string& line : before) {
        if (same_name(now, line) == "nothing")
            found.push_back(fmt::format("resume = {}: the run had '{}', now there is none", source, line));
    }
    return found;
}

}  // namespace

std::string figure_settings(const FitSettings& settings) {
    std::string lines;
    for (const auto& row : fit_options()) {
        if (!bears_on_figures(row)) continue;
        if (!lines.empty()) lines += '\n';
        lines += fmt::format("{} = {}", row.name, present(row, settings));
    }
    return lines;
}

std::string trace_csv(const std::vector<TracePoint>& trace, std::uint64_t pass) {
    std::string text =
        "iteration,base_samples,passes,seconds,objective,residual,residual_error,nonzeros,step\n";
    for (const TracePoint& point : trace) {
        text +=
            fmt::format("{},{},{},{:.6f},{},{},{},{},{}\n", point.iteration, point.base_samples,
                        static_cast<Real>(point.base_samples) / static_cast<Real>(pass), point.seconds,
                        point.objective, point.residual, point.residual_error, point.nonzeros, point.step);
    }
    return text;
}

FitJob::FitJob(const FitSettings& settings, StopFlag stop)
    : settings_(settings),
      stop_(stop),
      task_(settings, stop),
      options_(options_for(settings)),
      run_(task_.problem(), options_) {
    if (!settings_.resume.empty()) resume();
}

std::string FitJob::parameters() const {
    std::string lines;
    for (const MethodParameter& parameter : method().parameters())
        lines +=
            fmt::format("{}the method's {} = {}", lines.empty() ? "" : "\n", parameter.name, parameter.value);
    return lines;
}

void FitJob::resume() {
    Checkpoint checkpoint(read_whole_file(settings_.resume), settings_.resume);
    std::string settings;
    std::uint64_t checksum = 0;
    checkpoint.exchange("settings", settings);
    checkpoint.exchange("data", checksum);
    if (const std::string here = figure_settings(settings_); here != settings)
        throw ConfigError(differences(here, settings, settings_.resume));
    if (checksum != task_.checksum()) {
        throw DataError({.source = settings_.resume, .line = 0, .column = 0, .field = ""},
                        "the data are not those the run was on", "the same rows in the same order");
    }
    std::string before;
    checkpoint.exchange("parameters", before);
    if (const std::string here = parameters(); here != before)
        throw ConfigError(differences(here, before, settings_.resume));
    checkpoint.part("fit", run_);
    checkpoint.finish();
}

void FitJob::save_state() {
    Checkpoint checkpoint;
    std::string settings = figure_settings(settings_);
    std::uint64_t checksum = task_.checksum();
    std::string parameters_in_use = parameters();
    checkpoint.exchange("settings", settings);
    checkpoint.exchange("data", checksum);
    checkpoint.exchange("parameters", parameters_in_use);
    checkpoint.part("fit", run_);
    write_whole_file(settings_.checkpoint, checkpoint.seal());
}

FitOutcome FitJob::run(const std::function<void(const TracePoint&)>& on_measure) {
    FitOutcome outcome;
    std::string unsaved;  // why the last state was not; a later one makes good for it
    const auto save = [&] {
        if (settings_.checkpoint.empty()) return;
        try {
            save_state();
            unsaved.clear();
        } catch (const IoError& error) {
            unsaved = error.what();
        }
    };
    const auto stopped = [&] { return stop_ != nullptr && *stop_; };
    auto saved = std::chrono::steady_clock::now();
    while (!stopped() && run_.step(on_measure)) {
        if (settings_.checkpoint.empty()) continue;
        const auto now = std::chrono::steady_clock::now();
        if (std::chrono::duration<double>(now - saved).count() < settings_.checkpoint_every) continue;
        save();
        saved = now;
    }
    save();
    if (!unsaved.empty()) outcome.problems.push_back(unsaved);
    outcome.certificate = certify_fit(task_.problem(), run_.result(),
                                      {.method = options_.method,
                                       .output = output_of(settings_),
                                       .epsilon = options_.epsilon,
                                       .fixed_length = settings_.seconds == 0 && !settings_.test_only,
                                       .confidence = settings_.confidence});
    write_outputs(outcome.certificate, outcome);
    return outcome;
}

void FitJob::write_outputs(const FitCertificate& certificate, FitOutcome& outcome) {
    const auto write = [&](const std::string& path, const auto& make) {
        if (path.empty()) return;
        try {
            write_whole_file(path, make());
        } catch (const IoError& error) {
            outcome.problems.emplace_back(error.what());
        }
    };
    const std::vector<Real>& x = certificate.point.x;
    write(settings_.trace,
          [&] { return trace_csv(certificate.result.trace, pass_samples(*task_.problem().loss)); });
    write(settings_.certificate_json, [&] { return to_json(certificate); });
    write(settings_.save, [&] { return to_json(task_.model_at(x, certificate.point.iteration)); });
    write(settings_.predictions, [&] {
        std::string lines;
        for (const Real prediction : task_.predict(x)) lines += fmt::format("{}\n", prediction);
        return lines;
    });
}

}  // namespace proxstream
