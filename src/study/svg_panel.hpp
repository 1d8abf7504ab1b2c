/// One panel of a chart: its axes and its marks.
#pragma once

#include "study/svg_chart.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// Where the plotting area lies, in pixels of the whole chart.
struct PanelBox {
    Real left = 0;
    Real top = 0;
    Real width = 0;
    Real height = 0;
};

/// `names` gives every series its order, which decides colour and marker. `y_label`: written left of the
/// axis.
std::string draw_panel(const Panel& panel, const PanelBox& box, const std::vector<std::string>& names,
                       bool y_label);

}  // namespace proxstream
