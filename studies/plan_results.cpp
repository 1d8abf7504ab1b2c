/// From a plan and its results to findings and charts.
#include "studies/study.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

const std::string& line_of(const Method& method) {
    return method.line.empty() ? method.name : method.line;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<Method> methods_of(const StudyStream& stream, const std::string& line) {
    std::vector<Method> wanted;
    for (const Method& method : stream.methods)
        if (line_of(method) == line) wanted.push_back(method);
    return wanted;
}

std::vector<std::string> lines_of(const StudyStream& stream) {
    std::vector<std::string> lines;
    for (const Method& method : stream.methods)
        if (!contains(lines, line_of(method))) lines.push_back(line_of(method));
    return lines;
}

/// Infinity for a missing figure, so that charts omit it.
Real place_of(const Estimate& estimate) {
    return estimate.count > 0 ? estimate.mean : kInfinity;
}

ChartPoint point_of(const ResultTable& table, const std::string& stream, const Method& method,
                    const std::string& figure, const std::string& x_figure) {
    const Estimate y = table.at(stream, method.name, figure);
    ChartPoint point{method.x, place_of(y), y.error.value_or(0)};
    if (x_figure.empty()) return point;
    const Estimate x = table.at(stream, method.name, x_figure);
    point.x = place_of(x);
    point.x_error = x.error.value_or(0);
    return point;
}

std::vector<ChartPoint> points_of(const ResultTable& table, const StudyStream& stream,
                                  const std::string& line, const std::string& figure,
                                  const std::string& x_figure = {}) {
    std::vector<ChartPoint> points;
    for (const Method& method : methods_of(stream, line))
        points.push_back(point_of(table, stream.name, method, figure, x_figure));
    return points;
}

/// Nothing if one of the line's methods was not measured.
Estimate extreme(const ResultTable& table, const StudyStream& stream, const Expectation& wanted) {
    Estimate found;
    for (const Method& method : methods_of(stream, wanted.line)) {
        const Estimate here = table.at(stream.name, method.name, wanted.figure);
        if (here.count == 0) return {};
        const bool better = wanted.kind == Measure::largest ? here.mean > found.mean : here.mean < found.mean;
        if (found.count == 0 || better) found = here;
    }
    return found;
}

Estimate measure(const ResultTable& table, const StudyStream& stream, const Expectation& wanted) {
    if (wanted.kind == Measure::slope)
        return log_log_slope(points_of(table, stream, wanted.line, wanted.figure));
    if (wanted.kind != Measure::value) return extreme(table, stream, wanted);
    return wanted.over.empty() ? table.at(stream.name, wanted.line, wanted.figure)
                               : table.ratio(stream.name, wanted.line, wanted.over, wanted.figure);
}

std::string statement(const StudyPlan& plan, const StudyStream& stream, const Expectation& wanted) {
    const auto figure = std::find_if(plan.figures.begin(), plan.figures.end(),
                                     [&](const StudyFigure& each) { return each.key == wanted.figure; });
    const std::string& what = figure == plan.figures.end() ? wanted.figure : figure->heading;
    const std::string where = fmt::format("{}, {}: ", stream.name, wanted.line);
    switch (wanted.kind) {
        case Measure::slope:
            return fmt::format("{}slope of {} against {}, log-log", where, what, stream.x.label);
        case Measure::largest:
            return where + "largest " + what;
        case Measure::smallest:
            return where + "smallest " + what;
        case Measure::value:
            break;
    }
    return where + what + (wanted.over.empty() ? "" : " over that of " + wanted.over);
}

std::string range_text(Real low, Real high) {
    if (low == high) return fmt::format("{:.6g}", low);
    if (low == -kInfinity) return fmt::format("at most {:.6g}", high);
    if (high == kInfinity) return fmt::format("at least {:.6g}", low);
    return fmt::format("from {:.6g} to {:.6g}", low, high);
}

class ChartDrawing {
  public:
    ChartDrawing(const ChartPlan& plan, const StudyPlan& study, const ResultTable& table)
        : plan_(plan), table_(table), chart_{plan.title, study.subtitle, {}} {
        for (const StudyStream& stream : study.streams)
            if (plan.streams.empty() || contains(plan.streams, stream.name)) streams_.push_back(&stream);
    }

    Chart draw() {
        if (plan_.panels == ChartPlan::Panels::one) {
            draw_one();
            return chart_;
        }
        for (const StudyStream* stream : streams_) {
            if (plan_.panels == ChartPlan::Panels::streams) add_panel(stream->name, *stream);
            for (const std::string& line : lines_of(*stream)) {
                if (!plan_.lines.empty() && !contains(plan_.lines, line)) continue;
                const bool own = plan_.panels == ChartPlan::Panels::lines;
                if (own && methods_of(*stream, line).size() < 2) continue;
                if (own) add_panel(line, *stream);
                for (const ChartFigure& figure : plan_.figures) add_series(*stream, line, figure, own);
            }
        }
        return chart_;
    }

  private:
    void add_panel(const std::string& title, const StudyStream& stream) {
        chart_.panels.push_back({title, plan_.x_figure.empty() ? stream.x : plan_.x, plan_.y, {}});
    }

    void add_series(const StudyStream& stream, const std::string& line, const ChartFigure& figure,
                    bool own_panel) {
        ChartSeries series{own_panel ? figure.name : line + figure.name,
                           points_of(table_, stream, line, figure.key, plan_.x_figure)};
        const auto measured = [](const ChartPoint& point) { return std::isfinite(point.y); };
        if (std::none_of(series.points.begin(), series.points.end(), measured)) return;
        const bool level = series.points.size() == 1 && std::isnan(series.points.front().x);
        series.mark = level ? Mark::level : figure.curve ? Mark::curve : Mark::line;
        chart_.panels.back().series.push_back(std::move(series));
    }

    /// Points at the same place are drawn side by side.
    void draw_one() {
        Panel& panel = chart_.panels.emplace_back();
        panel.y = plan_.y;
        const std::vector<std::string> lines =
            plan_.lines.empty() ? lines_of(*streams_.front()) : plan_.lines;
        const Real apart = 0.6 / static_cast<Real>(std::max<Index>(lines.size(), 2) - 1);
        for (const StudyStream* stream : streams_) panel.categories.push_back(stream->name);
        for (Index i = 0; i < lines.size(); ++i) {
            ChartSeries& series = panel.series.emplace_back(ChartSeries{lines[i], {}, Mark::dots});
            for (Index k = 0; k < streams_.size(); ++k) {
                for (ChartPoint point :
                     points_of(table_, *streams_[k], lines[i], plan_.figures.front().key)) {
                    point.x = static_cast<Real>(k) - 0.3 + apart * static_cast<Real>(i);
                    series.points.push_back(point);
                }
            }
        }
    }

    const ChartPlan& plan_;
    const ResultTable& table_;
    std::vector<const StudyStream*> streams_;
    Chart chart_;
};

}  // namespace

