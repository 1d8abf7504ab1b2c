/// Charts as SVG text: panels side by side under one legend, with lines, error bars, bands, levels and
/// grouped bars. Self-contained: no scripts, no fonts to load, and colours that follow the reader's light or
/// dark theme.
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
    Real y_error = 0;  // half the height of the error bar or band; 0: none
    Real x_error = 0;
};

enum class Mark : std::uint8_t {
    line,   // markers with error bars, joined in the order given
    band,   // a curve with the errors as a band: for many points
    level,  // a horizontal line through the whole panel at the first point's y, its error as a band
    bar,    // x counts the panel's categories from 0
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
    std::vector<std::string> categories = {};  // of bars
};

struct Chart {
    std::string title;
    std::string subtitle;  // smaller, below
    std::vector<Panel> panels;
    Index columns = 3;  // panels in a row, at most
};

/// Points that have no place on the axis (not finite, not positive on a logarithmic one) are left out.
std::string to_svg(const Chart& chart);

}  // namespace proxstream
