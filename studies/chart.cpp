#include "studies/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Real kEdge = 16;   // around everything
constexpr Real kLeft = 58;   // for a panel's tick labels and y label
constexpr Real kAbove = 32;  // for a panel's title
constexpr Real kBelow = 46;  // for tick labels and the x label
constexpr Real kGap = 14;    // right of a panel
constexpr Real kLegendLine = 20;
constexpr Real kSwatch = 26;  // of a legend entry
constexpr Real kCap = 3;      // half the width of an error bar's ends
constexpr Real kXTickPixels = 55;
constexpr Real kYTickPixels = 42;

struct Colour {
    const char* light;  // on white
    const char* dark;   // on near-black
};
constexpr std::array kPalette{Colour{"#0969da", "#58a6ff"}, Colour{"#bc4c00", "#f0883e"},
                              Colour{"#1a7f37", "#3fb950"}, Colour{"#8250df", "#bc8cff"},
                              Colour{"#cf222e", "#ff7b72"}, Colour{"#0b7285", "#39c5cf"},
                              Colour{"#9a6700", "#d29922"}, Colour{"#57606a", "#afb8c1"}};
constexpr std::array kDashes{"", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\""};
/// Circle, square, triangle, diamond and triangle upside down, around the pen: they differ without colour.
constexpr std::array kMarkers{"m-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0-6.8 0z", "m-3-3h6v6h-6z",
                              "m0-4l3.9 6.8h-7.8z", "m0-4.4l4.4 4.4l-4.4 4.4l-4.4-4.4z",
                              "m0 4l3.9-6.8h-7.8z"};

constexpr const char* kLightStyle =
    ".chart text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
    "font-size:11px;fill:#1f2328}\n"
    ".chart .title{font-size:16px;font-weight:600}.chart .panel{font-size:13px;font-weight:600}\n"
    ".chart .soft{fill:#59636e}.chart .paper{fill:#ffffff}\n"
    ".chart .line{fill:none;stroke-width:1.8;stroke-linejoin:round}.chart .error{stroke-width:1.2}\n"
    ".chart .grid{stroke:#e4e8ec}.chart .frame{stroke:#8c959f;fill:none}\n";
constexpr const char* kDarkStyle =
    ".chart text{fill:#e6edf3}.chart .soft{fill:#9198a1}.chart .paper{fill:#0d1117}\n"
    ".chart .grid{stroke:#262c36}.chart .frame{stroke:#656c76}\n";

/// Class s<i> strokes and f<i> fills with colour i, in both themes.
std::string chart_style() {
    std::string light = kLightStyle;
    std::string dark = kDarkStyle;
    for (Index i = 0; i < kPalette.size(); ++i) {
        light += fmt::format(".chart .s{0}{{stroke:{1}}}.chart .f{0}{{fill:{1}}}\n", i, kPalette[i].light);
        dark += fmt::format(".chart .s{0}{{stroke:{1}}}.chart .f{0}{{fill:{1}}}\n", i, kPalette[i].dark);
    }
    return "<style>\n" + light + "@media (prefers-color-scheme:dark){\n" + dark + "}\n</style>\n";
}

/// Escapes special characters of XML and drops forbidden ones.
std::string xml_text(std::string_view text) {
    constexpr std::string_view kSpecial = "&<>\"'";
    constexpr std::array kNames{"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    std::string safe;
    for (const char c : text) {
        const auto place = kSpecial.find(c);
        if (place != std::string_view::npos) {
            safe += kNames[place];
        } else if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') {
            safe += c;
        }
    }
    return safe;
}

std::string text_at(Real x, Real y, const char* attributes, std::string_view text) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, attributes, xml_text(text));
}

std::string marker(Index order, Real x, Real y) {
    return fmt::format("<path class=\"f{}\" d=\"M{:.2f} {:.2f}{}\"/>", order % kPalette.size(), x, y,
                       kMarkers[order % kMarkers.size()]);
}

/// A path in the colour and dashes of the series at `order`.
std::string stroke(Index order, const std::string& path) {
    const Index turn = order / kPalette.size() % kDashes.size();
    return fmt::format("<path class=\"line s{}\"{} d=\"{}\"/>\n", order % kPalette.size(), kDashes[turn],
                       path);
}

constexpr Real kMargin = 0.06;  // share of the axis that is left free at either end

Real ten_to(int exponent) {
    return std::pow(Real{10}, exponent);
}

