#include "game/polynomial.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include <fmt/format.h>

namespace proxstream {
namespace {

// Limits: a typing mistake could otherwise take minutes and gigabytes.
constexpr Index kHighestPower = 32;
constexpr Index kMostTerms = 10000;
constexpr Index kMostFactors = 64;       // of a term
constexpr Index kMostProducts = 200000;  // of two terms, over the whole text
constexpr int kDeepest = 32;

/// Terms by their factors, which is the normal form.
using Terms = std::map<std::vector<Factor>, Real>;

std::vector<Factor> product(const std::vector<Factor>& a, const std::vector<Factor>& b) {
    std::vector<Factor> factors;
    auto right = b.begin();
    const auto before = [](const Factor& one, const Factor& other) {
        return std::pair(one.variable, one.function) < std::pair(other.variable, other.function);
    };
    for (const Factor& left : a) {
        while (right != b.end() && before(*right, left)) factors.push_back(*right++);
        factors.push_back(left);
        if (right != b.end() && !before(left, *right)) factors.back().power += (right++)->power;
    }
    factors.insert(factors.end(), right, b.end());
    return factors;
}

class Parser {
  public:
    Parser(std::string_view text, const std::vector<std::string>& variables)
        : text_(text), variables_(variables) {}

    Terms parse() {
        Terms terms = sum();
        if (at_ < text_.size()) refuse("an operator or the end is expected");
        return terms;
    }

  private:
    Terms sum() {
        if (++depth_ > kDeepest) refuse(fmt::format("parentheses are nested more than {} deep", kDeepest));
        Terms total;
        Real sign = take('-') ? -1 : 1;
        if (sign > 0) take('+');
        while (true) {
            for (const auto& [factors, coefficient] : products()) add(total, factors, sign * coefficient);
            if (take('+')) {
                sign = 1;
            } else if (take('-')) {
                sign = -1;
            } else {
                break;
            }
        }
        --depth_;
        return total;
    }

    Terms products() {
        Terms terms = power();
        while (true) {
            if (take('*')) {
                terms = multiply(terms, power());
            } else if (take('/')) {
                const Index before = at_;
                const Terms divisor = power();
                const bool number = divisor.size() == 1 && divisor.begin()->first.empty();
                if (!number || divisor.begin()->second == 0) {
                    at_ = before;
                    refuse("only a number other than 0 can divide");
                }
                for (auto& [factors, coefficient] : terms) coefficient /= divisor.begin()->second;
            } else {
                return terms;
            }
        }
    }

    Terms power() {
        Terms base = atom();
        if (!take('^')) return base;
        skip_blanks();
        Index exponent = 0;
        const char* begin = text_.data() + at_;
        const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), exponent);
        if (status != std::errc{} || exponent > kHighestPower)
            refuse(fmt::format("a power has to be a whole number from 0 to {}", kHighestPower));
        at_ += static_cast<Index>(end - begin);
        if (at_ < text_.size() && text_[at_] == '.') refuse("a power has to be a whole number");
        Terms result{{{}, 1}};
        for (Index k = 0; k < exponent; ++k) result = multiply(result, base);
        return result;
    }

    Terms atom() {
        skip_blanks();
        if (at_ == text_.size()) refuse("a number, a variable or a parenthesis is missing");
        const char c = text_[at_];
        if (c == '(') {
            ++at_;
            Terms inner = sum();
            if (!take(')')) refuse("a closing parenthesis is missing");
            return inner;
        }
        if (is_digit(c) || c == '.') return {{{}, number()}};
        if (is_letter(c)) return named();
        refuse(fmt::format("'{}' is not understood", c));
    }

    Real number() {
        Real value = 0;
        const char* begin = text_.data() + at_;
        const auto [end, status] = std::from_chars(begin, text_.data() + text_.size(), value);
        if (status != std::errc{} || !(value <= kAbsurd)) refuse("this is not a number to calculate with");
        at_ += static_cast<Index>(end - begin);
        return value;
    }

    Terms named() {
        const Index begin = at_;
        const std::string name = word();
        const bool cosine = name == "cos";
        if ((!cosine && name != "sin") || !take('(')) return {{{{.variable = find(name, begin)}}, 1}};
        skip_blanks();
        const Index inner = at_;
        if (at_ == text_.size() || !is_letter(text_[at_])) refuse("cos and sin are of a variable alone");
        const Index variable = find(word(), inner);
        if (!take(')')) refuse("cos and sin are of a variable alone");
        const auto function = cosine ? Factor::Function::cosine : Factor::Function::sine;
        return {{{{.variable = variable, .function = function}}, 1}};
    }

