#include "loss/loss_table.hpp"

#include "proxstream/core/error.hpp"

#include "loss/row_fixtures.hpp"
#include "support/refusal.hpp"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::string refusal(std::string_view text) {
    return tests::refusal([&] { parse_loss(text, {.features = fixtures::features_of(text, 3)}); });
}

TEST(LossTable, EveryRowIsTested) {
    std::set<std::string> tested;
    for (const std::string& spec : fixtures::specs()) tested.insert(Spec::parse(spec).name());
    std::set<std::string> listed;
    for (const LossRow& row : losses()) {
        EXPECT_TRUE(tested.contains(std::string(row.name))) << row.name << " has no entry in specs()";
        EXPECT_TRUE(listed.insert(std::string(row.name)).second) << row.name << " is listed twice";
        EXPECT_TRUE(row.usage.starts_with(row.name)) << row.name;
        EXPECT_FALSE(row.formula.empty() || row.curvature.empty() || row.help.empty()) << row.name;
    }
    EXPECT_EQ(listed, tested);
}

TEST(LossTable, EveryRowIsMadeFromItsNameAlone) {
    for (const LossRow& row : losses()) {
        const auto family = parse_loss(
            row.name, {.features = fixtures::features_of(row.name, 3), .classes = 3, .largest = {3, 3}});
        EXPECT_EQ(family->target_kind(), loss_target(row.name)) << row.name;
        EXPECT_GE(family->dimension(), 3U);
        EXPECT_LE(family->penalised(), family->dimension());
    }
}

TEST(LossTable, CurvatureTextsMatchTheBounds) {
    for (const LossRow& row : losses()) {
        if (row.scalar == nullptr) continue;
        const Real bound = curvature_bound(row.scalar(Spec::parse(row.name)));
        const std::string text(row.curvature);
        const Real said = text == "1/4" ? 0.25 : std::stod(text.substr(text.find('=') + 1));
        EXPECT_NEAR(said, bound, 5e-5) << row.name;
    }
}

TEST(LossTable, EveryRowIsDocumented) {
    std::ifstream file("docs/losses.md");
    ASSERT_TRUE(file) << "run from the root of the project";
    std::ostringstream text;
    text << file.rdbuf();
    const std::string page = text.str();
    for (const LossRow& row : losses()) {
        EXPECT_NE(page.find(std::string("`").append(row.name)), std::string::npos) << row.name;
    }
}

TEST(LossTable, TargetsAreKnownFromTheText) {
    EXPECT_EQ(loss_target("huber:2"), TargetKind::number);
    EXPECT_EQ(loss_target("smoothed-hinge"), TargetKind::sign);
    EXPECT_EQ(loss_target("pca"), TargetKind::none);
    EXPECT_EQ(loss_target("mlp"), TargetKind::number);
    EXPECT_EQ(loss_target("mlp:task=binary,loss=tanh"), TargetKind::sign);
    EXPECT_EQ(loss_target("mlp:task=softmax"), TargetKind::category);
    EXPECT_EQ(loss_target("softmax"), TargetKind::category);
    EXPECT_EQ(loss_target("factors"), TargetKind::number);
    EXPECT_EQ(loss_target("factors:loss=tanh"), TargetKind::sign);
    EXPECT_THROW(loss_target("mlp:task=softmux"), ConfigError);
}

TEST(LossTable, ShapesReachTheModel) {
    EXPECT_EQ(parse_loss("squared", {.features = 3, .intercept = false})->dimension(), 3U);
    EXPECT_EQ(parse_loss("squared", {.features = 3, .intercept = true})->dimension(), 4U);
    EXPECT_EQ(parse_loss("mlp:hidden=16;16", {.features = 3})->dimension(), 3U * 16 + 16 * 16 + 16 + 33);
    EXPECT_EQ(parse_loss("mlp:hidden=2,task=softmax", {.features = 3, .classes = 4})->classes(), 4U);
    EXPECT_EQ(parse_loss("mlp:task=softmax,classes=5", {.features = 3})->classes(), 5U);
    EXPECT_EQ(parse_loss("softmax:classes=5", {.features = 3, .classes = 5})->dimension(), 5U * (3 + 1));
    EXPECT_EQ(parse_loss("softmax", {.features = 3, .intercept = false, .classes = 4})->dimension(), 4U * 3);
    EXPECT_EQ(parse_loss("factors:rank=2", {.features = 2, .largest = {5, 7}})->dimension(), 2U * (5 + 7));
    EXPECT_EQ(parse_loss("factors:rank=2,first=0", {.features = 2, .largest = {5, 7}})->dimension(),
              2U * (6 + 8));
    EXPECT_EQ(parse_loss("factors:rank=2,rows=9", {.features = 2, .largest = {5, 7}})->dimension(),
              2U * (9 + 7));
    EXPECT_THROW(parse_loss("softmax:classes=5", {.features = 3, .classes = 4}), ConfigError);
    EXPECT_THROW(parse_loss("factors:rows=3,columns=3", {.features = 3}), ConfigError);
}

