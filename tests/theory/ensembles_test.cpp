// Ensembles of windows (docs/theory.md, section 14): random ones keep every inequality, their own and their
// members'. The price of following is that of the theorem, and examples show what is impossible.

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/ensemble.hpp"
#include "online/selector.hpp"
#include "online/time_smoothed.hpp"
#include "solve/prox_grad.hpp"
#include "support/probe.hpp"
#include "theory/window_case.hpp"
#include "window/shared_batch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream::defined {
namespace {

struct EnsembleCase {
    Case run;                     // stream, penalty, tolerance
    std::string text;             // of the learner
    std::vector<Window> windows;  // the members' judges, in their order
    std::string selection;
};

EnsembleCase draw_ensemble(Dice& dice) {
    EnsembleCase ensemble;
    ensemble.run = draw_case(dice);
    const bool grid = dice.one_in(2);  // lengths far apart, or anything
    const Index count = dice.from(1, 4);
    for (Index i = 0; i < count; ++i)
        ensemble.windows.push_back(grid ? box(Index{2} << (2 * i)) : draw_window(dice));
    const auto by_length = [](const Window& a, const Window& b) {
        return a.effective_length() < b.effective_length();
    };
    std::stable_sort(ensemble.windows.begin(), ensemble.windows.end(), by_length);
    ensemble.text = "ensemble:windows=";
    for (const Window& window : ensemble.windows) {
        ensemble.text += (ensemble.text.back() == '=' ? "(" : "/(") + window.text + ")";
    }
    constexpr const char* kCheap[] = {"none", "(adagrad:0.3)", "(adam:0.05)/(momentum:0.3)",
                                      "(prox-gradient:0.2)", "(prox-sgd:0.5,replay=2)/(adagrad:1)"};
    const Index cheap = dice.from(0, 4);
    ensemble.text += std::string(",also=") + kCheap[cheap];
    const Index first_order = cheap == 0 ? 0 : cheap % 2 == 0 ? 2 : 1;
    ensemble.windows.insert(ensemble.windows.begin(), first_order, box(1));
    constexpr const char* kSelections[] = {"draw", "draw:switches=1,draws=fresh", "hedge:rate=0.7",
                                           "hedge:rounds=99", "leader:margin=0.1"};
    ensemble.selection = kSelections[dice.from(0, 4)];
    ensemble.text += ",selection=(" + ensemble.selection + ")";
    ensemble.text += dice.one_in(3) ? ",cross=no" : "";
    ensemble.text += ",steps=" + std::to_string(dice.one_in(2) ? 4 : 5000);
    return ensemble;
}

std::unique_ptr<AnyLearner> make(const EnsembleCase& ensemble) {
    LearnerConfig parts = parts_of(ensemble.run);
    parts.seed = 7;
    return make_learner(ensemble.text, std::move(parts));
}

/// The least total loss of a sequence of members with at most so many switches.
Real best_sequence(const std::vector<Vector>& losses, Index switches) {
    std::vector<Vector> best(switches + 1, Vector(losses.front().size()));
    for (const Vector& row : losses) {
        for (Index s = switches + 1; s-- > 0;) {
            const Real other = s > 0 ? *std::min_element(best[s - 1].begin(), best[s - 1].end()) : kInfinity;
            for (Index k = 0; k < row.size(); ++k) best[s][k] = std::min(best[s][k], other) + row[k];
        }
    }
    return *std::min_element(best[switches].begin(), best[switches].end());
}

/// The weights of a run followed by the rule, and the two sides of its theorem.
class Tracking {
  public:
    explicit Tracking(Index members) : expected_(members, 1 / static_cast<Real>(members)) {}

