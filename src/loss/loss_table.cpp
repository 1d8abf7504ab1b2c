#include "proxstream/loss/loss_table.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/loss/linear_family.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace proxstream {
namespace {

using Made = std::unique_ptr<RowFamily>;

template <ScalarFormula kFormula>
Made make_linear(const Spec& /*spec*/, const RowShape& shape) {
    return std::make_unique<LinearFamily>(ScalarLoss{kFormula}, shape.features, shape.intercept);
}

template <ScalarFormula kFormula>
Made make_scaled(const Spec& spec, const RowShape& shape) {
    const ScalarLoss loss{kFormula, spec.number_or(0, "scale", 1)};
    return std::make_unique<LinearFamily>(loss, shape.features, shape.intercept);
}

Made make_pca(const Spec& /*spec*/, const RowShape& shape) {
    return std::make_unique<LinearFamily>(ScalarLoss{ScalarFormula::negative_square}, shape.features, false);
}

constexpr std::string_view kOne = "1";

// In formulas: score s = a.x + b, residual r = s - y, u = r/c with c = 1 unless given, margin m = y s.
constexpr auto kLosses = std::to_array<LossRow>({
    {"squared", "squared", "r^2/2", kOne, "least squares", make_linear<ScalarFormula::squared>},
    {"huber", "huber[:c]", "r^2/2 if |r| <= c, else c|r| - c^2/2", kOne,
     "least squares for small residuals, absolute error for large ones", make_scaled<ScalarFormula::huber>},
    {"cauchy", "cauchy[:c]", "(c^2/2) log(1 + u^2)", kOne,
     "robust regression; outliers count logarithmically (non-convex)", make_scaled<ScalarFormula::cauchy>},
    {"geman-mcclure", "geman-mcclure[:c]", "(c^2/2) u^2/(1 + u^2)", kOne,
     "robust regression with a bounded loss (non-convex)", make_scaled<ScalarFormula::geman_mcclure>},
    {"welsch", "welsch[:c]", "(c^2/2) (1 - exp(-u^2))", kOne,
     "robust regression; outliers are forgotten exponentially (non-convex)",
     make_scaled<ScalarFormula::welsch>},
    {"tukey", "tukey[:c]", "(c^2/6) (1 - max(0, 1 - u^2)^3)", kOne,
     "biweight; residuals beyond c have no pull at all (non-convex)", make_scaled<ScalarFormula::tukey>},
    {"logistic", "logistic", "log(1 + exp(-m))", "1/4", "logistic regression",
     make_linear<ScalarFormula::logistic>},
    {"sigmoid", "sigmoid", "1/(1 + exp(m))", "1/(6 sqrt 3) = 0.0962", "smooth count of errors (non-convex)",
     make_linear<ScalarFormula::sigmoid>},
    {"squared-sigmoid", "squared-sigmoid", "1/(1 + exp(m))^2", "0.1541",
     "squared probability of the wrong label (non-convex)", make_linear<ScalarFormula::squared_sigmoid>},
    {"log-difference", "log-difference", "log(1 + exp(-m)) - log(1 + exp(-m-1))", "0.0924",
     "logistic loss, bounded by 1 (non-convex)", make_linear<ScalarFormula::log_difference>},
    {"tanh", "tanh", "1 - tanh(m)", "4/(3 sqrt 3) = 0.7698", "smooth count of errors, steeper (non-convex)",
     make_linear<ScalarFormula::tanh>},
    {"smoothed-hinge", "smoothed-hinge", "0 if m >= 1, 1/2 - m if m <= 0, else (1-m)^2/2", kOne,
     "support vector machine with a rounded corner", make_linear<ScalarFormula::smoothed_hinge>},
    {"pca", "pca", "-(a.x)^2/2", kOne,
     "negative variance along x: leading component under a bounded set (non-convex)", make_pca},
});

const LossRow& find_row(std::string_view name) {
    const auto row = std::ranges::find(kLosses, name, &LossRow::name);
    if (row != kLosses.end()) return *row;
    std::vector<std::string> names;
    for (const LossRow& known : kLosses) names.emplace_back(known.name);
    throw ConfigError(unknown_name("loss", name, names));
}

}  // namespace

std::span<const LossRow> losses() {
    return kLosses;
}

std::unique_ptr<RowFamily> parse_loss(std::string_view text, RowShape shape) {
    const Spec spec = Spec::parse(text);
    Made family = find_row(spec.name()).make(spec, shape);
    spec.finish();
    return family;
}

TargetKind loss_target(std::string_view text) {
    // Any shape will do: what a loss expects of targets does not depend on the features.
    return parse_loss(text, {.features = 1, .intercept = true, .classes = 2})->target_kind();
}

}  // namespace proxstream
