/// What it costs a round to be kept: a journal that commits when it likes, every 100 turns, every turn.
#include "run/learn_run.hpp"
#include "sections.hpp"

#include <filesystem>
#include <optional>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

/// Seconds of a run; without `durable` nothing is kept.
double play(const Bench& bench, const std::string& window, const char* durable, Round rounds) {
    LearnSettings settings;
    settings.data = {"builtin:drift"};
    settings.loss = "cauchy";
    settings.window = window;
    settings.rounds = rounds;
    const std::string path = bench.temporary() + "/bench.run";
    for (const char* suffix : {"", "-wal", "-shm", ".lock"}) std::filesystem::remove(path + suffix);
    if (durable != nullptr) settings.durable = durable;
    LearnRun run(settings);
    RunDriver driver(run);
    driver.begin(durable != nullptr ? path : "");
    return once([&] { driver.drive(); })();
}

}  // namespace

void store_rows(Bench& bench) {
    bench.group("store", [&] {
        const Round rounds = bench.size(4000, 100);
        constexpr const char* kDurable[] = {nullptr, "off", "100", "round"};
        constexpr const char* kWhat[] = {"", "--durable off", "a commit every 100 turns",
                                         "a commit every turn"};
        for (const char* window : {"16", "auto"}) {
            std::vector<Timed> timed;
            for (const char* durable : kDurable)
                timed.emplace_back([&, durable] { return play(bench, window, durable, rounds); });
            const Timings timings = comparison(timed, bench.effort(5));
            const std::string name = window == std::string("auto") ? "ensemble" : "w16";
            for (Index i = 1; i < timed.size(); ++i) {
                bench.add({.name = fmt::format("store.{}-{}", name, kDurable[i]),
                           .measured = fmt::format("a stored round, {}, {}",
                                                   name == "ensemble" ? "ensemble" : "w = 16", kWhat[i]),
                           .against = "a round without a store",
                           .ratio = timings.ratio(0, i),
                           .figure = Figure{1e6 * timings.seconds(i).median / static_cast<double>(rounds),
                                            "us a round"}});
            }
        }
    });
}

}  // namespace proxstream::bench
