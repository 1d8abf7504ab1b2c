/// A slow twin: Algorithm 1 and its baselines from their definitions. It has plain loops over the whole
/// window at every evaluation, its own prox formulas, and carries nothing. It shares no arithmetic with the
/// library, so agreement to the last digits says that both do what the definitions say.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace naive {

using Vector = std::vector<double>;

inline double inner(const Vector& a, const Vector& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}
inline double length(const Vector& a) {
    return std::sqrt(inner(a, a));
}
inline Vector along(const Vector& x, double scale, const Vector& d) {
    Vector out(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) out[i] = x[i] + scale * d[i];
    return out;
}

/// A loss as a pair of functions of x.
struct Loss {
    std::function<double(const Vector&)> value;
    std::function<Vector(const Vector&)> gradient;
};

enum class Formula { squared, cauchy, sigmoid };

/// phi(a.x, y) for one row.
inline Loss row_loss(Formula formula, const Vector& a, double y) {
    const auto slope = [formula, y](double score) {
        const double r = score - y;
        if (formula == Formula::squared) return r;
        if (formula == Formula::cauchy) return r / (1 + r * r);
        const double s = 1 / (1 + std::exp(y * score));
        return -y * s * (1 - s);
    };
    const auto value = [formula, y](double score) {
        const double r = score - y;
        if (formula == Formula::squared) return r * r / 2;
        if (formula == Formula::cauchy) return std::log(1 + r * r) / 2;
        return 1 / (1 + std::exp(y * score));
    };
    return {[a, value](const Vector& x) { return value(inner(a, x)); },
            [a, slope](const Vector& x) { return along(Vector(x.size()), slope(inner(a, x)), a); }};
}

inline double curvature(Formula formula) {
    return formula == Formula::sigmoid ? 1 / (6 * std::sqrt(3.0)) : 1;
}

/// g by its value and its prox.
struct Penalty {
    std::function<double(const Vector&)> value;
    std::function<Vector(const Vector&, double)> prox;
};

inline Penalty l1(double weight) {
    return {[=](const Vector& x) {
                double total = 0;
                for (const double v : x) total += std::fabs(v);
                return weight * total;
            },
            [=](Vector v, double step) {
                for (double& e : v) {
                    const double kept = std::fabs(e) - step * weight;
                    e = kept > 0 ? std::copysign(kept, e) : 0;
                }
                return v;
            }};
}

inline Penalty box(double low, double high) {
    return {[](const Vector&) { return 0.0; },
            [=](Vector v, double) {
                for (double& e : v) e = std::min(high, std::max(low, e));
                return v;
            }};
}

/// The simplex by sorting: the largest k for which the k largest entries stay positive.
inline Penalty simplex() {
    return {[](const Vector&) { return 0.0; },
            [](Vector v, double) {
                Vector sorted = v;
                std::sort(sorted.begin(), sorted.end(), std::greater<>());
                double total = 0;
                double shift = 0;
                for (std::size_t k = 0; k < sorted.size(); ++k) {
                    total += sorted[k];
                    const double candidate = (total - 1) / static_cast<double>(k + 1);
                    if (sorted[k] > candidate) shift = candidate;
                }
                for (double& e : v) e = std::max(0.0, e - shift);
                return v;
            }};
}

inline Penalty group(double weight, std::size_t size) {
    const auto norm_at = [size](const Vector& v, std::size_t first) {
        double total = 0;
        for (std::size_t i = first; i < std::min(first + size, v.size()); ++i) total += v[i] * v[i];
        return std::sqrt(total);
    };
    return {[=](const Vector& x) {
                double total = 0;
                for (std::size_t first = 0; first < x.size(); first += size) total += norm_at(x, first);
                return weight * total;
            },
            [=](Vector v, double step) {
                for (std::size_t first = 0; first < v.size(); first += size) {
                    const double norm = norm_at(v, first);
                    const double kept = norm > step * weight ? 1 - step * weight / norm : 0;
                    for (std::size_t i = first; i < std::min(first + size, v.size()); ++i) v[i] *= kept;
                }
                return v;
            }};
}

struct Round {
    Vector next;  // x_{t+1}
    double entry = 0, exit = 0, tolerance = 0;
    std::uint64_t steps = 0;
};

enum class Method {
    smoothed,       // Algorithm 1
    backtracking,   // the same, step found by trying
    window_steps,   // K steps, no test
    re_solve,       // K backtracking attempts, no test
    prox_gradient,  // newest loss only
    prox_sgd,
    momentum,
    adam,
    optimistic,
    extragradient,
    adagrad,  // effort - 1 more steps on losses of the window, chosen by `replayed`
    full_history,
    ftrl,  // alpha 0.1, beta 1; g is separable
};

