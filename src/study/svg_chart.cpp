#include "study/svg_chart.hpp"

#include "study/svg_panel.hpp"
#include "study/svg_style.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Real kEdge = 16;   // around everything
constexpr Real kLeft = 58;   // for a panel's tick labels and y label
constexpr Real kAbove = 32;  // for a panel's title
constexpr Real kBelow = 46;  // for tick labels and the x label
constexpr Real kGap = 14;    // right of a panel
constexpr Real kLegendLine = 20;
constexpr Real kLegendFont = 12;
constexpr Real kSwatch = 26;  // of a legend entry

/// Alone a panel may be larger.
struct PanelSize {
    Real width;
    Real height;
};
PanelSize size_of_panels(Index count) {
    return count == 1 ? PanelSize{600, 340} : count == 2 ? PanelSize{380, 260} : PanelSize{270, 200};
}

struct LegendEntry {
    std::string name;
    Mark mark;
};

std::vector<LegendEntry> legend_of(const Chart& chart) {
    std::vector<LegendEntry> entries;
    for (const Panel& panel : chart.panels) {
        for (const ChartSeries& series : panel.series) {
            const auto same = [&](const LegendEntry& entry) { return entry.name == series.name; };
            if (std::none_of(entries.begin(), entries.end(), same))
                entries.push_back({series.name, series.mark});
        }
    }
    return entries;
}

std::string swatch(Index order, Mark mark, Real x, Real y) {
    if (mark == Mark::bar) {
        return fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"14\" height=\"10\"/>",
                           fill_class(order), x + 4, y - 5);
    }
    const std::string line = fmt::format("<path class=\"line {}\"{} d=\"M{:.1f} {:.1f}h22\"/>",
                                         stroke_class(order), dashes(order), x, y);
    return mark == Mark::line ? line + marker(order, x + 11, y) : line;
}

/// Entries side by side, as many in a line as fit; `y` moves below the last line.
std::string draw_legend(const std::vector<LegendEntry>& entries, Real right, Real& y) {
    std::string out;
    Real x = kEdge + kLeft;
    y += kLegendLine / 2;
    for (Index i = 0; i < entries.size(); ++i) {
        const Real width = kSwatch + text_width(entries[i].name, kLegendFont) + 16;
        if (x > kEdge + kLeft && x + width > right) {
            x = kEdge + kLeft;
            y += kLegendLine;
        }
        out += swatch(i, entries[i].mark, x, y);
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" style=\"font-size:{}px\">{}</text>\n",
                           x + kSwatch + 2, y + 4, kLegendFont, xml_text(entries[i].name));
        x += width;
    }
    y += kLegendLine / 2;
    return out;
}

}  // namespace

std::string to_svg(const Chart& chart) {
    const Index count = std::max<Index>(chart.panels.size(), 1);
    const Index columns = std::clamp<Index>(chart.columns, 1, count);
    const PanelSize size = size_of_panels(chart.panels.size());
    const Real cell_width = kLeft + size.width + kGap;
    const Real cell_height = kAbove + size.height + kBelow;
    const Real width = 2 * kEdge + static_cast<Real>(columns) * cell_width;

    const std::vector<LegendEntry> legend = legend_of(chart);
    std::vector<std::string> names;
    for (const LegendEntry& entry : legend) names.push_back(entry.name);

    Real y = kEdge + 14;
    std::string body = fmt::format("<text class=\"title\" x=\"{}\" y=\"{:.1f}\">{}</text>\n", kEdge, y,
                                   xml_text(chart.title));
    if (!chart.subtitle.empty()) {
        y += 19;
        body += fmt::format("<text class=\"soft\" x=\"{}\" y=\"{:.1f}\" style=\"font-size:12px\">{}</text>\n",
                            kEdge, y, xml_text(chart.subtitle));
    }
    y += 12;
    for (Index i = 0; i < chart.panels.size(); ++i) {
        const Panel& panel = chart.panels[i];
        const Index column = i % columns;
        const PanelBox box{kEdge + kLeft + static_cast<Real>(column) * cell_width, y + kAbove, size.width,
                           size.height};
        const bool y_label = column == 0 || panel.y.label != chart.panels[i - 1].y.label;
        body += draw_panel(panel, box, names, y_label);
        if (column + 1 == columns || i + 1 == chart.panels.size()) y += cell_height;
    }
    // A single series needs no legend: the titles say what it is.
    if (legend.size() > 1) body += draw_legend(legend, width - kEdge, y);
    const Real height = y + kEdge;

    return fmt::format(
               "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{0:.0f}\" "
               "height=\"{1:.0f}\" "
               "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
               "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n",
               width, height, xml_text(chart.title), chart_style()) +
           body + "</svg>\n";
}

}  // namespace proxstream
