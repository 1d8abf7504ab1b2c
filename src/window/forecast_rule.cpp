#include "window/forecast_rule.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "window/window_weights.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace proxstream {
namespace {

/// In the order of ForecastRule::Kind.
constexpr std::array kRules{
    WindowUsage{"auto", "auto", "mean for seasons and windows of 16 and more, previous for shorter ones"},
    WindowUsage{"previous", "previous",
                "the window as it is: Algorithm 1, which expects the loss that leaves to come back"},
    WindowUsage{"mean", "mean", "the mean of the losses that stay"},
    WindowUsage{"zero", "zero", "no loss at all"},
    WindowUsage{"season", "season:S", "the loss of S rounds before"},
    WindowUsage{"forecast", "forecast", "the row of the file given by --forecast"},
};

}  // namespace

std::span<const WindowUsage> ForecastRule::forms() {
    return kRules;
}

ForecastRule ForecastRule::parse(std::string_view text) {
    const Spec spec = Spec::parse(text);
    ForecastRule rule;
    std::vector<std::string> known;
    const auto found = std::find_if(kRules.begin(), kRules.end(), [&](const WindowUsage& row) {
        known.emplace_back(row.usage);
        return row.name == spec.name();
    });
    if (found == kRules.end()) throw ConfigError(unknown_name("model", spec.name(), known));
    rule.kind = static_cast<Kind>(found - kRules.begin());
    if (rule.kind == Kind::season) {
        const Real lag = spec.number(0, "lag");
        if (!(lag >= 1 && lag <= static_cast<Real>(kLongestWindow)) || lag != std::floor(lag)) {
            throw ConfigError("model '" + spec.text() +
                              "': the season is not a whole number from 1 to 10000000");
        }
        rule.lag = static_cast<Index>(lag);
    }
    spec.finish();
    return rule;
}

std::string ForecastRule::text() const {
    const std::string name(kRules[static_cast<Index>(kind)].name);
    return kind == Kind::season ? name + ":" + std::to_string(lag) : name;
}

ForecastRule ForecastRule::for_window(const WindowWeights& reference) const {
    constexpr Real kLong = 16;
    if (kind != Kind::automatic) return *this;
    // The lags of a season lie apart. The phase of yesterday says nothing of the next one, so the plain
    // window would be solved for the wrong phase.
    const bool mean = reference.effective_length() >= kLong || reference.is_seasonal();
    return {mean ? Kind::mean : Kind::previous, 0};
}

}  // namespace proxstream
