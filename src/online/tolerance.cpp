#include "online/tolerance.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"
#include "proxstream/core/state_archive.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

Tolerance Tolerance::starting(Start start) const {
    Tolerance other = *this;
    other.start_ = start;
    return other;
}

Real Tolerance::next(Real length, Real change) {
    if (kind_ != Kind::automatic) return current(length);
    counted_ = change > 0;
    if (counted_) remember(change);
    return current(length);
}

Real Tolerance::current(Real length) const {
    if (kind_ == Kind::none) return 0;
    if (kind_ == Kind::fixed) return value_ / length;
    if (recent_.empty()) return (value_ > 0 ? std::min(value_, kFirst) : kFirst) * first_;
    const Real mean = sum_ / static_cast<Real>(recent_.numbers().size());
    return factor(length) * std::max(recent_.median(), kFloor * mean);
}

Real Tolerance::factor(Real length) const {
    // A window that is not full yet has the sampling error of the losses it holds.
    const bool fills = start_ == Start::solve;
    return value_ > 0 ? value_ : usual_factor(fills ? std::min(length, static_cast<Real>(count_)) : length);
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
    // sigma/sqrt(w). A much finer solution would follow noise. A quarter of that error was the best trade of
    // loss against gradients on the built-in streams.
    return std::max(kLoose, std::sqrt(length) / 4);
}

void Tolerance::remember(Real change) {
    if (start_ == Start::solve && first_ == 0) {
        first_ = change;
        return;
    }
    sum_before_ = sum_;
    ++count_;
    const Real replaced = recent_.add(change);
    overwritten_ = replaced == -kInfinity ? -1 : replaced;
    sum_ += overwritten_ < 0 ? change : change - replaced;
    // Added up anew once a turn of the ring, and where most of the sum leaves at once. Otherwise its rounding
    // error would stand for changes that are gone.
    if (overwritten_ < 0 || (recent_.oldest() > 0 && replaced <= sum_)) return;
    sum_ = std::accumulate(recent_.numbers().begin(), recent_.numbers().end(), Real{0});
}

void Tolerance::rollback() {
    if (kind_ != Kind::automatic || !counted_) return;
    if (count_ == 0) {
        first_ = 0;
        return;
    }
    sum_ = sum_before_;
    --count_;
    recent_.rollback(overwritten_ < 0 ? -kInfinity : overwritten_);
}

void Tolerance::serialise(StateArchive& archive) {
    std::vector<Real> recent = recent_.numbers();
    Index oldest = recent_.oldest();
    archive.fields(Field{"first", first_}, Field{"recent", recent});
    archive.field("oldest", oldest, kMemory - 1);
    archive.fields(Field{"sum", sum_}, Field{"count", count_});
    const bool full = recent.size() == kMemory;
    archive.require(first_ >= 0 && recent.size() <= kMemory && count_ >= recent.size() &&
                        (full || oldest == 0) && (first_ == 0 || start_ == Start::solve) &&
                        (start_ == Start::gradual || first_ > 0 || count_ == 0) &&
                        (full || count_ == recent.size()) &&
                        std::all_of(recent.begin(), recent.end(), [](Real each) { return each > 0; }),
                    "the changes of its last rounds");
    if (!archive.reading()) return;
    recent_.assign(std::move(recent), oldest);
}

}  // namespace proxstream
