/// A saved learner continues bit for bit: in mid-run, whatever it is made of, its certificate and ledger
/// included.
#include "proxstream/regret/certify.hpp"

#include "front/front_fixtures.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

namespace proxstream::front_test {
namespace {

RowBlock row(Round t) {
    RowBlock record;
    const Real features[] = {normal({.seed = 2, .round = t}), normal({.seed = 2, .round = t, .sample = 1})};
    record.add_dense(features, features[0] - features[1]);
    return record;
}

struct SavedCase {
    std::string name;
    std::function<OnlineLearner()> make;
    std::function<void(OnlineLearner&, Round)> play;
};

std::vector<SavedCase> cases() {
    const auto family = [](const OnlineOptions& options) {
        return [options] { return OnlineLearner(options, TargetFamily{}); };
    };
    const auto observe = [](OnlineLearner& learner, Round t) { learner.observe(target(t)); };
    const auto expect = [](OnlineLearner& learner, Round t) {
        learner.observe(target(t));
        if (t % 3 != 0) learner.expect(target(t + 2));
    };
    return {{"automatic", family({.regulariser = Simplex()}), observe},
            {"window 8", family({.regulariser = L1Norm(0.01), .window = 8}), observe},
            {"switching", family({.window = 8, .switching = 0.1}), observe},
            {"forecast", family({.window = 8, .forecast = "forecast"}), expect},
            {"oracle", family({.window = 4, .tolerance = 1, .oracle = "gaussian:0.02"}), observe},
            {"adam", family({.window = 4, .learner = "adam"}), observe},
            {"batched", [] { return OnlineLearner({}, batched(std::make_shared<Calls>())); }, observe},
            {"rows", [] { return OnlineLearner({}, make_row_family("cauchy", {.features = 2})); },
             [](OnlineLearner& learner, Round t) { learner.observe(row(t)); }}};
}

constexpr Round kSavedRounds = 60;

TEST(OnlineLearnerSave, ContinuesWithTheSameBits) {
    for (const SavedCase& each : cases()) {
        SCOPED_TRACE(each.name);
        OnlineLearner whole = each.make();
        std::vector<std::string> states{whole.save()};
        Trace expected;
        for (Round t = 1; t <= kSavedRounds; ++t) {
            each.play(whole, t);
            expected.add(whole);
            states.push_back(whole.save());
        }
        expected.certificate = timeless(whole.certificate());
        for (const Round cut : {Round{0}, Round{1}, Round{7}, Round{33}, kSavedRounds}) {
            OnlineLearner resumed = each.make();
            if (cut == 33) each.play(resumed, 1);  // what was there before is gone
            resumed.restore(states[cut]);
            Trace trace;
            const std::size_t skipped = cut * (6 + whole.decision().size());
            for (Round t = cut + 1; t <= kSavedRounds; ++t) {
                each.play(resumed, t);
                trace.add(resumed);
            }
            const std::vector<Real> rest(expected.figures.begin() + static_cast<std::ptrdiff_t>(skipped),
                                         expected.figures.end());
            ASSERT_EQ(trace.figures, rest) << "cut after round " << cut;
            ASSERT_EQ(timeless(resumed.certificate()), expected.certificate) << "cut after round " << cut;
        }
    }
}

std::string bytes_of(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(OnlineLearnerSave, TheLedgerContinues) {
    const std::string folder = testing::TempDir();
    const std::string whole_path = folder + "front_whole.jsonl", cut_path = folder + "front_cut.jsonl";
    const auto make = [](const std::string& path) {
        return OnlineLearner({.regulariser = Box(-1, 1), .ledger = path}, TargetFamily{});
    };
    OnlineLearner whole = make(whole_path);
    for (Round t = 1; t <= 20; ++t) whole.observe(target(t));
    whole.finish();
    std::string state;
    {
        OnlineLearner first = make(cut_path);
        for (Round t = 1; t <= 12; ++t) {
            first.observe(target(t));
            if (t == 9) state = first.save();
        }
    }
    OnlineLearner second = make(cut_path);
    second.restore(state);
    for (Round t = 10; t <= 20; ++t) second.observe(target(t));
    const Certificate certificate = second.finish();

    EXPECT_EQ(timeless(certify(cut_path)), timeless(certificate));
    const std::string expected = bytes_of(whole_path), written = bytes_of(cut_path);
    const auto rounds = [](const std::string& text) {
        return text.substr(0, text.rfind('\n', text.size() - 2));
    };
    EXPECT_EQ(rounds(written), rounds(expected));  // the last line has the seconds
    std::filesystem::remove(whole_path);
    std::filesystem::remove(cut_path);
}

TEST(OnlineLearnerSave, ALedgerWithoutTheFirstRoundsIsRefused) {
    OnlineLearner saved({.window = 4}, TargetFamily{});
    saved.observe(target(1));
    OnlineLearner with_ledger({.window = 4, .ledger = testing::TempDir() + "front_late.jsonl"},
                              TargetFamily{});
    EXPECT_THROW(with_ledger.restore(saved.save()), ConfigError);
    saved.finish();
    OnlineLearner finished({.window = 4}, TargetFamily{});
    finished.restore(saved.save());
    EXPECT_THROW(finished.observe(target(2)), ConfigError);
}

TEST(OnlineLearnerSave, FunctionsCannotBeSaved) {
    OnlineLearner learner({.dimension = kDimension});
    learner.observe([](ConstView x, View gradient) { return track(target(1).at, x, gradient); });
    try {
        learner.save();
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_NE(std::string(error.what()).find("serialise"), std::string::npos) << error.what();
    }
}

struct Unsaved {
    struct Record {
        Real value = 0;
    };
    Index dimension() const { return 1; }
    Real value(const Record& record, ConstView x, Scratch& /*scratch*/) const {
        return (x[0] - record.value) * (x[0] - record.value) / 2;
    }
    Real value_and_gradient(const Record& record, ConstView x, View gradient, Scratch& scratch) const {
        gradient[0] = x[0] - record.value;
        return value(record, x, scratch);
    }
};

TEST(OnlineLearnerSave, RecordsWithoutSerialiseAreRefused) {
    OnlineLearner learner({}, Unsaved{});
    learner.observe(Unsaved::Record{1});
    EXPECT_THROW(learner.save(), ConfigError);
}

TEST(OnlineLearnerSave, AnotherLearnersStateIsRefusedAndChangesNothing) {
    OnlineLearner saved({.window = 4}, TargetFamily{});
    for (Round t = 1; t <= 3; ++t) saved.observe(target(t));
    const std::string state = saved.save();
    OnlineLearner other({.window = 5, .seed = 9}, TargetFamily{});
    other.observe(target(1));
    const std::vector<Real> before(other.decision().begin(), other.decision().end());
    try {
        other.restore(state);
        FAIL();
    } catch (const ConfigError& error) {
        EXPECT_EQ(error.violations().size(), 2U) << error.what();
    }
    EXPECT_THROW(other.restore("nonsense"), DataError);
    EXPECT_THROW(other.restore(state.substr(0, state.size() / 2)), DataError);
    EXPECT_EQ(other.rounds(), 1U);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), other.decision().begin()));
}

}  // namespace
}  // namespace proxstream::front_test