std::vector<Tick> linear_ticks(Real low, Real high, int wanted) {
    // 1, 2 or 5 times a power of ten.
    const Real rough = (high - low) / wanted;
    const Real power = ten_to(static_cast<int>(std::floor(std::log10(rough))));
    const Real lead = rough / power;
    const Real step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
    const int decimals = std::clamp(-static_cast<int>(std::floor(std::log10(step) + 1e-9)), 0, 12);
    const bool plain = std::max(std::abs(low), std::abs(high)) < 1e6 && step >= 1e-5;
    std::vector<Tick> ticks;
    for (Real k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
        const Real at = k == 0 ? 0 : k * step;
        ticks.push_back({at, plain ? fmt::format("{:.{}f}", at, decimals) : fmt::format("{:.4g}", at)});
    }
    return ticks;
}

/// Within two decades: 1, 2 and 5 times powers of ten, or even steps. Beyond: at most `wanted` powers of ten,
/// with minor ticks between them if every decade has a tick.
std::vector<Tick> log_ticks(Real low, Real high, int wanted) {
    const bool few = high < 100 * low;
    const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
    const int stride = few ? 1 : std::max(1, (last - first + wanted) / wanted);
    std::vector<Tick> ticks;
    for (int e = first - 1; e <= last; ++e) {
        for (int k = 1; k < 10; ++k) {
            const Real at = k * ten_to(e);
            if (at < low * (1 - 1e-9) || at > high * (1 + 1e-9)) continue;
            const bool labelled = few ? k == 1 || k == 2 || k == 5 : k == 1 && (e - first) % stride == 0;
            if (labelled) ticks.push_back({at, fmt::format("{:g}", at)});
            if (!labelled && !few && stride == 1) ticks.push_back({at, ""});
        }
    }
    return few && ticks.size() < 3 ? linear_ticks(low, high, wanted) : ticks;
}

std::vector<Tick> doubling_ticks(Real low, Real high, int wanted) {
    const int first = static_cast<int>(std::ceil(std::log2(low) - 1e-9));
    const int last = static_cast<int>(std::floor(std::log2(high) + 1e-9));
    if (last <= first) return linear_ticks(low, high, wanted);
    const int most = 2 * wanted;  // their labels are short
    const int stride = std::max(1, (last - first + most) / most);
    std::vector<Tick> ticks;
    for (int e = first; e <= last; e += stride)
        ticks.push_back({std::exp2(e), fmt::format("{:g}", std::exp2(e))});
    return ticks;
}

/// The extent of the data on an axis, and its place in the panel.
class AxisMap {
  public:
    explicit AxisMap(Scale scale) : scale_(scale) {}

    /// Only positive numbers have a place on a logarithmic axis.
    bool has_place(Real value) const {
        return std::isfinite(value) && (scale_ == Scale::linear || value > 0);
    }
    void include(Real value) {
        if (!has_place(value)) return;
        low_ = std::min(low_, value);
        high_ = std::max(high_, value);
    }
    bool empty() const { return low_ > high_; }

    /// Maps the data, with a margin, to the pixels from `first` to `last`.
    void fit(Real first, Real last) {
        first_ = first;
        last_ = last;
        if (empty()) low_ = high_ = 1;
        if (scale_ == Scale::linear) {
            const bool single = high_ - low_ <= 1e-12 * std::abs(high_);
            const Real margin = single ? (high_ == 0 ? 1 : std::abs(high_) / 2) : kMargin * (high_ - low_);
            low_ -= margin;
            high_ += margin;
        } else {
            const Real margin = high_ / low_ <= 1 + 1e-12 ? 2 : std::pow(high_ / low_, kMargin);
            low_ /= margin;
            high_ *= margin;
        }
    }

    Real operator()(Real value) const {
        const auto transformed = [&](Real v) { return scale_ == Scale::linear ? v : std::log(v); };
        const Real start = transformed(low_);
        return first_ + (transformed(value) - start) / (transformed(high_) - start) * (last_ - first_);
    }
    std::vector<Tick> ticks(int wanted) const { return axis_ticks(scale_, low_, high_, wanted); }

  private:
    Scale scale_;
    Real low_ = kInfinity, high_ = -kInfinity;
    Real first_ = 0, last_ = 1;
};

struct PanelSize {
    Real width;
    Real height;
};

class PanelDrawing {
  public:
    /// `names` gives every series its order, which decides colour and marker.
    PanelDrawing(const Panel& panel, PanelSize size, const std::vector<std::string>& names)
        : panel_(panel), size_(size), names_(names), x_(panel.x.scale), y_(panel.y.scale) {
        for (Index i = 0; i < panel.categories.size(); ++i) x_.include(static_cast<Real>(i));
        for (const ChartSeries& series : panel.series) {
            for (const ChartPoint& point : series.points) {
                if (!has_place(point) && series.mark != Mark::level) continue;
                for (const Real side : {-1, 0, 1}) {
                    y_.include(point.y + side * point.y_error);
                    if (series.mark != Mark::level) x_.include(point.x + side * point.x_error);
                }
            }
        }
        empty_ = x_.empty() && y_.empty();
        x_.fit(0, size.width);
        y_.fit(size.height, 0);
    }

