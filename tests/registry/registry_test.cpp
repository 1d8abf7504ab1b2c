/// Losses and regularisers that users register by name.
#include "proxstream/registry.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/online_learner.hpp"

#include "loss/loss_table.hpp"
#include "support/refusal.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using tests::refusal;

/// What squared is for a linear model without intercept, one row at a time.
class OwnSquared : public RowLoss {
  public:
    explicit OwnSquared(Index features) : features_(features) {}
    Index dimension() const override { return features_; }
    Real value_and_gradient(ConstView features, Real target, ConstView x, View gradient) const override {
        const Real residual = predict(features, x) - target;
        for (Index i = 0; i < x.size(); ++i) gradient[i] = residual * features[i];
        return residual * residual / 2;
    }
    Real predict(ConstView features, ConstView x) const override {
        Real sum = 0;
        for (Index i = 0; i < x.size(); ++i) sum += features[i] * x[i];
        return sum;
    }
    std::optional<Real> smoothness(ConstView features) const override {
        Real sum = 0;
        for (const Real each : features) sum += each * each;
        return sum;
    }
    Real infimum() const override { return 0; }

  private:
    Index features_;
};

/// A loss whose shape the test chooses.
class OddLoss final : public OwnSquared {
  public:
    OddLoss(Index features, Index penalised, Index classes)
        : OwnSquared(features), penalised_(penalised), classes_(classes) {}
    Index penalised() const override { return penalised_; }
    TargetKind target_kind() const override {
        return classes_ == 0 ? TargetKind::number : TargetKind::category;
    }
    Index classes() const override { return classes_; }

  private:
    Index penalised_;
    Index classes_;
};

AnyRegulariser make_l1(const Spec& spec) {
    return parse_regulariser("l1:" + format_short(spec.number(0, "weight")));
}

std::unique_ptr<RowLoss> make_own(const Spec& /*spec*/, const RowShape& shape) {
    return std::make_unique<OwnSquared>(shape.features);
}

class Registered : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        register_regulariser("own-l1", "own-l1:0.1", "l1 under another name", make_l1);
        register_loss("own-squared", "own-squared", "least squares under another name", make_own);
    }
};

TEST_F(Registered, RegulariserWorksInEveryText) {
    Scratch scratch;
    const std::vector<Real> v{2, -0.25, -1};
    for (const auto& [own, built_in] :
         std::vector<std::pair<std::string, std::string>>{{"own-l1:0.5", "l1:0.5"},
                                                          {"own-l1:weight=0.5", "l1:0.5"},
                                                          {"scale:2,(own-l1:0.5)", "scale:2,(l1:0.5)"},
                                                          {"own-l1:0.5+box:-1,1", "l1:0.5+box:-1,1"}}) {
        std::vector<Real> out(3);
        std::vector<Real> expected(3);
        parse_regulariser(own).prox(v, 0.7, out, scratch);
        parse_regulariser(built_in).prox(v, 0.7, expected, scratch);
        EXPECT_EQ(out, expected) << own;
    }
    EXPECT_EQ(regularisers().back().usage, "own-l1:0.1");
    EXPECT_NE(refusal([] { parse_regulariser("own-l1:1,2"); }).find("own-l1:1,2"), std::string::npos);
    EXPECT_NE(refusal([] { parse_regulariser("own-l2:1"); }).find("did you mean 'own-l1'"),
              std::string::npos);
}

TEST_F(Registered, UnknownNamesMentionPlugins) {
    EXPECT_NE(refusal([] { parse_regulariser("elsewhere:1"); }).find("--plugin"), std::string::npos);
    EXPECT_NE(refusal([] { parse_loss("elsewhere", {.features = 1}); }).find("--plugin"), std::string::npos);
}

/// Records of both kinds, with several rows each.
RowBlock random_record(bool sparse, Index features, Index rows, std::uint64_t round) {
    RowBlock record(sparse);
    for (Index row = 0; row < rows; ++row) {
        std::vector<Real> dense(features);
        for (Index i = 0; i < features; ++i) {
            dense[i] =
                normal({.seed = 5, .round = round, .step = static_cast<std::uint32_t>(row), .sample = i});
        }
        const Real target = normal({.seed = 6, .round = round, .sample = row});
        if (!sparse) {
            record.add_dense(dense, target);
            continue;
        }
        std::vector<FeatureIndex> indices;
        std::vector<Real> values;
        for (Index i = row % 2; i < features; i += 2) {
            indices.push_back(static_cast<FeatureIndex>(i));
            values.push_back(dense[i]);
        }
        record.add_sparse(indices, values, target);
    }
    return record;
}

