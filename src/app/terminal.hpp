/// Standard error as a terminal: colours, and a line that is redrawn in place.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace proxstream::app {

enum class Tint { good, bad, warning, strong, dim };

/// Whether standard error shows colours: it is a terminal, NO_COLOR is not set, and TERM is not dumb.
bool shows_colours();
/// `text` in a colour, or as it is.
std::string tinted(Tint tint, std::string_view text);
/// "[====    ]" with `share` of the columns filled.
std::string progress_bar(double share, int columns);

/// The last line of the terminal, redrawn a few times a second; nothing where standard error is no terminal.
class StatusLine {
  public:
    explicit StatusLine(bool wanted = true);

    bool on_terminal() const noexcept { return on_terminal_; }
    /// Shows text() if it is time to.
    template <class Text>
    void draw(const Text& text) {
        if (due()) print(text());
    }
    /// Leaves an empty line, if one was drawn.
    void clear();
    double seconds() const;

  private:
    using Clock = std::chrono::steady_clock;

    bool due();
    void print(const std::string& text);

    bool on_terminal_;
    bool drawn_ = false;
    Clock::time_point start_ = Clock::now();
    Clock::time_point last_ = start_;
};

}  // namespace proxstream::app