    std::string draw(bool y_label) {
        out_ += text_at(0, -9, "class=\"panel\"", panel_.title);
        draw_y_axis(y_label);
        draw_x_axis();
        for (const ChartSeries& series : panel_.series) draw_series(series);
        out_ += fmt::format("<rect class=\"frame\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", size_.width,
                            size_.height);
        if (empty_)
            out_ += text_at(size_.width / 2, size_.height / 2, "class=\"soft\" text-anchor=\"middle\"",
                            "no data");
        return out_;
    }

  private:
    bool has_place(const ChartPoint& point) const { return x_.has_place(point.x) && y_.has_place(point.y); }

    void draw_y_axis(bool y_label) {
        for (const Tick& tick : y_.ticks(std::max(2, static_cast<int>(size_.height / kYTickPixels)))) {
            const Real at = y_(tick.at);
            const bool minor = tick.label.empty();
            out_ += fmt::format("<path class=\"{}\" d=\"M0 {:.2f}h{:.1f}\"/>\n", minor ? "frame" : "grid", at,
                                minor ? 3 : size_.width);
            if (!minor) out_ += text_at(-6, at + 3.8, "class=\"soft\" text-anchor=\"end\"", tick.label);
        }
        if (!y_label) return;
        out_ += fmt::format(
            "<text transform=\"translate(-47 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
            size_.height / 2, xml_text(panel_.y.label));
    }

    void draw_x_axis() {
        std::vector<Tick> ticks;
        for (Index i = 0; i < panel_.categories.size(); ++i)
            ticks.push_back({static_cast<Real>(i), panel_.categories[i]});
        if (ticks.empty()) ticks = x_.ticks(std::max(2, static_cast<int>(size_.width / kXTickPixels)));
        const char* middle = "class=\"soft\" text-anchor=\"middle\"";
        for (const Tick& tick : ticks) {
            const Real at = x_(tick.at);
            const bool minor = tick.label.empty();
            out_ += fmt::format("<path class=\"{}\" d=\"M{:.2f} {:.1f}v{:.1f}\"/>\n",
                                minor ? "frame" : "grid", at, size_.height, minor ? -3 : -size_.height);
            if (!minor) out_ += text_at(at, size_.height + 15, middle, tick.label);
        }
        out_ += text_at(size_.width / 2, size_.height + 32, "text-anchor=\"middle\"", panel_.x.label);
    }

    void draw_series(const ChartSeries& series) {
        const auto order =
            static_cast<Index>(std::find(names_.begin(), names_.end(), series.name) - names_.begin());
        if (series.mark == Mark::level) {
            if (series.points.empty() || !y_.has_place(series.points.front().y)) return;
            out_ += stroke(order, fmt::format("M0 {:.2f}h{:.1f}", y_(series.points.front().y), size_.width));
            return;
        }
        if (series.mark != Mark::dots) draw_line(series, order);
        if (series.mark == Mark::curve) return;
        for (const ChartPoint& point : series.points) {
            if (has_place(point)) draw_point(series, order, point);
        }
    }

    /// Draws a line that is interrupted at missing points.
    void draw_line(const ChartSeries& series, Index order) {
        std::string path;
        bool pen_down = false;
        for (const ChartPoint& point : series.points) {
            const bool shown = has_place(point);
            if (shown) path += fmt::format("{}{:.2f} {:.2f}", pen_down ? 'L' : 'M', x_(point.x), y_(point.y));
            pen_down = shown;
        }
        if (!path.empty()) out_ += stroke(order, path);
    }

