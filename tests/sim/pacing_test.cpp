#include "knead/sim/pacing.h"

#include <gtest/gtest.h>

#include <limits>

#include "knead/base/error.h"
#include "sim/toy.h"

namespace knead::test {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

TEST(Pacing, AFrameThatFitsInOneStepIsOneStep) {
    for (const double limit : {0.5, 1.0, never}) {
        const Pace pace = pace_of(limit, 0.5, never);
        EXPECT_TRUE(pace.last);
        EXPECT_EQ(pace.dt, 0.5);
        EXPECT_EQ(pace.most, 1);
    }
}

TEST(Pacing, TheLastTwoStepsShareWhatIsLeft) {
    const Pace pace = pace_of(0.3, 0.5, never);
    EXPECT_FALSE(pace.last);
    EXPECT_EQ(pace.dt, 0.25);
    EXPECT_EQ(pace.most, 1);
}

// Of ten steps the last two share what is left, so that eight may follow one another.
TEST(Pacing, ManyStepsFollowOneAnother) {
    const Pace pace = pace_of(0.1, 1.05, never);
    EXPECT_FALSE(pace.last);
    EXPECT_EQ(pace.dt, 0.1);
    EXPECT_EQ(pace.most, 9);
}

TEST(Pacing, ParticlesThatEnterDoSoBetweenSteps) {
    EXPECT_EQ(pace_of(0.1, 1.05, 0.25).most, 3);
    EXPECT_EQ(pace_of(0.1, 1.05, 0.05).most, 1);
    EXPECT_EQ(pace_of(0.1, 1.05, -1).most, 9);  // overdue: they wait for room
}

TEST(Pacing, TheLeastLimitIsNamedAndMustNotBeTooSmall) {
    Model model = toy_model(2);
    ToySolver<float> solver;
    State<float> state = toy_state<float>();
    EXPECT_EQ(least_limit(model, state, solver).reason, "stiffness of toy");
    model.time.max_dt = 1e-4;
    EXPECT_EQ(least_limit(model, state, solver).dt, 1e-4);
    state.dt_scale = 0.25;
    EXPECT_EQ(least_limit(model, state, solver).dt, 0.25e-4);
    model.time.min_dt = 1e-3;
    EXPECT_THROW(least_limit(model, state, solver), RunError);
}

}  // namespace
}  // namespace knead::test