TEST_F(Registered, LossAgreesWithTheBuiltInOne) {
    constexpr Index kFeatures = 7;
    const RowShape shape{.features = kFeatures, .intercept = false};
    const auto own = make_row_family("own-squared", shape);
    const auto built_in = make_row_family("squared", shape);
    EXPECT_EQ(own->dimension(), built_in->dimension());
    EXPECT_EQ(own->penalised(), built_in->penalised());
    EXPECT_EQ(own->infimum(), 0);
    Scratch scratch;
    std::vector<Real> x(kFeatures);
    for (Index i = 0; i < kFeatures; ++i) x[i] = 0.3 * static_cast<Real>(i) - 1;
    for (const bool sparse : {false, true}) {
        auto batch = own->make_batch(4);
        auto expected_batch = built_in->make_batch(4);
        for (std::uint64_t round = 0; round < 6; ++round) {
            const RowBlock record = random_record(sparse, kFeatures, 3, round);
            batch.push(record);
            expected_batch.push(record);
            std::vector<Real> gradient(kFeatures);
            std::vector<Real> expected(kFeatures);
            EXPECT_NEAR(own->value_and_gradient(record, x, gradient, scratch),
                        built_in->value_and_gradient(record, x, expected, scratch), 1e-12);
            for (Index i = 0; i < kFeatures; ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-12);
            EXPECT_NEAR(own->predict(record, 1, x, scratch), built_in->predict(record, 1, x, scratch), 1e-12);
            ASSERT_TRUE(own->smoothness(record).has_value());
            // The mean over rows of a bound each is no less than the bound of the mean.
            EXPECT_GE(*own->smoothness(record), *built_in->smoothness(record) - 1e-12);
            EXPECT_GE(*own->mean_square_smoothness(record), *own->smoothness(record) - 1e-12);
        }
        const std::vector<Real> weights{0.5, 0, 0.25, 0.25};
        std::vector<Real> gradient(kFeatures);
        std::vector<Real> expected(kFeatures);
        EXPECT_NEAR(batch.weighted_value(weights, x, scratch),
                    expected_batch.weighted_value(weights, x, scratch), 1e-12);
        batch.weighted_value_and_gradient(weights, x, gradient, scratch);
        expected_batch.weighted_value_and_gradient(weights, x, expected, scratch);
        for (Index i = 0; i < kFeatures; ++i) EXPECT_NEAR(gradient[i], expected[i], 1e-12);
    }
}

TEST_F(Registered, LossGivesTheSameBitsOnSeveralThreads) {
    constexpr Index kFeatures = 64;
    const auto own = make_row_family("own-squared", {.features = kFeatures, .intercept = false});
    auto batch = own->make_batch(8);
    for (std::uint64_t round = 0; round < 8; ++round) batch.push(random_record(false, kFeatures, 500, round));
    const std::vector<Real> weights(8, 0.125);
    const std::vector<Real> x(kFeatures, 0.1);
    std::vector<std::vector<Real>> gradients;
    for (const Index count : {1U, 3U}) {
        set_threads(count);
        Scratch scratch;
        gradients.emplace_back(kFeatures);
        batch.weighted_value_and_gradient(weights, x, gradients.back(), scratch);
    }
    set_threads(1);
    EXPECT_EQ(gradients[0], gradients[1]);
}

TEST_F(Registered, BadRegistrationsAreRefusedAndLeaveTheTable) {
    const std::vector<std::pair<std::string, std::string>> names{
        {"", "a name is a letter"},    {"2nd", "a name is a letter"},
        {"a b", "a name is a letter"}, {"a:b", "a name is a letter"},
        {"a+b", "a name is a letter"}, {std::string(65, 'a'), "at most 64"},
        {"l1", "exists already"},      {"own-l1", "exists already"},
        {"squared", "exists already"}, {"own-squared", "exists already"},
    };
    const auto regularisers_before = regularisers().size();
    const auto losses_before = losses().size();
    for (const auto& [name, why] : names) {
        const bool is_loss = name.find("squared") != std::string::npos;
        const std::string said = refusal([&, &name = name] {
            if (is_loss) register_loss(name, "usage", "help", make_own);
            if (!is_loss) register_regulariser(name, "usage", "help", make_l1);
        });
        EXPECT_NE(said.find(why), std::string::npos) << name << ": " << said;
        EXPECT_NE(said.find("'" + name.substr(0, 64)), std::string::npos) << said;
    }
    EXPECT_NE(refusal([] { register_loss("none", "none", "help", nullptr); }).find("'none'"),
              std::string::npos);
    EXPECT_NE(refusal([] { register_regulariser("none", "none", "help", nullptr); }).find("'none'"),
              std::string::npos);
    EXPECT_EQ(regularisers().size(), regularisers_before);
    EXPECT_EQ(losses().size(), losses_before);
}