    void add(Round t, const EnsembleRound& ensemble, bool shares) {
        const Vector p(ensemble.weights.begin(), ensemble.weights.end());
        const Real count = static_cast<Real>(p.size());
        ASSERT_LE(length(along(p, -1, expected_)), 1e-9) << "weights, round " << t;
        ASSERT_LE(ensemble.rate, rate_) << "the rate rose in round " << t;
        ASSERT_EQ(ensemble.share, shares ? 1 / (static_cast<Real>(t) + 1000) : 0);
        rate_ = ensemble.rate;
        share_ = ensemble.share;
        Vector losses;
        for (const RoundReport& member : ensemble.members) losses.push_back(member.loss + member.regulariser);
        const Real least = *std::min_element(losses.begin(), losses.end());
        Real mean = 0, mixed = 0;
        for (Index k = 0; k < p.size(); ++k) {
            mean += p[k] * losses[k];
            expected_[k] = p[k] * std::exp(-rate_ * (losses[k] - least));
            mixed += expected_[k];
        }
        for (Real& weight : expected_) weight = (1 - share_) * weight / mixed + share_ / count;
        weighted_ += mean;
        gap_ += mean - least + std::log(mixed) / rate_;
        leak_ += std::log(1 / (1 - share_)) / rate_;
        losses_.push_back(std::move(losses));
    }

    /// sum <p, l> <= best with S switches + (S+1) ln(K/al_T)/eps_T + sum ln(1/(1-al_t))/eps_t + D_T.
    void check() const {
        const Real count = static_cast<Real>(expected_.size());
        for (Index switches = 0; switches <= (share_ > 0 ? 10 : 0); ++switches) {
            const Real price =
                static_cast<Real>(switches + 1) * std::log(count / (share_ > 0 ? share_ : 1)) / rate_ +
                leak_ + gap_;
            ASSERT_LE(weighted_, best_sequence(losses_, switches) + price + 1e-9) << switches << " switches";
        }
    }

