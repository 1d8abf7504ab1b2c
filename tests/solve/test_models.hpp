/// Models for solvers: small functions with everything a solver asks for.
#pragma once

#include "proxstream/core/linalg.hpp"

#include "solve/inner_solver.hpp"
#include "support/probe.hpp"

#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace proxstream {

/// S(y) from a formula: returns the value, writes the gradient.
class FormulaModel : public SmoothObjective {
  public:
    using Formula = std::function<Real(ConstView, View)>;
    FormulaModel(Index n, Formula formula) : formula_(std::move(formula)), gradient_(n), trial_(n) {}

    Real at(ConstView y, View gradient) const { return formula_(y, gradient); }
    Real value() const override { return value_; }
    ConstView gradient() const override { return gradient_; }
    Real try_at(ConstView y, Scratch& /*scratch*/) override {
        ++passes;
        return trial_value_ = formula_(y, trial_);
    }
    bool trial_finite() const override { return std::isfinite(trial_value_) && all_finite(trial_); }
    ConstView trial_gradient() const override { return trial_; }
    void accept_trial() override {
        value_ = trial_value_;
        gradient_.swap(trial_);
    }
    std::uint64_t passes = 0;

  private:
    Formula formula_;
    std::vector<Real> gradient_, trial_;
    Real value_ = 0, trial_value_ = 0;
};

inline std::vector<std::vector<Real>> wave_directions(Index n, std::uint64_t sample) {
    std::vector<std::vector<Real>> directions;
    for (std::uint64_t i = 0; i < 3; ++i) directions.push_back(gaussian(n, 50 + i, sample, 0.7));
    return directions;
}

/// Sum over three directions of 1 - cos(b.y): non-convex, curvature at most that of the directions.
inline FormulaModel waves(Index n, std::uint64_t sample, Real scale) {
    return {n, [directions = wave_directions(n, sample), scale](ConstView y, View gradient) {
                Real total = 0;
                fill(gradient, 0);
                for (const auto& b : directions) {
                    total += scale * 2 * square(std::sin(dot(b, y) / 2)) / 3;  // no cancellation at 0
                    axpy(scale * std::sin(dot(b, y)) / 3, b, gradient);
                }
                return total;
            }};
}

/// y'Qy/2 - b'y, Q = A'A with rows of A stretched from 1 to `condition`, such that S + weight |.|_1 is least
/// at `solution`.
inline FormulaModel quadratic_with_l1(const std::vector<Real>& solution, Real weight, Real condition) {
    const Index n = solution.size();
    std::vector<std::vector<Real>> rows;
    for (Index i = 0; i < n; ++i) {
        const Real scale = std::pow(condition, static_cast<Real>(i) / static_cast<Real>(2 * n - 2));
        rows.push_back(gaussian(n, 60, i, scale / std::sqrt(static_cast<Real>(n))));
    }
    const auto product = [rows](ConstView y, View out) {
        fill(out, 0);
        for (const auto& row : rows) axpy(dot(row, y), row, out);
    };
    std::vector<Real> b(n);
    product(solution, b);
    for (Index i = 0; i < n; ++i) {
        b[i] += solution[i] != 0 ? std::copysign(weight, solution[i])
                                 : 0.9 * weight * std::sin(static_cast<Real>(i));
    }
    return {n, [product, b](ConstView y, View gradient) {
                product(y, gradient);
                const Real value = dot(gradient, y) / 2 - dot(b, y);
                axpy(-1, b, gradient);
                return value;
            }};
}

/// An iterate at `start`, tested: what a solver is given.
template <Regulariser G, class Model>
Iterate begin_at(Model& model, const G& g, std::vector<Real> start, Real eta, Scratch& scratch) {
    Iterate iterate(std::move(start));
    iterate.regulariser = g.value(iterate.point, scratch);
    model.try_at(iterate.point, scratch);
    model.accept_trial();
    test_at(iterate, model.gradient(), g, eta, scratch);
    if constexpr (requires { model.passes; }) model.passes = 0;
    return iterate;
}

/// Puts a fresh solver that has read what this one wrote in its place.
template <class Solver>
void reload(Solver& solver) {
    StateArchive saved;
    saved.section("solver", solver);
    StateArchive loaded(saved.seal(), "test");
    Solver fresh;
    loaded.section("solver", fresh);
    loaded.finish();
    solver = fresh;
}

}  // namespace proxstream
