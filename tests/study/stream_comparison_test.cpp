/// The comparison behind the study of defaults, on a stream that is always there.
#include "study/stream_comparison.hpp"

#include "run/corrupted_reader.hpp"
#include "run/synthetic.hpp"

#include <atomic>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

constexpr std::string_view kStream = "builtin:drift,rows=400,features=4,seed=7";

LearnSettings comparison_settings() {
    LearnSettings settings;
    settings.data.emplace_back(kStream);
    settings.loss = "cauchy";
    settings.reg = "l1:0.01";
    settings.standardise_label = true;
    settings.seed = 3;
    return settings;
}

/// f_t(x_t) of every round.
std::vector<Real> losses_of(const LearnSettings& settings, const std::string& learner_text, Index rows) {
    Problem problem(settings);
    const auto learner = problem.make_learner(learner_text);
    RowBlock record = problem.stream().make_record();
    std::vector<Real> losses;
    while (losses.size() < rows && problem.stream().next(record))
        losses.push_back(learner->observe(record).loss);
    return losses;
}

Real mean(const std::vector<Real>& values, Index from, Index to) {
    Real total = 0;
    for (Index i = from; i < to; ++i) total += values[i];
    return total / static_cast<Real>(to - from);
}

EntryScore run(const StreamComparison& comparison, const Entry& entry) {
    const auto score = comparison.run(entry, 1, nullptr, [](Index) {});
    EXPECT_TRUE(score.has_value());
    return score.value_or(EntryScore{});
}

TEST(StreamComparison, TunesOnThePrefixAndScoresTheRest) {
    const StreamComparison comparison(comparison_settings(), 300);
    EXPECT_EQ(comparison.rounds(), 300U);
    EXPECT_EQ(comparison.prefix(), 30U);
    Entry entry{"prox-sgd", {}};
    Real least = kInfinity;
    std::string expected;
    for (const char* text : {"prox-sgd:10,power=0", "prox-sgd:0.2,power=0", "prox-sgd:0.0001,power=0"}) {
        entry.candidates.push_back({text, {}});
        const Real loss = mean(losses_of(comparison_settings(), text, 30), 0, 30);
        if (loss < least) {
            least = loss;
            expected = text;
        }
    }
    const EntryScore score = run(comparison, entry);
    EXPECT_EQ(score.chosen.learner, expected);
    EXPECT_NE(expected, entry.candidates.front().learner);
    EXPECT_NEAR(score.loss, mean(losses_of(comparison_settings(), expected, 300), 30, 300), 1e-12);
    EXPECT_EQ(score.gradients, 1);
    EXPECT_EQ(score.refused, 0U);
    EXPECT_EQ(score.complaint, "");
    EXPECT_FALSE(score.clean_loss.has_value());
    EXPECT_FALSE(score.error_share.has_value());
    EXPECT_EQ(comparison.work(entry), 300U + 3 * 30U);
}

TEST(StreamComparison, ScoresLabelsThatWereLeftAloneApart) {
    LearnSettings settings = comparison_settings();
    settings.corrupt.emplace_back("0.2");
    settings.lags.emplace_back("1..2");
    const auto options = SyntheticOptions::parse(kStream.substr(kBuiltinPrefix.size()));
    SyntheticReader truth(options);
    CorruptedReader given(std::make_unique<SyntheticReader>(options), {.share = 0.2, .seed = 3});
    RowBlock clean;
    RowBlock dirty;
    while (truth.read_row(clean) && given.read_row(dirty)) {
    }
    const std::vector<Real> losses = losses_of(settings, "adagrad", 398);
    Real total = 0;
    Index count = 0;
    for (Index t = 39; t < 398; ++t) {
        if (clean.target(t + 2) != dirty.target(t + 2)) continue;
        total += losses[t];
        ++count;
    }
    ASSERT_LT(count, 359U);
    const EntryScore score = run(StreamComparison(settings, 1000), {"adagrad", {{"adagrad", {}}}});
    EXPECT_NEAR(score.loss, mean(losses, 39, 398), 1e-12);
    EXPECT_NEAR(score.clean_loss.value_or(0), total / static_cast<Real>(count), 1e-12);
    EXPECT_LT(*score.clean_loss, score.loss);
}

