#include "studies/results.hpp"

#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Beyond these a power of ten is taken out of a number.
constexpr Real kSmall = 1e-3;
constexpr Real kLarge = 1e6;

int magnitude(Real value) {
    return static_cast<int>(std::floor(std::log10(value)));
}

/// Decimals that show two digits of the error, but at most four of the mean.
int decimals(Real mean, Real error) {
    const int of_mean = mean == 0 ? 3 : std::max(0, 3 - magnitude(std::abs(mean)));
    return error > 0 ? std::clamp(1 - magnitude(error), 0, of_mean) : of_mean;
}

std::vector<std::string> distinct(const std::vector<Measurement>& rows, std::string Measurement::*member) {
    std::vector<std::string> names;
    for (const Measurement& row : rows) {
        if (std::find(names.begin(), names.end(), row.*member) == names.end()) names.push_back(row.*member);
    }
    return names;
}

std::string csv_field(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
}

std::string markdown_cell(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '|') escaped += '\\';
        escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

bool measured(const Estimate& estimate) {
    return estimate.count > 0;
}

Real best_of(const std::vector<Estimate>& estimates, Better better) {
    Real best = better == Better::higher ? -kInfinity : kInfinity;
    for (const Estimate& each : estimates) {
        if (measured(each))
            best = better == Better::higher ? std::max(best, each.mean) : std::min(best, each.mean);
    }
    return best;
}

std::string cell_text(const Estimate& estimate, const StudyFigure& figure, Real best) {
    if (!figure.yes_no || !measured(estimate)) {
        const std::string text = to_text(estimate);
        const bool bold = figure.better != Better::neither && measured(estimate) && estimate.mean == best;
        return bold ? "**" + text + "**" : text;
    }
    return estimate.mean == 1   ? "yes"
           : estimate.mean == 0 ? "no"
                                : fmt::format("in {:.0f} % of seeds", 100 * estimate.mean);
}

}  // namespace

Estimate estimate(std::span<const Real> values) {
    Estimate result;
    result.count = values.size();
    if (values.empty()) return result;
    const auto count = static_cast<Real>(values.size());
    for (const Real value : values) result.mean += value / count;
    if (values.size() < 2) return result;
    Real squares = 0;
    for (const Real value : values) squares += (value - result.mean) * (value - result.mean);
    result.error = std::sqrt(squares / (count - 1) / count);
    return result;
}

std::string to_text(const Estimate& estimate) {
    if (!measured(estimate)) return "-";
    const Real error = estimate.error.value_or(0);
    if (!std::isfinite(estimate.mean) || !std::isfinite(error)) return fmt::format("{}", estimate.mean);
    const Real size = std::max(std::abs(estimate.mean), error);
    const int power = size > 0 && (size < kSmall || size >= kLarge) ? magnitude(size) : 0;
    const Real unit = std::pow(Real{10}, power);
    const Real mean = estimate.mean / unit;
    const int places = decimals(mean, error / unit);
    std::string text = fmt::format("{:.{}f}", mean, places);
    if (estimate.error) text += fmt::format(" +- {:.{}f}", error / unit, places);
    if (power == 0) return text;
    return estimate.error ? fmt::format("({})e{:+03d}", text, power) : fmt::format("{}e{:+03d}", text, power);
}

std::vector<std::string> ResultTable::streams() const {
    return distinct(rows_, &Measurement::stream);
}

std::vector<std::string> ResultTable::methods() const {
    return distinct(rows_, &Measurement::method);
}

std::vector<Real> ResultTable::values(std::string_view stream, std::string_view method,
                                      const std::string& figure, std::optional<std::uint64_t> seed) const {
    std::vector<Real> found;
    for (const Measurement& row : rows_) {
        const bool wanted = row.stream == stream && row.method == method && row.figure == figure;
        if (wanted && (!seed || row.seed == *seed)) found.push_back(row.value);
    }
    return found;
}

Estimate ResultTable::at(std::string_view stream, std::string_view method, const std::string& figure) const {
    return estimate(values(stream, method, figure));
}

Estimate ResultTable::ratio(std::string_view stream, std::string_view method, std::string_view below,
                            const std::string& figure) const {
    std::vector<Real> ratios;
    for (const Measurement& row : rows_) {
        if (row.stream != stream || row.method != method || row.figure != figure) continue;
        std::vector<Real> unit = values(stream, below, figure, row.seed);
        if (unit.empty()) unit = values(stream, below, figure, 1);
        if (unit.empty()) return {};
        ratios.push_back(row.value / unit.front());
    }
    return estimate(ratios);
}

std::string ResultTable::to_markdown(std::span<const StudyFigure> figures) const {
    std::string text;
    for (const std::string& stream : streams()) {
        std::vector<std::string> present = methods();
        std::erase_if(present, [&](const std::string& method) {
            return std::none_of(figures.begin(), figures.end(), [&](const StudyFigure& figure) {
                return measured(at(stream, method, figure.key));
            });
        });
        std::vector<std::vector<std::string>> lines{{"method"}};
        for (const std::string& method : present) lines.push_back({markdown_cell(method)});
        for (const StudyFigure& figure : figures) {
            std::vector<Estimate> column;
            for (const std::string& method : present) column.push_back(at(stream, method, figure.key));
            if (std::none_of(column.begin(), column.end(), measured)) continue;
            lines[0].push_back(markdown_cell(figure.heading));
            const Real best = best_of(column, figure.better);
            for (Index i = 0; i < column.size(); ++i)
                lines[i + 1].push_back(cell_text(column[i], figure, best));
        }
        text += fmt::format("## {}\n\n{}\n", stream, markdown_table(lines));
    }
    return text;
}

std::string markdown_table(const std::vector<std::vector<std::string>>& lines) {
    std::vector<std::size_t> widths(lines.front().size(), 3);
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
    }
    std::string text;
    for (std::size_t row = 0; row < lines.size(); ++row) {
        for (std::size_t i = 0; i < widths.size(); ++i) {
            text += i == 0 ? fmt::format("| {:<{}} |", lines[row][i], widths[i])
                           : fmt::format(" {:>{}} |", lines[row][i], widths[i]);
        }
        text += '\n';
        if (row > 0) continue;
        for (std::size_t i = 0; i < widths.size(); ++i) {
            text += i == 0 ? fmt::format("|{:-<{}}|", "", widths[i] + 2)
                           : fmt::format("{:-<{}}:|", "", widths[i] + 1);
        }
        text += '\n';
    }
    return text;
}

std::string csv_header() {
    return "stream,method,figure,seed,value\n";
}

std::string to_csv(std::span<const Measurement> measurements) {
    std::string text;
    for (const Measurement& row : measurements) {
        text += fmt::format("{},{},{},{},{}\n", csv_field(row.stream), csv_field(row.method),
                            csv_field(row.figure), row.seed, format_short(row.value));
    }
    return text;
}

}  // namespace proxstream
