// Which cards are taken, what is said of others, and that all of them come to the same numbers.
#include "needs_gpu.h"
#include "whole_runs.h"

namespace knead {

TEST(GpuCard, EveryCardSinceTuringGivesTheSameBytes) {
    NEEDS_GPU();
    if (!gpu_is_emulated()) GTEST_SKIP() << "a real GPU is the one it is";
    const std::vector<std::string> short_run{"time.frames=1"};
    WholeRun newest;
    newest.start(solids, Backend::cuda, short_run);
    for (const char* capability : {"7.5", "8.0", "8.6", "8.9", "10.0", "12.0"}) {
        const Environment card("KNEAD_EMULATED_CAPABILITY", capability);
        ASSERT_EQ(why_no_gpu(), "");
        WholeRun run;
        run.start(solids, Backend::cuda, short_run);
        SCOPED_TRACE(capability);
        expect_same_bytes(newest, run, 1);
    }
}

TEST(GpuCard, ItIsSaidWhatACardLacks) {
    NEEDS_GPU();
    if (!gpu_is_emulated()) GTEST_SKIP() << "a real GPU is the one it is";
    EXPECT_EQ(what_gpu_lacks(), "");
    const Environment card("KNEAD_EMULATED_CAPABILITY", "7.5");
    EXPECT_NE(what_gpu_lacks().find("no overlapping launches"), std::string::npos);
    EXPECT_NE(what_gpu_lacks().find("no barriers in shared memory"), std::string::npos);
    EXPECT_NE(describe_gpu().find("compute capability 7.5"), std::string::npos);
}

TEST(GpuCard, OldCardsAndDriversGetOneClearMessage) {
    NEEDS_GPU();
    if (!gpu_is_emulated()) GTEST_SKIP() << "a real GPU is the one it is";
    {
        const Environment card("KNEAD_EMULATED_CAPABILITY", "6.1");
        EXPECT_EQ(why_no_gpu(),
                  "emulated device has compute capability 6.1, and 7.5 (Turing) or newer is "
                  "needed");
    }
    {
        const Environment card("KNEAD_EMULATED_DRIVER", "12.2");
        EXPECT_EQ(why_no_gpu(),
                  "the NVIDIA driver knows CUDA 12.2, and this knead needs CUDA 13.0: install a "
                  "newer driver");
    }
    const Environment card("KNEAD_EMULATED_CAPABILITY", "0");
    EXPECT_EQ(why_no_gpu(), "no NVIDIA GPU was found");
}

}  // namespace knead
