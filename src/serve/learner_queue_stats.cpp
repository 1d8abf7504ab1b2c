#include "serve/learner_queue_stats.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace proxstream {
namespace {

/// 0 where the figure is not known.
Real figure(std::string_view channel, std::span<const std::string> channels, std::span<const Real> figures) {
    const auto place = static_cast<std::size_t>(std::ranges::find(channels, channel) - channels.begin());
    return place < figures.size() && std::isfinite(figures[place]) ? figures[place] : 0;
}

}  // namespace

void LearnerQueueStats::set_regret(std::span<const std::string> channels, std::span<const Real> figures) {
    regret = figure("regret", channels, figures);
    regret_bound = figure("regret_bound", channels, figures);
}

void LearnerQueueStats::add_turn(bool is_refused, std::span<const std::string> channels,
                                 std::span<const Real> figures) {
    ++rounds;
    refused += is_refused ? 1 : 0;
    steps += figure("steps", channels, figures);
    gradients += figure("gradients", channels, figures);
    seconds += figure("seconds", channels, figures);
    set_regret(channels, figures);
}

}  // namespace proxstream