struct Settings {
    Method method = Method::smoothed;
    std::size_t window = 1;
    double step = 1;           // eta
    double delta = 1;          // fixed tolerance; <= 0: -delta times the running median
    std::uint64_t effort = 1;  // K
    bool fixed_sum = false;    // points of dom g have one
    /// The age of the loss that the i-th replayed step of round t (from 0) takes, of so many.
    std::function<std::size_t(std::uint64_t t, std::uint64_t i, std::size_t losses)> replayed = {};
};

class Player {
  public:
    Player(Penalty g, Vector start, Settings settings)
        : g_(std::move(g)),
          x_(std::move(start)),
          s_(std::move(settings)),
          trial_step_(s_.step),
          mean_(x_.size()),
          square_(x_.size()) {}

    Round play(const Loss& loss) {
        const Vector before = gap(x_);
        losses_.push_back(loss);
        Round round;
        round.entry = length(gap(x_));
        round.tolerance = tolerance(length(along(gap(x_), -1, before)));
        switch (s_.method) {
            case Method::smoothed:
            case Method::window_steps:
                fixed_steps(round);
                break;
            case Method::backtracking:
            case Method::re_solve:
                searched_steps(round);
                break;
            case Method::adagrad:
                adagrad_steps(round);
                break;
            case Method::ftrl:
                leader_step(round);
                break;
            default:
                first_order(round);
        }
        round.next = x_;
        round.exit = length(gap(x_));
        return round;
    }
    const Vector& point() const { return x_; }

    double window_value(const Vector& x) const {
        double total = 0;
        for (std::size_t i = oldest(); i < losses_.size(); ++i) total += losses_[i].value(x);
        return total / static_cast<double>(s_.window);
    }
    Vector window_gradient(const Vector& x) const { return mean_gradient(x, oldest(), s_.window); }
    Vector gap(const Vector& x) const {
        const Vector forward = g_.prox(along(x, -s_.step, window_gradient(x)), s_.step);
        Vector out = along(x, -1, forward);
        for (double& e : out) e /= s_.step;
        return out;
    }