    /// A name, with an index where there is one.
    std::string word() {
        const Index begin = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
        if (at_ < text_.size() && text_[at_] == '[') {
            while (at_ < text_.size() && text_[at_] != ']') ++at_;
            if (at_ == text_.size()) refuse("a closing bracket is missing");
            ++at_;
        }
        return std::string(text_.substr(begin, at_ - begin));
    }

    Index find(const std::string& name, Index where) {
        const auto found = std::find(variables_.begin(), variables_.end(), name);
        if (found == variables_.end()) {
            at_ = where;
            refuse(unknown_name("variable", name, variables_));
        }
        return static_cast<Index>(found - variables_.begin());
    }

    Terms multiply(const Terms& a, const Terms& b) {
        products_ += a.size() * b.size();
        if (products_ > kMostProducts) refuse("it takes too long to multiply out");
        Terms terms;
        for (const auto& [left, p] : a)
            for (const auto& [right, q] : b) add(terms, product(left, right), p * q);
        return terms;
    }

    void add(Terms& terms, const std::vector<Factor>& factors, Real coefficient) {
        const Real sum = terms[factors] += coefficient;
        if (!(std::abs(sum) <= kAbsurd)) refuse("a coefficient is too large to calculate with");
        if (terms.size() > kMostTerms)
            refuse(fmt::format("multiplied out it has more than {} terms", kMostTerms));
        if (factors.size() > kMostFactors)
            refuse(fmt::format("a term has more than {} factors", kMostFactors));
        for (const Factor& factor : factors) {
            if (factor.power > kHighestPower) refuse(fmt::format("a power exceeds {}", kHighestPower));
        }
    }

    bool take(char c) {
        skip_blanks();
        if (at_ == text_.size() || text_[at_] != c) return false;
        ++at_;
        return true;
    }
    void skip_blanks() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n')) ++at_;
    }
    static bool is_digit(char c) { return c >= '0' && c <= '9'; }
    static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
    [[noreturn]] void refuse(const std::string& why) const {
        throw ConfigError(fmt::format("'{}', at character {}: {}", text_, at_ + 1, why));
    }

    std::string_view text_;
    const std::vector<std::string>& variables_;
    Index at_ = 0;
    Index products_ = 0;
    int depth_ = 0;
};

}  // namespace

FactorValue factor_at(const Factor& factor, Real x) {
    FactorValue inner{x, 1, 0};
    if (factor.function == Factor::Function::cosine) inner = {std::cos(x), -std::sin(x), -std::cos(x)};
    if (factor.function == Factor::Function::sine) inner = {std::sin(x), std::cos(x), -std::sin(x)};
    if (factor.power == 1) return inner;
    if (factor.power == 0) return {1, 0, 0};
    // Products, because std::pow here would dominate the time of a window.
    Real lower = 1;  // inner^(power - 2)
    for (Index k = 2; k < factor.power; ++k) lower *= inner.value;
    const Real p = static_cast<Real>(factor.power);
    const Real slope = p * lower * inner.value;
    return {lower * inner.value * inner.value, slope * inner.slope,
            p * (p - 1) * lower * inner.slope * inner.slope + slope * inner.bend};
}

Real Polynomial::value(ConstView x) const {
    Real total = 0;
    for (const Monomial& term : terms) {
        Real product = term.coefficient;
        for (const Factor& factor : term.factors) product *= factor_at(factor, x[factor.variable]).value;
        total += product;
    }
    return total;
}

std::vector<std::string> coordinate_names(std::string_view block, Index n) {
    if (n == 1) return {std::string(block)};
    std::vector<std::string> names;
    for (Index k = 1; k <= n; ++k) names.push_back(std::string(block) + '[' + std::to_string(k) + ']');
    return names;
}

Polynomial parse_polynomial(std::string_view text, const std::vector<std::string>& variables) {
    Polynomial polynomial;
    for (const auto& [factors, coefficient] : Parser(text, variables).parse())
        if (coefficient != 0) polynomial.terms.push_back({coefficient, factors});
    return polynomial;
}

}  // namespace proxstream
