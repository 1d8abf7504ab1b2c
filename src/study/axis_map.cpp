#include "study/axis_map.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Share of the axis that is left free at either end.
constexpr Real kMargin = 0.06;
/// Powers of ten outside these are written as such.
constexpr int kPlainLow = -3;
constexpr int kPlainHigh = 4;

Real ten_to(int exponent) {
    return std::pow(Real{10}, exponent);
}

/// 1, 2 or 5 times a power of ten, such that about `wanted` of it fit in `length`.
Real nice_step(Real length, int wanted) {
    const Real rough = length / wanted;
    const Real power = ten_to(static_cast<int>(std::floor(std::log10(rough))));
    const Real lead = rough / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

std::vector<Tick> linear_ticks(Real low, Real high, int wanted) {
    const Real step = nice_step(high - low, wanted);
    const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 12);
    const bool plain = std::max(std::abs(low), std::abs(high)) < 1e6 && step >= 1e-5;
    std::vector<Tick> ticks;
    const Real first = std::ceil(low / step - 1e-9);
    for (Real k = first; k * step <= high + 1e-9 * step; ++k) {
        const Real at = k == 0 ? 0 : k * step;
        ticks.push_back({at, plain ? fmt::format("{:.{}f}", at, decimals) : fmt::format("{:.4g}", at)});
    }
    return ticks;
}

/// Powers of ten, thinned to the number wanted, with minor ticks at 2..9 times them where every decade is
/// there.
std::vector<Tick> decade_ticks(Real low, Real high, int first, int last, int wanted) {
    const int stride = std::max(1, (last - first + wanted) / wanted);
    const bool plain = first >= kPlainLow && last <= kPlainHigh;
    std::vector<Tick> ticks;
    for (int e = first - 1; e <= last; ++e) {
        const Real at = ten_to(e);
        if (e >= first && (e - first) % stride == 0) {
            ticks.push_back(plain ? Tick{at, fmt::format("{:.{}f}", at, std::max(0, -e))}
                                  : Tick{at, "10", e});
        }
        for (int k = 2; k < 10 && stride == 1; ++k) {
            if (k * at >= low && k * at <= high) ticks.push_back({k * at, ""});
        }
    }
    return ticks;
}

/// Within two decades: 1, 2, 5 times powers of ten; within less, even steps.
std::vector<Tick> log_ticks(Real low, Real high, int wanted) {
    const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    if (high >= 100 * low) return decade_ticks(low, high, first, last, wanted);
    std::vector<Tick> ticks;
    for (int e = first - 1; e <= last + 1; ++e) {
        for (const int k : {1, 2, 5}) {
            const Real at = k * ten_to(e);
            if (at < low || at > high) continue;
            const bool plain = e >= kPlainLow - 1 && e <= kPlainHigh;
            ticks.push_back(
                {at, plain ? fmt::format("{:.{}f}", at, std::max(0, -e)) : fmt::format("{:g}", at)});
        }
    }
    return ticks.size() >= 3 ? ticks : linear_ticks(low, high, wanted);
}

std::vector<Tick> doubling_ticks(Real low, Real high, int wanted) {
    const int first = static_cast<int>(std::ceil(std::log2(low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log2(high) + 1e-9));
    if (last <= first) return linear_ticks(low, high, wanted);
    const int most = 2 * wanted;  // their labels are short
    const int stride = std::max(1, (last - first + most) / most);
    std::vector<Tick> ticks;
    for (int e = first; e <= last; e += stride) {
        ticks.push_back({std::exp2(e), fmt::format("{:g}", std::exp2(e))});
    }
    return ticks;
}

}  // namespace

bool AxisRange::has_place(Real value) const {
    return std::isfinite(value) && (scale == Scale::linear || value > 0);
}

void AxisRange::include(Real value) {
    if (!has_place(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
}

std::vector<Tick> axis_ticks(Scale scale, Real low, Real high, int wanted) {
    switch (scale) {
        case Scale::linear:
            return linear_ticks(low, high, wanted);
        case Scale::log:
            return log_ticks(low, high, wanted);
        case Scale::log2:
            return doubling_ticks(low, high, wanted);
    }
    return {};
}

AxisMap::AxisMap(const AxisRange& range, Real first, Real last) : range_(range), first_(first), last_(last) {
    if (range_.empty()) range_.low = range_.high = 1;
    Real& low = range_.low;
    Real& high = range_.high;
    // A single number gets some room around it.
    if (range_.scale == Scale::linear) {
        const bool single = high - low <= 1e-12 * std::abs(high);
        const Real margin = single ? (high == 0 ? 1 : std::abs(high) / 2) : kMargin * (high - low);
        low -= margin;
        high += margin;
    } else {
        const bool single = high / low <= 1 + 1e-12;
        const Real margin = single ? 2 : std::pow(high / low, kMargin);
        low /= margin;
        high *= margin;
    }
}

Real AxisMap::stretched(Real value) const {
    return range_.scale == Scale::linear ? value : std::log(value);
}

Real AxisMap::operator()(Real value) const {
    const Real start = stretched(range_.low);
    const Real share = (stretched(value) - start) / (stretched(range_.high) - start);
    return first_ + share * (last_ - first_);
}

}  // namespace proxstream