  private:
    std::size_t oldest() const { return losses_.size() > s_.window ? losses_.size() - s_.window : 0; }
    Vector mean_gradient(const Vector& x, std::size_t first, std::size_t divisor) const {
        Vector total(x.size());
        for (std::size_t i = first; i < losses_.size(); ++i) total = along(total, 1, losses_[i].gradient(x));
        for (double& e : total) e /= static_cast<double>(divisor);
        return total;
    }
    double tolerance(double change) {
        if (s_.method != Method::smoothed && s_.method != Method::backtracking) return 0;
        if (s_.delta > 0) return s_.delta / static_cast<double>(s_.window);
        if (change > 1e-13) changes_.push_back(change);  // a point held still tells no scale
        if (changes_.empty()) return 0;
        const std::size_t kept = std::min<std::size_t>(changes_.size(), 200);
        Vector recent(changes_.end() - static_cast<std::ptrdiff_t>(kept), changes_.end());
        std::sort(recent.begin(), recent.end());
        const double mean = std::accumulate(recent.begin(), recent.end(), 0.0) / static_cast<double>(kept);
        return -s_.delta * std::max(recent[kept / 2], mean / 4);
    }
    bool wants_more(std::uint64_t attempts, double tolerance) const {
        const bool tested = s_.method == Method::smoothed || s_.method == Method::backtracking;
        if (!tested && attempts >= s_.effort) return false;
        const double floor = 4 * 0x1p-53 * (length(x_) / s_.step + length(window_gradient(x_)));
        const double here = length(gap(x_));
        return here > tolerance && here > floor;
    }
    void fixed_steps(Round& round) {
        while (wants_more(round.steps, round.tolerance)) {
            x_ = g_.prox(along(x_, -s_.step, window_gradient(x_)), s_.step);
            ++round.steps;
        }
    }
    void searched_steps(Round& round) {
        for (std::uint64_t attempts = 0; wants_more(attempts, round.tolerance); ++attempts) {
            const Vector gradient = window_gradient(x_);
            const Vector candidate = g_.prox(along(x_, -trial_step_, gradient), trial_step_);
            const Vector move = along(candidate, -1, x_);
            const double here = window_value(x_);
            const double there = window_value(candidate);
            const double model = here + inner(gradient, move) + inner(move, move) / (2 * trial_step_);
            if (there > model + 16 * 0x1p-53 * (std::fabs(here) + std::fabs(there))) {
                trial_step_ /= 2;
                streak_ = 0;
                continue;
            }
            x_ = candidate;
            ++round.steps;
            if (++streak_ == 3) {
                trial_step_ *= 1.6;
                streak_ = 0;
            }
        }
    }
    void adagrad_steps(Round& round) {
        const std::size_t newest = losses_.size() - 1;
        for (; round.steps < s_.effort; ++round.steps) {
            const std::size_t age =
                round.steps == 0 ? 0
                                 : s_.replayed(newest, round.steps - 1, std::min(losses_.size(), s_.window));
            const Vector slope = within(losses_[newest - age].gradient(x_));
            Vector direction = slope;
            for (std::size_t i = 0; i < x_.size(); ++i) {
                square_[i] += slope[i] * slope[i];
                direction[i] = slope[i] / (std::sqrt(square_[i]) + 1e-8);
            }
            x_ = g_.prox(along(x_, -0.1, direction), 0.1 * mean_scale(1));
        }
    }
    /// FTRL-proximal from its sums over all rounds.
    void leader_step(Round& round) {
        points_.push_back(x_);
        slopes_.push_back(losses_.back().gradient(x_));
        const double t = static_cast<double>(losses_.size());
        Vector next = x_;
        for (std::size_t i = 0; i < x_.size(); ++i) {
            double total = 0;                         // of gradients
            double curvature = 1 / 0.1;               // of the proximal terms
            double pull = curvature * points_[0][i];  // their centres, weighted
            double squares = 0;
            for (std::size_t s = 0; s < slopes_.size(); ++s) {
                const double before = std::sqrt(squares);
                squares += slopes_[s][i] * slopes_[s][i];
                const double added = (std::sqrt(squares) - before) / 0.1;
                total += slopes_[s][i];
                curvature += added;
                pull += added * points_[s][i];
            }
            Vector centre = x_;
            centre[i] = (pull - total) / curvature;
            next[i] = g_.prox(centre, t / curvature)[i];
        }
        x_ = next;
        round.steps = 1;
    }
    void first_order(Round& round) {
        const double t = static_cast<double>(losses_.size());
        Vector direction = losses_.back().gradient(x_);
        double step = s_.step;
        if (s_.method == Method::optimistic) {
            const Vector slope = direction;
            if (losses_.size() > 1) direction = along(along(slope, 1, slope), -1, last_);
            last_ = slope;
        }
        if (s_.method == Method::extragradient) {
            // Odd rounds look ahead; even ones step from where the look began.
            if (losses_.size() % 2 == 1) last_ = x_;
            x_ = last_;
        }
        if (s_.method == Method::prox_sgd) step = s_.step / std::sqrt(1 + (t - 1) / 100);
        if (s_.method == Method::full_history) direction = mean_gradient(x_, 0, losses_.size());
        if (s_.method == Method::adam) step = 0.01;
        if (s_.method == Method::adam) direction = within(direction);
        for (std::size_t i = 0; i < x_.size(); ++i) {
            const double slope = direction[i];
            if (s_.method == Method::momentum) {
                direction[i] = mean_[i] = 0.9 * mean_[i] + 0.1 * slope;
            } else if (s_.method == Method::adam) {
                mean_[i] = 0.9 * mean_[i] + 0.1 * slope;
                square_[i] = 0.999 * square_[i] + 0.001 * slope * slope;
                const double scale = std::sqrt(square_[i] / (1 - std::pow(0.999, t))) + 1e-8;
                direction[i] = mean_[i] / (1 - std::pow(0.9, t)) / scale;
            }
        }
        const double prox_step =
            s_.method == Method::adam ? step * mean_scale(1 / (1 - std::pow(0.999, t))) : step;
        x_ = g_.prox(along(x_, -step, direction), prox_step);
        round.steps = 1;
    }

    /// Where a sum is fixed, what all coordinates have in common is taken off before they are rescaled.
    Vector within(Vector direction) const {
        if (!s_.fixed_sum) return direction;
        const double mean =
            std::accumulate(direction.begin(), direction.end(), 0.0) / static_cast<double>(x_.size());
        for (double& each : direction) each -= mean;
        return direction;
    }

    /// What Adam and AdaGrad multiply gradients by, on average over the coordinates that have met one.
    double mean_scale(double correction) const {
        double total = 0;
        double count = 0;
        for (const double square : square_) {
            if (square == 0) continue;
            total += 1 / (std::sqrt(square * correction) + 1e-8);
            ++count;
        }
        return count > 0 ? total / count : 1;
    }

    Penalty g_;
    Vector x_;
    Settings s_;
    double trial_step_;
    int streak_ = 0;
    Vector mean_, square_;                 // moments of the first-order baselines
    Vector last_;                          // gradient, or base
    std::vector<Vector> points_, slopes_;  // all of them, for ftrl
    std::vector<Loss> losses_;
    Vector changes_;
};

}  // namespace naive
