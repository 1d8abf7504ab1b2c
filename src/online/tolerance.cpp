#include "proxstream/online/tolerance.hpp"

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <string>

namespace proxstream {
namespace {

void insert_sorted(std::vector<Real>& sorted, Real value) {
    sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), value), value);
}

void erase_sorted(std::vector<Real>& sorted, Real value) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), value);
    assert(place != sorted.end() && *place == value);
    sorted.erase(place);
}

}  // namespace

Tolerance Tolerance::fixed(Real delta) {
    return Tolerance(Kind::fixed, delta);
}

Tolerance Tolerance::automatic(Real factor) {
    Tolerance tolerance(Kind::automatic, factor);
    tolerance.recent_.reserve(kMemory);
    tolerance.sorted_.reserve(kMemory + 1);
    return tolerance;
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
    if (sorted_.empty()) return 0;
    return (value_ > 0 ? value_ : usual_factor(length)) *
           std::max(sorted_[sorted_.size() / 2], kFloor * total_ / static_cast<Real>(rounds_));
}

Real Tolerance::usual_factor(Real length) {
    // Short windows forget fast: there a loose test lets the point fall behind. In between the factor rises
    // evenly.
    constexpr Real kShort = 8;
    constexpr Real kLong = 16;
    constexpr Real kTight = 0.3;
    constexpr Real kLoose = 2;
    if (length < kLong) {
        const Real way = std::max(Real{0}, (length - kShort) / (kLong - kShort));
        return kTight * std::pow(kLoose / kTight, way);
    }
    // One loss moves the gradient of a window by about sigma/w, while its own sampling error is
    // sigma/sqrt(w): to solve it much more finely than that follows noise. A quarter of that error was the
    // best trade of loss against gradients on the built-in streams.
    return std::max(kLoose, std::sqrt(length) / 4);
}

void Tolerance::remember(Real change) {
    overwritten_ = -1;
    total_before_ = total_;
    total_ += change;
    ++rounds_;
    if (recent_.size() < kMemory) {
        recent_.push_back(change);
    } else {
        overwritten_ = recent_[oldest_];
        erase_sorted(sorted_, overwritten_);
        recent_[oldest_] = change;
        oldest_ = (oldest_ + 1) % kMemory;
    }
    insert_sorted(sorted_, change);
}

void Tolerance::take_back() {
    if (kind_ != Kind::automatic || !remembered_) return;
    total_ = total_before_;
    --rounds_;
    if (overwritten_ < 0) {
        erase_sorted(sorted_, recent_.back());
        recent_.pop_back();
        return;
    }
    oldest_ = (oldest_ + kMemory - 1) % kMemory;
    erase_sorted(sorted_, recent_[oldest_]);
    recent_[oldest_] = overwritten_;
    insert_sorted(sorted_, overwritten_);
}

void Tolerance::exchange(Checkpoint& checkpoint) {
    checkpoint.list("recent", recent_);
    checkpoint.exchange("oldest", oldest_, kMemory - 1);
    checkpoint.exchange("total", total_);
    checkpoint.exchange("total before", total_before_);
    checkpoint.exchange("rounds", rounds_);
    checkpoint.exchange("overwritten", overwritten_);
    checkpoint.exchange("remembered", remembered_);
    const bool full = recent_.size() == kMemory;
    checkpoint.require(recent_.size() <= kMemory && rounds_ >= recent_.size() && (full || oldest_ == 0) &&
                           (full || !(overwritten_ >= 0)) &&
                           std::all_of(recent_.begin(), recent_.end(), [](Real each) { return each > 0; }),
                       "the changes of its last rounds");
    if (!checkpoint.reading()) return;
    sorted_ = recent_;
    std::sort(sorted_.begin(), sorted_.end());
}

}  // namespace proxstream
