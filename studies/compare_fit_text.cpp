/// A comparison of fits as a table and as CSV.
#include "studies/compare_fit.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Rows of cells, the first being the heading.
using Cells = std::vector<std::vector<std::string>>;

std::string text_of(const FitFigure& figure) {
    if (figure.spread == 1) return fmt::format("{:.2e}", figure.geometric_mean);
    return fmt::format("{:.2e} x/ {:.2g}", figure.geometric_mean, figure.spread);
}

Cells cells_of(const FitComparison& comparison) {
    Cells cells(1, {"method", "step"});
    for (const Real passes : comparison.at) cells[0].push_back(fmt::format("|P|^2, {:g} passes", passes));
    cells[0].push_back(fmt::format("|P|^2, {:.3g} s", comparison.seconds));
    if (!comparison.at.empty()) cells[0].push_back(fmt::format("F, {:g} passes", comparison.at.back()));
    cells[0].emplace_back("seconds");
    for (const FitEntry& each : comparison.entries) {
        std::vector<std::string> row{
            each.method, each.swept || each.scale != 1 ? fmt::format("x {:g}", each.scale) : "own"};
        for (const Real passes : comparison.at) row.push_back(text_of(comparison.squared_gap(each, passes)));
        row.push_back(text_of(comparison.squared_gap_in_time(each)));
        if (!comparison.at.empty())
            row.push_back(fmt::format("{:.9g}", comparison.mean_objective(each, comparison.at.back())));
        row.push_back(fmt::format("{:.3g}", comparison.mean_seconds(each)));
        cells.push_back(std::move(row));
    }
    return cells;
}

/// A bar would end the Markdown cell.
std::string without_bars(const std::string& cell) {
    std::string text;
    for (const char each : cell) {
        if (each == '|') text += '\\';
        text += each;
    }
    return text;
}

}  // namespace

std::string to_text(const FitComparison& comparison) {
    const Cells cells = cells_of(comparison);
    std::string out;
    for (const auto& row : cells) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            std::size_t width = 0;
            for (const auto& other : cells) width = std::max(width, other[i].size());
            out += i == 0 ? fmt::format("{:<{}}", row[i], width) : fmt::format("  {:>{}}", row[i], width);
        }
        out += '\n';
    }
    return out;
}

std::string to_markdown(const FitComparison& comparison) {
    std::string out;
    const Cells cells = cells_of(comparison);
    for (std::size_t i = 0; i < cells.size(); ++i) {
        for (const std::string& cell : cells[i]) out += "| " + without_bars(cell) + ' ';
        out += "|\n";
        if (i > 0) continue;
        for (std::size_t column = 0; column < cells[0].size(); ++column)
            out += column == 0 ? "|---" : "|---:";
        out += "|\n";
    }
    return out;
}

std::string results_csv(const FitComparison& comparison) {
    std::string out = "method,scale,seed,status,passes,seconds,objective,gap,nonzeros\n";
    for (const FitCell& cell : comparison.cells) {
        const TracePoint& last = cell.trace.back();
        out += fmt::format("\"{}\",{},{},{},{},{:.6f},{},{},{}\n", cell.method, cell.scale, cell.seed,
                           name(cell.status),
                           static_cast<Real>(last.base_samples) / static_cast<Real>(comparison.pass),
                           cell.seconds, last.objective, last.gap, last.nonzeros);
    }
    return out;
}

std::string traces_csv(const FitComparison& comparison) {
    std::string out = "method,scale,seed,iteration,passes,seconds,objective,gap\n";
    for (const FitCell& cell : comparison.cells) {
        for (const TracePoint& point : cell.trace) {
            out += fmt::format("\"{}\",{},{},{},{},{:.6f},{},{}\n", cell.method, cell.scale, cell.seed,
                               point.iteration,
                               static_cast<Real>(point.base_samples) / static_cast<Real>(comparison.pass),
                               point.seconds, point.objective, point.gap);
        }
    }
    return out;
}

}  // namespace proxstream
