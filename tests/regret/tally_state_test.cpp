/// Tallies that are saved and restored: the certificate is that of the run without a break.
#include "regret/naive_ensemble.hpp"
#include "regret/naive_noise.hpp"

#include <gtest/gtest.h>

namespace proxstream {
namespace {

using naive::Plan;

/// The tally after `cut` rows, as another that read its bytes.
template <class Run>
Tally cut_tally(Run& run, Index cut) {
    Tally before(run.header);
    for (Index row = 0; row < cut; ++row) before.add(run.reports[row], run.extras(row));
    StateArchive saved;
    before.serialise(saved);
    Tally after(run.header);
    const std::string bytes = saved.seal();
    StateArchive read(bytes, "a tally");
    after.serialise(read);
    read.finish();
    return after;
}

template <class Run>
void expect_same_everywhere(Run run) {
    const std::string whole = to_json(run.live());
    for (Index cut = 0; cut <= run.reports.size(); ++cut) {
        Tally tally = cut_tally(run, cut);
        for (Index row = cut; row < run.reports.size(); ++row) tally.add(run.reports[row], run.extras(row));
        ASSERT_EQ(to_json(tally.certificate(run.footer)), whole) << "cut after row " << cut;
    }
}

TEST(TallyState, APlainRunMayBeCutAnywhere) {
    Plan plan{.n = 2, .w = 3, .rounds = 25};
    plan.also = {1, 5};
    plan.refused = {4, 9};
    plan.theta = 0.7;
    plan.kappa = 0.01;
    expect_same_everywhere(play(plan));
}

TEST(TallyState, ANoisyRunMayBeCutAnywhere) {
    naive::NoisyPlan rules;
    rules.plan = Plan{.n = 2, .w = 3, .rounds = 25};
    rules.noise = naive::Noise::gaussian;
    rules.level = 0.02;
    expect_same_everywhere(play_noisily(rules));
}

TEST(TallyState, AnEnsembleMayBeCutAnywhere) {
    naive::EnsemblePlan plan;
    for (const Index w : {1, 4}) {
        Plan member{.n = 2, .w = w, .rounds = 25};
        member.refused = {6};
        plan.members.push_back(member);
    }
    expect_same_everywhere(play_ensemble(plan));
    plan.mean = true;
    plan.frozen = {{0.3, 0.4}};
    for (const bool tracking : {false, true}) {
        plan.tracking = tracking;
        expect_same_everywhere(play_ensemble(plan));
    }
}

TEST(TallyState, OfAnotherRunIsRefused) {
    const naive::Played run = play(Plan{.n = 2, .w = 3, .rounds = 5});
    Tally tally(run.header);
    StateArchive saved;
    tally.serialise(saved);
    RunHeader other = run.header;
    other.other_windows = {7};
    Tally wrong(other);
    const std::string bytes = saved.seal();
    StateArchive read(bytes, "a tally");
    EXPECT_THROW(wrong.serialise(read), DataError);
}

}  // namespace
}  // namespace proxstream
