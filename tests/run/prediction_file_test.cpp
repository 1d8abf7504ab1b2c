/// Prediction files: one form for numbers and classes; the yardstick of the previous label.
#include "run/prediction_file.hpp"

#include "run/learn_run.hpp"
#include "run/read_predictions.hpp"
#include "run/temporary_folder.hpp"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace proxstream {
namespace {

std::string line_of(const PredictionFormat& format, const Prediction& prediction, std::string_view id = "7") {
    std::string text;
    format.append(text, id, prediction);
    return text;
}

TEST(PredictionFile, OfNumbersHasLabelAndPrediction) {
    const PredictionFormat format;
    EXPECT_EQ(format.header(), "row,label,prediction\n");
    EXPECT_EQ(line_of(format, {.value = 0.1, .label = -3}), "7,-3,0.1\n");
    EXPECT_EQ(line_of(format, {.value = std::nan(""), .label = 1e300}), "7,1e+300,\n");
    PredictionFormat unlabelled{.labels = false, .id = "name"};
    EXPECT_EQ(unlabelled.header(), "name,prediction\n");
    EXPECT_EQ(line_of(unlabelled, {.value = 2}, "a,b"), "\"a,b\",2\n");
}

TEST(PredictionFile, OfTwoClassesHasAProbabilityOrAScore) {
    const std::vector<Real> chances{0.25, 0.75};
    PredictionFormat format{.kind = TargetKind::sign, .class_count = 2, .probabilities = true};
    EXPECT_EQ(format.header(), "row,label,prediction,p(1)\n");
    EXPECT_EQ(line_of(format, {.value = 1.5, .label = -1, .probabilities = chances}), "7,-1,1,0.75\n");
    format.negative = 0;
    EXPECT_EQ(line_of(format, {.value = -1.5, .label = -1, .probabilities = chances}), "7,0,0,0.75\n");
    format.classes = {"no", "yes, or so"};
    EXPECT_EQ(format.header(), "row,label,prediction,\"p(yes, or so)\"\n");
    EXPECT_EQ(line_of(format, {.value = 0, .label = -1, .probabilities = chances}),
              "7,no,\"yes, or so\",0.75\n");
    format.probabilities = false;
    EXPECT_EQ(format.header(), "row,label,prediction,score\n");
    EXPECT_EQ(line_of(format, {.value = -2, .label = -1}), "7,no,no,-2\n");
}

TEST(PredictionFile, OfSeveralClassesHasAColumnForEach) {
    const std::vector<Real> chances{0.25, 0.5, 0.25};
    PredictionFormat format{.kind = TargetKind::category, .class_count = 3, .probabilities = true};
    EXPECT_EQ(format.header(), "row,label,prediction,p(0),p(1),p(2)\n");
    EXPECT_EQ(line_of(format, {.value = 1, .label = 2, .probabilities = chances}), "7,2,1,0.25,0.5,0.25\n");
    format.classes = {"a", "b", "c"};
    EXPECT_EQ(format.header(), "row,label,prediction,p(a),p(b),p(c)\n");
    format.probabilities = false;
    EXPECT_EQ(format.header(), "row,label,prediction\n");
    EXPECT_EQ(line_of(format, {.value = 1, .label = 2}), "7,c,b\n");
}

TEST(PreviousLabel, IsChargedTheLossOfTheRun) {
    const TemporaryFolder folder;
    std::string rows = "a,y\n";
    std::vector<Real> labels;
    for (Index t = 0; t < 40; ++t) {
        labels.push_back(static_cast<Real>(t * t % 17));
        rows += fmt::format("{},{}\n", t % 5, labels.back());
    }
    LearnSettings settings;
    settings.data = {folder.file("rows.csv", rows)};
    settings.loss = "squared";
    settings.reg = "zero";
    settings.window = "4";
    settings.predictions = folder.path("p.csv");
    const LearnOutcome outcome = drive(LearnRun(settings));
    Real sum = 0, squares = 0;
    for (Index t = 1; t < labels.size(); ++t) sum += std::pow(labels[t] - labels[t - 1], 2) / 2;
    ASSERT_TRUE(outcome.previous.loss());
    EXPECT_NEAR(*outcome.previous.loss(), sum / 39, 1e-12);
    const std::vector<Real> predictions = read_predictions(settings.predictions);
    ASSERT_EQ(predictions.size(), labels.size());
    for (Index t = 0; t < labels.size(); ++t) squares += std::pow(predictions[t] - labels[t], 2);
    EXPECT_NEAR(value_of(outcome.metrics.all(), "rmse"), std::sqrt(squares / 40), 1e-12);

    // On a scaled label the mean is that of the scaled loss: the same label again costs nothing.
    settings.standardise_label = true;
    settings.data = {folder.file("flat.csv", "a,y\n1,5\n2,9\n3,9\n4,9\n")};
    const LearnOutcome scaled = drive(LearnRun(settings));
    ASSERT_TRUE(scaled.previous.loss());
    EXPECT_LT(*scaled.previous.loss(), 1e-12);

    settings.ahead = 2;
    settings.lags = {"2"};
    EXPECT_FALSE(drive(LearnRun(settings)).previous.loss()) << "the label before is not known yet";
}

}  // namespace
}  // namespace proxstream