TEST_F(Registered, LossesOfAnImpossibleShapeAreRefused) {
    static Index penalised = 0;
    static Index classes = 0;
    static bool nothing = false;
    register_loss("odd-loss", "odd-loss", "of any shape",
                  [](const Spec&, const RowShape& shape) -> std::unique_ptr<RowLoss> {
                      if (nothing) return nullptr;
                      return std::make_unique<OddLoss>(shape.features, penalised, classes);
                  });
    const auto said = [](Index features) {
        return refusal([&] { make_row_family("odd-loss", {.features = features}); });
    };
    EXPECT_EQ(said(3), "");
    EXPECT_NE(said(0).find("dimension() is 0"), std::string::npos);
    penalised = 4;
    EXPECT_NE(said(3).find("penalised() is 4"), std::string::npos);
    penalised = 3;
    classes = 1;
    EXPECT_NE(said(3).find("classes() is 1"), std::string::npos);
    nothing = true;
    EXPECT_NE(said(3).find("returned nothing"), std::string::npos);
    EXPECT_NE(said(3).find("odd-loss"), std::string::npos);
}

/// Throws at one of its calls, counted over the whole test.
class ThrowingSquared final : public OwnSquared {
  public:
    using OwnSquared::OwnSquared;
    Real value_and_gradient(ConstView features, Real target, ConstView x, View gradient) const override {
        if (++calls == throws_at) throw std::runtime_error("this row cannot be evaluated");
        return OwnSquared::value_and_gradient(features, target, x, gradient);
    }
    static inline std::atomic<int> calls = 0;
    static inline int throws_at = 0;
};

RowBlock row_of(Round t) {
    RowBlock row;
    const std::vector<Real> features{normal({5, t, 0, 0, 0}), normal({5, t, 1, 0, 0})};
    row.add_dense(features, features[0] - features[1] / 2 + 0.1 * normal({6, t, 0, 0, 0}));
    return row;
}

TEST(RegisteredLoss, LeavesTheLearnerAsItWasWhenItThrows) {
    register_loss("throwing", "throwing", "throws now and then", [](const Spec&, const RowShape& shape) {
        return std::make_unique<ThrowingSquared>(shape.features);
    });
    constexpr Round kRounds = 8;
    for (const char* window : {"3", "auto"}) {
        const auto make = [&] {
            return OnlineLearner({.window = window, .step = 0.1},
                                 make_row_family("throwing", {.features = 2}));
        };
        ThrowingSquared::throws_at = 0;
        ThrowingSquared::calls = 0;
        OnlineLearner all = make();
        for (Round t = 1; t <= kRounds; ++t) all.observe(row_of(t));
        const int total = ThrowingSquared::calls;
        ASSERT_GT(total, 20);
        for (int k = 1; k <= total; k += 3) {
            ThrowingSquared::calls = 0;
            ThrowingSquared::throws_at = k;
            OnlineLearner hit = make();
            OnlineLearner spared = make();
            Round failed = 0;
            for (Round t = 1; t <= kRounds; ++t) {
                const std::vector<Real> before(hit.decision().begin(), hit.decision().end());
                try {
                    hit.observe(row_of(t));
                } catch (const std::runtime_error& error) {
                    EXPECT_STREQ(error.what(), "this row cannot be evaluated");
                    EXPECT_TRUE(std::equal(before.begin(), before.end(), hit.decision().begin()));
                    ++failed;
                    ASSERT_EQ(failed, 1U);
                    continue;
                }
                const int counted = ThrowingSquared::calls;
                const int armed = std::exchange(ThrowingSquared::throws_at, 0);
                spared.observe(row_of(t));
                ThrowingSquared::throws_at = armed;
                ThrowingSquared::calls = counted;
            }
            ASSERT_EQ(failed, 1U) << window << ", call " << k;
            EXPECT_TRUE(std::equal(hit.decision().begin(), hit.decision().end(), spared.decision().begin()))
                << window << ", call " << k;
        }
    }
}

}  // namespace
}  // namespace proxstream