  private:
    Vector expected_;
    std::vector<Vector> losses_;
    Real rate_ = kInfinity, share_ = 0, weighted_ = 0, gap_ = 0, leak_ = 0;
};

/// R_t of the point that was played, for the window of the active member.
Real judged(const EnsembleCase& ensemble, const Weights& judge, Round t, const Vector& z) {
    Vector gradient(z.size());
    for (Round s = 1; s <= t; ++s) {
        if (judge.at(t, s) != 0)
            gradient = along(gradient, judge.at(t, s), ensemble.run.losses[s].gradient(z));
    }
    const Real step = ensemble.run.step;
    return length(along(z, -1, ensemble.run.penalty.g.prox(along(z, -step, gradient), step))) / step;
}

void play_ensemble(const EnsembleCase& ensemble, AnyLearner& learner,
                   std::map<std::string, std::uint64_t>& seen) {
    const Case& run = ensemble.run;
    Tally tally(learner.facts());
    std::vector<Weights> references;
    for (const Window& window : ensemble.windows)
        references.push_back(weights_of(window, "previous", 0, run.rounds));
    const bool follows = ensemble.selection.starts_with("leader");  // by no weights
    const bool shares = !ensemble.selection.starts_with("hedge");
    Tracking tracking(ensemble.windows.size());
    for (Round t = 1; t <= run.rounds; ++t) {
        const Vector z(learner.decide().begin(), learner.decide().end());
        if (run.forecast()) learner.expect(row_of(run.forecasts[t + 1]));
        const RoundReport report = learner.observe(row_of(run.losses[t]));
        const EnsembleRound& round = *learner.ensemble();
        RowExtras extras;
        extras.ensemble = &round;
        tally.add(report, extras);
        ASSERT_NEAR(report.loss, run.losses[t].value(z), 1e-12) << "round " << t;
        const Real size = 1 + length(z) / run.step;
        ASSERT_NEAR(report.entry_gap, judged(ensemble, references[round.active_member], t, z), 1e-11 * size)
            << "round " << t;
        for (const RoundReport& member : round.members) seen["crossed"] += member.jump > 0 ? 1 : 0;
        if (follows) continue;
        ASSERT_NO_FATAL_FAILURE(tracking.add(t, round, shares));
    }
    if (!follows) {
        ASSERT_NO_FATAL_FAILURE(tracking.check());
    }
    const Certificate certificate = tally.certificate(tally.footer(learner.close(), RunEnding::finished, 0));
    std::vector<const Certificate*> all{&certificate};
    for (const Certificate& member : certificate.members) all.push_back(&member);
    ASSERT_EQ(all.size(), 1 + ensemble.windows.size());
    for (const Certificate* each : all) {
        for (const Inequality& inequality : each->inequalities) {
            ASSERT_NE(inequality.verdict, Verdict::violated)
                << each->header.name << ": " << inequality.id << ", " << inequality.left << " against "
                << inequality.right << " + " << inequality.slack << "; " << inequality.explanation;
            seen[inequality.id] += kept(inequality.verdict) ? 1 : 0;
        }
    }
    ASSERT_TRUE(follows ? certificate.at("C8").verdict == Verdict::not_promised
                        : kept(certificate.at("C8").verdict));
    ++seen[ensemble.selection.substr(0, ensemble.selection.find(':'))];
}

TEST(Ensembles, KeepEveryInequalityAndTheirMembersDo) {
    const std::uint64_t runs = long_runs() ? 1500 : 150;
    std::map<std::string, std::uint64_t> seen;
    for (std::uint64_t index = 0; index < runs; ++index) {
        Dice dice(1'000'000 + index);
        EnsembleCase ensemble = draw_ensemble(dice);
        std::unique_ptr<AnyLearner> learner;
        try {
            learner = make(ensemble);
        } catch (const ConfigError&) {  // a model that does not fit one of the windows
            ensemble.run.model = "mean";
            ensemble.run.lag = 0;
        }
        try {
            if (!learner) learner = make(ensemble);
        } catch (const ConfigError&) {  // two windows alike
            ++seen["refused"];
            continue;
        }
        SCOPED_TRACE("ensemble " + std::to_string(index) + ": " + ensemble.text + ", " + ensemble.run.text());
        ASSERT_NO_FATAL_FAILURE(play_ensemble(ensemble, *learner, seen));
    }
    EXPECT_LT(seen["refused"], runs / 10);
    for (const char* play : {"draw", "hedge", "leader"}) EXPECT_GT(seen[play], runs / 20) << play;
    EXPECT_GT(seen["C8"], runs / 3);
    EXPECT_GT(seen["C6"], runs / 2);
    EXPECT_GT(seen["crossed"], runs / 20);
    for (const auto& [what, count] : seen) RecordProperty(what, std::to_string(count));
}

// ---- means of members

struct WellFamily {  // f(x) = (x^2 - 1)^2
    using Record = int;
    Index dimension() const { return 1; }
    Real value(const int& /*record*/, ConstView x, Scratch& /*scratch*/) const {
        return square(square(x[0]) - 1);
    }
    Real value_and_gradient(const int& record, ConstView x, View gradient, Scratch& scratch) const {
        gradient[0] = 4 * x[0] * (square(x[0]) - 1);
        return value(record, x, scratch);
    }
};

TEST(MeanPlay, LosesTheCertificateOfItsMembersInADoubleWell) {
    // Members at -1 and 1, p = 1/4 and 3/4: both stationary with loss 0, their mean has gap 1.5, loss
    // 0.5625.
    const AnyRegulariser g = parse_regulariser("zero");
    const WellFamily well;
    Scratch scratch;
    const auto slope = [&](Real x) {
        Vector gradient(1);
        well.value_and_gradient(0, Vector{x}, gradient, scratch);
        return gradient[0];
    };
    const Real mean = -0.25 + 0.75;
    EXPECT_EQ(slope(-1), 0);
    EXPECT_EQ(slope(1), 0);
    EXPECT_NEAR(norm(gap(g, Vector{mean}, Vector{slope(mean)}, 0.1)), 1.5, 1e-12);
    EXPECT_NEAR(well.value(0, Vector{mean}, scratch), 0.5625, 1e-15);

    // In an ensemble the two weigh the same, and their mean is the hill between the wells. The certificate
    // says by how much the loss of the mean exceeds that of the members.
    const Real smoothness = 8;  // on [-1, 1]
    auto store = std::make_shared<AnyBatch>(RecordRing<WellFamily>(well, 2));
    EnsembleMembers members;
    for (const Real start : {-1.0, 1.0}) {
        members.windows.push_back(std::make_unique<TimeSmoothed>(
            g, AnyBatch(SharedBatch(store)), Vector{start},
            TimeSmoothedOptions{.step = 0.1, .tolerance = Tolerance::fixed(0.1), .budget = {}},
            ProxGrad(smoothness)));
        members.references.emplace_back(1);
        members.names.emplace_back(start < 0 ? "left" : "right");
    }
    Ensemble ensemble(g, store, std::move(members),
                      {.selection = Selection::parse("mean"), .cross_start = false});
    Tally tally(ensemble.facts());
    for (int t = 0; t < 20; ++t) {
        const RoundReport report = ensemble.observe(0);
        EXPECT_EQ(report.loss, 1);
        EXPECT_EQ(ensemble.ensemble()->losses[0], 0);
        EXPECT_EQ(ensemble.ensemble()->losses[1], 0);
        RowExtras extras;
        extras.ensemble = ensemble.ensemble();
        tally.add(report, extras);
    }
    const Certificate certificate = tally.certificate(tally.footer(ensemble.close(), RunEnding::finished, 0));
    EXPECT_TRUE(kept(certificate.at("C8").verdict)) << certificate.at("C8").explanation;
    EXPECT_NEAR(certificate.at("C8").left, 20, 1e-12);
    EXPECT_NE(certificate.at("C8").explanation.find("Jensen's gaps are 20"), std::string::npos)
        << certificate.at("C8").explanation;
}

// ---- who announces whom it follows

TEST(Leader, HasLinearRegretAgainstAnAdaptiveAdversary) {
    constexpr Index kMembers = 4;
    constexpr Round kRounds = 4000;
    // Loss 1 for the member that is sure to play, or likeliest to.
    const auto regret = [&](const char* play) {
        Selector selector(Selection::parse(play).member, kMembers, 3);
        Vector totals(kMembers);
        Real paid = 0;
        for (Round t = 0; t < kRounds; ++t) {
            const ConstView p = selector.weights();
            const bool announced = t > 0 && *std::max_element(p.begin(), p.end()) == 1;
            const Index marked = announced || std::string(play).starts_with("leader")
                                     ? selector.active()
                                     : static_cast<Index>(std::max_element(p.begin(), p.end()) - p.begin());
            Vector losses(kMembers);
            losses[marked] = 1;
            paid += std::string(play).starts_with("leader") ? losses[selector.active()] : p[marked];
            totals[marked] += 1;
            selector.update(losses);
        }
        return paid - *std::min_element(totals.begin(), totals.end());
    };
    const Real leader = regret("leader:discount=1,margin=0");
    const Real cautious = regret("leader");
    const Real shared = regret("draw");
    const Real hedge = regret("hedge:range=1,rounds=4000");
    EXPECT_GE(leader, (1 - 1.0 / kMembers) * kRounds);
    EXPECT_GE(cautious, (1 - 1.0 / kMembers) * kRounds);
    EXPECT_LT(shared, 0.05 * kRounds);
    EXPECT_LE(hedge, std::sqrt(kRounds * std::log(kMembers) / 2));
    RecordProperty("leader", std::to_string(leader));
    RecordProperty("draw", std::to_string(shared));
    RecordProperty("hedge", std::to_string(hedge));
}

}  // namespace
}  // namespace proxstream::defined