TEST(StreamComparison, CountsWrongLabelsAndStopsWhenAsked) {
    LearnSettings settings = comparison_settings();
    settings.loss = "logistic";
    settings.standardise_label = false;
    const StreamComparison comparison(settings, 200);
    const EntryScore score = run(comparison, {"fixed 8", {{"time-smoothed:window=8", {}}}});
    ASSERT_TRUE(score.error_share.has_value());
    EXPECT_GT(*score.error_share, 0);
    EXPECT_LT(*score.error_share, 0.5);
    const std::atomic<bool> stop = true;
    EXPECT_FALSE(
        comparison.run({"fixed 8", {{"time-smoothed:window=8", {}}}}, 1, &stop, [](Index) {}).has_value());
}

TEST(StreamComparison, TheSeedOfAnEntryChangesItsDrawsAndNotTheRows) {
    LearnSettings settings = comparison_settings();
    const Entry entry{"default", {{"time-smoothed", {}}}, true};
    const auto loss = [&](std::uint64_t seed, const StreamComparison& comparison) {
        return comparison.run(entry, seed, nullptr, [](Index) {})->loss;
    };
    const StreamComparison comparison(settings, 300);
    settings.seed = 5;
    EXPECT_EQ(loss(5, comparison), loss(5, StreamComparison(settings, 300)));
    // Gross errors are placed by the seed of the settings, whatever the entry's.
    settings.corrupt.emplace_back("0.2");
    const StreamComparison corrupted(settings, 300);
    const Entry plain{"window 8", {{"time-smoothed:window=8", {}}}};
    EXPECT_EQ(corrupted.run(plain, 5, nullptr, [](Index) {})->loss,
              corrupted.run(plain, 6, nullptr, [](Index) {})->loss);
}

TEST(StreamComparison, TheLastValueIsTheLabelOfTheRowBefore) {
    LearnSettings settings = comparison_settings();
    settings.lags.emplace_back("1");
    settings.loss = "squared";
    const StreamComparison scaled(settings, 300);
    settings.standardise_label = false;
    const StreamComparison plain(settings, 300);
    ASSERT_TRUE(scaled.has_last_value());
    // The same by hand, in the units of the data and in those of the labels before.
    SyntheticReader reader(SyntheticOptions::parse(kStream.substr(kBuiltinPrefix.size())));
    RowBlock rows;
    while (reader.read_row(rows)) {
    }
    Real plain_loss = 0;
    Real scaled_loss = 0;
    for (Index t = 30; t < 300; ++t) {
        const Index row = t + 1;  // the first row is known by its lag only
        const Real error = rows.target(row) - rows.target(row - 1);
        const std::vector<Real> before(rows.targets().begin() + 1,
                                       rows.targets().begin() + static_cast<long>(row));
        const Real centre = mean(before, 0, before.size());
        Real variance = 0;
        for (const Real label : before) variance += (label - centre) * (label - centre);
        variance /= static_cast<Real>(before.size());
        plain_loss += 0.5 * error * error / 270;
        scaled_loss += 0.5 * error * error / variance / 270;
    }
    EXPECT_NEAR(run(plain, {"last value", {}}).loss, plain_loss, 1e-9 * plain_loss);
    EXPECT_NEAR(run(scaled, {"last value", {}}).loss, scaled_loss, 1e-6 * scaled_loss);
    settings.lags = {"2"};
    EXPECT_FALSE(StreamComparison(settings, 300).has_last_value()) << "learners would not know it";
}

}  // namespace
}  // namespace proxstream
