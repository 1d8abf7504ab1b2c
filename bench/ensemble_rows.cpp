/// What an ensemble of windows costs against its longest member alone, in record gradients and in time.
#include "run/compare_run.hpp"
#include "sections.hpp"

#include <fmt/format.h>

namespace proxstream::bench {
namespace {

CompareEntry play(const Bench& bench, const std::string& stream, const std::string& learner) {
    LearnSettings settings;
    settings.data = {fmt::format("builtin:{},rows={},features=20", stream, bench.size(4000, 200))};
    settings.loss = "cauchy";
    settings.reg = "l1:0.02";
    settings.max_steps = 4;
    CompareRun run(settings, {learner}, nullptr);
    return run.run([](Round) {}).entries.front();
}

}  // namespace

void ensemble_rows(Bench& bench) {
    bench.group("ensemble", [&] {
        for (const char* stream : {"drift", "switch", "season", "iid"}) {
            CompareEntry ensemble, longest;
            const Timings timings = comparison({[&] {
                                                    ensemble = play(bench, stream, "ensemble:also=none");
                                                    return ensemble.seconds;
                                                },
                                                [&] {
                                                    longest =
                                                        play(bench, stream, "time-smoothed:window=1024");
                                                    return longest.seconds;
                                                }},
                                               bench.effort(5));
            const double gradients = static_cast<double>(longest.record_gradients) /
                                     static_cast<double>(ensemble.record_gradients);
            bench.add(
                {.name = fmt::format("ensemble.{}", stream),
                 .measured = fmt::format("an ensemble of windows on {}", stream),
                 .against = "its longest window alone, w = 1024, in time",
                 .ratio = timings.ratio(1, 0),
                 .figure = Figure{1e6 * timings.seconds(0).median / static_cast<double>(ensemble.rounds),
                                  "us a round"},
                 .note = fmt::format("{:.2f} in record gradients", gradients)});
        }
    });
}

}  // namespace proxstream::bench
