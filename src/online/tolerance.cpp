#include "online/tolerance.hpp"

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

Tolerance Tolerance::fixed(Real delta) {
    return Tolerance(Kind::fixed, delta);
}

Tolerance Tolerance::automatic(Real factor) {
    return Tolerance(Kind::automatic, factor);
}

Tolerance Tolerance::parse(std::string_view text) {
    const auto positive = [text](Real value) {
        if (value > 0 && value < kInfinity) return value;
        throw ConfigError("tolerance = " + std::string(text) +
                          ": must be positive and finite, or auto[:FACTOR]");
    };
    constexpr std::string_view kAuto = "auto";
    if (text.substr(0, kAuto.size()) != kAuto) return fixed(positive(parse_real(text, "tolerance")));
    const Spec spec = Spec::parse(text);
    if (spec.name() != kAuto)
        throw ConfigError("tolerance = " + std::string(text) + ": a number or auto[:FACTOR]");
    const Real factor = spec.positional_count() > 0 ? positive(spec.number(0, "factor")) : 0;
    spec.finish();
    return automatic(factor);
}

Tolerance Tolerance::none() {
    return Tolerance(Kind::none, 0);
}

Real Tolerance::next(Real length, Real change) {
    if (kind_ != Kind::automatic) return current(length);
    remembered_ = change > 0;
    if (remembered_) remember(change);
    return current(length);
}

Real Tolerance::current(Real length) const {
    if (kind_ == Kind::none) return 0;
    if (kind_ == Kind::fixed) return value_ / length;
    if (recent_.empty()) return 0;
    return (value_ > 0 ? value_ : usual_factor(length)) *
           std::max(recent_.median(), kFloor * total_ / static_cast<Real>(rounds_));
}

Real Tolerance::usual_factor(Real length) {
    // Short windows forget fast: there a loose test lets the point fall behind. In between the factor rises
    // evenly.
    constexpr Real kShort = 8;
    constexpr Real kLong = 16;
    constexpr Real kTight = 0.3;
    constexpr Real kLoose = 2;
    if (length <= kShort) return kTight;
    if (length < kLong) {
        const Real way = (length - kShort) / (kLong - kShort);
        return kTight * std::pow(kLoose / kTight, way);
    }
    // One loss moves the gradient of a window by about sigma/w, while its own sampling error is
    // sigma/sqrt(w): to solve it much more finely than that follows noise. A quarter of that error was the
    // best trade of loss against gradients on the built-in streams.
    return std::max(kLoose, std::sqrt(length) / 4);
}

void Tolerance::remember(Real change) {
    total_before_ = total_;
    total_ += change;
    ++rounds_;
    const Real replaced = recent_.add(change);
    overwritten_ = replaced == -kInfinity ? -1 : replaced;
}

void Tolerance::take_back() {
    if (kind_ != Kind::automatic || !remembered_) return;
    total_ = total_before_;
    --rounds_;
    recent_.take_back(overwritten_ < 0 ? -kInfinity : overwritten_);
}

void Tolerance::exchange(Checkpoint& checkpoint) {
    std::vector<Real> recent = recent_.numbers();
    Index oldest = recent_.oldest();
    checkpoint.list("recent", recent);
    checkpoint.exchange("oldest", oldest, kMemory - 1);
    checkpoint.exchange("total", total_);
    checkpoint.exchange("total before", total_before_);
    checkpoint.exchange("rounds", rounds_);
    checkpoint.exchange("overwritten", overwritten_);
    checkpoint.exchange("remembered", remembered_);
    const bool full = recent.size() == kMemory;
    checkpoint.require(recent.size() <= kMemory && rounds_ >= recent.size() && (full || oldest == 0) &&
                           (full || !(overwritten_ >= 0)) &&
                           std::all_of(recent.begin(), recent.end(), [](Real each) { return each > 0; }),
                       "the changes of its last rounds");
    if (!checkpoint.reading()) return;
    recent_.assign(std::move(recent), oldest);
}

}  // namespace proxstream
