/// One pass over a sum of a million sparse rows in 1e5 columns, 50 values a row, against a plain read of the
/// same bytes, values and indices, in one run: the counter `of_read` is the pass's time over the read's.
/// `bytes_a_value` is the growth of the program's memory over the values stored.
#include "proxstream/core/parallel.hpp"
#include "proxstream/loss/loss_table.hpp"
#include "proxstream/offline/row_sum.hpp"
#include "proxstream/run/row_reader.hpp"

#include <chrono>
#include <cstdio>
#include <memory>
#include <vector>

#include <benchmark/benchmark.h>
#include <unistd.h>

namespace {

using namespace proxstream;

double resident_bytes() {
    unsigned long long size = 0, resident = 0;
    std::FILE* file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr) return 0;
    const int read = std::fscanf(file, "%llu %llu", &size, &resident);
    std::fclose(file);
    return read == 2 ? static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE)) : 0;
}

struct Setting {
    Setting() {
        const double before = resident_bytes();
        ReaderOptions options;
        options.target.kind = TargetKind::sign;
        const auto reader = open_rows({"builtin:sparse,rows=1000000,columns=100000,nonzeros=50"}, options);
        RowBlock rows(true);
        while (reader->read_row(rows)) {
        }
        bytes_a_value = (resident_bytes() - before) / static_cast<double>(rows.all_values().size());
        sum = std::make_unique<RowSum>(
            parse_loss("squared-sigmoid", {.features = reader->features(), .intercept = false}),
            std::move(rows));
    }
    std::unique_ptr<RowSum> sum;
    double bytes_a_value = 0;
};

const Setting& setting() {
    static const Setting only;
    return only;
}

/// Every value and every index once, in their order.
double plain_read(const RowBlock& rows) {
    Real total = 0;
    std::uint64_t indices = 0;
    for (Index row = 0; row < rows.rows(); ++row) {
        for (const Real value : rows.values(row)) total += value;
        for (const FeatureIndex index : rows.indices(row)) indices += index;
    }
    return total + static_cast<double>(indices);
}

void sparse_pass(benchmark::State& state) {
    using Clock = std::chrono::steady_clock;
    const RowSum& sum = *setting().sum;
    set_threads(static_cast<Index>(state.range(0)));
    std::vector<Real> x(sum.dimension(), 0.01), gradient(sum.dimension());
    Scratch scratch;
    double passing = 0, reading = 0;
    for (auto _ : state) {
        const auto begin = Clock::now();
        benchmark::DoNotOptimize(sum.f(x, gradient, scratch));
        const auto middle = Clock::now();
        benchmark::DoNotOptimize(plain_read(sum.rows()));
        passing += std::chrono::duration<double>(middle - begin).count();
        reading += std::chrono::duration<double>(Clock::now() - middle).count();
    }
    set_threads(1);
    const auto runs = static_cast<double>(state.iterations());
    state.counters["pass_ms"] = 1e3 * passing / runs;
    state.counters["read_ms"] = 1e3 * reading / runs;
    state.counters["of_read"] = passing / reading;
    state.counters["bytes_a_value"] = setting().bytes_a_value;
}
BENCHMARK(sparse_pass)->Arg(1)->Arg(2)->ArgName("threads")->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
