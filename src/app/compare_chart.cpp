#include "app/compare_chart.hpp"

#include "io/output_file.hpp"
#include "studies/chart.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

constexpr Index kSpans = 20;  // the sliding mean covers this part of the run

/// The sum of the blocks [end - span, end).
Real sliding_sum(const LossCurve& curve, Index end, Index span) {
    Real sum = 0;
    for (Index i = end - span; i < end; ++i) sum += curve.sums()[i];
    return sum;
}

}  // namespace

bool has_compare_chart() {
    return true;
}

void write_compare_chart(const std::string& path, const CompareOutcome& outcome,
                         const std::string& subtitle) {
    const CompareEntry& first = outcome.entries.front();
    const Index blocks = first.curve.sums().size();
    const Index span = std::max<Index>(1, blocks / kSpans);
    Panel panel{.title = fmt::format("mean loss of {} rounds over that of {}", span * first.curve.block(),
                                     first.learner),
                .x = {.label = "round"},
                .y = {.label = "ratio of losses", .scale = Scale::log},
                .series = {}};
    for (const CompareEntry& entry : outcome.entries) {
        ChartSeries series{.name = entry.learner, .points = {}, .mark = Mark::curve};
        for (Index end = span; end <= blocks; ++end) {
            series.points.push_back(
                {.x = static_cast<Real>(end * first.curve.block()),
                 .y = sliding_sum(entry.curve, end, span) / sliding_sum(first.curve, end, span)});
        }
        panel.series.push_back(std::move(series));
    }
    write_whole_file(
        path, to_svg({.title = "Losses over time", .subtitle = subtitle, .panels = {panel}, .columns = 1}));
}

}  // namespace proxstream::app
