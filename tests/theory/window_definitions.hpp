/// Weighted windows, models and penalties from their definitions, for runs that are checked against them.
/// Every record of a run is kept and every sum is a plain loop over all of them.
#pragma once

#include "proxstream/core/types.hpp"

#include "support/naive.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace proxstream::defined {

using naive::Vector;

/// S_t = sum over ages of weight(t, age) f_{t-age}; `reach` ages may count.
struct Window {
    std::string text;
    Index reach = 1;
    std::function<Real(Round, Index)> weight;

    bool varies() const { return text.starts_with("mean"); }
    /// sum |a_i - a_{i-1}|, the last drop included; of windows that do not change with t.
    Real variation() const {
        Real total = weight(1, reach - 1);
        for (Index age = 0; age < reach; ++age)
            total += std::abs(weight(1, age) - (age > 0 ? weight(1, age - 1) : 0));
        return total;
    }
    /// w_a; of a running mean, the longest one.
    Real effective_length() const { return varies() ? static_cast<Real>(reach) : 2 / variation(); }
};

inline Window box(Index w) {
    return {std::to_string(w), w, [w](Round, Index age) { return age < w ? 1 / static_cast<Real>(w) : 0; }};
}

inline Window exponential(Index span, Index length) {
    const Real b = 1 - 1 / static_cast<Real>(span);
    Real total = 0;
    for (Index i = 0; i < length; ++i) total += std::pow(b, static_cast<Real>(i));
    return {"exp:" + std::to_string(span) + ",length=" + std::to_string(length), length,
            [=](Round, Index age) { return age < length ? std::pow(b, static_cast<Real>(age)) / total : 0; }};
}

inline Window triangle(Index length) {
    const Real w = static_cast<Real>(length);
    return {"triangle:" + std::to_string(length), length, [=](Round, Index age) {
                return age < length ? 2 * (w - static_cast<Real>(age)) / (w * (w + 1)) : 0;
            }};
}

/// Grows to `longest` records, then starts again from the newest `keep`.
inline Window running_mean(Index longest, Index keep) {
    return {"mean:" + std::to_string(longest) + ",keep=" + std::to_string(keep), longest,
            [=](Round t, Index age) {
                Index m = 0;
                for (Round i = 1; i <= t; ++i) m = m == longest ? keep : m + 1;
                return age < m ? 1 / static_cast<Real>(m) : 0;
            }};
}

inline Window season(Index period, Index count) {
    return {"season:" + std::to_string(period) + "," + std::to_string(count), (count - 1) * period + 1,
            [=](Round, Index age) {
                return age % period == 0 && age / period < count ? 1 / static_cast<Real>(count) : 0;
            }};
}

inline Window listed(const Vector& weights) {
    std::string text = "weights:";
    for (const Real weight : weights) {
        char digits[40];
        std::snprintf(digits, sizeof digits, "%s%.17g", text.back() == ':' ? "" : ",", weight);
        text += digits;
    }
    return {text, weights.size(),
            [weights](Round, Index age) { return age < weights.size() ? weights[age] : 0; }};
}

/// The weights of every round of a run, by record: those of the judge S_t, or of the model Q_{t+1} in round
/// t.
struct Weights {
    std::vector<Vector> by_age;  // [t][age]
    Vector newest;               // a_0 of the judge in round t+1: the weight of a forecast record
    Index reach = 1;

    Real at(Round t, Round record) const {
        return record < 1 || record > t || t - record >= reach ? 0 : by_age[t][t - record];
    }
};

/// Q_{t+1} is the judge of round t+1 with f_{t+1} replaced; by "previous" it is S_t.
inline Weights weights_of(const Window& judge, const std::string& rule, Index lag, Round rounds) {
    Weights out;
    out.reach = std::max({judge.reach, lag, Index{1}});
    out.by_age.assign(rounds + 1, Vector(out.reach));
    out.newest.assign(rounds + 1, 0);
    for (Round t = 1; t <= rounds; ++t) {
        Vector& by_age = out.by_age[t];
        if (rule == "previous") {
            for (Index age = 0; age < judge.reach; ++age) by_age[age] = judge.weight(t, age);
            continue;
        }
        const Real newest = out.newest[t] = judge.weight(t + 1, 0);
        for (Index age = 0; age + 1 < judge.reach; ++age) by_age[age] = judge.weight(t + 1, age + 1);
        if (rule == "mean") {
            const Real left = std::accumulate(by_age.begin(), by_age.end(), Real{0});
            for (Real& weight : by_age) weight *= left > 0 ? (left + newest) / left : 0;
            if (left == 0) by_age[0] = newest;  // the newest stands for the one to come
        }
        if (lag > 0) by_age[lag - 1] += newest;
    }
    return out;
}

/// f(x) = (1/2) r^2 / (1 + r^2), r = a.x - y: bounded by 1/2, |f''| <= |a|^2.
struct Robust {
    Vector a;
    Real y = 0;

    Real gap(const Vector& x) const { return naive::inner(a, x) - y; }
    Real value(const Vector& x) const {
        const Real square = gap(x) * gap(x);
        return square / (2 * (1 + square));
    }
    Vector gradient(const Vector& x) const {
        const Real r = gap(x);
        return naive::along(Vector(x.size()), r / ((1 + r * r) * (1 + r * r)), a);
    }
};

struct Penalty {
    std::string text;
    naive::Penalty g;
    bool centred = false;  // dom g lies in a plane across (1, .., 1)
    Real infimum = 0;
};

inline std::vector<Penalty> penalties() {
    const auto nothing = [](const Vector&) { return 0.0; };
    return {{"l1:0.03", naive::l1(0.03)},
            {"box:-0.6,0.8", naive::box(-0.6, 0.8)},
            {"simplex", naive::simplex(), true},
            {"zero", {nothing, [](Vector v, double) { return v; }}},
            {"l2sq:0.2",
             {[](const Vector& x) { return 0.1 * naive::inner(x, x); },
              [](const Vector& v, double step) {
                  return naive::along(Vector(v.size()), 1 / (1 + 0.2 * step), v);
              }}}};
}

}  // namespace proxstream::defined
