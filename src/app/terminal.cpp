#include "app/terminal.hpp"

#include "io/standard_error.hpp"

#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <unistd.h>

namespace proxstream::app {
namespace {

bool colours_wanted() {
    const char* refused = std::getenv("NO_COLOR");
    const char* terminal = std::getenv("TERM");
    return isatty(fileno(stderr)) != 0 && (refused == nullptr || *refused == '\0') && terminal != nullptr &&
           std::string_view(terminal) != "dumb";
}

std::string_view code(Tint tint) {
    switch (tint) {
        case Tint::good:
            return "32";
        case Tint::bad:
            return "1;31";
        case Tint::warning:
            return "33";
        case Tint::strong:
            return "1";
        default:
            return "2";
    }
}

}  // namespace

bool shows_colours() {
    static const bool shown = colours_wanted();
    return shown;
}

std::string tinted(Tint tint, std::string_view text) {
    if (!shows_colours()) return std::string(text);
    return "\033[" + std::string(code(tint)) + 'm' + std::string(text) + "\033[0m";
}

std::string progress_bar(double share, int columns) {
    const int filled = static_cast<int>(share * columns);
    return fmt::format("[{:=<{}}{:<{}}]", "", filled, "", columns - filled);
}

StatusLine::StatusLine(bool wanted) : on_terminal_(wanted && isatty(fileno(stderr)) != 0) {}

double StatusLine::seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
}

bool StatusLine::due() {
    constexpr std::chrono::milliseconds kRedraw{150};
    if (!on_terminal_) return false;
    const Clock::time_point now = Clock::now();
    if (now - last_ < kRedraw) return false;
    last_ = now;
    return true;
}

void StatusLine::print(const std::string& text) {
    eprint("\r{}\033[K", text);
    (void)std::fflush(stderr);
    drawn_ = true;
}

void StatusLine::clear() {
    if (drawn_) eprint("\r\033[K");
    drawn_ = false;
}

}  // namespace proxstream::app
