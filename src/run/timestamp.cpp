#include "run/timestamp.hpp"

#include "io/parse_number.hpp"

#include <chrono>
#include <cmath>
#include <numbers>

namespace proxstream {
namespace {

constexpr Real kDay = 86400;
constexpr Real kYear = 365.25 * kDay;

/// Reads a text from left to right.
class TimeText {
  public:
    explicit TimeText(std::string_view text) : rest_(text) {}

    /// Exactly `digits` digits.
    bool number(std::size_t digits, int& value) {
        if (rest_.size() < digits) return false;
        value = 0;
        for (std::size_t i = 0; i < digits; ++i) {
            if (!is_digit(rest_[i])) return false;
            value = 10 * value + (rest_[i] - '0');
        }
        rest_.remove_prefix(digits);
        return true;
    }
    bool take(std::string_view allowed) {
        if (rest_.empty() || allowed.find(rest_.front()) == std::string_view::npos) return false;
        rest_.remove_prefix(1);
        return true;
    }
    Real fraction() {
        Real value = 0;
        for (Real unit = 0.1; !rest_.empty() && is_digit(rest_.front()); unit /= 10) {
            value += unit * (rest_.front() - '0');
            rest_.remove_prefix(1);
        }
        return value;
    }
    /// Z, or an offset such as +01:00, +0100 or +01.
    bool zone() {
        if (take("Z")) return true;
        int hours = 0;
        int minutes = 0;
        if (!take("+-") || !number(2, hours)) return false;
        const bool colon = take(":");
        return number(2, minutes) || !colon;
    }
    bool ended() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

/// "13:45", "13:45:30" or "13:45:30.25".
std::optional<Real> time_of_day(TimeText& text) {
    int hour = 0;
    int minute = 0;
    int second = 0;
    if (!text.number(2, hour) || !text.take(":") || !text.number(2, minute)) return std::nullopt;
    Real fraction = 0;
    if (text.take(":")) {
        if (!text.number(2, second)) return std::nullopt;
        if (text.take(".,")) fraction = text.fraction();
    }
    if (hour > 24 || minute > 59 || second > 60) return std::nullopt;
    return 3600 * hour + 60 * minute + second + fraction;
}

}  // namespace

std::optional<Real> parse_timestamp(std::string_view text) {
    TimeText rest(without_blanks(text));
    int year = 0;
    int month = 0;
    int day = 0;
    if (!rest.number(4, year) || !rest.take("-/") || !rest.number(2, month) || !rest.take("-/") ||
        !rest.number(2, day))
        return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                           std::chrono::day(unsigned(day))};
    if (!date.ok()) return std::nullopt;
    const auto days = std::chrono::sys_days(date).time_since_epoch().count();
    Real seconds = kDay * static_cast<Real>(days);
    if (rest.ended()) return seconds;
    if (!rest.take("T ")) return std::nullopt;
    const std::optional<Real> within = time_of_day(rest);
    if (!within) return std::nullopt;
    rest.take(" ");
    if (!rest.ended() && !(rest.zone() && rest.ended())) return std::nullopt;
    return seconds + *within;
}

void time_features(Real seconds, Real origin, View features) {
    const Real days = std::floor(seconds / kDay);
    const Real angle = 2 * std::numbers::pi * (seconds - kDay * days) / kDay;
    features[0] = std::sin(angle);
    features[1] = std::cos(angle);
    features[2] = std::sin(2 * angle);
    features[3] = std::cos(2 * angle);
    // The first day of 1970 was a Thursday.
    const Real weekday = days + 3 - 7 * std::floor((days + 3) / 7);
    for (Index i = 0; i < 7; ++i) features[4 + i] = static_cast<Index>(weekday) == i ? 1 : 0;
    features[11] = (seconds - origin) / kYear;
}

}  // namespace proxstream
