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

/// With --test-only no iteration is made; the start is measured.
OfflineOptions options_for(const FitSettings& settings) {
    OfflineOptions options = fit_options_of(settings, method_of(settings));
    if (settings.test_only) options.iterations = 0;
    return options;
}

/// The name of a "name = value" line.
std::string_view name_of(std::string_view line) {
    return line.substr(0, line.find(" = "));
}

/// The names of lines that differ, with both values.
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
    std::string text = "iteration,base_samples,passes,seconds,objective,gap,gap_error,nonzeros,step\n";
    for (const TracePoint& point : trace) {
        text += fmt::format("{},{},{},{:.6f},{},{},{},{},{}\n", point.iteration, point.base_samples,
                            static_cast<Real>(point.base_samples) / static_cast<Real>(pass), point.seconds,
                            point.objective, point.gap, point.gap_error, point.nonzeros, point.step);
    }
    return text;
}

FitJob::FitJob(const FitSettings& settings, StopFlag stop, RunOrigin origin)
    : TurnRun(std::move(origin)),
      settings_(settings),
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

RunIdentity FitJob::identity() const {
    const std::string data = settings_.data.empty() ? "standard input" : settings_.data.front();
    return make_identity("fit", fmt::format("{} by {}", data, method_of(settings_)), setting_list(settings_),
                         {"objective", "stationarity_gap", "passes", "step"}, origin_);
}

JournalOptions FitJob::journal_options() const {
    return proxstream::journal_options(settings_, settings_.seconds > 0, origin_.version);
}

/// Throws with every difference between two fits that must agree.
void FitJob::check(const std::string& settings, std::uint64_t checksum, const std::string& before) const {
    const std::string source = journal_ != nullptr ? journal_->path() : settings_.store;
    if (const std::string here = figure_settings(settings_); here != settings)
        throw ConfigError(differences(here, settings, source));
    if (checksum != task_.checksum()) {
        throw DataError({.source = source, .line = 0, .column = 0, .field = ""},
                        "the data differ from those of the run", "the same rows in the same order");
    }
    if (const std::string here = parameters(); here != before)
        throw ConfigError(differences(here, before, source));
}

void FitJob::serialise(StateArchive& archive) {
    std::string settings = figure_settings(settings_);
    std::uint64_t checksum = task_.checksum();
    std::string parameters_in_use = parameters();
    archive.fields(Field{"settings", settings}, Field{"data", checksum},
                   Field{"parameters", parameters_in_use});
    if (archive.reading()) check(settings, checksum, parameters_in_use);
    archive.fields(Field{"fit", run_}, Field{"reported", reported_});
}

TurnResult FitJob::play() {
    std::optional<TracePoint> line;
    ended_ = !run_.step([&](const TracePoint& point) { line = point; });
    // The last measurement before an interruption is made again on resume, at the same iteration: it is no
    // turn.
    const bool complete = line && line->iteration + 1 != reported_;
    if (complete) {
        line_ = line;
        reported_ = line->iteration + 1;
    }
    return {.complete = complete, .last = ended_};
}

TurnRecord FitJob::record() const {
    const auto pass = static_cast<Real>(pass_samples(*task_.problem().loss));
    return {.figures = {line_->objective, line_->gap, static_cast<Real>(line_->base_samples) / pass,
                        line_->step}};
}

void FitJob::certify(RunEnding /*ending*/) {
    outcome_.certificate = certify_fit(task_.problem(), run_.result(),
                                       {.method = options_.method,
                                        .output = output_of(settings_),
                                        .epsilon = options_.epsilon,
                                        .fixed_length = settings_.seconds == 0 && !settings_.test_only,
                                        .confidence = settings_.confidence});
    outcome_.sound = outcome_.certificate.sound();
    outcome_.refused = outcome_.certificate.status == FitStatus::not_finite ? 1 : 0;
}

void FitJob::finish() {
    const auto write = [&](const std::string& path, const auto& make) {
        if (!path.empty()) outcome_.guarded([&] { write_whole_file(path, make()); });
    };
    const FitCertificate& certificate = outcome_.certificate;
    const std::vector<Real>& x = certificate.point.x;
    write(settings_.trace,
          [&] { return trace_csv(certificate.result.trace, pass_samples(*task_.problem().loss)); });
    write(settings_.certificate_json, [&] { return to_json(certificate); });
    if (!settings_.save.empty())
        save_or_rescue(settings_.save, task_.model_at(x, certificate.point.iteration), outcome_);
    write(settings_.predictions, [&] { return task_.prediction_file(x); });
}

}  // namespace proxstream
