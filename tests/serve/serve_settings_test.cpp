/// Scenarios of the service: its own table, the learners', and everything that is wrong with them at once.
#include "serve/serve_settings.hpp"

#include "api_fixture.hpp"
#include "serve/learner_kinds.hpp"
#include "serve/tokens.hpp"
#include "serve/workers.hpp"

#include <gtest/gtest.h>

using namespace proxstream;

namespace {

std::vector<LearnerPlan> learners(std::string_view text, const ServeSettings& settings = {}) {
    return read_learners(text, "s.toml", settings);
}

std::vector<std::string> values(const LearnerPlan& plan, const std::string& name) {
    std::vector<std::string> found;
    for (const auto& [key, value] : plan.settings)
        if (key == name) found.push_back(value);
    return found;
}

template <class Work>
std::string refusal(const Work& work) {
    try {
        work();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was refused";
}

TEST(ServeSettings, TablesOfLearners) {
    ServeSettings settings;
    const std::string_view text = R"(
[serve]
port = 0
store-folder = "/var/lib/x"
rate = 2.5

[learner.demand]
kind = "learn"
features = ["a", "b,c"]
window = 64

[learner.ring-road]
kind = "route"
network = "builtin:ring"
store = "elsewhere.run"
durable = "100"
)";
    read_serve_table(text, "s.toml", settings);
    EXPECT_EQ(settings.port, 0U);
    EXPECT_EQ(settings.rate, 2.5);
    const auto plans = learners(text, settings);
    ASSERT_EQ(plans.size(), 2U);
    EXPECT_EQ(plans[0].name, "demand");
    EXPECT_EQ(values(plans[0], "features"), (std::vector<std::string>{"a", "b,c"}));
    EXPECT_EQ(values(plans[0], "window"), std::vector<std::string>{"64"});
    EXPECT_EQ(values(plans[0], "store"), std::vector<std::string>{"/var/lib/x/demand.run"});
    EXPECT_EQ(values(plans[0], "durable"), std::vector<std::string>{"round"});
    EXPECT_EQ(plans[0].queue.durable.turns, 1U);
    EXPECT_EQ(plans[1].kind, "route");
    EXPECT_EQ(values(plans[1], "store"), std::vector<std::string>{"elsewhere.run"});
    EXPECT_EQ(plans[1].queue.durable.turns, 100U);
}

TEST(ServeSettings, AFileOfOptionsIsOneLearner) {
    const auto plans = learners("loss = \"cauchy\"\ndimension = 3\n[serve]\nport = 1\n");
    ASSERT_EQ(plans.size(), 1U);
    EXPECT_EQ(plans[0].name, "main");
    EXPECT_EQ(plans[0].kind, "learn");
    EXPECT_EQ(values(plans[0], "loss"), std::vector<std::string>{"cauchy"});
}

TEST(ServeSettings, RefusesEverythingThatIsWrongAtOnce) {
    const std::string said = refusal([] {
        learners(
            "[learner.a]\nkind = \"lern\"\n[learner.b]\nkind = \"learn\"\nwindwo = 3\n"
            "[learner.c]\nwindow = 3\n[learner.\"D.E\"]\nkind = \"learn\"\n[other]\nx = 1\n");
    });
    for (const char* piece :
         {"did you mean 'learn'", "did you mean 'window'", "kind: expected", "D.E", "other"})
        EXPECT_TRUE(contains(said, piece)) << piece << "\n" << said;
    EXPECT_TRUE(contains(
        refusal([] {
            learners("[learner.a]\nkind=\"learn\"\nstore=\"x\"\n[learner.b]\nkind=\"learn\"\nstore=\"x\"\n");
        }),
        "another learner has it"));
    EXPECT_TRUE(contains(refusal([] { learners("learner = 3\n"); }), "[learner.NAME]"));
    EXPECT_TRUE(contains(refusal([] { learners("[learner.a"); }), "s.toml"));
    ServeSettings settings;
    EXPECT_TRUE(contains(refusal([&] { read_serve_table("[serve]\nprot = 1\n", "s.toml", settings); }),
                         "did you mean 'port'"));
    EXPECT_TRUE(
        contains(refusal([&] { read_serve_table("[serve]\nscenario = \"x\"\n", "s.toml", settings); }),
                 "unknown key"));
}

TEST(ServeSettings, RemoteAddressesNeedTokens) {
    ServeSettings settings;
    settings.scenario = "s.toml";
    EXPECT_NO_THROW(validate(settings));
    for (const char* address : {"127.0.0.1", "::1", "127.1.2.3", "::ffff:127.0.0.1"}) {
        settings.listen = address;
        EXPECT_NO_THROW(validate(settings)) << address;
    }
    for (const char* address :
         {"0.0.0.0", "::", "192.168.1.1", "1270.0.0.1", "127.evil.example", "localhost"}) {
        settings.listen = address;
        EXPECT_TRUE(contains(refusal([&] { validate(settings); }), "token-file")) << address;
    }
    settings.token_file = "tokens";
    EXPECT_NO_THROW(validate(settings));
    settings.durable = "sometimes";
    settings.port = 70000;
    const std::string said = refusal([&] { validate(settings); });
    EXPECT_TRUE(contains(said, "durable") && contains(said, "port")) << said;
}

TEST(LearnerKinds, EveryFileOptionIsListed) {
    const auto files = [](const std::string& kind) {
        std::set<std::string> names;
        for (const KindOption& option : find_learner_kind(kind).options)
            if (option.names_file) names.insert(option.name);
        return names;
    };
    EXPECT_EQ(files("learn"), (std::set<std::string>{"data", "forecast", "start", "predictions", "save",
                                                     "ledger", "certificate", "store", "metrics", "report"}));
    EXPECT_EQ(files("route"),
              (std::set<std::string>{"network", "nodes", "demand", "first-demand", "path-file", "out",
                                     "decisions", "report", "ledger", "store"}));
}

TEST(Tokens, RefusesFilesReadableByOtherUsers) {
    const TestFolder folder;
    const std::string file = folder / "tokens";
    const auto write = [&](const std::string& text, unsigned mode) {
        std::ofstream(file) << text;
        std::filesystem::permissions(file, std::filesystem::perms(mode));
    };
    write("0123456789abcdef\n", 0600);
    EXPECT_TRUE(Tokens(file).allows("Bearer 0123456789abcdef"));
    EXPECT_FALSE(Tokens(file).allows(""));
    EXPECT_TRUE(Tokens().allows(""));
    for (const unsigned mode : {0644U, 0604U, 0602U, 0620U}) {
        write("0123456789abcdef\n", mode);
        EXPECT_TRUE(contains(refusal([&] { Tokens tokens(file); }), "chmod 600")) << mode;
    }
    write("short\n", 0600);
    EXPECT_TRUE(contains(refusal([&] { Tokens tokens(file); }), "line 1"));
    EXPECT_FALSE(contains(refusal([&] { Tokens tokens(file); }), "short\n"));
    write("# nothing\n\n", 0600);
    EXPECT_TRUE(contains(refusal([&] { Tokens tokens(file); }), "no token"));
    EXPECT_TRUE(contains(refusal([&] { Tokens tokens(folder / "none"); }), "none"));
}

TEST(Workers, AStrandKeepsItsOrderAndTimersWait) {
    Workers workers(3);
    Strand strand(workers);
    std::vector<int> order;
    std::promise<void> done;
    for (int i = 0; i < 500; ++i) strand.post([&order, i] { order.push_back(i); });
    strand.post([&] { done.set_value(); });
    done.get_future().get();
    ASSERT_EQ(order.size(), 500U);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    const auto begin = std::chrono::steady_clock::now();
    std::promise<void> late;
    std::promise<void> early;
    workers.after(0.03, [&] { late.set_value(); });
    workers.after(0.01, [&] { early.set_value(); });
    late.get_future().get();
    EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(30));
    EXPECT_EQ(early.get_future().wait_for(std::chrono::seconds(0)), std::future_status::ready);
}

}  // namespace
