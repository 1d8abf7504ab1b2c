#include "harness/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <utility>

namespace proxstream::bench {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double quantile(const std::vector<double>& sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<Index>(place);
    const Index above = std::min(below + 1, sorted.size() - 1);
    return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Spread spread_of(std::vector<double> values) {
    if (values.empty()) return {};
    std::sort(values.begin(), values.end());
    return {.low = quantile(values, 0.25),
            .median = quantile(values, 0.5),
            .high = quantile(values, 0.75),
            .count = values.size()};
}

Timed looped(std::function<void()> call, const Effort& effort) {
    // The first call warms caches and scratch memory; the number doubles until it is long enough.
    call();
    Index calls = 1;
    for (;;) {
        const auto begin = Clock::now();
        for (Index i = 0; i < calls; ++i) call();
        const double taken = seconds_since(begin);
        if (taken >= effort.seconds || calls > Index{1} << 30U) break;
        const double wanted = taken > 0 ? 1.2 * effort.seconds / taken : 8;
        calls = static_cast<Index>(std::ceil(static_cast<double>(calls) * std::clamp(wanted, 1.1, 8.0)));
    }
    return [call = std::move(call), calls] {
        const auto begin = Clock::now();
        for (Index i = 0; i < calls; ++i) call();
        return seconds_since(begin) / static_cast<double>(calls);
    };
}

Timed once(std::function<void()> call) {
    return [call = std::move(call)] {
        const auto begin = Clock::now();
        call();
        return seconds_since(begin);
    };
}

double Timings::total(Index entry) const {
    return std::accumulate(seconds_[entry].begin(), seconds_[entry].end(), 0.0);
}

Spread Timings::ratio(Index other, Index ours, double scale) const {
    std::vector<double> ratios;
    for (Index repeat = 0; repeat < seconds_[ours].size(); ++repeat)
        ratios.push_back(scale * seconds_[other][repeat] / seconds_[ours][repeat]);
    return spread_of(std::move(ratios));
}

Timings comparison(const std::vector<Timed>& entries, const Effort& effort) {
    std::vector<std::vector<double>> seconds(entries.size());
    for (int repeat = 0; repeat < effort.repeats; ++repeat) {
        for (Index i = 0; i < entries.size(); ++i) {
            const Index turn = repeat % 2 == 0 ? i : entries.size() - 1 - i;
            seconds[turn].push_back(entries[turn]());
        }
    }
    return Timings(std::move(seconds));
}

}  // namespace proxstream::bench
