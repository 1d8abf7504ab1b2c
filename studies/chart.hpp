/// Charts as SVG text: panels with one legend, without scripts or external fonts. The colours follow the
/// reader's light or dark theme.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxstream {

enum class Scale : std::uint8_t {
    linear,
    log,   // ticks at powers of ten
    log2,  // ticks at powers of two: lengths that double
};

struct Axis {
    std::string label;
    Scale scale = Scale::linear;
};

struct ChartPoint {
    Real x = 0;
    Real y = 0;
    Real y_error = 0;  // half the height of the error bar; 0: none
    Real x_error = 0;
};

enum class Mark : std::uint8_t {
    line,   // markers with error bars, joined in the order given
    dots,   // the same, not joined
    curve,  // a line without markers
    level,  // a horizontal line through the whole panel at the first point's y
};

/// A name has one colour and one marker in all panels of a chart.
struct ChartSeries {
    std::string name;
    std::vector<ChartPoint> points;
    Mark mark = Mark::line;
};

struct Panel {
    std::string title;
    Axis x;
    Axis y;
    std::vector<ChartSeries> series;
    std::vector<std::string> categories = {};  // names of x = 0, 1, 2, .., in place of ticks
};

struct Chart {
    std::string title;
    std::string subtitle;  // smaller, below
    std::vector<Panel> panels;
    Index columns = 3;  // panels in a row, at most
};

struct Tick {
    Real at = 0;
    std::string label;  // empty: a minor tick
};

/// The ticks in [low, high], about `wanted` of them labelled.
std::vector<Tick> axis_ticks(Scale scale, Real low, Real high, int wanted);

/// Points that have no place on the axis (not finite, or not positive on a logarithmic one) are left out.
std::string to_svg(const Chart& chart);

}  // namespace proxstream
