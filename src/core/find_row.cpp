#include "core/find_row.hpp"

#include "core/lower_case.hpp"

#include <algorithm>
#include <string>

namespace proxstream {
namespace {

constexpr OtherNames kOtherNames[] = {
    {"loss", " mse l2 ls ols rmse least-squares squared-error mean-squared-error squared-loss ",
     "'squared', which is half the squared error"},
    {"loss", " mae l1 lad absolute-error mean-absolute-error absolute-loss ",
     "'absolute', the absolute error with a rounded kink"},
    {"loss", " pinball tau quantile-loss median ",
     "'quantile:q', say quantile:0.9; 'absolute' is for the median"},
    {"loss", " log logloss log-loss bce cross-entropy crossentropy binary-cross-entropy logit ",
     "'logistic' for two classes, 'softmax' for more"},
    {"loss", " multinomial multiclass categorical-cross-entropy crossentropyloss softmax-regression ",
     "'softmax', and name the classes with --classes"},
    {"loss", " hinge svm squared-hinge ", "'smoothed-hinge', the hinge with a rounded corner"},
    {"loss", " lorentzian ", "'cauchy', the same loss"},
    {"loss", " bisquare biweight ", "'tukey', the same loss"},
    {"loss", " nn neural-network network neural-net ", "'mlp:hidden=16', a small network"},
    {"loss", " mf matrix-factorisation matrix-factorization ", "'factors:rank=8'"},
    {"regulariser", " none no off null ", "'zero', no regularisation"},
    {"regulariser", " lasso ", "'l1:W', W |x|_1"},
    {"regulariser", " ridge tikhonov weight-decay l2-squared ", "'l2sq:W', (W/2) |x|^2"},
    {"regulariser", " elastic-net elasticnet enet ", "'elastic:W1,W2', W1 |x|_1 + (W2/2) |x|^2"},
    {"regulariser", " group-lasso ", "'group:W,size=K', W times the sum of the groups' lengths"},
    {"regulariser", " nonnegative non-negative positive ", "'nonneg', x >= 0"},
    {"regulariser", " bounds ", "'box:LO,HI', bounds of every coordinate"},
    {"regulariser", " trace-norm nuclear-norm ", "'nuclear:W,rows=M,cols=N'"},
    {"learner", " sgd ", "'prox-sgd', a step along the newest gradient and the prox of the regulariser"},
    {"learner", " ogd gd gradient-descent online-gradient-descent pgd ",
     "'prox-gradient', a step on the newest loss and the prox of the regulariser"},
    {"learner", " ftrl-proximal ", "'ftrl', which is FTRL-proximal"},
    {"learner", " adamw rmsprop ", "'adam'; a regulariser is applied as a prox"},
    {"learner", " nesterov heavy-ball ", "'momentum'"},
    {"learner", " recursive-least-squares ", "'rls'"},
    {"learner", " coin-betting ", "'coin'"},
    {"learner", " naive persistence previous ", "'last-value', which needs --lags 1"},
    {"learner", " auto bank ", "'ensemble', or 'time-smoothed' with --window auto"},
    {"method", " lbfgs l-bfgs bfgs ", "'panoc', quasi-Newton steps that allow a regulariser"},
    {"method", " fista apg nesterov ", "'accelerated'"},
    {"method", " ista gd gradient-descent proximal-gradient ",
     "'prox-grad', or 'backtracking', which needs no L"},
    {"method", " sgd ", "'prox-sgd'"},
    {"method", " svrg ", "'prox-svrg'"},
    {"method", " spider ", "'spiderboost'"},
    {"option", " lr learning-rate ",
     "'--learner' with a rate, say --learner adagrad:0.1; the automatic window needs none"},
    {"option", " target target-column label-column response ", "'--label', the column to predict"},
    {"option", " sep separator delim ", "'--delimiter'"},
    {"option", " l1 l2 lambda penalty regularisation regularization regularizer ",
     "'--reg', say --reg l1:0.01 or --reg l2sq:0.01"},
    {"option", " test test-only t ", "'proxstream predict', which predicts rows with a saved model"},
    {"option", " epochs passes ", "'proxstream fit', which reads rows many times; others read them once"},
};

}  // namespace

std::span<const OtherNames> other_names() {
    return kOtherNames;
}

std::string_view meant_by(std::string_view kind, std::string_view name) {
    std::string wanted = " " + lower_case(name) + " ";
    std::replace(wanted.begin(), wanted.end(), '_', '-');
    for (const OtherNames& row : kOtherNames) {
        if (row.kind == kind && row.names.find(wanted) != std::string_view::npos) return row.meant;
    }
    return {};
}

void check_new_name(std::string_view kind, std::string_view name) {
    constexpr std::size_t kLongest = 64;
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    const auto may_follow = [&](char c) {
        return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    if (!name.empty() && name.size() <= kLongest && is_letter(name.front()) &&
        std::all_of(name.begin(), name.end(), may_follow)) {
        return;
    }
    throw ConfigError(std::string(kind) + " " + quoted_excerpt(name, kLongest) +
                      ": a name is a letter followed by letters, digits, '-' or '_', at most 64 characters");
}

}  // namespace proxstream