    void draw_point(const ChartSeries& series, Index order, const ChartPoint& point) {
        const Real x = x_(point.x);
        const Real y = y_(point.y);
        out_ += fmt::format("<g><title>{}: {:.5g}, {:.5g}{}</title>", xml_text(series.name), point.x, point.y,
                            point.y_error > 0 ? fmt::format(" +- {:.5g}", point.y_error) : "");
        std::string bars;
        if (point.y_error > 0) {
            bars += fmt::format(
                "M{0:.2f} {1:.2f}h{2}M{0:.2f} {3:.2f}h{2}M{4:.2f} {1:.2f}V{3:.2f}", x - kCap,
                y_(point.y + point.y_error), 2 * kCap,
                y_.has_place(point.y - point.y_error) ? y_(point.y - point.y_error) : size_.height, x);
        }
        if (point.x_error > 0) {
            bars += fmt::format("M{0:.2f} {1:.2f}v{2}M{3:.2f} {1:.2f}v{2}M{0:.2f} {4:.2f}H{3:.2f}",
                                x_.has_place(point.x - point.x_error) ? x_(point.x - point.x_error) : 0,
                                y - kCap, 2 * kCap, x_(point.x + point.x_error), y);
        }
        if (!bars.empty())
            out_ += fmt::format("<path class=\"error s{}\" d=\"{}\"/>", order % kPalette.size(), bars);
        out_ += marker(order, x, y) + "</g>\n";
    }

    const Panel& panel_;
    PanelSize size_;
    const std::vector<std::string>& names_;
    AxisMap x_;
    AxisMap y_;
    bool empty_ = false;
    std::string out_;
};

/// The approximate width of a text in pixels.
Real text_width(std::string_view text) {
    Real width = 0;
    for (const char c : text) width += std::string_view("iljt.,:;'|!() ").find(c) < 14 ? 4.6 : 7.4;
    return width;
}

/// Entries side by side, as many in a line as fit; `y` moves below the last line.
std::string draw_legend(const std::vector<ChartSeries>& entries, Real right, Real& y) {
    std::string out;
    Real x = kEdge + kLeft;
    y += kLegendLine / 2;
    for (Index i = 0; i < entries.size(); ++i) {
        const Real width = kSwatch + text_width(entries[i].name) + 16;
        if (x > kEdge + kLeft && x + width > right) {
            x = kEdge + kLeft;
            y += kLegendLine;
        }
        const Mark mark = entries[i].mark;
        if (mark != Mark::dots) out += stroke(i, fmt::format("M{:.1f} {:.1f}h22", x, y));
        if (mark == Mark::line || mark == Mark::dots) out += marker(i, x + 11, y);
        out += text_at(x + kSwatch + 2, y + 4, "style=\"font-size:12px\"", entries[i].name);
        x += width;
    }
    y += kLegendLine / 2;
    return out;
}

}  // namespace

std::vector<Tick> axis_ticks(Scale scale, Real low, Real high, int wanted) {
    switch (scale) {
        case Scale::linear:
            return linear_ticks(low, high, wanted);
        case Scale::log:
            return log_ticks(low, high, wanted);
        case Scale::log2:
            return doubling_ticks(low, high, wanted);
    }
    return {};
}

std::string to_svg(const Chart& chart) {
    const Index count = chart.panels.size();
    const Index columns = std::clamp<Index>(chart.columns, 1, std::max<Index>(count, 1));
    // Few panels may be larger.
    const PanelSize size = count == 1   ? PanelSize{600, 340}
                           : count == 2 ? PanelSize{380, 260}
                                        : PanelSize{270, 200};
    const Real cell_width = kLeft + size.width + kGap;
    const Real width = 2 * kEdge + static_cast<Real>(columns) * cell_width;
    std::vector<std::string> names;
    std::vector<ChartSeries> legend;
    for (const Panel& panel : chart.panels) {
        for (const ChartSeries& series : panel.series) {
            if (std::find(names.begin(), names.end(), series.name) != names.end()) continue;
            names.push_back(series.name);
            legend.push_back({series.name, {}, series.mark});
        }
    }

    Real y = kEdge + 14;
    std::string body = text_at(kEdge, y, "class=\"title\"", chart.title);
    if (!chart.subtitle.empty()) {
        y += 19;
        body += text_at(kEdge, y, "class=\"soft\" style=\"font-size:12px\"", chart.subtitle);
    }
    y += 12;
    for (Index i = 0; i < count; ++i) {
        const Panel& panel = chart.panels[i];
        const Index column = i % columns;
        const bool y_label = column == 0 || panel.y.label != chart.panels[i - 1].y.label;
        body += fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n{}</g>\n",
                            kEdge + kLeft + static_cast<Real>(column) * cell_width, y + kAbove,
                            PanelDrawing(panel, size, names).draw(y_label));
        if (column + 1 == columns || i + 1 == count) y += kAbove + size.height + kBelow;
    }
    // The titles describe a single series, so it needs no legend.
    if (legend.size() > 1) body += draw_legend(legend, width - kEdge, y);
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n<title>{2}</title>\n{3}"
        "<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{4}</svg>\n",
        width, y + kEdge, xml_text(chart.title), chart_style(), body);
}

}  // namespace proxstream
