// Flow between sticky plates: Newton's, Bingham's and Herschel and Bulkley's matter against their
// closed forms, wherever the plates lie between the nodes and however short the step.
#include <gtest/gtest.h>

#include "channel.h"
#include "support/long_run.h"

namespace knead {
namespace {

using testing::Channel;
using testing::ChannelFlow;

constexpr double width = 0.16, fastest = 0.18;  // [m], [m/s]

Material fluid_of(const char* name) {
    Material m = *find_preset("viscoplastic");
    m.name = name;
    m.elastic.bulk_modulus = 8e4;
    m.elastic.shear_modulus = 4e4;
    m.tear.threshold = 0;
    m.flow.yield_stress = 40 * std::sqrt(3.0);
    if (m.name == "Newton") {
        m = *find_preset("water");
        m.elastic.bulk_modulus = 1e5;
        m.elastic.fluid_viscosity = 30;
    } else if (m.name == "Bingham") {
        m.flow.exponent = 1;
        m.flow.viscosity = 60;  // K = 30 Pa s
    } else {
        m.flow.exponent = 0.5;
        m.flow.viscosity = 50;  // K = 30 Pa s^h
    }
    return m;
}

struct Error {
    double middle, largest;  // of the speed, over the fastest
};

Error error_of(const Material& m, int cells, int kernel, double shift, double dt_share,
               double seconds = 0.2) {
    MpmSettings settings = testing::settings_of(width / cells, kernel, Transfer::aflip);
    settings.sticky_walls = StickyWalls::surface;
    settings.tearing = false;
    const ChannelFlow flow = testing::channel_flow(m, width).with_speed(fastest);
    Channel channel(settings, m, flow, cells, shift * settings.dx);
    EXPECT_TRUE(channel.run(seconds, dt_share)) << m.name;
    const auto profile = channel.profile();
    Error error{0, 0};
    for (const auto& [y, u] : profile) {
        const double off = (u - flow.speed(y)) / fastest;
        error.largest = std::max(error.largest, std::abs(off));
        if (std::abs(y - width / 2) < settings.dx / 2) error.middle += off / 2;
    }
    return error;
}

}  // namespace

// Where the plates lie on planes of nodes and where they do not.
TEST(ChannelFlow, FollowsTheClosedFormsAtSixteenCells) {
    LONG_RUN();
    for (const char* name : {"Newton", "Bingham", "Herschel and Bulkley"})
        for (const double shift : {0.0, 0.3, 0.65}) {
            const Error e = error_of(fluid_of(name), 16, 2, shift, 1);
            EXPECT_NEAR(e.middle, 0, 0.02) << name << " " << shift;
            EXPECT_LT(e.largest, 0.05) << name << " " << shift;
        }
    EXPECT_LT(error_of(fluid_of("Bingham"), 16, 3, 0.3, 1).largest, 0.05);
}

TEST(ChannelFlow, DoesNotDependOnTheStep) {
    LONG_RUN();
    for (const char* name : {"Newton", "Bingham", "Herschel and Bulkley"}) {
        const double whole = error_of(fluid_of(name), 16, 2, 0.3, 1, 0.1).middle;
        const double tenth = error_of(fluid_of(name), 16, 2, 0.3, 0.1, 0.1).middle;
        EXPECT_NEAR(tenth, whole, 0.01) << name;
    }
}

TEST(ChannelFlow, EightCellsAreEnoughForFivePerCent) {
    LONG_RUN();
    for (const char* name : {"Newton", "Bingham", "Herschel and Bulkley"})
        EXPECT_NEAR(error_of(fluid_of(name), 8, 2, 0.3, 1).middle, 0, 0.05) << name;
}

}  // namespace knead
