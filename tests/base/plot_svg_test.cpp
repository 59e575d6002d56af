#include "knead/base/plot_svg.h"

#include <gtest/gtest.h>

#include <cmath>

namespace knead {
namespace {

size_t count(const std::string& text, const std::string& part) {
    size_t n = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
}

TEST(PlotTicks, AreRoundAndCoverTheData) {
    EXPECT_EQ(linear_ticks(0, 1), (std::vector<double>{0, 0.2, 0.4, 0.6000000000000001, 0.8, 1}));
    const auto ticks = linear_ticks(-3.1, 7.9);
    EXPECT_LE(ticks.front(), -3.1);
    EXPECT_GE(ticks.back(), 7.9);
    EXPECT_LE(ticks.size(), 9u);
    EXPECT_EQ(decade_ticks(0.02, 300), (std::vector<double>{0.01, 0.1, 1, 10, 100, 1000}));
    EXPECT_GE(linear_ticks(5, 5).size(), 2u);  // a flat curve has an axis too
}

TEST(PlotSvg, DrawsOneDotAPointAndLeavesOutWhatCannotBeShown) {
    Plot plot{"a < b", "x", "y", true, true, {}};
    plot.series.push_back({"", {1, 10, 100, -1}, {1, std::nan(""), 3, 4}, false, true, false, 0});
    const std::string svg = to_svg(plot);
    EXPECT_EQ(count(svg, "<circle"), 2u);
    EXPECT_EQ(count(svg, "nan"), 0u);
    EXPECT_EQ(count(svg, "a &lt; b"), 1u);
}

// A linear axis from 0 to 1: the middle of the data is the middle of the frame.
TEST(PlotSvg, PutsPointsWhereTheyBelong) {
    Plot plot{"", "x", "y", false, false, {}};
    plot.series.push_back({"", {0, 0.5, 1}, {0, 0.5, 1}, true, false, false, 0});
    EXPECT_NE(to_svg(plot).find("90.00,418.00 413.00,232.00 736.00,46.00"), std::string::npos);
}

TEST(PlotSvg, OfNothingIsStillAPlot) {
    EXPECT_EQ(count(to_svg(Plot{"empty", "x", "y", true, true, {}}), "</svg>"), 1u);
}

}  // namespace
}  // namespace knead
