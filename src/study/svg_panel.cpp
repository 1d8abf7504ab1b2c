#include "study/svg_panel.hpp"

#include "proxstream/core/spec.hpp"

#include "study/axis_map.hpp"
#include "study/svg_style.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Real kPixelsAnXTick = 55;
constexpr Real kPixelsAYTick = 42;
constexpr Real kCap = 3;         // half the width of an error bar's ends
constexpr Real kBarShare = 0.8;  // of a category's width that its bars take

bool has_bars(const Panel& panel) {
    return std::any_of(panel.series.begin(), panel.series.end(),
                       [](const ChartSeries& series) { return series.mark == Mark::bar; });
}

AxisRange x_range(const Panel& panel) {
    AxisRange range{panel.x.scale};
    if (has_bars(panel)) {
        range.include(-0.4);
        range.include(static_cast<Real>(panel.categories.size()) - 0.6);
        return range;
    }
    for (const ChartSeries& series : panel.series) {
        if (series.mark == Mark::level) continue;
        for (const ChartPoint& point : series.points) {
            if (!AxisRange{panel.y.scale}.has_place(point.y)) continue;
            for (const Real end : {-point.x_error, Real{0}, point.x_error}) range.include(point.x + end);
        }
    }
    return range;
}

AxisRange y_range(const Panel& panel) {
    AxisRange range{panel.y.scale};
    if (has_bars(panel)) range.include(0);
    for (const ChartSeries& series : panel.series) {
        for (const ChartPoint& point : series.points) {
            if (series.mark != Mark::level && !AxisRange{panel.x.scale}.has_place(point.x)) continue;
            if (!range.has_place(point.y)) continue;
            for (const Real end : {-point.y_error, Real{0}, point.y_error}) range.include(point.y + end);
        }
    }
    return range;
}

class PanelDrawing {
  public:
    PanelDrawing(const Panel& panel, const PanelBox& box, const std::vector<std::string>& names)
        : panel_(panel),
          box_(box),
          names_(names),
          x_(x_range(panel), 0, box.width),
          y_(y_range(panel), box.height, 0) {}

    std::string draw(bool y_label) {
        out_ = fmt::format("<g transform=\"translate({:.1f} {:.1f})\">\n", box_.left, box_.top);
        out_ += fmt::format("<text class=\"panel\" x=\"0\" y=\"-9\">{}</text>\n", xml_text(panel_.title));
        draw_y_axis(y_label);
        draw_x_axis();
        // The nested picture cuts off what would leave the frame.
        out_ += fmt::format("<svg width=\"{0:.1f}\" height=\"{1:.1f}\">\n", box_.width, box_.height);
        for (const ChartSeries& series : panel_.series) draw_area(series);
        for (const ChartSeries& series : panel_.series) draw_marks(series);
        out_ += fmt::format("</svg>\n<rect class=\"frame\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                            box_.width, box_.height);
        if (x_range(panel_).empty() && y_range(panel_).empty()) {
            out_ += fmt::format(
                "<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">no data</text>\n",
                box_.width / 2, box_.height / 2);
        }
        return out_ + "</g>\n";
    }

  private:
    static std::string label_of(const Tick& tick) {
        if (!tick.exponent) return xml_text(tick.label);
        return fmt::format("{}<tspan dy=\"-4\" font-size=\"8\">{}</tspan>", tick.label, *tick.exponent);
    }

    void draw_y_axis(bool y_label) {
        const int wanted = std::max(2, static_cast<int>(box_.height / kPixelsAYTick));
        for (const Tick& tick : y_.ticks(wanted)) {
            const Real at = y_(tick.at);
            if (tick.label.empty()) {
                out_ += fmt::format("<path class=\"frame\" d=\"M0 {:.2f}h3\"/>\n", at);
                continue;
            }
            out_ += fmt::format("<path class=\"grid\" d=\"M0 {0:.2f}h{1:.1f}\"/>\n", at, box_.width);
            out_ += fmt::format("<text class=\"soft\" x=\"-6\" y=\"{:.2f}\" text-anchor=\"end\">{}</text>\n",
                                at + 3.8, label_of(tick));
        }
        if (!y_label) return;
        out_ += fmt::format(
            "<text transform=\"translate(-47 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
            box_.height / 2, xml_text(panel_.y.label));
    }

    void draw_x_axis() {
        const auto write = [&](Real at, const std::string& label) {
            out_ += fmt::format(
                "<text class=\"soft\" x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", at,
                box_.height + 15, label);
        };
        for (Index i = 0; i < panel_.categories.size(); ++i) {
            write(x_(static_cast<Real>(i)), xml_text(panel_.categories[i]));
        }
        const int wanted = std::max(2, static_cast<int>(box_.width / kPixelsAnXTick));
        const std::vector<Tick> ticks = panel_.categories.empty() ? x_.ticks(wanted) : std::vector<Tick>{};
        for (const Tick& tick : ticks) {
            const Real at = x_(tick.at);
            if (tick.label.empty()) {
                out_ += fmt::format("<path class=\"frame\" d=\"M{:.2f} {:.1f}v-3\"/>\n", at, box_.height);
                continue;
            }
            out_ += fmt::format("<path class=\"grid\" d=\"M{:.2f} 0v{:.1f}\"/>\n", at, box_.height);
            write(at, label_of(tick));
        }
        out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                            box_.width / 2, box_.height + 32, xml_text(panel_.x.label));
    }

