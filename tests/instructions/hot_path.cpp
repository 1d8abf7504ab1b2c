/// The hot path, phase by phase, for valgrind's callgrind to count: one dump a phase, named "PHASE UNITS".
/// Run alone it only shows that every phase still works.
#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/prox/simplex.hpp"
#include "proxstream/traffic/city.hpp"

#include "loss/loss_table.hpp"
#include "online/learner_table.hpp"
#include "run/learn_run.hpp"
#include "run/row_reader.hpp"
#include "traffic/city_demand.hpp"
#include "traffic/demand_batch.hpp"
#include "traffic/k_shortest.hpp"
#include "traffic/split_set.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#define CALLGRIND_ZERO_STATS
#define CALLGRIND_DUMP_STATS_AT(name) static_cast<void>(name)
#endif

namespace {

using namespace proxstream;

/// Counts `work`, which does `units` of what the phase is called after.
template <class Work>
void count(const char* phase, Index units, Work work) {
    const std::string name = fmt::format("{} {}", phase, units);
    CALLGRIND_START_INSTRUMENTATION;
    CALLGRIND_ZERO_STATS;
    work();
    CALLGRIND_DUMP_STATS_AT(name.c_str());
    CALLGRIND_STOP_INSTRUMENTATION;
}

std::vector<Real> numbers(Index count, std::uint64_t seed) {
    std::vector<Real> values(count);
    for (Index i = 0; i < count; ++i) values[i] = normal({.seed = seed, .sample = i});
    return values;
}

std::vector<RowBlock> records(Index count, Index features) {
    std::vector<RowBlock> made(count);
    for (Index i = 0; i < count; ++i)
        made[i].add_dense(numbers(features, i + 1), normal({.seed = 7, .round = i}));
    return made;
}

void quiet_rounds() {
    constexpr Index kFeatures = 10, kRounds = 400;
    const std::shared_ptr<const PassFamily> family = parse_loss("squared", {.features = kFeatures});
    const auto learner = make_learner(
        "time-smoothed", {.g = parse_regulariser("l1:0.01"),
                          .make_batch = [&](Index capacity) { return family->make_batch(capacity); },
                          .start = std::vector<Real>(kFeatures + 1),
                          .window = "100",
                          .step = 0.1,
                          .tolerance = Tolerance::fixed(1e9),
                          .budget = {}});
    const std::vector<RowBlock> cycle = records(7, kFeatures);
    const auto play = [&](Index rounds) {
        for (Index t = 0; t < rounds; ++t) {
            if (learner->observe(cycle[t % 7]).status != RoundStatus::quiet)
                throw std::runtime_error("a round was not quiet");
        }
    };
    play(250);
    count("quiet-round", kRounds, [&] { play(kRounds); });
}

void window_passes() {
    constexpr Index kSize = 64, kPasses = 20;
    const auto family = parse_loss("squared", {.features = kSize, .intercept = false});
    auto batch = family->make_batch(kSize);
    for (const RowBlock& record : records(kSize, kSize)) batch.push(record);
    const std::vector<Real> weights(kSize, 1.0 / kSize), x = numbers(kSize, 99);
    std::vector<Real> gradient(kSize);
    Scratch scratch;
    const auto pass = [&] { batch.weighted_value_and_gradient(weights, x, gradient, scratch); };
    pass();
    count("window-pass", kPasses, [&] {
        for (Index i = 0; i < kPasses; ++i) pass();
    });
}

void simplices() {
    constexpr Index kBlocks = 1000, kSize = 5;
    const SimplexProduct product(BlockLayout::of_sizes(std::vector<Index>(kBlocks, kSize)), 1);
    const std::vector<Real> v = numbers(kBlocks * kSize, 3);
    std::vector<Real> out(v.size());
    Scratch scratch;
    product.prox(v, 1, out, scratch);
    count("simplex-of-5", kBlocks, [&] { product.prox(v, 1, out, scratch); });
}

std::string csv(Index rows) {
    std::string text = "a,b,c,d,e,f,g,h,i,j,y\n";
    const std::vector<Real> values = numbers(rows * 11, 4);
    for (Index i = 0; i < values.size(); ++i)
        text += fmt::format("{:.6f}{}", values[i], i % 11 == 10 ? '\n' : ',');
    return text;
}

void csv_rows() {
    constexpr Index kRows = 1000;
    ReaderOptions options;
    options.format = RowFormat::csv;
    const auto reader = open_inputs({memory_input("rows", csv(kRows + 10))}, options);
    RowBlock block(reader->sparse());
    const auto read = [&](Index rows) {
        for (Index i = 0; i < rows; ++i) {
            block.clear();
            if (!reader->read_row(block)) throw std::runtime_error("a row is missing");
        }
    };
    read(10);
    count("csv-row", kRows, [&] { read(kRows); });
}

/// From the text to the account, w = 1 as `learn` has it by default otherwise.
void learn_rows() {
    constexpr Index kRows = 1000;
    const std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("proxstream-hot-{}.csv", getpid())).string();
    std::ofstream(path) << csv(kRows + 200);
    LearnSettings settings;
    settings.data = {path};
    settings.loss = "squared";
    settings.window = "1";
    settings.proximal = "0";
    settings.raw = true;
    LearnRun run(settings);
    run.begin(false);
    const auto play = [&](Index rows) {
        for (Index i = 0; i < rows; ++i) {
            if (!run.next() || run.play().last) throw std::runtime_error("a row was not learned from");
        }
    };
    play(200);
    count("learn-row", kRows, [&] { play(kRows); });
    std::filesystem::remove(path);
}

void traffic_passes() {
    constexpr Index kPeriods = 6, kPasses = 10;
    const City city = make_city({});
    const CityDemand demand(city, {});
    LinkCosts costs(city.network, "bpr", Objective::parse("system"), {});
    std::vector<Real> times;
    for (LinkIndex link = 0; link < city.network.links(); ++link) times.push_back(costs.time(link, 0).time);
    PathSet paths = make_paths(city.network, demand.pairs(), {.k = 3}, times).paths;
    const auto routing = std::make_shared<Routing>(Routing{std::move(paths), std::move(costs)});
    DemandBatch batch(routing, kPeriods);
    std::vector<Real> wanted;
    for (Index period = 0; period < kPeriods; ++period) {
        demand.demand(32 + period, wanted);
        RowBlock record;
        record.add_dense(wanted, 0);
        batch.push(record);
    }
    const std::vector<Real> x = even_splits(routing->paths), weights(kPeriods, 1.0 / kPeriods);
    std::vector<Real> gradient(x.size());
    Scratch scratch;
    const auto pass = [&] { batch.weighted_value_and_gradient(weights, x, gradient, scratch); };
    pass();
    count("traffic-pass", kPasses, [&] {
        for (Index i = 0; i < kPasses; ++i) pass();
    });
}

/// Which of the library's kernels run here, and what compiled them: counts belong to both.
std::string variant() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    const char* set = __builtin_cpu_supports("avx512f") ? "avx512f"
                      : __builtin_cpu_supports("avx2")  ? "avx2"
                                                        : "default";
    return fmt::format("g++-{} {} {}", __VERSION__, set, HOT_PATH_UNITS);
#else
    return "another compiler or processor";
#endif
}

}  // namespace

int main() {
    try {
        std::puts(variant().c_str());
        quiet_rounds();
        window_passes();
        simplices();
        csv_rows();
        learn_rows();
        traffic_passes();
        return 0;
    } catch (const std::exception& error) {
        std::fputs(fmt::format("hot_path: {}\n", error.what()).c_str(), stderr);
        return 1;
    }
}
