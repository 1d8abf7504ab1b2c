#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/drive_run.hpp"
#include "app/resume_settings.hpp"
#include "app/terminal.hpp"
#include "app/verbs.hpp"
#include "fit/fit_job.hpp"
#include "io/standard_error.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

void echo_settings(const FitSettings& settings, const FitJob& job) {
    const FitTask& task = job.task();
    const OfflineProblem& problem = task.problem();
    eprint("proxstream {} fit\n", PROXSTREAM_VERSION);
    const std::string data =
        settings.data.empty() ? "standard input" : fmt::format("{}", fmt::join(settings.data, ", "));
    eprint("  data       {}\n", data);
    if (task.survey()) {
        for (const std::string& line : task.survey()->lines()) eprint("             {}\n", line);
        for (const std::string& note : task.reader()->notes()) eprint("             {}\n", note);
        for (const std::string& remark : task.reader()->remarks()) eprint("             {}\n", remark);
        eprint("             read in {:.3g} s\n", task.reading_seconds());
    }
    if (task.bad_rows() > 0) {
        eprint("             bad rows skipped: {}; the last one: {}\n", task.bad_rows(), task.last_bad_row());
    }
    eprint("  minimise   {} + {} over {} numbers\n",
           task.rows() != nullptr ? settings.loss : std::string("the sampler's loss"), settings.reg,
           problem.dimension());
    const SmoothnessFacts& smoothness = problem.smoothness;
    eprint("  constants  L {:.6g}, of samples {:.6g} in the mean square: {} ({:.2g} s)\n", smoothness.mean,
           smoothness.mean_square, smoothness.origin, task.constants_seconds());
    eprint("  reference  eta {:.6g} ({})\n", problem.reference_step, problem.step_origin);
    eprint("  method     {}\n", job.options().method);
    for (const MethodParameter& parameter : job.method().parameters()) {
        eprint("             {} = {} ({})\n", parameter.name, parameter.value, parameter.source);
    }
}

/// Why the run ended, in words for the user who asked for something else.
void print_status(const FitSettings& settings, const FitOutcome& outcome, Real epsilon) {
    const FitCertificate& certificate = outcome.certificate;
    if (epsilon > 0 && certificate.point.gap_high() > epsilon && !settings.test_only) {
        eprint(
            "epsilon = {:g} was not reached: |P| is {:.4g} after {}\n", epsilon, certificate.point.gap_high(),
            certificate.status == FitStatus::stalled
                ? std::string("the last step that rounding allows")
                : fmt::format("{} iterations ({})", certificate.result.iterations, name(certificate.status)));
    }
    if (!certificate.result.note.empty()) eprint("{}\n", certificate.result.note);
    if (certificate.status == FitStatus::not_finite) {
        eprint(
            "a loss or gradient was not finite; x is the best point before that. A smaller "
            "--step-scale may help\n");
    }
}

/// A line at passes 1, 2, 4, 8, ... (or every N), and on a terminal a bar in between.
class FitProgress {
  public:
    /// `every` = 0: lines at powers of two.
    FitProgress(const OfflineOptions& options, std::uint64_t pass, Index every)
        : options_(options), pass_(pass), every_(static_cast<Real>(every)) {
        eprint("{:>10} {:>11} {:>18} {:>11} {:>9} {:>9} {:>9}\n", "passes", "iteration", "objective", "|P|",
               "nonzero", "step", "seconds");
    }

    void on_measure(const TracePoint& point) {
        if (point.iteration == 0) first_gap_ = point.gap;
        last_ = point;
        printed_ = false;
        if (passes(point) >= next_) {
            print_line(point);
            next_ = std::max(every_ > 0 ? every_ : Real{1}, next_);
            while (next_ <= passes(point)) next_ = every_ > 0 ? next_ + every_ : next_ * 2;
            return;
        }
        bar_.draw([&] {
            return fmt::format("{} {:.5g} passes, F {:.10g}, |P| {:.3e}, {} nonzero",
                               progress_bar(share(point), 24), passes(point), point.objective, point.gap,
                               point.nonzeros);
        });
    }
    /// The last line, if the run did not end on one, and a clean cursor.
    void finish() {
        if (!printed_) print_line(last_);
        bar_.clear();
    }

  private:
    Real passes(const TracePoint& point) const {
        return static_cast<Real>(point.base_samples) / static_cast<Real>(pass_);
    }
    /// How much of the way is behind: of the budget that is nearest its end, or of the decades of the gap.
    Real share(const TracePoint& point) const {
        Real most = std::max({passes(point) / options_.passes, point.seconds / options_.seconds,
                              static_cast<Real>(point.iteration) / static_cast<Real>(options_.iterations)});
        if (options_.epsilon > 0 && point.gap < first_gap_ && first_gap_ > options_.epsilon)
            most = std::max(most, std::log(first_gap_ / point.gap) / std::log(first_gap_ / options_.epsilon));
        return std::clamp(most, Real{0}, Real{1});
    }
    void print_line(const TracePoint& point) {
        bar_.clear();
        eprint("{:>10.6g} {:>11} {:>18.12g} {:>11.4e} {:>9} {:>9.3g} {:>9.3g}\n", passes(point),
               point.iteration, point.objective, point.gap, point.nonzeros, point.step, point.seconds);
        printed_ = true;
    }

    OfflineOptions options_;
    std::uint64_t pass_;
    Real every_;
    bool printed_ = false;  // the last point
    Real next_ = 0;         // passes
    TracePoint last_;
    Real first_gap_ = 0;
    StatusLine bar_;
};

class FitScreen {
  public:
    static constexpr const char* kTurn = "measurement";

    FitScreen(const FitSettings& settings, FitJob& job)
        : settings_(settings),
          job_(job),
          progress_(job.options(), pass_samples(*job.task().problem().loss), settings.progress) {}

    void on_turn() { progress_.on_measure(job_.last()); }
    void end() {
        const FitOutcome& outcome = job_.outcome();
        progress_.finish();
        eprint("\n{}", to_text(outcome.certificate));
        print_status(settings_, outcome, job_.options().epsilon);
        if (!settings_.save.empty() && outcome.problems.empty())
            eprint("model saved to {}\n", settings_.save);
    }

  private:
    const FitSettings& settings_;
    FitJob& job_;
    FitProgress progress_;
};

int run_fit(const FitSettings& settings, const RunOrigin& origin, bool resumed) {
    set_threads(settings.threads);
    FitJob job(settings, stop_requested(), origin);
    return drive_run<FitScreen>(settings, job, resumed, [&] { echo_settings(settings, job); });
}

}  // namespace

int fit_data(const std::vector<std::string>& arguments) {
    FitSettings settings;
    const auto done = parse_command_line(
        "fit",
        "Fits a model to a whole data set, or to a sampler's expectation, by a method of 'proxstream list "
        "methods'.\nEnds with a certificate: how stationary the point is, measured separately, and what it "
        "cost.",
        arguments, settings, {.takes = belongs_to_fit, .checks = {[&] { validate(settings); }}});
    if (done) return *done;
    return run_fit(settings, origin_of("fit", arguments), false);
}

int resume_fit(const std::string& path, const std::vector<std::string>& arguments) {
    FitSettings settings;
    if (const auto done = resume_settings(path, arguments, settings)) return *done;
    return run_fit(settings, {PROXSTREAM_VERSION, {}}, true);
}

}  // namespace proxstream::app
