/// Parsers alone, in bytes a second, against reading the same bytes and finding their lines.
#include "fixtures.hpp"
#include "run/row_reader.hpp"
#include "sections.hpp"

#include <cmath>
#include <cstring>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

double read_rows(const Input& input, const ReaderOptions& options) {
    const auto reader = open_inputs({input}, options);
    RowBlock block(reader->sparse());
    double rows = 0;
    for (; reader->read_row(block); ++rows) {
        keep(block.all_values().data());
        block.clear();
    }
    return rows;
}

/// All bytes of the source, and how many lines they have.
Index read_lines(const Input& input) {
    const auto source = input.open();
    std::vector<char> buffer(std::size_t{1} << 18U);
    Index lines = 0;
    while (const std::size_t count = source->read(buffer)) {
        const char* place = buffer.data();
        const char* end = place + count;
        while ((place = static_cast<const char*>(
                    std::memchr(place, '\n', static_cast<std::size_t>(end - place)))) != nullptr) {
            ++lines;
            ++place;
        }
    }
    return lines;
}

ReaderOptions csv_with_label(const char* label) {
    ReaderOptions options;
    options.format = RowFormat::csv;
    options.table.label = label;
    return options;
}

void parse(Bench& bench, const std::string& name, const std::string& what, const Input& input, Index bytes,
           const ReaderOptions& options) {
    double rows = 0;
    const Effort effort = bench.effort(7, 0.1);
    const Timings timings = comparison({looped([&] { rows = read_rows(input, options); }, effort),
                                        looped([&] { keep(read_lines(input)); }, effort)},
                                       effort);
    bench.add({.name = "parser." + name,
               .measured = what,
               .against = "reading the bytes and finding the lines",
               .ratio = timings.ratio(1, 0),
               .figure = Figure{static_cast<double>(bytes) / timings.seconds(0).median / 1e6, "MB/s"},
               .note = fmt::format("{:.2f} M rows/s", rows / timings.seconds(0).median / 1e6)});
}

std::string csv_text(Index rows, Index columns, int decimals) {
    const std::vector<Real> numbers = normal_numbers(rows * columns, 3);
    std::string text;
    for (Index i = 0; i < columns; ++i) text += fmt::format("c{}{}", i + 1, i + 1 == columns ? '\n' : ',');
    for (Index i = 0; i < rows * columns; ++i)
        fmt::format_to(std::back_inserter(text), "{:.{}f}{}", numbers[i], decimals,
                       (i + 1) % columns == 0 ? '\n' : ',');
    return text;
}

std::string libsvm_text(Index rows) {
    const std::vector<Real> numbers = normal_numbers(rows * 14, 4);
    std::string text;
    for (Index row = 0; row < rows; ++row) {
        text += row % 2 == 0 ? "+1" : "-1";
        for (Index i = 0; i < 14; ++i) {
            const Real number = numbers[row * 14 + i];
            const auto offset = static_cast<Index>(std::abs(number) * 1000) % 7;
            fmt::format_to(std::back_inserter(text), " {}:{:.4f}", 1 + 7 * i + offset, number);
        }
        text += '\n';
    }
    return text;
}

}  // namespace

void parser_rows(Bench& bench) {
    bench.group("parser.generated", [&] {
        const Index rows = bench.size(100'000, 500);
        for (const int decimals : {6, 16}) {
            const std::string text = csv_text(rows, 10, decimals);
            parse(bench, fmt::format("csv-{}", decimals),
                  fmt::format("CSV in memory, 10 columns of {} decimals", decimals),
                  memory_input("generated", text), text.size(), csv_with_label("c10"));
        }
        const std::string text = libsvm_text(rows);
        ReaderOptions options;
        options.format = RowFormat::libsvm;
        options.libsvm.dimension = 100;
        parse(bench, "libsvm", "LIBSVM text in memory, 14 features a row of 100",
              memory_input("generated", text), text.size(), options);
    });
    bench.group("parser.electricity", [&] {
        const std::string file = "streams/electricity.csv", what = "CSV, electricity, a file";
        const auto path = bench.data_file(file);
        if (!path) return bench.skip_data("parser.electricity", what, file);
        const Input input = file_input(*path);
        Index bytes = 0;
        const auto source = input.open();
        std::vector<char> buffer(std::size_t{1} << 18U);
        while (const std::size_t count = source->read(buffer)) bytes += count;
        parse(bench, "electricity", what, input, bytes, csv_with_label("class"));
    });
}

}  // namespace proxstream::bench
