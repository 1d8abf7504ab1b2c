/// Losses, windows and proximal maps written as plainly as the formulas; every sum is redone each time.
#pragma once

#include "proxstream/core/draw.hpp"

#include "regret/tally.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <vector>

namespace proxstream::naive {

using Point = std::vector<Real>;

enum class G { zero, l1, box };
enum class Model { previous, mean, zero, lag, random };

struct Plan {
    Index n = 1;
    Index w = 3;
    Round rounds = 40;
    Real eta = 0.4;
    Real delta = 0.3;
    bool varied_delta = false;
    G g = G::l1;
    Real mu = 0.3;       // weight of the L1 norm
    Real curvature = 0;  // 0: cosine losses (|f''| <= 1.5); else quadratics with this second derivative
    std::optional<Real> smoothness = 1.5;
    StepRule rule = StepRule::fixed;
    Real lambda = 1;
    Real first_step = 1;  // of backtracking, in units of eta
    std::optional<std::uint64_t> max_steps = {};
    bool broken_prox = false;
    std::set<Round> refused = {};
    std::vector<Index> also = {};
    Real start = 1.7;
    std::uint64_t seed = 1;
    bool silent_losses = false;      // f = 0
    std::vector<Real> weights = {};  // a_0, a_1, ..; empty: a box of w
    Model model = Model::previous;
    Index lag = 2;
    Real theta = 1;
    Real kappa = 0;     // of the switching penalty
    int cheap = 0;      // cheap updates before each exact test
    bool jump = false;  // start where an older point does better
};

struct Loss {
    std::vector<Real> height, shift;
    Real curvature = 0;

    Real value(const Point& x) const {
        Real sum = 0;
        for (Index j = 0; j < x.size(); ++j) {
            sum += curvature > 0 ? curvature / 2 * x[j] * x[j] + shift[j] * x[j]
                                 : height[j] * (1 - std::cos(x[j] - shift[j]));
        }
        return sum;
    }
    Point gradient(const Point& x) const {
        Point out(x.size());
        for (Index j = 0; j < x.size(); ++j) {
            out[j] = curvature > 0 ? curvature * x[j] + shift[j] : height[j] * std::sin(x[j] - shift[j]);
        }
        return out;
    }
};

inline Real length(const Point& a) {
    Real sum = 0;
    for (const Real v : a) sum += v * v;
    return std::sqrt(sum);
}

inline Real length_one(const Point& a) {
    Real sum = 0;
    for (const Real v : a) sum += std::abs(v);
    return sum;
}

inline Point difference(const Point& a, const Point& b) {
    Point out = a;
    for (Index j = 0; j < out.size(); ++j) out[j] -= b[j];
    return out;
}

/// Weights of the losses f_1, f_2, ..: entry i belongs to f_{i+1}.
using Window = std::vector<Real>;

struct Played {
    Plan plan;
    RunHeader header;
    std::vector<RoundReport> reports;
    std::vector<std::vector<Real>> also;  // gaps for the other windows
    RunFooter footer;
    std::vector<Loss> losses;    // f_1..f_T, refused ones left out
    std::vector<Point> points;   // x_1..x_{T+1}
    std::vector<Window> models;  // Q_1 = 0, Q_2, .., Q_{T+1}

    RowExtras extras(Index row) const { return {also[row], std::nullopt}; }

