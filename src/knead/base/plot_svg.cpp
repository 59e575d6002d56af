#include "knead/base/plot_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace knead {

namespace {

constexpr double width = 760, height = 480, left = 90, right = 24, top = 46, bottom = 62;
const char* const palette[] = {"#1f5fa8", "#d1603d", "#2f8f5b", "#8a5aa8",
                               "#b08900", "#2b9bb0", "#b04a78", "#555555"};

// One axis: data to pixels.
struct Axis {
    bool logarithmic;
    double low, high;   // of the data, after rounding to ticks
    double begin, end;  // in pixels
    std::vector<double> ticks;

    double coordinate(double a) const { return logarithmic ? std::log10(a) : a; }
    double at(double a) const {
        const double share =
            (coordinate(a) - coordinate(low)) / (coordinate(high) - coordinate(low));
        return begin + share * (end - begin);
    }
};

bool shown(const Plot& plot, double x, double y) {
    return std::isfinite(x) && std::isfinite(y) && (!plot.log_x || x > 0) && (!plot.log_y || y > 0);
}

Axis make_axis(const Plot& plot, bool horizontal) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const PlotSeries& s : plot.series)
        for (size_t k = 0; k < s.x.size(); ++k)
            if (shown(plot, s.x[k], s.y[k])) {
                low = std::min(low, horizontal ? s.x[k] : s.y[k]);
                high = std::max(high, horizontal ? s.x[k] : s.y[k]);
            }
    Axis axis{horizontal ? plot.log_x : plot.log_y, low, high, left, width - right, {}};
    if (!horizontal) axis.begin = height - bottom, axis.end = top;
    if (!(low <= high)) axis.low = axis.logarithmic ? 1 : 0, axis.high = axis.logarithmic ? 10 : 1;
    axis.ticks =
        axis.logarithmic ? decade_ticks(axis.low, axis.high) : linear_ticks(axis.low, axis.high);
    axis.low = std::min(axis.low, axis.ticks.front());
    axis.high = std::max(axis.high, axis.ticks.back());
    return axis;
}

std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
        if (c == '&')
            result += "&amp;";
        else if (c == '<')
            result += "&lt;";
        else if (c == '>')
            result += "&gt;";
        else
            result += c;
    }
    return result;
}

std::string tick_text(const Axis& axis, double a) {
    if (!axis.logarithmic) return fmt::format("{:g}", std::abs(a) < 1e-12 * axis.high ? 0 : a);
    const int power = static_cast<int>(std::lround(std::log10(a)));
    if (power >= -2 && power <= 3) return fmt::format("{:g}", a);
    return fmt::format("10<tspan dy=\"-5\" font-size=\"9\">{}</tspan>", power);
}

void text(std::string& svg, double x, double y, const char* anchor, const std::string& words,
          const std::string& more = {}) {
    fmt::format_to(std::back_inserter(svg),
                   "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x, y,
                   anchor, more, words);
}

void rule(std::string& svg, double x1, double y1, double x2, double y2, const char* colour) {
    fmt::format_to(
        std::back_inserter(svg),
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, colour);
}

void draw_axes(std::string& svg, const Plot& plot, const Axis& x, const Axis& y) {
    for (const double t : x.ticks) {
        rule(svg, x.at(t), y.begin, x.at(t), y.end, "#e4e4e4");
        text(svg, x.at(t), y.begin + 18, "middle", tick_text(x, t));
    }
    for (const double t : y.ticks) {
        rule(svg, x.begin, y.at(t), x.end, y.at(t), "#e4e4e4");
        text(svg, x.begin - 8, y.at(t) + 4, "end", tick_text(y, t));
    }
    rule(svg, x.begin, y.begin, x.end, y.begin, "#333333");
    rule(svg, x.begin, y.begin, x.begin, y.end, "#333333");
    text(svg, (x.begin + x.end) / 2, height - 18, "middle", escaped(plot.x_label));
    text(svg, 0, 0, "middle", escaped(plot.y_label),
         fmt::format("transform=\"translate(22 {:.1f}) rotate(-90)\"", (y.begin + y.end) / 2));
    text(svg, (x.begin + x.end) / 2, 26, "middle", escaped(plot.title),
         "font-size=\"16\" font-weight=\"600\"");
}

const char* colour_of(const PlotSeries& s) {
    return palette[static_cast<size_t>(s.colour) % std::size(palette)];
}

void draw_series(std::string& svg, const Plot& plot, const PlotSeries& s, const Axis& x,
                 const Axis& y) {
    std::string points;
    for (size_t k = 0; k < s.x.size(); ++k)
        if (shown(plot, s.x[k], s.y[k]))
            points += fmt::format("{:.2f},{:.2f} ", x.at(s.x[k]), y.at(s.y[k]));
    if (s.line)
        svg += fmt::format(
            "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"1.8\" {}points=\"{}\"/>\n",
            colour_of(s), s.dashed ? "stroke-dasharray=\"6 4\" " : "", points);
    if (!s.dots) return;
    for (size_t k = 0; k < s.x.size(); ++k)
        if (shown(plot, s.x[k], s.y[k]))
            svg += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"3.4\" fill=\"{}\"/>\n",
                               x.at(s.x[k]), y.at(s.y[k]), colour_of(s));
}

void draw_legend(std::string& svg, const Plot& plot) {
    double y = top + 14;
    for (const PlotSeries& s : plot.series) {
        if (s.label.empty()) continue;
        const double x = left + 14;
        if (s.line)
            svg += fmt::format(
                "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" "
                "stroke-width=\"1.8\" {}/>\n",
                x, y - 4, x + 26, y - 4, colour_of(s), s.dashed ? "stroke-dasharray=\"6 4\"" : "");
        if (s.dots)
            svg += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3.4\" fill=\"{}\"/>\n", x + 13,
                               y - 4, colour_of(s));
        text(svg, x + 34, y, "start", escaped(s.label));
        y += 18;
    }
}

}  // namespace

std::vector<double> linear_ticks(double low, double high) {
    if (high <= low) {
        const double margin = low == 0 ? 1 : 0.5 * std::abs(low);
        low -= margin;
        high += margin;
    }
    const double rough = (high - low) / 6, power = std::pow(10, std::floor(std::log10(rough)));
    const double digit = rough / power;
    const double step = power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
    std::vector<double> ticks;
    const double first = std::floor(low / step + 1e-9), last = std::ceil(high / step - 1e-9);
    for (double k = first; k <= last; ++k) ticks.push_back(k * step);
    return ticks;
}

std::vector<double> decade_ticks(double low, double high) {
    const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
    int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
    if (last == first) ++last;
    const int stride = (last - first) / 9 + 1;
    std::vector<double> ticks;
    for (int k = first; k <= last; k += stride) ticks.push_back(std::pow(10, k));
    return ticks;
}

std::string to_svg(const Plot& plot) {
    const Axis x = make_axis(plot, true), y = make_axis(plot, false);
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} "
        "{1}\" "
        "font-family=\"sans-serif\" font-size=\"12\" fill=\"#222222\">\n"
        "<rect width=\"{0}\" height=\"{1}\" fill=\"white\"/>\n",
        width, height);
    draw_axes(svg, plot, x, y);
    for (const PlotSeries& s : plot.series) draw_series(svg, plot, s, x, y);
    draw_legend(svg, plot);
    return svg + "</svg>\n";
}

}  // namespace knead
