#include "study/result_table.hpp"

#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

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

/// A row of estimates for each method, a column for each stream or figure.
class MarkdownTable {
  public:
    explicit MarkdownTable(std::vector<std::string> methods)
        : methods_(std::move(methods)), cells_(methods_.size()) {}

    /// Columns without a single figure are left out.
    void add_column(const std::string& heading, const std::vector<Estimate>& estimates,
                    const StudyFigure& figure) {
        const Better better = figure.better;
        const auto measured = [](const Estimate& estimate) { return estimate.count > 0; };
        if (std::none_of(estimates.begin(), estimates.end(), measured)) return;
        const Real best = best_of(estimates, better);
        headings_.push_back(markdown_cell(heading));
        for (std::size_t i = 0; i < estimates.size(); ++i) {
            const std::string text = figure.yes_no ? answer(estimates[i]) : to_text(estimates[i]);
            const bool bold =
                better != Better::neither && estimates[i].count > 0 && estimates[i].mean == best;
            cells_[i].push_back(bold ? "**" + text + "**" : text);
            present_[i] = present_[i] || estimates[i].count > 0;
        }
    }

    /// Methods without a single figure are left out.
    std::string text() const {
        std::vector<std::vector<std::string>> lines(1, headings_);
        for (std::size_t i = 0; i < methods_.size(); ++i) {
            if (!present_[i]) continue;
            lines.push_back({markdown_cell(methods_[i])});
            lines.back().insert(lines.back().end(), cells_[i].begin(), cells_[i].end());
        }
        return markdown_table(lines);
    }

  private:
    static std::string answer(const Estimate& estimate) {
        if (estimate.count == 0) return "-";
        return estimate.mean == 1   ? "yes"
               : estimate.mean == 0 ? "no"
                                    : fmt::format("in {:.0f} % of seeds", 100 * estimate.mean);
    }

    static Real best_of(const std::vector<Estimate>& estimates, Better better) {
        Real best = better == Better::higher ? -kInfinity : kInfinity;
        for (const Estimate& estimate : estimates) {
            if (estimate.count == 0) continue;
            best = better == Better::higher ? std::max(best, estimate.mean) : std::min(best, estimate.mean);
        }
        return best;
    }

    std::vector<std::string> methods_;
    std::vector<std::string> headings_{"method"};
    std::vector<std::vector<std::string>> cells_;
    std::vector<bool> present_ = std::vector<bool>(methods_.size(), false);
};

std::string preference(Better better) {
    return better == Better::lower    ? " (lower is better)"
           : better == Better::higher ? " (higher is better)"
                                      : "";
}

}  // namespace

std::vector<std::string> ResultTable::streams() const {
    return distinct(rows_, &Measurement::stream);
}

std::vector<std::string> ResultTable::methods() const {
    return distinct(rows_, &Measurement::method);
}

Estimate ResultTable::at(std::string_view stream, std::string_view method, std::string_view figure) const {
    std::vector<Real> values;
    for (const Measurement& row : rows_) {
        if (row.stream == stream && row.method == method && row.figure == figure) values.push_back(row.value);
    }
    return estimate(values);
}

Estimate ResultTable::largest(std::string_view stream, std::span<const std::string> methods,
                              std::string_view figure) const {
    Estimate most;
    for (const std::string& method : methods) {
        const Estimate here = at(stream, method, figure);
        if (here.count == 0) return {};
        if (most.count == 0 || here.mean > most.mean) most = here;
    }
    return most;
}

std::string ResultTable::to_markdown(std::span<const StudyFigure> figures, TableLayout layout) const {
    const std::vector<std::string> all_streams = streams();
    const std::vector<std::string> all_methods = methods();
    const auto column = [&](const std::string& stream, const StudyFigure& figure) {
        std::vector<Estimate> estimates;
        for (const std::string& method : all_methods) estimates.push_back(at(stream, method, figure.key));
        return estimates;
    };
    std::string text;
    if (layout == TableLayout::by_figure) {
        for (const StudyFigure& figure : figures) {
            MarkdownTable table(all_methods);
            for (const std::string& stream : all_streams) {
                table.add_column(stream, column(stream, figure), figure);
            }
            text += fmt::format("## {}{}\n\n{}\n", figure.heading, preference(figure.better), table.text());
        }
        return text;
    }
    for (const std::string& stream : all_streams) {
        MarkdownTable table(all_methods);
        for (const StudyFigure& figure : figures) {
            table.add_column(figure.heading, column(stream, figure), figure);
        }
        text += fmt::format("## {}\n\n{}\n", stream, table.text());
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
