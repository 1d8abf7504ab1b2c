#include "loss/loss_table.hpp"

#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"
#include "loss/factors_family.hpp"
#include "loss/linear_family.hpp"
#include "loss/mlp_family.hpp"
#include "loss/row_loss_family.hpp"
#include "loss/softmax_family.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {
namespace {

using Made = std::unique_ptr<PassFamily>;

template <ScalarFormula kFormula>
ScalarLoss plain(const Spec& /*spec*/) {
    return {kFormula};
}

template <ScalarFormula kFormula>
ScalarLoss scaled(const Spec& spec) {
    return {kFormula, spec.number_or(0, "scale", 1)};
}

/// Of losses whose kink is averaged away; deviations of a standardised label. Wider ones bias quantiles of
/// labels that are predicted well, narrower ones take more steps.
constexpr Real kWidth = 0.02;

ScalarLoss absolute(const Spec& spec) {
    return {ScalarFormula::absolute, spec.number_or(0, "width", kWidth)};
}

ScalarLoss quantile(const Spec& spec) {
    const Real level = spec.number_or(0, "q", 0.5);
    return {ScalarFormula::quantile, spec.number_or(1, "width", kWidth), level};
}

Made make_linear(const Spec& spec, const RowShape& shape) {
    return std::make_unique<LinearFamily>(find_row(losses(), "loss", spec.name()).scalar(spec),
                                          shape.features, shape.intercept);
}

Made make_pca(const Spec& /*spec*/, const RowShape& shape) {
    return std::make_unique<LinearFamily>(ScalarLoss{ScalarFormula::negative_square}, shape.features, false);
}

/// The number of classes; k, unless the names of the classes give it.
Index class_count(const Spec& spec, const RowShape& shape) {
    const Index classes = spec.count_or("classes", shape.classes);
    if (shape.classes > 0 && classes != shape.classes) {
        throw ConfigError("'" + spec.text() + "': " + std::to_string(shape.classes) +
                          " classes are named; leave out classes=, or give as many");
    }
    if (classes >= 2) return classes;
    throw ConfigError("'" + spec.text() +
                      "': needs at least two classes; name them with --classes A,B,C, or give their number "
                      "with classes=K");
}

Made make_softmax(const Spec& spec, const RowShape& shape) {
    return std::make_unique<SoftmaxFamily>(shape.features, class_count(spec, shape), shape.intercept);
}

/// The value of `key` among named choices; the first is the default.
template <class T, std::size_t kCount>
T choice(const Spec& spec, std::string_view key,
         const std::array<std::pair<std::string_view, T>, kCount>& choices) {
    const std::string word = spec.word_or(key, choices.front().first);
    std::vector<std::string> names;
    for (const auto& [name, value] : choices) {
        if (name == word) return value;
        names.emplace_back(name);
    }
    throw ConfigError("'" + spec.text() + "': " + unknown_name(key, word, names));
}

std::vector<Index> hidden_widths(const Spec& spec) {
    constexpr Real kWidest = 1 << 20;
    std::vector<Index> widths;
    for (const Real width : spec.numbers("hidden")) {
        if (!(width >= 1 && width <= kWidest && width == std::floor(width))) {
            throw ConfigError("'" + spec.text() + "': hidden= takes positive integers separated by ';'");
        }
        widths.push_back(static_cast<Index>(width));
    }
    return widths;
}

/// The loss of a network's single output; `kind` says which targets its task has.
ScalarLoss output_loss(const Spec& spec, TargetKind kind) {
    const Spec inner =
        Spec::parse(without_shield(spec.word_or("loss", kind == TargetKind::sign ? "logistic" : "squared")));
    const LossRow& row = find_row(losses(), "loss", inner.name());
    if (row.scalar == nullptr || target_kind(row.scalar(inner).formula) != kind) {
        throw ConfigError("'" + spec.text() + "': loss=" + inner.name() + " does not fit the task; " +
                          (kind == TargetKind::sign ? "binary needs a margin loss such as logistic"
                                                    : "regression needs a residual loss such as squared"));
    }
    const ScalarLoss loss = row.scalar(inner);
    inner.finish();
    return loss;
}

Made make_mlp(const Spec& spec, const RowShape& shape) {
    MlpOptions options;
    options.features = shape.features;
    if (auto widths = hidden_widths(spec); !widths.empty()) options.hidden = std::move(widths);
    options.activation = choice<Activation, 4>(spec, "activation",
                                               {{{"tanh", Activation::tanh},
                                                 {"sigmoid", Activation::sigmoid},
                                                 {"softplus", Activation::softplus},
                                                 {"gelu", Activation::gelu}}});
    const TargetKind task = choice<TargetKind, 3>(spec, "task",
                                                  {{{"regression", TargetKind::number},
                                                    {"binary", TargetKind::sign},
                                                    {"softmax", TargetKind::category}}});
    if (task != TargetKind::category) {
        options.loss = output_loss(spec, task);
    } else {
        options.classes = class_count(spec, shape);
    }
    return std::make_unique<MlpFamily>(std::move(options));
}

/// How many rows or columns there are if the data's largest number is that of the last.
Index extent(const RowShape& shape, Index feature, Index first) {
    if (feature >= shape.largest.size()) return 0;
    constexpr Real kMost = 1e12;
    const Real count = shape.largest[feature] - static_cast<Real>(first) + 1;
    return count >= 1 && count <= kMost ? static_cast<Index>(count) : 0;
}

Made make_factors(const Spec& spec, const RowShape& shape) {
    if (shape.features != 2) {
        throw ConfigError("'" + spec.text() +
                          "': rows have two features, the numbers of an entry's row and column, not " +
                          std::to_string(shape.features));
    }
    FactorsOptions options;
    options.rank = spec.count_or("rank", options.rank);
    const Real first = spec.number_or(Spec::kByNameOnly, "first", static_cast<Real>(options.first));
    if (first != 0 && first != 1) throw ConfigError("'" + spec.text() + "': first= is 0 or 1");
    options.first = static_cast<Index>(first);
    options.rows = spec.count_or("rows", extent(shape, 0, options.first));
    options.columns = spec.count_or("columns", extent(shape, 1, options.first));
    const Spec inner = Spec::parse(without_shield(spec.word_or("loss", "squared")));
    const LossRow& row = find_row(losses(), "loss", inner.name());
    if (row.scalar == nullptr) {
        throw ConfigError("'" + spec.text() + "': loss=" + inner.name() +
                          " is no loss of one number; take a residual loss such as squared or a margin loss "
                          "such as logistic");
    }
    options.loss = row.scalar(inner);
    inner.finish();
    return std::make_unique<FactorsFamily>(options);
}

constexpr const char* kOne = "1";

// In formulas: score s = a.x + b, residual r = s - y, u = r/c with c = 1 unless given, margin m = y s.
// Built-in rows first. Made on first use, so that static initialisers of other units can register.
std::vector<LossRow>& table() {
    static std::vector<LossRow> rows{
        {"squared", "squared", "r^2/2", kOne, "least squares", plain<ScalarFormula::squared>, make_linear},
        {"huber", "huber[:c]", "r^2/2 if |r| <= c, else c|r| - c^2/2", kOne,
         "least squares for small residuals, absolute error for large ones", scaled<ScalarFormula::huber>,
         make_linear},
        {"cauchy", "cauchy[:c]", "(c^2/2) log(1 + u^2)", kOne,
         "robust regression; outliers count logarithmically (non-convex)", scaled<ScalarFormula::cauchy>,
         make_linear},
        {"geman-mcclure", "geman-mcclure[:c]", "(c^2/2) u^2/(1 + u^2)", kOne,
         "robust regression with a bounded loss (non-convex)", scaled<ScalarFormula::geman_mcclure>,
         make_linear},
        {"welsch", "welsch[:c]", "(c^2/2) (1 - exp(-u^2))", kOne,
         "robust regression; outliers are forgotten exponentially (non-convex)",
         scaled<ScalarFormula::welsch>, make_linear},
        {"tukey", "tukey[:c]", "(c^2/6) (1 - max(0, 1 - u^2)^3)", kOne,
         "biweight; residuals beyond c have no pull at all (non-convex)", scaled<ScalarFormula::tukey>,
         make_linear},
        {"absolute", "absolute[:width=0.02]", "|r|, averaged over r +- width", "1/width = 50",
         "absolute error: predicts the median; at most width/2 above |r|, and only where |r| < width",
         absolute, make_linear},
        {"quantile", "quantile[:q=0.5,width=0.02]", "max(-q r, (1-q) r), averaged over r +- width",
         "1/(2 width) = 25",
         "pinball loss: predicts what a share q of labels stays below; at most width/4 above it, and only "
         "where |r| < width",
         quantile, make_linear},
        {"logistic", "logistic", "log(1 + exp(-m))", "1/4", "logistic regression",
         plain<ScalarFormula::logistic>, make_linear},
        {"sigmoid", "sigmoid", "1/(1 + exp(m))", "1/(6 sqrt 3) = 0.0962",
         "smooth count of errors (non-convex)", plain<ScalarFormula::sigmoid>, make_linear},
        {"squared-sigmoid", "squared-sigmoid", "1/(1 + exp(m))^2", "0.1541",
         "squared probability of the wrong label (non-convex)", plain<ScalarFormula::squared_sigmoid>,
         make_linear},
        {"log-difference", "log-difference", "log(1 + exp(-m)) - log(1 + exp(-m-1))", "0.0924",
         "logistic loss, bounded by 1 (non-convex)", plain<ScalarFormula::log_difference>, make_linear},
        {"tanh", "tanh", "1 - tanh(m)", "4/(3 sqrt 3) = 0.7698",
         "smooth count of errors, steeper (non-convex)", plain<ScalarFormula::tanh>, make_linear},
        {"smoothed-hinge", "smoothed-hinge", "0 if m >= 1, 1/2 - m if m <= 0, else (1-m)^2/2", kOne,
         "support vector machine with a rounded corner", plain<ScalarFormula::smoothed_hinge>, make_linear},
        {"softmax", "softmax[:classes=K]", "-log p_y, p_c = exp(s_c) / sum_k exp(s_k), s_c = a.x_c", "1/2",
         "logistic regression for several classes, which --classes names", nullptr, make_softmax},
        {"pca", "pca", "-(a.x)^2/2", kOne,
         "negative variance along x: leading component under a bounded set (non-convex)", nullptr, make_pca},
        {"mlp",
         "mlp[:hidden=16;16,activation=tanh|sigmoid|softplus|gelu,task=regression|binary|softmax,loss=NAME,"
         "classes=K]",
         "the task's loss of a network's output; softmax: -log p_y", "none",
         "small network: regression with a residual loss, binary with a margin loss, or classes (non-convex)",
         nullptr, make_mlp},
        {"factors", "factors[:rank=8,loss=NAME,rows=M,columns=N,first=0|1]", "phi(u_i.v_j; y)", "none",
         "matrix factorisation; a row is the numbers i, j of an entry and its value (non-convex)", nullptr,
         make_factors},
    };
    return rows;
}

}  // namespace

