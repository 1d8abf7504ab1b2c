/// The weights of an ensemble that plays a mean, as plainly as the formulas and in extended precision.
#pragma once

#include "proxstream/core/types.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <vector>

namespace proxstream::mixing {

using Long = long double;
using Longs = std::vector<Long>;

inline Longs longs(ConstView values) {
    return {values.begin(), values.end()};
}

inline Long mean_of(const Longs& weights, const Longs& values) {
    Long sum = 0;
    for (Index k = 0; k < weights.size(); ++k) sum += weights[k] * values[k];
    return sum;
}

/// p ~ pi R+ / (V + range), or the prior pi where no R is positive.
inline Longs polynomial_weights(const Longs& prior, const Longs& sums, const Longs& squares, Long range) {
    Longs p(prior.size());
    Long total = 0;
    for (Index k = 0; k < p.size(); ++k) {
        p[k] = sums[k] > 0 ? prior[k] * sums[k] / (squares[k] + range) : 0;
        total += p[k];
    }
    if (!(total > 0)) return prior;
    for (Long& each : p) each /= total;
    return p;
}

/// ML-Poly with regrets cut to the largest one seen before.
struct Poly {
    Longs prior, p, R, V;
    Long b = 0, S = 0;

    explicit Poly(const Longs& pi) : prior(pi), p(pi), R(pi.size()), V(pi.size()) {}

    void update(Longs r) {
        Long m = 0;
        for (const Long each : r) m = std::max(m, std::abs(each));
        if (m == 0) return;
        for (Long& each : r) each *= std::min<Long>(1, b / m);
        for (Index k = 0; k < r.size() && b > 0; ++k) S += prior[k] / (V[k] + b * b) * r[k] * r[k];
        b = std::max(b, m);
        for (Index k = 0; k < r.size(); ++k) {
            R[k] += r[k];
            V[k] += r[k] * r[k];
        }
        p = polynomial_weights(prior, R, V, b * b);
    }
    void learn(const Longs& losses) {
        const Long mean = mean_of(p, losses);
        Longs r;
        Long largest_loss = 0, largest_regret = 0;
        for (const Long loss : losses) {
            r.push_back(mean - loss);
            largest_loss = std::max(largest_loss, std::abs(loss));
            largest_regret = std::max(largest_regret, std::abs(r.back()));
        }
        // Losses that are equal but for rounding tell nothing.
        if (largest_regret > 1e-12L * largest_loss) update(r);
    }
    /// The sum of the regrets against member k is at most this.
    Long price(Index k) const { return std::sqrt(S * (V[k] + b * b) / prior[k]) + b; }
    /// How far the weights are from being decided by rounding: the largest R+ in units of b.
    Long lead() const { return b == 0 ? 0 : *std::max_element(R.begin(), R.end()) / b; }
};

/// The same with forgetting, on losses cut at 4 times the 0.9-quantile of the median excess.
struct Clipped {
    Longs prior, p, R, V;
    Long B = 0, c = INFINITY;
    std::deque<Long> medians;
    Round rounds = 0;

    explicit Clipped(const Longs& pi) : prior(pi), p(pi), R(pi.size()), V(pi.size()) {}

