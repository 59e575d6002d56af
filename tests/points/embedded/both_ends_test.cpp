#include "knead/points/embedded/both_ends.h"

#include <gtest/gtest.h>

#include "knead/base/random.h"

namespace knead {

namespace {

// Rows that link to some of those around them, one in three of which link back.
Links<double> one_sided_links(std::size_t n) {
    Links<double> links;
    links.create(n);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t step : {1u, 7u, 500u, 4000u}) {
            const std::size_t j = (i + step) % n;
            links.to[links.end(i)] = static_cast<std::int32_t>(j);
            ++links.count[i];
            if (i % 3 != 0) continue;
            links.to[links.end(j)] = static_cast<std::int32_t>(i);
            ++links.count[j];
        }
    return links;
}

Lanes<double> number_of(std::size_t slot) {
    return Lanes<double>::Native{double(slot % 97), double(slot % 89), double(slot % 83), 0};
}

}  // namespace

// Whole numbers add up exactly in any order. Rows of two and a half parts, links within and
// between.
TEST(BothEnds, WhatALinkGivesToOneEndItTakesFromTheOther) {
    const Links<double> links = one_sided_links(10000);
    std::vector<Vec3d> expected(links.size(), splat(0.0));
    for (std::size_t i = 0; i < links.size(); ++i)
        for (std::size_t s = links.first(i); s < links.end(i); ++s) {
            expected[i] += to_vec(number_of(s));
            expected[static_cast<std::size_t>(links.to[s])] -= to_vec(number_of(s));
        }
    Array<Lanes<double>> sums;
    ScatterBuffer<double> buffer;
    sum_both_ends(links, buffer, sums, [&](std::size_t slot, std::size_t owner, std::size_t other) {
        EXPECT_EQ(owner, slot / Links<double>::width);
        EXPECT_EQ(static_cast<std::int32_t>(other), links.to[slot]);
        return number_of(slot);
    });
    for (std::size_t i = 0; i < links.size(); ++i)
        for (int a = 0; a < 3; ++a) ASSERT_EQ(sums[i][a], expected[i][a]) << i;
}

TEST(BothEnds, SumsAreTheSameBytesForAnyNumberOfThreads) {
    const Links<double> links = one_sided_links(10000);
    ScatterBuffer<double> buffer;  // the same for all: what it holds from before does not matter
    const auto sums_with = [&](int threads) {
        set_thread_count(threads);
        Array<Lanes<double>> sums;
        sum_both_ends(links, buffer, sums, [](std::size_t slot, std::size_t, std::size_t) {
            return Lanes<double>(random_unit(3, slot, 0));
        });
        set_thread_count(0);
        return sums;
    };
    const auto one = sums_with(1), two = sums_with(2);
    for (std::size_t i = 0; i < links.size(); ++i) ASSERT_EQ(one[i][0], two[i][0]) << i;
}

}  // namespace knead