    Index order_of(const ChartSeries& series) const {
        return static_cast<Index>(std::find(names_.begin(), names_.end(), series.name) - names_.begin());
    }

    /// The pixel of a number, or the frame's edge for one below any place on a logarithmic axis.
    Real y_or_edge(Real value) const { return y_.has_place(value) ? y_(value) : box_.height; }
    Real x_or_edge(Real value) const { return x_.has_place(value) ? x_(value) : 0; }
    bool has_place(const ChartPoint& point) const { return x_.has_place(point.x) && y_.has_place(point.y); }

    void draw_area(const ChartSeries& series) {
        const std::string paint = "shade " + fill_class(order_of(series));
        if (series.mark == Mark::level && !series.points.empty()) {
            const ChartPoint& point = series.points.front();
            if (!y_.has_place(point.y) || !(point.y_error > 0)) return;
            const Real top = y_(point.y + point.y_error);
            out_ += fmt::format("<rect class=\"{}\" y=\"{:.2f}\" width=\"{:.1f}\" height=\"{:.2f}\"/>\n",
                                paint, top, box_.width, y_or_edge(point.y - point.y_error) - top);
        }
        if (series.mark != Mark::band) return;
        std::string upper;
        std::string lower;
        for (const ChartPoint& point : series.points) {
            if (!has_place(point)) continue;
            upper += fmt::format("{:.2f},{:.2f} ", x_(point.x), y_(point.y + point.y_error));
            lower = fmt::format("{:.2f},{:.2f} ", x_(point.x), y_or_edge(point.y - point.y_error)) + lower;
        }
        out_ += fmt::format("<polygon class=\"{}\" points=\"{}{}\"/>\n", paint, upper, lower);
    }

    void draw_marks(const ChartSeries& series) {
        const Index order = order_of(series);
        if (series.mark == Mark::bar) return draw_bars(series, order);
        if (series.mark == Mark::level) {
            if (series.points.empty() || !y_.has_place(series.points.front().y)) return;
            out_ += fmt::format("<path class=\"line {}\"{} d=\"M0 {:.2f}h{:.1f}\"/>\n", stroke_class(order),
                                dashes(order), y_(series.points.front().y), box_.width);
            return;
        }
        draw_line(series, order);
        if (series.mark == Mark::band) return;
        for (const ChartPoint& point : series.points) {
            if (has_place(point)) draw_point(series, order, point);
        }
    }

