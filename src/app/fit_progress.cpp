#include "app/fit_progress.hpp"

#include "io/standard_error.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include <unistd.h>

namespace proxstream::app {
namespace {

constexpr std::chrono::milliseconds kFitRedraw{150};
constexpr int kFitBar = 24;

}  // namespace

FitProgress::FitProgress(const OfflineOptions& options, std::uint64_t pass, Index every)
    : options_(options),
      pass_(pass),
      every_(static_cast<Real>(every)),
      terminal_(isatty(fileno(stderr)) != 0) {
    eprint("{:>10} {:>11} {:>18} {:>11} {:>9} {:>9} {:>9}\n", "passes", "iteration", "objective", "|P|",
           "nonzero", "step", "seconds");
}

Real FitProgress::passes(const TracePoint& point) const {
    return static_cast<Real>(point.base_samples) / static_cast<Real>(pass_);
}

/// How much of the way is behind: of the budget that is nearest its end, or of the decades of the gap.
Real FitProgress::share(const TracePoint& point) const {
    Real most = std::max({passes(point) / options_.passes, point.seconds / options_.seconds,
                          static_cast<Real>(point.iteration) / static_cast<Real>(options_.iterations)});
    if (options_.epsilon > 0 && point.gap < first_gap_ && first_gap_ > options_.epsilon) {
        most = std::max(most, std::log(first_gap_ / point.gap) / std::log(first_gap_ / options_.epsilon));
    }
    return std::clamp(most, Real{0}, Real{1});
}

void FitProgress::on_measure(const TracePoint& point) {
    if (point.iteration == 0) first_gap_ = point.gap;
    last_ = point;
    printed_ = false;
    if (passes(point) >= next_) {
        print_line(point);
        next_ = std::max(every_ > 0 ? every_ : Real{1}, next_);
        while (next_ <= passes(point)) next_ = every_ > 0 ? next_ + every_ : next_ * 2;
        return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (!terminal_ || now - redrawn_ < kFitRedraw) return;
    redrawn_ = now;
    draw_bar(point);
}

void FitProgress::finish() {
    if (!printed_) print_line(last_);
    clear_bar();
}

void FitProgress::print_line(const TracePoint& point) {
    clear_bar();
    eprint("{:>10.6g} {:>11} {:>18.12g} {:>11.4e} {:>9} {:>9.3g} {:>9.3g}\n", passes(point), point.iteration,
           point.objective, point.gap, point.nonzeros, point.step, point.seconds);
    printed_ = true;
}

void FitProgress::draw_bar(const TracePoint& point) {
    const int filled = static_cast<int>(share(point) * kFitBar);
    eprint("\r[{:=<{}}{:<{}}] {:.5g} passes, F {:.10g}, |P| {:.3e}, {} nonzero\033[K", "", filled, "",
           kFitBar - filled, passes(point), point.objective, point.gap, point.nonzeros);
    (void)std::fflush(stderr);
    drawn_ = true;
}

void FitProgress::clear_bar() {
    if (drawn_) eprint("\r\033[K");
    drawn_ = false;
}

}  // namespace proxstream::app
