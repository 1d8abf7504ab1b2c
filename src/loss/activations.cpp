/// Activations of whole layers, with their derivatives.
#include "core/simd.hpp"
#include "loss/perceptron.hpp"
#include "loss/scalar_formulas.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace proxstream {
namespace {

/// exp(x) for x in [-kDeepest, 0], in plain arithmetic that a compiler can turn into vectors: x = n log 2 + r
/// with |r| <= log(2)/2, exp(r) by its series, 2^n by the exponent's bits. Relative error about 2e-16.
constexpr Real kDeepest = 700;

[[gnu::always_inline]] inline Real exp_of_negative(Real x) {
    constexpr Real kShift = 0x1.8p52;  // added, it rounds to a whole number, in the lowest bits
    constexpr Real kLogTwoHigh = 0x1.62e42fee00000p-1;
    constexpr Real kLogTwoLow = 0x1.a39ef35793c76p-33;
    x = x < -kDeepest ? -kDeepest : x;  // NaN stays
    const Real shifted = x * std::numbers::log2e + kShift;
    const Real whole = shifted - kShift;
    const Real r = (x - whole * kLogTwoHigh) - whole * kLogTwoLow;
    constexpr Real kFactorials[] = {
        1, 1, 2, 6, 24, 120, 720, 5'040, 40'320, 362'880, 3'628'800, 39'916'800, 479'001'600, 6'227'020'800};
    Real series = 1 / kFactorials[13];
    for (int k = 12; k >= 0; --k) series = series * r + 1 / kFactorials[k];
    const auto power = (std::bit_cast<std::uint64_t>(shifted) + 1023U) << 52U;
    return series * std::bit_cast<Real>(power);
}

/// values[i] <- at(values[i]).value; its slopes go to `derivatives` unless that is null.
template <class At>
[[gnu::always_inline]] inline void replace_all(Real* values, Real* derivatives, Index count, At at) {
    if (derivatives == nullptr) {
        for (Index i = 0; i < count; ++i) values[i] = at(values[i]).value;
        return;
    }
    for (Index i = 0; i < count; ++i) {
        const LossPoint point = at(values[i]);
        values[i] = point.value;
        derivatives[i] = point.slope;
    }
}

/// tanh z = (1 - e) / (1 + e) with the sign of z, e = exp(-2|z|).
PROXSTREAM_CLONES void tanh_all(Real* values, Real* derivatives, Index count) {
    replace_all(
        values, derivatives, count, [](Real z) __attribute__((always_inline)) {
            const Real e = exp_of_negative(-2 * std::abs(z));
            const Real value = std::copysign((1 - e) / (1 + e), z);
            return LossPoint{value, 1 - value * value};
        });
}

/// 1 / (1 + exp(-z)) with e = exp(-|z|), so that nothing overflows.
PROXSTREAM_CLONES void sigmoid_all(Real* values, Real* derivatives, Index count) {
    replace_all(
        values, derivatives, count, [](Real z) __attribute__((always_inline)) {
            const Real e = exp_of_negative(-std::abs(z));
            const Real large = 1 / (1 + e);
            const Real small = e * large;
            return LossPoint{z < 0 ? small : large, large * small};
        });
}

LossPoint softplus_at(Real z) {
    const LossPoint point = formulas::Logistic::at(-z);  // log(1 + exp(z))
    return {point.value, -point.slope};
}

LossPoint gelu_at(Real z) {
    const Real below = std::erfc(-z / std::numbers::sqrt2) / 2;  // P(N(0,1) <= z)
    const Real density = std::exp(-z * z / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    return {z * below, below + z * density};
}

}  // namespace

void activate(Activation activation, Real* values, Real* derivatives, Index count) {
    switch (activation) {
        case Activation::tanh:
            return tanh_all(values, derivatives, count);
        case Activation::sigmoid:
            return sigmoid_all(values, derivatives, count);
        case Activation::softplus:
            return replace_all(values, derivatives, count, softplus_at);
        case Activation::gelu:
            return replace_all(values, derivatives, count, gelu_at);
    }
}

}  // namespace proxstream