Method fixed_window(Index window, const std::string& line) {
    return {fmt::format("window {}", window), fmt::format("time-smoothed:window={}", window), line};
}

Estimate log_log_slope(std::span<const ChartPoint> points) {
    const auto has_logarithm = [](Real value) { return std::isfinite(value) && value > 0; };
    Real count = 0, mean_x = 0, mean_y = 0;
    for (const ChartPoint& p : points) {
        if (!has_logarithm(p.x) || !has_logarithm(p.y)) return {};
        ++count;
        mean_x += (std::log(p.x) - mean_x) / count;
        mean_y += (std::log(p.y) - mean_y) / count;
    }
    Real xx = 0, xy = 0;
    for (const ChartPoint& p : points) {
        const Real x = std::log(p.x) - mean_x;
        xx += x * x;
        xy += x * (std::log(p.y) - mean_y);
    }
    const bool same_x = std::all_of(points.begin(), points.end(),
                                    [&](const ChartPoint& p) { return p.x == points.front().x; });
    if (same_x) return {};
    Estimate slope{points.size(), xy / xx, {}};
    if (points.size() < 3) return slope;
    Real squares = 0;
    for (const ChartPoint& p : points) {
        const Real off = std::log(p.y) - mean_y - slope.mean * (std::log(p.x) - mean_x);
        squares += off * off;
    }
    slope.error = std::sqrt(squares / (count - 2) / xx);
    return slope;
}

bool Finding::holds() const {
    return measured.count > 0 && measured.mean >= low && measured.mean <= high;
}

std::string to_text(const Finding& finding) {
    return fmt::format(
        "{}: {}: {}, expected {}{}", finding.holds() ? "holds" : "DOES NOT HOLD", finding.statement,
        finding.measured.count == 0 ? "not measured" : to_text(finding.measured),
        range_text(finding.low, finding.high), finding.paper.empty() ? "" : "; the paper: " + finding.paper);
}

std::vector<Finding> find(const StudyPlan& plan, const ResultTable& table) {
    std::vector<Finding> found;
    for (const Expectation& wanted : plan.expectations) {
        const auto stream = std::find_if(plan.streams.begin(), plan.streams.end(),
                                         [&](const StudyStream& each) { return each.name == wanted.stream; });
        found.push_back({statement(plan, *stream, wanted), measure(table, *stream, wanted), wanted.low,
                         wanted.high, wanted.paper});
    }
    return found;
}

std::vector<NamedChart> draw(const StudyPlan& plan, const ResultTable& table) {
    std::vector<NamedChart> charts;
    for (const ChartPlan& each : plan.charts)
        charts.push_back({each.file, ChartDrawing(each, plan, table).draw()});
    return charts;
}

}  // namespace proxstream
