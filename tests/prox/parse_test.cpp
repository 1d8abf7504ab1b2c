// The textual form: what is refused, and that the reason is given.
#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "support/refusal.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

/// The violations of a text, joined; empty if it is accepted.
std::string refusal(const std::string& text) {
    return tests::refusal([&] { parse_regulariser(text); });
}

struct Refused {
    std::string text;
    std::vector<std::string> mentions;
};

TEST(ParseRegulariser, RefusesWithTheTextTheValueAndTheRule) {
    const Refused refused[] = {
        {"l3:1", {"unknown regulariser 'l3'", "l1"}},
        {"l1:-0.5", {"'l1:-0.5'", "-0.5", "at least 0"}},
        {"l1:nan", {"'l1:nan'", "not a number"}},
        {"l1:inf", {"inf", "finite"}},
        {"l1:x", {"'x' is not a number"}},
        {"l1", {"weight", "missing"}},
        {"l1:0.1,0.2", {"not understood", "0.2"}},
        {"l1:weights=1;-2;-3", {"weight[1] = -2", "weight[2] = -3"}},
        {"l1:1,weights=1;2", {"not understood"}},
        {"nonneg-l1:-1", {"-1"}},
        {"l2:-1", {"-1"}},
        {"l2sq:-1", {"-1"}},
        {"elastic:0.1", {"l2", "missing"}},
        {"elastic:-0.1,0.2", {"-0.1"}},
        {"linf:-2", {"-2"}},
        {"group:0.1", {"size"}},
        {"group:-0.1,size=2", {"-0.1"}},
        {"group:0.1,size=0", {"positive integer"}},
        {"group:0.1,size=2.5", {"positive integer"}},
        {"group:0.1,sizes=2;2.5", {"2.5", "whole number"}},
        {"group:0.1,sizes=2;0;0", {"sizes[1]", "sizes[2]"}},
        {"group:0.1,sizes=2;3,weights=1;2;3", {"3 weights", "2"}},
        {"group:0.1,size=2,sizes=2;3", {"not both"}},
        {"tv:-1", {"-1"}},
        {"nuclear:0.1,rows=3", {"cols"}},
        {"box:1,-1", {"lo = 1", "hi = -1", "empty"}},
        {"box:lo=0;2;3,hi=1", {"at 1", "at 2"}},
        {"box:lo=0;0,hi=1;1;1", {"2 lower bounds", "3 upper bounds"}},
        {"box:inf,inf", {"below infinity"}},
        {"simplex:0", {"radius = 0", "positive"}},
        {"simplex:-1", {"radius = -1"}},
        {"simplex:inf", {"finite"}},
        {"l1ball:0", {"positive"}},
        {"l2ball:-1", {"positive"}},
        {"linfball:0", {"positive"}},
        {"capped-simplex:sum=1,lo=1,hi=0", {"empty"}},
        {"capped-simplex:sum=5,lo=0;0,hi=1;1", {"sum = 5", "[0, 2]"}},
        {"hyperplane:a=0;0,b=1", {"zero"}},
        {"hyperplane:a=1;inf,b=1", {"a[1] = inf"}},
        {"halfspace:a=0;0,b=1", {"not 0"}},
        {"affine:a=1;1;1;1,b=1;2", {"contradicts"}},
        {"affine:a=1;1;1,b=1;2", {"3 entries", "2 rows"}},
        {"affine:b=1", {"a: the list is empty"}},
        {"blocks:(simplex)", {"size"}},
        {"blocks:(simplex:-1),size=2", {"-1"}},
        {"blocks:(simplex:2),sizes=2;2,radii=1;1", {"not both"}},
        {"blocks:(simplex),sizes=2;2,radii=1;-1", {"radius[1] = -1"}},
        {"blocks:(l7:1),size=2", {"unknown regulariser 'l7'"}},
        {"scale:-2,(l1:1)", {"factor = -2"}},
        {"scale:2", {"of", "missing"}},
        {"shift:(l1:1)", {"by"}},
        {"shift:by=1;inf,(l1:1)", {"by[1] = inf"}},
        {"slice:3,3,(l1:1)", {"[3, 3)"}},
        {"slice:-1,3,(l1:1)", {"begin = -1"}},
        {"slice:0,3,(l1:weights=1;2)", {"2 weights", "3"}},
        {"(l1:1", {"parentheses"}},
        {"l1:1)", {"parentheses"}},
        {"", {"name is missing"}},
        {"l1:0.1+", {"name is missing"}},
        {"+l1:0.1", {"name is missing"}},
        {"l1:-1+box:1,0", {"-1", "empty"}},
        {"simplex+l1ball:1", {"does not follow", "sums that decompose", "l2sq + anything"}},
        {"simplex+simplex", {"sums that decompose"}},
        {"tv:1+l1:weights=1;2", {"sums that decompose"}},
        {"l1ball:1+nonneg+box:0,1", {"sums that decompose"}},
        {"box:-1,1+l2ball:1", {"sums that decompose"}},
        {"zero+zero+zero+zero+zero+zero", {"too long"}},
    };
    for (const Refused& r : refused) {
        const std::string why = refusal(r.text);
        EXPECT_FALSE(why.empty()) << "'" << r.text << "' was accepted";
        for (const std::string& part : r.mentions) {
            EXPECT_NE(why.find(part), std::string::npos)
                << r.text << "\n  said: " << why << "  not: " << part;
        }
    }
}

