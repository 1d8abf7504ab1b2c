#include "game/polynomial.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace proxstream::test {
namespace {

const std::vector<std::string> kNames{"x", "y", "z[1]", "z[2]", "cos"};

Real at(const std::string& text, const std::vector<Real>& point) {
    return parse_polynomial(text, kNames).value(point);
}

TEST(Polynomial, ValueMatchesTheText) {
    const std::vector<Real> p{0.7, -1.3, 2.1, 0.4, 0.9};
    const Real x = p[0], y = p[1], z1 = p[2], z2 = p[3];
    EXPECT_NEAR(at("x^2*y - 3*z[1]", p), x * x * y - 3 * z1, 1e-14);
    EXPECT_NEAR(at("-(x - y)^3/2 + .5e1", p), -std::pow(x - y, 3) / 2 + 5, 1e-13);
    EXPECT_NEAR(at("cos(x)^2 * sin(z[2])*x", p), std::cos(x) * std::cos(x) * std::sin(z2) * x, 1e-14);
    EXPECT_NEAR(at("(x + cos(y))*(x - cos(y))", p), x * x - std::cos(y) * std::cos(y), 1e-14);
    EXPECT_NEAR(at("2*3*x*x*x/4/3", p), x * x * x / 2, 1e-14);
    EXPECT_NEAR(at("x^0 + 0", p), 1, 0);
    EXPECT_NEAR(at("cos*2", p), 1.8, 1e-15);  // a variable may be called so
    EXPECT_NEAR(at("((x))", p), x, 0);
}

TEST(Polynomial, ParsesIntoNormalForm) {
    const Polynomial square = parse_polynomial("(x + y)^2 - 2*y*x - x^2", kNames);
    ASSERT_EQ(square.terms.size(), 1u);
    EXPECT_EQ(square.terms[0].coefficient, 1);
    EXPECT_EQ(square.terms[0].factors, (std::vector<Factor>{{.variable = 1, .power = 2}}));
    EXPECT_TRUE(parse_polynomial("x - x", kNames).terms.empty());
    const Polynomial ordered = parse_polynomial("sin(x)*y*cos(x)*x*y", kNames);
    const std::vector<Factor> wanted{{.variable = 0},
                                     {.variable = 0, .function = Factor::Function::cosine},
                                     {.variable = 0, .function = Factor::Function::sine},
                                     {.variable = 1, .power = 2}};
    EXPECT_EQ(ordered.terms.at(0).factors, wanted);
}

TEST(Polynomial, FactorDerivativesMatchDifferences) {
    using enum Factor::Function;
    const Real h = 1e-4;
    for (const auto function : {identity, cosine, sine}) {
        for (Index power = 0; power <= 5; ++power) {
            const Factor factor{.variable = 0, .function = function, .power = power};
            for (const Real x : {-1.2, 0.0, 0.8}) {
                const auto value = [&](Real there) { return factor_at(factor, there).value; };
                const FactorValue found = factor_at(factor, x);
                const Real inner = function == identity ? x : function == cosine ? std::cos(x) : std::sin(x);
                EXPECT_NEAR(found.value, std::pow(inner, static_cast<Real>(power)), 1e-14);
                EXPECT_NEAR(found.slope, (value(x + h) - value(x - h)) / (2 * h), 1e-6);
                EXPECT_NEAR(found.bend, (value(x + h) - 2 * value(x) + value(x - h)) / (h * h), 1e-5);
            }
        }
    }
}

TEST(Polynomial, ErrorsNameThePosition) {
    const auto refused = [](const std::string& text, Index place, const std::string& why) {
        try {
            parse_polynomial(text, kNames);
            ADD_FAILURE() << "accepted: " << text;
        } catch (const ConfigError& error) {
            const std::string message = error.what();
            EXPECT_NE(message.find("character " + std::to_string(place) + ":"), std::string::npos) << message;
            EXPECT_NE(message.find(why), std::string::npos) << message;
        }
    };
    refused("", 1, "is missing");
    refused("x +", 4, "is missing");
    refused("x + w*y", 5, "unknown variable 'w'");
    refused("z", 1, "known: x, y, z[1], z[2]");
    refused("z[3]", 1, "unknown variable 'z[3]'");
    refused("z[1", 4, "closing bracket");
    refused("2 x", 3, "an operator");
    refused("(x + y", 7, "closing parenthesis");
    refused("x)", 2, "an operator");
    refused("x^y", 3, "whole number");
    refused("x^-1", 3, "whole number");
    refused("x^1.5", 4, "whole number");
    refused("x^99", 3, "whole number");
    refused("(x^20)^20", 10, "exceeds");
    refused("x/y", 3, "only a number");
    refused("x/0", 3, "only a number");
    refused("cos(x + y)", 7, "variable alone");
    refused("sin(2)", 5, "variable alone");
    refused("x # y", 3, "an operator");
    refused("# y", 1, "'#' is not understood");
    refused("1e999*x", 1, "number to calculate with");
    refused("1e100*1e100*x", 12, "too large");
    refused("x * nan", 5, "unknown variable");
    refused(std::string(100, '(') + "x", 33, "nested");
}

TEST(Polynomial, HugeExpansionsAreRefusedQuickly) {
    std::vector<std::string> names;
    std::string sum = "1";
    for (int k = 1; k <= 40; ++k) {
        names.push_back("v" + std::to_string(k));
        sum += "+" + names.back();
    }
    EXPECT_THROW(parse_polynomial("(" + sum + ")^30", names), ConfigError);
    EXPECT_NO_THROW(parse_polynomial("(" + sum + ")^2", names));
}

TEST(Polynomial, CoordinateNamesHaveIndices) {
    EXPECT_EQ(coordinate_names("x", 1), (std::vector<std::string>{"x"}));
    EXPECT_EQ(coordinate_names("x", 2), (std::vector<std::string>{"x[1]", "x[2]"}));
}

}  // namespace
}  // namespace proxstream::test