    /// Broken where a point is missing.
    void draw_line(const ChartSeries& series, Index order) {
        std::string path;
        bool pen_down = false;
        for (const ChartPoint& point : series.points) {
            const bool shown = has_place(point);
            if (shown) path += fmt::format("{}{:.2f} {:.2f}", pen_down ? 'L' : 'M', x_(point.x), y_(point.y));
            pen_down = shown;
        }
        if (path.empty()) return;
        out_ +=
            fmt::format("<path class=\"line {}\"{} d=\"{}\"/>\n", stroke_class(order), dashes(order), path);
    }

    void draw_point(const ChartSeries& series, Index order, const ChartPoint& point) {
        const Real x = x_(point.x);
        const Real y = y_(point.y);
        out_ += fmt::format("<g><title>{}: {}, {}{}</title>", xml_text(series.name), format_figure(point.x),
                            format_figure(point.y),
                            point.y_error > 0 ? " +- " + format_figure(point.y_error) : "");
        if (point.y_error > 0) draw_y_error(order, x, point);
        if (point.x_error > 0) {
            const Real left = x_or_edge(point.x - point.x_error);
            const Real right = x_(point.x + point.x_error);
            out_ += fmt::format(
                "<path class=\"error {0}\" d=\"M{1:.2f} {2:.2f}v{3}M{4:.2f} {2:.2f}v{3}"
                "M{1:.2f} {5:.2f}H{4:.2f}\"/>",
                stroke_class(order), left, y - kCap, 2 * kCap, right, y);
        }
        out_ += marker(order, x, y) + "</g>\n";
    }

    void draw_y_error(Index order, Real x, const ChartPoint& point) {
        const Real top = y_(point.y + point.y_error);
        const Real bottom = y_or_edge(point.y - point.y_error);
        out_ += fmt::format(
            "<path class=\"error {0}\" d=\"M{1:.2f} {2:.2f}h{3}M{1:.2f} {4:.2f}h{3}"
            "M{5:.2f} {2:.2f}V{4:.2f}\"/>",
            stroke_class(order), x - kCap, top, 2 * kCap, bottom, x);
    }

    void draw_bars(const ChartSeries& series, Index order) {
        Index bars = 0;
        Index place = 0;
        for (const ChartSeries& other : panel_.series) {
            if (&other == &series) place = bars;
            if (other.mark == Mark::bar) ++bars;
        }
        const Real width = kBarShare * (x_(1) - x_(0)) / static_cast<Real>(bars);
        const Real zero = y_.has_place(0) ? y_(0) : box_.height;
        out_ += fmt::format("<path class=\"frame\" d=\"M0 {:.2f}h{:.1f}\"/>\n", zero, box_.width);
        for (const ChartPoint& point : series.points) {
            if (!has_place(point)) continue;
            const Real left = x_(point.x) + width * (static_cast<Real>(place) - static_cast<Real>(bars) / 2);
            const Real y = y_(point.y);
            out_ += fmt::format("<g><title>{}: {}</title>", xml_text(series.name), format_figure(point.y));
            out_ += fmt::format(
                "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\"/>",
                fill_class(order), left, std::min(y, zero), std::max(width - 1, Real{1}), std::abs(zero - y));
            // In ink, not in colour: it has to show on the bar.
            if (point.y_error > 0) {
                out_ +=
                    fmt::format("<path class=\"ink\" d=\"M{:.2f} {:.2f}V{:.2f}\"/>", left + (width - 1) / 2,
                                y_(point.y + point.y_error), y_or_edge(point.y - point.y_error));
            }
            out_ += "</g>\n";
        }
    }

    static std::string format_figure(Real value) { return fmt::format("{:.5g}", value); }

    const Panel& panel_;
    PanelBox box_;
    const std::vector<std::string>& names_;
    AxisMap x_;
    AxisMap y_;
    std::string out_;
};

}  // namespace

std::string draw_panel(const Panel& panel, const PanelBox& box, const std::vector<std::string>& names,
                       bool y_label) {
    return PanelDrawing(panel, box, names).draw(y_label);
}

}  // namespace proxstream
