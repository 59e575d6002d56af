// A plot of curves as SVG text: axes with ticks, linear or logarithmic, labels and a legend.
#pragma once

#include <string>
#include <vector>

namespace knead {

struct PlotSeries {
    std::string label;
    std::vector<double> x, y;
    bool line = true;
    bool dots = false;
    bool dashed = false;
    int colour = 0;  // index into the palette
};

struct Plot {
    std::string title, x_label, y_label;
    bool log_x = false, log_y = false;
    std::vector<PlotSeries> series;
};

// Points that are not finite, or not positive on a logarithmic axis, are left out.
std::string to_svg(const Plot& plot);

// Round numbers that divide [low, high] into a handful of parts.
std::vector<double> linear_ticks(double low, double high);
// Powers of ten that cover [low, high], 0 < low, high.
std::vector<double> decade_ticks(double low, double high);

}  // namespace knead
