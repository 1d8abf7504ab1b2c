/// A problem on the recorded loss, and makers of the stochastic methods.
#pragma once

#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "core/find_row.hpp"
#include "offline/method_rows.hpp"
#include "offline/method_table.hpp"
#include "offline/recorded_loss.hpp"

#include <memory>
#include <string>

namespace proxstream::recorded {

struct Setting {
    std::shared_ptr<RecordedLoss> loss;
    OfflineProblem problem;
};

/// Features are standard normal: the constants hold for some ten dimensions or fewer.
inline Setting setting(std::uint64_t components, Index dimension, const std::string& g = "l1:0.01") {
    auto loss = std::make_shared<RecordedLoss>(components, dimension);
    OfflineProblem problem{
        .loss = loss,
        .g = parse_regulariser(g),
        .start = Vector(dimension, 0.2),
        .smoothness = {.mean = 2, .mean_square = 5, .largest = 8, .proved = true, .origin = "test"},
        .reference_step = 0.5,
        .step_origin = "test"};
    return {std::move(loss), std::move(problem)};
}

inline std::unique_ptr<OfflineMethod> make(const std::string& text, const MethodParts& parts) {
    const Spec spec = Spec::parse(text);
    auto method = find_row(offline_methods(), "method", spec.name()).make(spec, parts);
    spec.finish();
    return method;
}

/// |P| at the reference step by f's own gradient. Not recorded.
inline Real gap(const OfflineProblem& problem, const Vector& x) {
    Scratch scratch;
    Vector forward(x.size()), difference(x.size());
    const Vector gradient = full_gradient(problem.loss->components(), x);
    return prox_gradient_step(problem.g, x, gradient, problem.reference_step, {forward, difference}, scratch)
        .norm;
}

inline Vector vector_of(ConstView x) {
    return {x.begin(), x.end()};
}

inline std::string parameter(const OfflineMethod& method, std::string_view name) {
    for (const MethodParameter& parameter : method.parameters()) {
        if (parameter.name == name) return parameter.value;
    }
    return "";
}

}  // namespace proxstream::recorded
