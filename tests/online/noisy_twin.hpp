/// Algorithm 2 from its listing, with plain loops and nothing carried, and losses and samples that both sides
/// can evaluate. The noise of a sample is a hash of its place.
#pragma once

#include "support/naive.hpp"
#include "support/noisy_learner.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace naive {

/// The loss of round i: robust distances to a centre that drifts and jitters; L = 1.
inline double centre(std::uint64_t i, std::size_t j) {
    const double time = static_cast<double>(i);
    return std::cos(0.15 * time + static_cast<double>(j)) + 0.5 * std::sin(7.3 * time);
}
inline double loss(std::uint64_t i, const Vector& x) {
    double total = 0;
    for (std::size_t j = 0; j < x.size(); ++j) total += std::log1p(std::pow(x[j] - centre(i, j), 2)) / 2;
    return total;
}
inline Vector slope(std::uint64_t i, const Vector& x) {
    Vector out(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
        const double r = x[j] - centre(i, j);
        out[j] = r / (1 + r * r);
    }
    return out;
}
inline proxstream::FunctionFamily::Record record_of(std::uint64_t i) {
    return [i](proxstream::ConstView x, proxstream::View gradient) {
        const Vector point(x.begin(), x.end());
        if (!gradient.empty()) {
            const Vector out = slope(i, point);
            std::copy(out.begin(), out.end(), gradient.begin());
        }
        return loss(i, point);
    };
}

/// In (-1, 1), by where the sample stands alone.
inline double hashed(std::uint64_t round, std::uint64_t record, std::uint64_t pass, std::uint64_t sample,
                     std::uint64_t coordinate) {
    std::uint64_t z = 0;
    for (const std::uint64_t part : {round, record, pass, sample, coordinate}) {
        z = (z ^ part) + 0x9e3779b97f4a7c15ULL;
        z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
        z ^= z >> 31U;
    }
    return static_cast<double>(z >> 11U) * 0x1p-52 - 1;
}

/// A base sample of the gradient of loss `record`.
inline Vector sampled(double noise, std::uint64_t record, const Vector& x, std::uint64_t round,
                      std::uint64_t pass, std::uint64_t sample) {
    Vector out = slope(record, x);
    for (std::size_t j = 0; j < x.size(); ++j) out[j] += noise * hashed(round, record, pass, sample, j);
    return out;
}

/// The same as an oracle; `calls` counts base samples.
inline proxstream::AnyOracle hashed_oracle(double noise, std::uint64_t samples,
                                           std::uint64_t* calls = nullptr) {
    return proxstream::AnyOracle(proxstream::CallbackOracle(
        [noise, calls](proxstream::Round record, proxstream::ConstView x, const proxstream::Draw& draw,
                       std::vector<double>& gradient) {
            if (calls != nullptr) ++*calls;
            gradient = sampled(noise, record, {x.begin(), x.end()}, draw.round, draw.step, draw.sample);
        },
        samples, {.base_noise = noise, .bounded = false, .independent = true}));
}

struct NoisyRules {
    std::size_t window = 1;
    double step = 1, tolerance = 1, noise = 0;
    std::uint64_t samples = 1, confirm = 1;
    bool paper = false;
    std::uint64_t max_steps = 100'000;
};

struct NoisyRound {
    std::uint64_t steps = 0, confirmations = 0, failed = 0, answers = 0;
    double first = 0, tested = 0, squares = 0, path = 0;
};

class NoisyTwin {
  public:
    NoisyTwin(Penalty g, Vector start, const NoisyRules& rules)
        : g_(std::move(g)), x_(std::move(start)), rules_(rules), carried_(x_.size()) {}

    NoisyRound play() {
        ++t_;
        pass_ = 0;
        NoisyRound out;
        Vector estimate = rules_.paper ? steps_two_and_three(out) : redraw(out);
        out.first = length(gap(estimate));
        for (;;) {
            while (length(gap(estimate)) > rules_.tolerance && out.steps < rules_.max_steps) {
                const Vector p = gap(estimate);
                out.squares += inner(p, p);
                out.path += rules_.step * length(p);
                x_ = forward(estimate);
                ++out.steps;
                estimate = redraw(out);
            }
            if (length(gap(estimate)) > rules_.tolerance) break;
            bool confirmed = true;
            for (std::uint64_t passed = 1; confirmed && passed < rules_.confirm; ++passed) {
                estimate = redraw(out);
                ++out.confirmations;
                confirmed = length(gap(estimate)) <= rules_.tolerance;
                if (!confirmed) ++out.failed;
            }
            if (confirmed) break;
        }
        carried_ = estimate;
        out.tested = length(gap(estimate));
        return out;
    }
    const Vector& point() const { return x_; }

  private:
    std::uint64_t oldest() const { return t_ > rules_.window ? t_ - rules_.window + 1 : 1; }
    double share() const { return 1 / static_cast<double>(rules_.window); }

    /// An answer: the mean of its base samples.
    Vector ask(std::uint64_t record, NoisyRound& out) const {
        Vector total(x_.size());
        for (std::uint64_t s = 0; s < rules_.samples; ++s)
            total = along(total, 1, sampled(rules_.noise, record, x_, t_, pass_, s));
        ++out.answers;
        return along(Vector(x_.size()), 1 / static_cast<double>(rules_.samples), total);
    }
    Vector steps_two_and_three(NoisyRound& out) {
        const Vector newest = ask(t_, out);
        ++pass_;
        Vector estimate = along(carried_, share(), newest);
        if (t_ > rules_.window) estimate = along(estimate, -share(), stored_.at(t_ - rules_.window));
        stored_[t_] = newest;
        return estimate;
    }
    Vector redraw(NoisyRound& out) {
        Vector estimate(x_.size());
        for (std::uint64_t i = oldest(); i <= t_; ++i) {
            stored_[i] = ask(i, out);
            estimate = along(estimate, share(), stored_[i]);
        }
        ++pass_;
        return estimate;
    }
    Vector forward(const Vector& estimate) const {
        return g_.prox(along(x_, -rules_.step, estimate), rules_.step);
    }
    Vector gap(const Vector& estimate) const {
        return along(Vector(x_.size()), 1 / rules_.step, along(x_, -1, forward(estimate)));
    }

    Penalty g_;
    Vector x_;
    NoisyRules rules_;
    Vector carried_;                          // the estimate the round before ended with
    std::map<std::uint64_t, Vector> stored_;  // the answer each loss gave last
    std::uint64_t t_ = 0, pass_ = 0;
};

}  // namespace naive