std::span<const LossRow> losses() {
    return table();
}

void register_loss(std::string name, std::string usage, std::string help,
                   std::function<std::unique_ptr<RowLoss>(const Spec& spec, const RowShape& shape)> make) {
    LossRow row{.name = std::move(name),
                .usage = std::move(usage),
                .formula = {},
                .curvature = {},
                .help = std::move(help),
                .scalar = nullptr,
                .make = nullptr};
    if (make) {
        row.make = [make = std::move(make)](const Spec& spec, const RowShape& shape) -> Made {
            return std::make_unique<RowLossFamily>(spec.name(), make(spec, shape), shape.features);
        };
    }
    add_row(table(), "loss", std::move(row));
}

std::unique_ptr<RowFamily> make_row_family(std::string_view loss, const RowShape& shape) {
    return parse_loss(loss, shape);
}

std::unique_ptr<PassFamily> parse_loss(std::string_view text, const RowShape& shape) {
    const Spec spec = Spec::parse(text);
    Made family = find_row(losses(), "loss", spec.name(), kPluginHint).make(spec, shape);
    spec.finish();
    return family;
}

std::vector<Real> largest_values(const RowBlock& rows, Index features) {
    if (rows.sparse()) return {};
    std::vector<Real> largest(features, -kInfinity);
    for (Index row = 0; row < rows.rows(); ++row) {
        const ConstView values = rows.values(row);
        for (Index i = 0; i < features; ++i) largest[i] = std::max(largest[i], values[i]);
    }
    return largest;
}

std::string complete_loss(std::string_view text, const RowShape& shape) {
    const Made family = parse_loss(text, shape);
    std::string complete(text);
    const auto* factors = dynamic_cast<const FactorsFamily*>(family.get());
    if (factors == nullptr) return complete;
    const Spec spec = Spec::parse(text);
    const auto add = [&](const char* key, Index value) {
        if (spec.has(key)) return;
        complete += (complete.find(':') == std::string::npos ? ":" : ",");
        complete += std::string(key) + "=" + std::to_string(value);
    };
    add("rows", factors->options().rows);
    add("columns", factors->options().columns);
    return complete;
}

std::unique_ptr<PassFamily> example_of_loss(std::string_view text) {
    const Index classes = Spec::parse(text).has("classes") ? 0 : 2;
    return parse_loss(text, {.features = 2, .intercept = true, .classes = classes, .largest = {1, 1}});
}

TargetKind loss_target(std::string_view text) {
    return example_of_loss(text)->target_kind();
}

}  // namespace proxstream