TEST(LossTable, CompleteTextsNeedNoData) {
    const RowShape known{.features = 2, .largest = {5, 7}};
    EXPECT_EQ(complete_loss("huber:2", known), "huber:2");
    EXPECT_EQ(complete_loss("factors", known), "factors:rows=5,columns=7");
    EXPECT_EQ(complete_loss("factors:first=0,columns=9", known), "factors:first=0,columns=9,rows=6");
    for (const char* text : {"factors", "factors:rank=3,loss=huber:2", "factors:rows=6"}) {
        const std::string complete = complete_loss(text, known);
        EXPECT_EQ(complete_loss(complete, known), complete);
        EXPECT_EQ(parse_loss(complete, {.features = 2})->dimension(), parse_loss(text, known)->dimension());
    }
    EXPECT_THROW(complete_loss("factors", {.features = 2}), ConfigError);
}

TEST(LossTable, BadTextsAreRefused) {
    for (const char* text : {"",
                             ":1",
                             "squared:1",
                             "squared:scale=1",
                             "huber:0",
                             "huber:-1",
                             "huber:nan",
                             "huber:inf",
                             "huber:x",
                             "huber:1,2",
                             "huber:",
                             "cauchy:c=1",
                             "absolute:0",
                             "absolute:0.1,0.2",
                             "absolute:q=0.5",
                             "quantile:0",
                             "quantile:1",
                             "quantile:90",
                             "quantile:0.5,width=-1",
                             "softmax",
                             "softmax:3",
                             "softmax:classes=1",
                             "softmax:classes=1e9",
                             "softmax:classes=2000000",
                             "logistic:2",
                             "pca:1",
                             "mlp:hidden=0",
                             "mlp:hidden=-3",
                             "mlp:hidden=2.5",
                             "mlp:hidden=4;x",
                             "mlp:hidden=1e9",
                             "mlp:7",
                             "mlp:activation=relu",
                             "mlp:task=softmax",
                             "mlp:task=softmax,classes=1",
                             "mlp:task=softmax,classes=3,loss=squared",
                             "mlp:task=regression,classes=3",
                             "mlp:loss=logistic",
                             "mlp:task=binary,loss=huber",
                             "mlp:loss=mlp",
                             "mlp:loss=pca",
                             "mlp:loss=huber:0",
                             "mlp:loss=huber:1:2",
                             "mlp:loss=nothing",
                             "factors",
                             "factors:rows=3",
                             "factors:columns=3",
                             "factors:rows=3,columns=3,rank=0",
                             "factors:rows=3,columns=3,rank=1e6",
                             "factors:rows=3,columns=3,first=2",
                             "factors:rows=3,columns=3,loss=pca",
                             "factors:rows=3,columns=3,loss=mlp",
                             "factors:rows=3,columns=3,loss=huber:0"}) {
        EXPECT_NE(refusal(text), "") << text;
    }
}

TEST(LossTable, RefusalsNameTheNearest) {
    EXPECT_NE(refusal("cauchi").find("did you mean 'cauchy'"), std::string::npos) << refusal("cauchi");
    EXPECT_NE(refusal("log-diference").find("did you mean 'log-difference'"), std::string::npos);
    EXPECT_NE(refusal("huber:scal=1").find("did you mean 'scale='"), std::string::npos)
        << refusal("huber:scal=1");
    EXPECT_NE(refusal("mlp:hiden=4").find("did you mean 'hidden='"), std::string::npos)
        << refusal("mlp:hiden=4");
    EXPECT_NE(refusal("mlp:task=regresion").find("did you mean 'regression'"), std::string::npos);
    EXPECT_NE(refusal("mlp:loss=hubr").find("did you mean 'huber'"), std::string::npos);
    EXPECT_NE(refusal("huber:-1").find("positive"), std::string::npos);
    EXPECT_NE(refusal("quantile:90").find("between 0 and 1"), std::string::npos) << refusal("quantile:90");
    EXPECT_NE(refusal("softmax").find("name them with --classes"), std::string::npos) << refusal("softmax");
    EXPECT_NE(refusal("factors").find("say how many with rows="), std::string::npos) << refusal("factors");
}

}  // namespace
}  // namespace proxstream
