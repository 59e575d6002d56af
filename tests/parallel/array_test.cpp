#include "knead/parallel/array.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using knead::Array;

TEST(Array, BeginsOnALineOfTheCacheAndWhereItIsLargeOnALargePage) {
    for (const std::size_t n : {std::size_t(1), std::size_t(1000), std::size_t(3) << 20}) {
        const Array<float> numbers(n, 1.5f);
        const auto at = reinterpret_cast<std::uintptr_t>(numbers.data());
        EXPECT_EQ(at % 64, 0u) << n;
        if (n * sizeof(float) > (std::size_t(4) << 20)) {
            EXPECT_EQ(at % (1 << 21), 0u) << n;
        }
        EXPECT_EQ(numbers.front() + numbers.back(), 3.f) << n;
    }
}

TEST(Array, KeepsItsNumbersWhenItGrowsFromSmallToLarge) {
    Array<int> numbers;
    for (int i = 0; i < 2'000'000; ++i) numbers.push_back(i);
    for (int i = 0; i < 2'000'000; i += 999) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], i);
}

}  // namespace
