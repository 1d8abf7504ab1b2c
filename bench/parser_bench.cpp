/// Rows per second of the parsers alone: a generated CSV of 8 numbers a row, the real electricity stream when
/// it is there, and generated LIBSVM rows.
#include "proxstream/core/draw.hpp"
#include "proxstream/run/row_reader.hpp"

#include "bench_data.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

namespace {

using namespace proxstream;

constexpr Index kRows = 100'000;

void read_rows(benchmark::State& state, const std::vector<Input>& inputs, const ReaderOptions& options) {
    std::int64_t rows = 0;
    for (auto _ : state) {
        const auto reader = open_inputs(inputs, options);
        RowBlock block(reader->sparse());
        for (; reader->read_row(block); ++rows) {
            benchmark::DoNotOptimize(block.all_values().data());
            block.clear();
        }
    }
    state.counters["rows/s"] = benchmark::Counter(static_cast<double>(rows), benchmark::Counter::kIsRate);
}

ReaderOptions csv_with_label(const char* label) {
    ReaderOptions options;
    options.format = RowFormat::csv;
    options.csv.label = label;
    return options;
}

void csv_eight_columns(benchmark::State& state) {
    std::string text = "a,b,c,d,e,f,g,h\n";
    for (Index t = 0; t < kRows; ++t) {
        for (Index i = 0; i < 8; ++i) {
            text += fmt::format("{:.{}f}{}", normal({1, t, 0, 0, i}), state.range(0), i == 7 ? '\n' : ',');
        }
    }
    read_rows(state, {memory_input("generated", text)}, csv_with_label("h"));
}
BENCHMARK(csv_eight_columns)->ArgName("decimals")->Arg(6)->Arg(16)->Unit(benchmark::kMillisecond);

void csv_electricity(benchmark::State& state) {
    const std::string path = data_file("streams/electricity.csv", state);
    if (path.empty()) return;
    read_rows(state, {file_input(path)}, csv_with_label("class"));
}
BENCHMARK(csv_electricity)->Unit(benchmark::kMillisecond);

void libsvm_fourteen_of_a_hundred(benchmark::State& state) {
    std::string text;
    for (Index t = 0; t < kRows; ++t) {
        text += t % 2 == 0 ? "+1" : "-1";
        for (Index i = 0; i < 14; ++i) {
            text += fmt::format(" {}:{:.4f}", 1 + 7 * i + uniform_below({1, t, 0, 0, i}, 7),
                                uniform({1, t, 1, 0, i}));
        }
        text += '\n';
    }
    ReaderOptions options;
    options.format = RowFormat::libsvm;
    options.libsvm.dimension = 100;
    read_rows(state, {memory_input("generated", text)}, options);
}
BENCHMARK(libsvm_fourteen_of_a_hundred)->Unit(benchmark::kMillisecond);

}  // namespace
