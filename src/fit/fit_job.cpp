#include "fit/fit_job.hpp"

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"
#include "run/setting_list.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Measures and moves nothing.
OfflineOptions options_for(const FitSettings& settings) {
    OfflineOptions options = fit_options_of(settings, method_of(settings));
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
    if (settings_.resume.empty()) return;
    Checkpoint checkpoint(read_whole_file(settings_.resume), settings_.resume);
    exchange(checkpoint);
    checkpoint.finish();
}

std::string FitJob::parameters() const {
    std::string lines;
    for (const MethodParameter& parameter : method().parameters())
        lines +=
            fmt::format("{}the method's {} = {}", lines.empty() ? "" : "\n", parameter.name, parameter.value);
    return lines;
}

std::vector<std::string> fit_channels() {
    return {"objective", "residual", "passes", "step"};
}

RunIdentity fit_identity(const FitSettings& settings, const std::string& version,
                         const std::string& command) {
    RunIdentity identity{
        .kind = "fit", .settings = setting_list(fit_options(), settings), .channels = fit_channels()};
    identity.version = version;
    identity.command = command;
    identity.title = fmt::format("{} by {}", settings.data.empty() ? "standard input" : settings.data.front(),
                                 method_of(settings));
    return identity;
}

JournalOptions fit_journal_options(const FitSettings& settings, const std::string& version) {
    return journal_options(settings, settings.seconds > 0, version);
}

void FitJob::attach(Journal& journal) {
    journal_ = &journal;
    turns_ = journal.restore([this](Checkpoint& checkpoint) { exchange(checkpoint); });
}

/// All that two fits have to agree about, told at once where they do not.
void FitJob::check(const std::string& settings, std::uint64_t checksum, const std::string& before) const {
    const std::string& source = journal_ != nullptr ? journal_->path() : settings_.resume;
    if (const std::string here = figure_settings(settings_); here != settings)
        throw ConfigError(differences(here, settings, source));
    if (checksum != task_.checksum()) {
        throw DataError({.source = source, .line = 0, .column = 0, .field = ""},
                        "the data are not those the run was on", "the same rows in the same order");
    }
    if (const std::string here = parameters(); here != before)
        throw ConfigError(differences(here, before, source));
}

void FitJob::exchange(Checkpoint& checkpoint) {
    std::string settings = figure_settings(settings_);
    std::uint64_t checksum = task_.checksum();
    std::string parameters_in_use = parameters();
    checkpoint.exchange("settings", settings);
    checkpoint.exchange("data", checksum);
    checkpoint.exchange("parameters", parameters_in_use);
    if (checkpoint.reading()) check(settings, checksum, parameters_in_use);
    checkpoint.part("fit", run_);
    if (journal_ != nullptr) checkpoint.exchange("told", told_);
}

void FitJob::save_state() {
    Checkpoint checkpoint;
    exchange(checkpoint);
    write_whole_file(settings_.checkpoint, checkpoint.seal());
}

bool FitJob::step(const FitRun::OnMeasure& on_measure) {
    std::optional<TracePoint> line;
    const bool go_on = run_.step([&](const TracePoint& point) {
        line = point;
        if (on_measure) on_measure(point);
    });
    // What is measured only because a run ends is measured again where it ends again: one turn.
    if (journal_ == nullptr || !line || line->iteration + 1 == told_) return go_on;
    told_ = line->iteration + 1;
    ++turns_;
    const auto pass = static_cast<Real>(pass_samples(*task_.problem().loss));
    journal_->figures(std::vector<Real>{line->objective, line->residual,
                                        static_cast<Real>(line->base_samples) / pass, line->step});
    journal_->end_turn([this](Checkpoint& checkpoint) { exchange(checkpoint); });
    return go_on;
}

FitCertificate FitJob::certificate() {
    return certify_fit(task_.problem(), run_.result(),
                       {.method = options_.method,
                        .output = output_of(settings_),
                        .epsilon = options_.epsilon,
                        .fixed_length = settings_.seconds == 0 && !settings_.test_only,
                        .confidence = settings_.confidence});
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
    bool ended = false;
    try {
        while (!ended && !stopped()) {
            ended = !step(on_measure);
            if (ended || settings_.checkpoint.empty()) continue;
            const auto now = std::chrono::steady_clock::now();
            if (std::chrono::duration<double>(now - saved).count() < settings_.checkpoint_every) continue;
            save();
            saved = now;
        }
        save();
        outcome.certificate = certificate();
        if (journal_ != nullptr) {
            journal_->finish([this](Checkpoint& checkpoint) { exchange(checkpoint); },
                             to_json(outcome.certificate), "", ended);
        }
    } catch (const IoError& error) {  // of the store
        outcome.problems.emplace_back(error.what());
        outcome.certificate = certificate();
    }
    if (!unsaved.empty()) outcome.problems.push_back(unsaved);
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
