/// `learn` from a file to its certificate, in rows a second, against reading the same rows and throwing them
/// away.
#include "fixtures.hpp"
#include "run/learn_run.hpp"
#include "sections.hpp"

#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

/// Ten features, their sum with weights, and a little noise.
std::string write_rows(Bench& bench, Index rows) {
    std::string path = bench.temporary() + "/ten.csv";
    const std::vector<Real> numbers = normal_numbers(rows * 11, 5);
    fmt::memory_buffer text;
    for (int i = 0; i < 10; ++i) fmt::format_to(std::back_inserter(text), "x{},", i);
    fmt::format_to(std::back_inserter(text), "y\n");
    for (Index row = 0; row < rows; ++row) {
        Real target = 0.01 * numbers[row * 11 + 10];
        for (Index i = 0; i < 10; ++i) {
            const Real value = numbers[row * 11 + i];
            target += 0.1 * static_cast<Real>(i) * value;
            fmt::format_to(std::back_inserter(text), "{:.6f},", value);
        }
        fmt::format_to(std::back_inserter(text), "{:.6f}\n", target);
    }
    std::ofstream file(path, std::ios::binary);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!file.flush()) throw std::runtime_error("cannot write " + path);
    return path;
}

LearnSettings settings_for(const std::string& path, const std::string& window, const std::string& tolerance) {
    LearnSettings settings;
    settings.data = {path};
    settings.window = window;
    settings.tolerance = tolerance;
    settings.quiet = true;
    return settings;
}

double learn(const LearnSettings& settings) {
    LearnRun run(settings, nullptr);
    return static_cast<double>(drive(run).totals.rows);
}

double parse(const LearnSettings& settings) {
    Problem problem(settings);
    RowBlock record = problem.stream().make_record();
    double rows = 0;
    for (; problem.stream().next(record); ++rows) keep(record.all_values().data());
    return rows;
}

void rows_a_second(Bench& bench) {
    const Index rows = bench.size(400'000, 2000);
    const std::string path = write_rows(bench, rows);
    // A tolerance that no row exceeds makes every round quiet; the default one lets some of them work.
    const std::vector<std::pair<const char*, LearnSettings>> kinds{
        {"w1", settings_for(path, "1", "auto")},          {"w1-quiet", settings_for(path, "1", "1e9")},
        {"w100-quiet", settings_for(path, "100", "1e9")}, {"w100", settings_for(path, "100", "auto")},
        {"ensemble", settings_for(path, "auto", "auto")},
    };
    std::vector<Timed> timed{once([&] { keep(parse(kinds[0].second)); })};
    for (const auto& kind : kinds) timed.push_back(once([&] { keep(learn(kind.second)); }));
    const Timings timings = comparison(timed, bench.effort(5));
    const auto figure = [&](Index i) {
        return Figure{static_cast<double>(rows) / timings.seconds(i).median / 1e6, "M rows/s"};
    };
    bench.add({.name = "learn.parser",
               .measured = "reading rows of 10 features from CSV, nothing learned",
               .against = {},
               .figure = figure(0)});
    constexpr const char* kWhat[] = {"w = 1, defaults", "w = 1, every round quiet",
                                     "w = 100, every round quiet", "w = 100, defaults",
                                     "an ensemble, the default"};
    for (Index i = 0; i < kinds.size(); ++i) {
        bench.add({.name = fmt::format("learn.{}", kinds[i].first),
                   .measured = fmt::format("learn, 10 dense features of CSV, {}", kWhat[i]),
                   .against = "the parser alone",
                   .ratio = timings.ratio(0, i + 1),
                   .figure = figure(i + 1),
                   .wanted = i == 0 ? std::optional(figure_at_least(1)) : std::nullopt});
    }
    bench.add({.name = "learn.w100-against-w1",
               .measured = "learn, w = 100, every round quiet",
               .against = "w = 1",
               .ratio = timings.ratio(1, 3),
               .figure = figure(3),
               .wanted = ratio_at_least(0.5)});
    bench.add({.name = "learn.w100-against-w1-quiet",
               .measured = "learn, w = 100, every round quiet",
               .against = "w = 1, every round quiet",
               .ratio = timings.ratio(2, 3),
               .figure = figure(3),
               .wanted = ratio_at_least(0.5)});
}

void electricity(Bench& bench) {
    const std::string file = "streams/electricity.csv", what = "learn, electricity, logistic, w = 1";
    const auto path = bench.data_file(file);
    if (!path) return bench.skip_data("learn.electricity", what, file);
    LearnSettings settings = settings_for(*path, "1", "auto");
    settings.label = "class";
    settings.loss = "logistic";
    if (bench.quick()) settings.rounds = 500;
    double rows = 0;
    const Timings timings = comparison(
        {once([&] { keep(parse(settings)); }), once([&] { rows = learn(settings); })}, bench.effort(7));
    bench.add({.name = "learn.electricity",
               .measured = what,
               .against = "the parser alone",
               .ratio = timings.ratio(0, 1),
               .figure = Figure{rows / timings.seconds(1).median / 1e6, "M rows/s"}});
}

}  // namespace

void learn_rows(Bench& bench) {
    bench.group("learn.rows", [&] { rows_a_second(bench); });
    bench.group("learn.electricity", [&] { electricity(bench); });
}

}  // namespace proxstream::bench