    Real g(const Point& x) const {
        Real sum = 0;
        for (const Real v : x) {
            if (plan.g == G::l1) sum += plan.mu * std::abs(v);
            if (plan.g == G::box && std::abs(v) > 1) return kInfinity;
        }
        return sum;
    }
    /// prox of g + kappa |. - centre|_1.
    Point prox(Point v, Real step, Real kappa, const Point& centre) const {
        const Real a = plan.g == G::l1 ? step * plan.mu : 0, k = step * kappa;
        for (Index j = 0; j < v.size(); ++j) {
            Real& z = v[j];
            const Real c = kappa > 0 ? centre[j] : 0;
            const Real low = std::min(Real{0}, c), high = std::max(Real{0}, c);
            if (z - a - k > high) {
                z = z - a - k;
            } else if (z + a + k < low) {
                z = z + a + k;
            } else {
                z = std::clamp(c > 0 ? z - a + k : z + a - k, low, high);
            }
            if (plan.broken_prox) z *= 2.5;
            if (plan.g == G::box) z = std::clamp(z, Real{-1}, Real{1});
        }
        return v;
    }
    Point gap(const Point& x, const Point& d, Real step, Real kappa = 0, const Point& centre = {}) const {
        Point z = x;
        for (Index j = 0; j < z.size(); ++j) z[j] -= step * d[j];
        z = prox(z, step, kappa, centre);
        for (Index j = 0; j < z.size(); ++j) z[j] = (x[j] - z[j]) / step;
        return z;
    }

    std::vector<Real> reference_weights() const {
        return plan.weights.empty() ? std::vector<Real>(plan.w, 1 / static_cast<Real>(plan.w)) : plan.weights;
    }
    /// S_t of the weights `a`.
    static Window window(const std::vector<Real>& a, Round t) {
        Window out(t);
        for (Round s = 1; s <= t; ++s) out[s - 1] = t - s < a.size() ? a[t - s] : 0;
        return out;
    }
    Window box(Round t, Index w) const { return window(std::vector<Real>(w, 1 / static_cast<Real>(w)), t); }
    /// Q_{t+1}.
    Window model(Round t) const {
        const std::vector<Real> a = reference_weights();
        if (plan.model == Model::previous) return window(a, t);
        Window out = window(a, t + 1);
        out.pop_back();
        for (Real& weight : out) {
            if (plan.model == Model::mean && weight > 0) weight /= 1 - a[0];
        }
        if (plan.model == Model::lag && t + 1 > plan.lag) out[t - plan.lag] += a[0];
        if (plan.model == Model::random) {
            for (Round s = 1; s <= t; ++s) {
                out[s - 1] = t - s < a.size()
                                 ? uniform({plan.seed, t, 77, static_cast<std::uint32_t>(s), 0}) /
                                       static_cast<Real>(a.size())
                                 : 0;
            }
        }
        return out;
    }
    Real value(const Point& x, const Window& q) const {
        Real sum = 0;
        for (Index i = 0; i < q.size(); ++i) sum += q[i] == 0 ? 0 : q[i] * losses[i].value(x);
        return sum;
    }
    Point gradient(const Point& x, const Window& q) const {
        Point sum(x.size());
        for (Index i = 0; i < q.size(); ++i) {
            if (q[i] == 0) continue;
            const Point each = losses[i].gradient(x);
            for (Index j = 0; j < x.size(); ++j) sum[j] += q[i] * each[j];
        }
        return sum;
    }

    Certificate live() const {
        Tally tally(header);
        for (Index row = 0; row < reports.size(); ++row) tally.add(reports[row], extras(row));
        return tally.certificate(footer);
    }
};

/// w_a = 2 / TV.
inline Real effective_length(const std::vector<Real>& a) {
    Real variation = a.front() + a.back();
    for (Index i = 1; i < a.size(); ++i) variation += std::abs(a[i] - a[i - 1]);
    return 2 / variation;
}

inline std::vector<Real> exponential(Real span, Index length) {
    std::vector<Real> a;
    Real sum = 0;
    for (Index i = 0; i < length; ++i) a.push_back(std::pow(1 - 1 / span, static_cast<Real>(i)));
    for (const Real weight : a) sum += weight;
    for (Real& weight : a) weight /= sum;
    return a;
}

inline std::vector<Real> triangle(Index length) {
    std::vector<Real> a;
    const Real all = static_cast<Real>(length * (length + 1));
    for (Index i = 0; i < length; ++i) a.push_back(2 * static_cast<Real>(length - i) / all);
    return a;
}

}  // namespace proxstream::naive
