#include "fit/fit_job.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/state_archive.hpp"

#include "io/output_file.hpp"
#include "run/setting_list.hpp"

#include <algorithm>
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
            found.push_back(fmt::format("{}: the run had '{}', now it is '{}'", source, old, line));
    }
    for (const std::string& line : before) {
        if (same_name(now, line) == "nothing")
            found.push_back(fmt::format("{}: the run had '{}', now there is none", source, line));
    }
    return found;
}

}  // namespace

std::string figure_settings(const FitSettings& settings) {
    std::string lines;
    for (const auto& [name, value] : result_settings(settings))
        lines += fmt::format("{}{} = {}", lines.empty() ? "" : "\n", name, value);
    return lines;
}

std::string trace_csv(const std::vector<TracePoint>& trace, std::uint64_t pass) {
    std::string text =
        "iteration,base_samples,passes,seconds,objective,residual,residual_error,nonzeros,step\n";
    for (const TracePoint& point : trace) {
        text += fmt::format("{},{},{},{:.6f},{},{},{},{},{}\n", point.iteration, point.base_samples,
                            static_cast<Real>(point.base_samples) / static_cast<Real>(pass), point.seconds,
                            point.objective, point.gap, point.gap_error, point.nonzeros, point.step);
    }
    return text;
}

FitJob::FitJob(const FitSettings& settings, StopFlag stop)
    : settings_(settings),
      stop_(stop),
      task_(settings, stop),
      options_(options_for(settings)),
      run_(task_.problem(), options_) {}

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
    RunIdentity identity{.kind = "fit", .settings = setting_list(settings), .channels = fit_channels()};
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
    turns_ = journal.restore([this](StateArchive& archive) { serialise(archive); });
}

/// All that two fits have to agree about, told at once where they do not.
void FitJob::check(const std::string& settings, std::uint64_t checksum, const std::string& before) const {
    const std::string& source = journal_->path();
    if (const std::string here = figure_settings(settings_); here != settings)
        throw ConfigError(differences(here, settings, source));
    if (checksum != task_.checksum()) {
        throw DataError({.source = source, .line = 0, .column = 0, .field = ""},
                        "the data are not those the run was on", "the same rows in the same order");
    }
    if (const std::string here = parameters(); here != before)
        throw ConfigError(differences(here, before, source));
}

void FitJob::serialise(StateArchive& archive) {
    std::string settings = figure_settings(settings_);
    std::uint64_t checksum = task_.checksum();
    std::string parameters_in_use = parameters();
    archive.field("settings", settings);
    archive.field("data", checksum);
    archive.field("parameters", parameters_in_use);
    if (archive.reading()) check(settings, checksum, parameters_in_use);
    archive.section("fit", run_);
    if (journal_ != nullptr) archive.field("told", told_);
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
    journal_->figures(std::vector<Real>{line->objective, line->gap,
                                        static_cast<Real>(line->base_samples) / pass, line->step});
    journal_->end_turn([this](StateArchive& archive) { serialise(archive); });
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
    bool ended = false;
    try {
        while (!ended && !(stop_ != nullptr && *stop_)) ended = !step(on_measure);
        outcome.certificate = certificate();
        if (journal_ != nullptr) {
            journal_->finish([this](StateArchive& archive) { serialise(archive); },
                             to_json(outcome.certificate), "", ended);
        }
    } catch (const IoError& error) {  // of the store
        outcome.problems.emplace_back(error.what());
        outcome.certificate = certificate();
    }
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