    void learn(const Longs& losses) {
        const Long least = *std::min_element(losses.begin(), losses.end());
        Longs e;
        for (const Long loss : losses) e.push_back(loss - least);
        Longs sorted = e;
        std::sort(sorted.begin(), sorted.end());
        medians.push_back(sorted[sorted.size() / 2]);
        if (medians.size() > 256) medians.pop_front();
        if (rounds++ % 8 == 0) {
            Longs known(medians.begin(), medians.end());
            std::sort(known.begin(), known.end());
            const Long usual = known[static_cast<Index>(0.9L * static_cast<Long>(known.size() - 1))];
            c = usual > 0 ? 4 * usual : INFINITY;
        }
        for (Long& each : e) each = std::min(each, c);
        const Long mean = mean_of(p, e);
        Long m = 0;
        for (Index k = 0; k < e.size(); ++k) {
            const Long r = mean - e[k];
            R[k] = 0.999L * R[k] + r;
            V[k] = 0.999L * V[k] + r * r;
            m = std::max(m, r * r);
        }
        B = std::max(0.999L * B, m);
        p = polynomial_weights(prior, R, V, B);
    }
    Long lead() const { return B == 0 ? 0 : *std::max_element(R.begin(), R.end()) / std::sqrt(B); }
};

/// AdaShare: p ~ p e^{-eps l}, then the share al = 1/(t + 1000) is spread evenly; 1/eps = max(1/eps, D / C),
/// C = (S_0 + 1) ln(K / al), D the sum of <p, l> - m.
struct Sharing {
    Longs p;
    Long switches, D = 0, scale = 0, al = 0;
    Round t = 0;
    // Of the theorem: the sum of ln(1/(1 - al)) / eps, and of <p, l>.
    Long leak = 0, weighted = 0;

    Sharing(const Longs& first, Long switched) : p(first), switches(switched) {}

    void learn(const Longs& losses) {
        const auto count = static_cast<Long>(p.size());
        al = 1 / (static_cast<Long>(++t) + 1000);
        scale = std::max({scale, D / ((switches + 1) * std::log(count / al)), 1e-300L});
        const Long least = *std::min_element(losses.begin(), losses.end());
        Long total = 0, mean = 0;
        Longs q(p.size());
        for (Index k = 0; k < p.size(); ++k) {
            q[k] = p[k] * std::exp(-(losses[k] - least) / scale);
            total += q[k];
            mean += p[k] * (losses[k] - least);
        }
        weighted += least + mean;
        D += mean + scale * std::log(total);
        leak -= std::log1p(-al) * scale;
        for (Index k = 0; k < p.size(); ++k) p[k] = (1 - al) * q[k] / total + al / count;
    }
    /// What the theorem adds to the loss of a sequence with so many switches.
    Long price(Index switched) const {
        return static_cast<Long>(switched + 1) * std::log(static_cast<Long>(p.size()) / al) * scale + leak +
               D;
    }
};

/// Several mixers over the members, AdaShare over the mixers.
struct MixtureTwin {
    bool gradients, clipped, tracking;
    Poly losses, slopes;
    Clipped cut;
    Sharing tracked, top;

    MixtureTwin(const Longs& prior, bool with_gradients, bool with_clipped, bool with_tracking, Long switches)
        : gradients(with_gradients),
          clipped(with_clipped),
          tracking(with_tracking),
          losses(prior),
          slopes(prior),
          cut(prior),
          tracked(prior, switches),
          top(Longs(static_cast<Index>(1 + with_gradients + with_clipped + with_tracking)), switches) {
        std::fill(top.p.begin(), top.p.end(), 1 / static_cast<Long>(top.p.size()));
    }
    explicit MixtureTwin(Index members) : MixtureTwin(even(members), true, true, false, 4) {}

    static Longs even(Index members) { return Longs(members, 1 / static_cast<Long>(members)); }

    std::vector<Longs> mixers() const {
        std::vector<Longs> all{losses.p};
        if (gradients) all.push_back(slopes.p);
        if (clipped) all.push_back(cut.p);
        if (tracking) all.push_back(tracked.p);
        return all;
    }
    Longs weights() const {
        Longs sum(losses.p.size());
        const std::vector<Longs> all = mixers();
        for (Index j = 0; j < all.size(); ++j) {
            for (Index k = 0; k < sum.size(); ++k) sum[k] += top.p[j] * all[j][k];
        }
        return sum;
    }
    void learn(const Longs& l, const Longs& regrets_of_slopes, const Longs& mixer_losses) {
        losses.learn(l);
        if (gradients) slopes.update(regrets_of_slopes);
        if (clipped) cut.learn(l);
        if (tracking) tracked.learn(l);
        top.learn(mixer_losses);
    }
};

}  // namespace proxstream::mixing
