#include "knead/sim/roll_back.h"

#include <gtest/gtest.h>

#include "sim/toy.h"

namespace knead::test {
namespace {

TEST(FrameStart, ReturnsEightTimesWithHalfTheStepEach) {
    FrameStart<float> start;
    EXPECT_FALSE(start.is_kept());
    const State<float> begun = toy_state<float>();
    start.keep(begun);
    EXPECT_TRUE(start.is_kept());
    State<float> state = begun;
    double scale = 1;
    for (int k = 0; k < FrameStart<float>::most_returns; ++k) {
        state.time = 7;
        state.phases.clear();
        ASSERT_TRUE(start.may_return(state)) << k;
        start.return_to(state);
        scale /= 2;
        EXPECT_EQ(state.dt_scale, scale);
    }
    EXPECT_FALSE(start.may_return(state));
    state.dt_scale = 1;
    EXPECT_TRUE(same(state, begun));
}

TEST(FrameStart, AFrameThatIsReadLateBecomesTheStart) {
    FrameStart<float> start;
    start.keep(toy_state<float>());
    State<float> state = toy_state<float>();
    state.frame = 3;
    State<float>& next = start.next(state);
    EXPECT_EQ(next.frame, 3);
    EXPECT_TRUE(next.phases.empty());  // they are on their way
    EXPECT_EQ(state.phases.size(), 2u);
    EXPECT_EQ(start.state().frame, 0);
    next.phases = state.phases;
    start.next_has_arrived();
    EXPECT_TRUE(same(start.state(), state));
}

TEST(FrameStart, ABrokenFrameGoesOnFromItsOwnStep) {
    FrameStart<float> start;
    State<float> state = toy_state<float>();
    state.dt_scale = 0.25;
    start.frame_ends(state);
    state.dt_scale = 0.5;  // grown back for the next one
    start.last_frame_broke(state);
    EXPECT_EQ(state.dt_scale, 0.25);
}

}  // namespace
}  // namespace knead::test