TEST(ParseRegulariser, RefusesDeepNesting) {
    std::string text = "l1:1";
    for (int i = 0; i < 1000; ++i) text = "scale:2,(" + text + ")";
    EXPECT_NE(refusal(text).find("nested"), std::string::npos);
}

TEST(ParseRegulariser, TellsSignsFromSums) {
    for (const char* text : {"l1:1e+2", "l1:+1", "box:-1,+1", "box:-inf,+inf", "l1:1e-1+box:-1e+0,+1",
                             " l1:0.1 + nonneg ", "(l1:0.1)+(nonneg)", "l1:weights=+1;+2",
                             "blocks:(l1:0.1+nonneg),size=2", "blocks:(simplex:1+linear:2),size=2"}) {
        EXPECT_EQ(refusal(text), "") << text;
    }
}

TEST(ParseRegulariser, SumsMeanTheSameInAnyOrder) {
    Scratch scratch;
    const std::vector<Real> v = {1.3, -0.2, 0.7, -2, 0.05, 0.9};
    std::vector<Real> a(6), b(6);
    const std::pair<const char*, const char*> pairs[] = {
        {"l1:0.2+nonneg", "nonneg+l1:0.2"},
        {"nonneg-l1:0.2", "nonneg+l1:0.2"},
        {"group:0.2,size=3+l1:0.1", "sparse-group:0.2,0.1,size=3"},
        {"l1:0.1+tv:0.3", "fused:0.3,0.1"},
        {"l2sq:0.3+l1:0.1", "elastic:0.1,0.3"},
        {"l2ball:1+nonneg+l1:0.2", "l1:0.2+l2ball:1+nonneg"}};
    for (const auto& [first, second] : pairs) {
        const Real at_a = parse_regulariser(first).prox(v, 0.7, a, scratch);
        const Real at_b = parse_regulariser(second).prox(v, 0.7, b, scratch);
        EXPECT_NEAR(at_a, at_b, 1e-14) << first;
        for (int i = 0; i < 6; ++i) EXPECT_NEAR(a[i], b[i], 1e-15) << first;
    }
}

TEST(ParseRegulariser, DimensionMisfitsNameBothSizes) {
    const auto misfit = [](const char* text, Index n) -> std::string {
        try {
            parse_regulariser(text).check_dimension(n);
        } catch (const ConfigError& error) {
            return error.what();
        }
        return "";
    };
    EXPECT_NE(misfit("group:0.1,sizes=3;4;5", 13).find("12"), std::string::npos);
    EXPECT_NE(misfit("group:0.1,size=4", 13).find("13"), std::string::npos);
    EXPECT_NE(misfit("capped-simplex:sum=4,lo=0,hi=0.5", 7).find("[0, 3.5]"), std::string::npos);
    EXPECT_EQ(misfit("capped-simplex:sum=4,lo=0,hi=0.5", 8), "");
    EXPECT_NE(misfit("slice:0,10,(l1:1)", 9).find("10"), std::string::npos);
    EXPECT_NE(misfit("simplex", 0), "");
    EXPECT_NE(misfit("l1:weights=1;2+box:lo=0;0;0,hi=1", 2), "");
}

}  // namespace
}  // namespace proxstream
