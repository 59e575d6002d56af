// Sort, scan and compact against the standard library, for several thread counts.
#include "knead/parallel/sort.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "knead/base/random.h"
#include "knead/parallel/compact.h"
#include "knead/parallel/exec.h"
#include "knead/parallel/scan.h"

namespace knead {
namespace {

class Parallel : public testing::TestWithParam<int> {
protected:
    void SetUp() override { set_thread_count(GetParam()); }
    void TearDown() override { set_thread_count(0); }
};
INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(1, 2, 3));

const std::size_t sizes[] = {0, 1, 2, 3, 100, 32767, 32768, 32769, 70000, 1000000};

void expect_sorted_like_standard(const std::vector<std::uint64_t>& keys) {
    std::vector<std::uint32_t> expected(keys.size());
    std::iota(expected.begin(), expected.end(), 0u);
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    std::vector<std::uint64_t> sorted = keys;
    std::vector<std::uint32_t> order = {9, 9, 9};  // what was there does not matter
    sort_by_key(sorted, order);
    ASSERT_EQ(order, expected);
    for (std::size_t i = 0; i < keys.size(); ++i) ASSERT_EQ(sorted[i], keys[order[i]]);
}

TEST_P(Parallel, SortIsStableForEverySize) {
    for (const std::size_t n : sizes) {
        std::vector<std::uint64_t> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = random_bits(1, i) >> 40;
        expect_sorted_like_standard(keys);
    }
}

TEST_P(Parallel, SortHandlesEveryWidthAndPlaceOfKeys) {
    for (const int bits : {1, 8, 9, 10, 18, 27, 31, 32, 33, 48, 64})
        for (const int shift : {0, 5, 31, 32, 40}) {
            SCOPED_TRACE(testing::Message() << bits << " bits, shifted by " << shift);
            std::vector<std::uint64_t> keys(3000);
            for (std::size_t i = 0; i < keys.size(); ++i)
                keys[i] = (random_bits(2, i) >> (64 - bits) << shift) ^ 0x123456789abcdef0ull;
            expect_sorted_like_standard(keys);
        }
}

TEST_P(Parallel, SortLeavesSortedAndEqualKeysInPlace) {
    std::vector<std::uint64_t> rising(100000), equal(100000, 42);
    std::iota(rising.begin(), rising.end(), 5u);
    expect_sorted_like_standard(rising);
    expect_sorted_like_standard(equal);
    std::reverse(rising.begin(), rising.end());
    expect_sorted_like_standard(rising);
}

TEST_P(Parallel, ScanGivesTheSumsBeforeEachValue) {
    for (const std::size_t n : sizes) {
        std::vector<std::uint32_t> values(n), expected(n);
        for (std::size_t i = 0; i < n; ++i)
            values[i] = static_cast<std::uint32_t>(random_bits(3, i) & 7);
        const std::uint32_t sum = std::accumulate(values.begin(), values.end(), 0u);
        std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0u);
        EXPECT_EQ(exclusive_scan(values), sum);
        EXPECT_EQ(values, expected);
    }
}

TEST_P(Parallel, CompactKeepsTheChosenRowsInOrder) {
    for (const std::size_t n : sizes) {
        const auto keep = [](std::size_t i) { return random_bits(4, i) % 3 == 0; };
        std::vector<std::uint32_t> expected;
        for (std::size_t i = 0; i < n; ++i)
            if (keep(i)) expected.push_back(static_cast<std::uint32_t>(i));
        EXPECT_EQ(compact(n, keep), expected);
    }
}

// Sums of numbers that round differently in every order come out the same for every thread count.
TEST(Reduce, SumsDoNotDependOnTheThreadCount) {
    const auto sum = [] {
        return reduce(
            100001, 0.0f, [](std::size_t i) { return float(random_unit(5, i)); },
            [](float a, float b) { return a + b; });
    };
    set_thread_count(1);
    const float one = sum();
    for (const int threads : {2, 3, 4}) {
        set_thread_count(threads);
        EXPECT_EQ(sum(), one);
    }
    set_thread_count(0);
    EXPECT_NEAR(one, 50000.5, 1000);
}

}  // namespace
}  // namespace knead
