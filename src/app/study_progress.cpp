#include "app/study_progress.hpp"

#include "io/standard_error.hpp"

#include <cmath>
#include <cstdio>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

namespace proxstream::app {
namespace {

constexpr double kStudyRedraw = 0.15;  // seconds
constexpr int kStudyBar = 30;

std::string clock_text(double seconds) {
    const auto whole = static_cast<long>(std::ceil(seconds));
    if (whole < 60) return fmt::format("{} s", whole);
    if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
    return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

StudyProgressBar::StudyProgressBar() : terminal_(isatty(fileno(stderr)) != 0) {}

double StudyProgressBar::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

void StudyProgressBar::on_progress(const StudyProgress& progress) {
    const double now = seconds();
    if (!terminal_) {
        if (progress.finished.empty()) return;
        eprint("{}/{} {} ({:.1f} s)\n", progress.done, progress.cells, progress.finished, now);
        return;
    }
    if (now - drawn_ < kStudyRedraw) return;
    drawn_ = now;
    const int filled = static_cast<int>(progress.share * kStudyBar);
    // The first moments say nothing about the rest.
    const bool tells = progress.share > 0.01 && now > 0.5;
    eprint("\r[{:=<{}}{:<{}}] {}/{} cells, {}\033[K", "", filled, "", kStudyBar - filled, progress.done,
           progress.cells,
           tells ? clock_text(now / progress.share - now) + " left" : std::string("starting"));
    (void)std::fflush(stderr);
}

void StudyProgressBar::finish() {
    if (terminal_ && drawn_ >= 0) eprint("\r\033[K");
}

}  // namespace proxstream::app
