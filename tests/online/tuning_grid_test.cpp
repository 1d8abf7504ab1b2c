#include "online/tuning_grid.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "online/learner_table.hpp"

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using Texts = std::vector<std::string>;

LearnerConfig parts() {
    return {.g = parse_regulariser("zero"),
            .make_batch = {},
            .start = {},
            .step = 0.1,
            .smoothness = 10,
            .tolerance = Tolerance::fixed(1),
            .budget = {}};
}

TEST(TuningGrid, HasOneKeyWithSeveralValues) {
    const Texts adagrad = tuning_candidates("adagrad");
    ASSERT_EQ(adagrad.size(), 7U);
    EXPECT_EQ(adagrad.front(), "adagrad:step=0.003");
    EXPECT_EQ(adagrad.back(), "adagrad:step=3");
    EXPECT_EQ(tuning_candidates("re-solve").front(), "re-solve:window=16");
    EXPECT_EQ(tuning_candidates("rls").back(), "rls:memory=inf");
}

TEST(TuningGrid, KeepsOtherArguments) {
    EXPECT_EQ(tuning_candidates("adagrad:replay=16,window=256").front(),
              "adagrad:step=0.003,replay=16,window=256");
    const Texts sgd = tuning_candidates("prox-sgd:replay=2");
    ASSERT_EQ(sgd.size(), 16U);
    EXPECT_EQ(sgd.front(), "prox-sgd:step=0.001,power=0,replay=2");
    EXPECT_EQ(sgd.back(), "prox-sgd:step=3,power=0.5,replay=2");
    EXPECT_EQ(tuning_candidates("prox-sgd:power=1").size(), 8U) << "the power is given";
}

TEST(TuningGrid, LeavesGivenParametersAndLearnersWithoutOne) {
    for (const char* text :
         {"adagrad:0.3", "adagrad:step=0.3", "rls:500", "rls:memory=500", "re-solve:window=8",
          "time-smoothed", "time-smoothed:window=64", "coin", "last-value", "ensemble"})
        EXPECT_EQ(tuning_candidates(text), Texts{text});
}

TEST(TuningGrid, EveryCandidateIsALearner) {
    Index tuned = 0;
    for (const LearnerRow& row : learners()) {
        const Texts texts = tuning_candidates(row.name);
        if (texts.size() == 1) continue;
        ++tuned;
        for (const std::string& text : texts) EXPECT_NO_THROW(check_learner(text, parts())) << text;
    }
    EXPECT_EQ(tuned, 11U) << "a row of the grids names no learner";
}

}  // namespace
}  // namespace proxstream
