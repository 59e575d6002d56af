#include "knead/parallel/vectors.h"

#include <gtest/gtest.h>

#include "knead/base/random.h"
#include "knead/math/krylov.h"

namespace knead {

namespace {

// (A x)_i = (2 + i / n) x_i - x_(i - 1) / 2 - x_(i + 1) / 2
void band(const Array<float>& x, Array<float>& y) {
    const std::size_t n = x.size();
    for_each(n, 256, [&](std::size_t i) {
        const float left = i > 0 ? x[i - 1] : 0.0f, right = i + 1 < n ? x[i + 1] : 0.0f;
        const float d = 2.0f + static_cast<float>(i) / static_cast<float>(n);
        y[i] = d * x[i] - 0.5f * (left + right);
    });
}

}  // namespace

TEST(SharedVectors, ASolveGivesTheSameBytesForAnyNumberOfThreads) {
    constexpr std::size_t n = 30000;
    const SharedVectors<float> space;
    Array<float> b(n, 0.0f);
    for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<float>(random_unit(3, i)) - 0.5f;
    std::vector<Array<float>> found;
    for (const int threads : {1, 2, 3}) {
        set_thread_count(threads);
        Array<float> x(n, 0.0f);
        ProjectedSystem system(space, band, b, x);
        EXPECT_EQ(conjugate_gradient(system, 1e-4, 100).end, SolveEnd::converged);
        found.push_back(x);
    }
    set_thread_count(0);
    EXPECT_TRUE(std::equal(found[0].begin(), found[0].end(), found[1].begin()));
    EXPECT_TRUE(std::equal(found[0].begin(), found[0].end(), found[2].begin()));
}

// 1e7 and many small numbers: a float would lose them.
TEST(SharedVectors, SumsAreInDouble) {
    const SharedVectors<float> space;
    Array<float> a(100001, 1e-3f), one(100001, 1.0f);
    a[0] = 1e7f;
    EXPECT_NEAR(space.dot(a, one), 1e7 + 100, 1e-3);
}

}  // namespace knead
