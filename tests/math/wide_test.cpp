// Packs: lane arithmetic against plain scalars, functions against long double.
#include "knead/math/wide.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "knead/math/cube_root.h"
#include "math/matrix_cases.h"
#include "support/tolerance.h"

namespace knead {
namespace {

template <class S>
class WidePack : public testing::Test {
protected:
    using P = Pack<S>;
    static constexpr int lanes = pack_lanes<S>;
    static constexpr S infinity = std::numeric_limits<S>::infinity();
    static constexpr S nan = std::numeric_limits<S>::quiet_NaN();

    // Not inlined: a multiply-add that the compiler fuses in one copy of an argument and not in
    // another would make the truth belong to a different number.
    template <class F>
    [[gnu::noinline]] static P each_lane(const F& f) {
        P p;
        for (int l = 0; l < lanes; ++l) p.set(l, S(f(l)));
        return p;
    }
    // Error in units of the distance to the next number.
    static double ulps(S got, long double want) {
        const S near = std::fabs(S(want));
        if (std::isinf(near)) return got == S(want) ? 0 : 1e30;
        const long double unit = std::nextafter(near, infinity) - near;
        return static_cast<double>(std::fabs(got - want) / unit);
    }
    // Worst error of f over many arguments from `argument(t)`, t in [0, 1).
    template <class F, class Truth, class Argument>
    static double worst(const F& f, const Truth& truth, const Argument& argument) {
        Draw draw{17};
        double error = 0;
        for (int i = 0; i < 30000; ++i) {
            const P x = each_lane([&](int) { return argument(draw.unit()); });
            const P y = f(x);
            for (int l = 0; l < lanes; ++l)
                error = std::max(error, ulps(y[l], truth(static_cast<long double>(x[l]))));
        }
        return error;
    }
    // From a to b, evenly spread over the magnitudes.
    static auto magnitudes(long double a, long double b) {
        return [=](double t) { return std::exp(std::log(a) + t * (std::log(b) - std::log(a))); };
    }
    static auto evenly(double a, double b) {
        return [=](double t) { return a + t * (b - a); };
    }
    static constexpr long double least = std::numeric_limits<S>::denorm_min();
    static constexpr long double most = std::numeric_limits<S>::max();
};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(WidePack, Scalars);

TYPED_TEST(WidePack, LanesBehaveLikeScalars) {
    using S = TypeParam;
    Draw draw{1};
    for (int i = 0; i < 2000; ++i) {
        const auto random = [&](int) { return draw.gauss(); };
        const Pack<S> a = this->each_lane(random), b = this->each_lane(random);
        const auto less = a < b;
        bool some = false, every = true;
        for (int l = 0; l < this->lanes; ++l) {
            const S x = a[l], y = b[l];
            EXPECT_EQ((a + b)[l], x + y);
            EXPECT_EQ((a - b)[l], x - y);
            EXPECT_EQ((a * b)[l], x * y);
            EXPECT_EQ((a / b)[l], x / y);
            EXPECT_EQ((-a)[l], -x);
            EXPECT_EQ(min(a, b)[l], std::min(x, y));
            EXPECT_EQ(max(a, b)[l], std::max(x, y));
            EXPECT_EQ(abs(a)[l], std::fabs(x));
            EXPECT_EQ(floor(a)[l], std::floor(x));
            EXPECT_EQ(sqrt(abs(a))[l], std::sqrt(std::fabs(x)));
            EXPECT_EQ(copysign(a, b)[l], std::copysign(x, y));
            EXPECT_EQ(power_of_two_below(abs(a))[l], std::ldexp(S(1), std::ilogb(x)));
            EXPECT_EQ(fma(a, b, a)[l], std::fma(x, y, x));
            EXPECT_EQ(less[l], x < y);
            EXPECT_EQ(select(less, a, b)[l], x < y ? x : y);
            some = some || x < y;
            every = every && x < y;
        }
        EXPECT_EQ(any(less), some);
        EXPECT_EQ(all(less), every);
    }
}

TYPED_TEST(WidePack, AnyAndAllSeeEveryLane) {
    using S = TypeParam;
    for (int lane = 0; lane < this->lanes; ++lane) {
        const Pack<S> one = this->each_lane([&](int l) { return l == lane ? 1 : 0; });
        EXPECT_TRUE(any(one > Pack<S>(0)));
        EXPECT_FALSE(all(one > Pack<S>(0)));
        EXPECT_FALSE(all(one < Pack<S>(1)));
    }
    EXPECT_FALSE(any(Pack<S>(0) > Pack<S>(0)));
    EXPECT_TRUE(all(Pack<S>(1) > Pack<S>(0)));
}

TYPED_TEST(WidePack, PartialLoadsAndStoresTouchOnlyTheirLanes) {
    using S = TypeParam;
    for (int n = 0; n <= this->lanes; ++n) {
        S in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[8] = {};
        const Pack<S> p = Pack<S>::load_part(in, n, S(-1));
        p.store_part(out, n);
        for (int l = 0; l < this->lanes; ++l) {
            EXPECT_EQ(p[l], l < n ? in[l] : S(-1));
            EXPECT_EQ(out[l], l < n ? in[l] : S(0));
        }
    }
}

TYPED_TEST(WidePack, ExpIsRightToTheLastPlaces) {
    using S = TypeParam;
    const double limit = tolerance::function_ulp<S>();
    const auto f = [](Pack<S> x) { return exp(x); };
    const auto truth = [](long double x) { return std::exp(x); };
    const double low = sizeof(S) == 4 ? -103 : -744, high = sizeof(S) == 4 ? 88.7 : 709.7;
    EXPECT_LE(this->worst(f, truth, this->evenly(low, high)), limit);
    EXPECT_LE(this->worst(f, truth, this->evenly(-1, 1)), limit);
}

TYPED_TEST(WidePack, LogIsRightToTheLastPlaces) {
    using S = TypeParam;
    const double limit = tolerance::function_ulp<S>();
    const auto f = [](Pack<S> x) { return log(x); };
    const auto truth = [](long double x) { return std::log(x); };
    EXPECT_LE(this->worst(f, truth, this->magnitudes(this->least, this->most)), limit);
    EXPECT_LE(this->worst(f, truth, this->evenly(0.5, 2)), limit);
    EXPECT_LE(this->worst(f, truth, this->evenly(0.999, 1.001)), limit);
}

TYPED_TEST(WidePack, CbrtIsRightToTheLastPlaces) {
    using S = TypeParam;
    const double limit = tolerance::function_ulp<S>();
    const auto truth = [](long double x) { return std::cbrt(x); };
    const auto all = this->magnitudes(this->least, this->most);
    EXPECT_LE(this->worst([](Pack<S> x) { return cbrt(x); }, truth, all), limit);
    EXPECT_LE(this->worst([](Pack<S> x) { return -cbrt(-x); }, truth, all), limit);
}

TYPED_TEST(WidePack, InverseCubeRootIsRightNearOneAndFarFromIt) {
    using S = TypeParam;
    const auto truth = [](long double x) { return 1 / std::cbrt(x); };
    const auto f = [](Pack<S> x) { return inverse_cube_root(x); };
    EXPECT_LE(this->worst(f, truth, this->evenly(0.99, 1.01)), 3);
    EXPECT_LE(this->worst(f, truth, this->evenly(0.1, 3)), 3);
    EXPECT_LE(this->worst(f, truth, this->magnitudes(1e-30L, 1e30L)), 3);
}

TYPED_TEST(WidePack, PowIsRightToTheLastPlaces) {
    using S = TypeParam;
    for (const S b : {S(0.1), S(1) / 3, S(0.5), S(-0.7), S(2), S(-3), S(5)}) {
        const auto f = [=](Pack<S> x) { return pow(x, Pack<S>(b)); };
        const auto truth = [=](long double x) { return std::pow(x, static_cast<long double>(b)); };
        EXPECT_LE(this->worst(f, truth, this->magnitudes(0.01, 100)), tolerance::function_ulp<S>());
    }
}

TYPED_TEST(WidePack, PowerOfOrdinaryErrsInProportionToItsLogarithm) {
    using S = TypeParam;
    for (const S b : {S(0.3), S(2), S(-3), S(3.55)}) {
        const auto f = [=](Pack<S> x) { return power_of_ordinary(x, Pack<S>(b)); };
        const auto truth = [=](long double x) { return std::pow(x, static_cast<long double>(b)); };
        const double largest_log = static_cast<double>(std::fabs(b)) * std::log(1e6);
        EXPECT_LE(this->worst(f, truth, this->magnitudes(1e-6L, 1e6L)), 2 + 2 * largest_log);
        EXPECT_LE(this->worst(f, truth, this->evenly(0.9, 1.1)), 4);
    }
    const S least = std::numeric_limits<S>::min(), most = std::numeric_limits<S>::max();
    EXPECT_LE(power_of_ordinary(Pack<S>(S(1e-20)), Pack<S>(S(20)))[0], 4 * least);
    EXPECT_GE(power_of_ordinary(Pack<S>(S(1e20)), Pack<S>(S(20)))[0], most / 4);
}

TYPED_TEST(WidePack, FunctionsAgreeWithTheStandardOnesAtTheEdges) {
    using S = TypeParam;
    const S inf = this->infinity;
    const auto same = [](S a, S b) { return a == b || (std::isnan(a) && std::isnan(b)); };
    const S least = std::numeric_limits<S>::denorm_min(), most = std::numeric_limits<S>::max();
    for (const S x :
         {S(0), S(-0.0), S(-1), S(1), inf, -inf, this->nan, least, most, -most, S(-800)}) {
        SCOPED_TRACE(x);
        EXPECT_TRUE(same(exp(Pack<S>(x))[0], std::exp(x)) || x == 1 || x == -1);
        EXPECT_TRUE(same(log(Pack<S>(x))[0], std::log(x)) || x == least || x == most);
        EXPECT_TRUE(same(cbrt(Pack<S>(x))[0], std::cbrt(x)) || x == S(-800) || x == least ||
                    std::fabs(x) == most);
        if (x < 0) continue;
        for (const S b : {S(0), S(2), S(-1)})
            EXPECT_TRUE(same(pow(Pack<S>(x), Pack<S>(b))[0], std::pow(std::fabs(x), b)));
    }
    EXPECT_TRUE(std::isnan(pow(Pack<S>(-2), Pack<S>(2))[0]));
    EXPECT_EQ(pow(Pack<S>(10), Pack<S>(400))[0], inf);
    EXPECT_EQ(pow(Pack<S>(10), Pack<S>(-400))[0], 0);
    EXPECT_TRUE(std::isnan(pow(Pack<S>(10), Pack<S>(this->nan))[0]));
}

}  // namespace
}  // namespace knead
