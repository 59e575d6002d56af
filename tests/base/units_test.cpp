#include "knead/base/units.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <string>

namespace knead {
namespace {

double in(const std::string& wanted, const std::string& text) {
    const Quantity q = read_quantity(text, wanted);
    EXPECT_EQ(q.mistake, "") << text;
    return q.value;
}

TEST(Units, DecimalPrefixesGiveTheNumberThatTheDecimalsReadAs) {
    EXPECT_EQ(in("m", "35 mm"), 0.035);
    EXPECT_EQ(in("m", "0.1cm"), 0.001);
    EXPECT_EQ(in("m", "7 um"), 7e-6);
    EXPECT_EQ(in("m", "7 \u00b5m"), 7e-6);
    EXPECT_EQ(in("m", "-1.5e2 km"), -1.5e5);
    EXPECT_EQ(in("m", ".5 m"), 0.5);
    EXPECT_EQ(in("Pa", "12 kPa"), 12000.0);
    EXPECT_EQ(in("Pa", "1.3 MPa"), 1.3e6);
    EXPECT_EQ(in("Pa", "0.07 N/mm2"), 7e4);
    EXPECT_EQ(in("Pa", "3 mbar"), 300.0);
    EXPECT_EQ(in("Pa s", "850 cP"), 0.85);
    EXPECT_EQ(in("Pa s", "1.1 mPa s"), 1.1e-3);
    EXPECT_EQ(in("kg/m3", "0.9 g/cm^3"), 900.0);
    EXPECT_EQ(in("kg/m3", "0.9 kg/l"), 900.0);
    EXPECT_EQ(in("kg", "35 g"), 0.035);
    EXPECT_EQ(in("N/m", "72 mN/m"), 0.072);
    EXPECT_EQ(in("m/s2", "981 cm/s\u00b2"), 9.81);
    EXPECT_EQ(in("s", "1.5 ms"), 0.0015);
}

// Whoever works such a number out by hand writes these decimals.
TEST(Units, OthersGiveTheDecimalsOfTheirProductToo) {
    EXPECT_EQ(in("m", "3.5 in"), 0.0889);
    EXPECT_EQ(in("m", "0.3 ft"), 0.09144);
    EXPECT_EQ(in("m", "7.3 in"), 0.18542);
    EXPECT_EQ(in("m/s", "3.7 in/s"), 0.09398);
    EXPECT_EQ(in("m/s", "0.9 km/h"), 0.25);
    EXPECT_EQ(in("kg", "0.7 lb"), 0.317514659);
    EXPECT_EQ(in("s", "0.7 min"), 42.0);
    EXPECT_EQ(in("degrees", "0.3 turns"), 108.0);
}

TEST(Units, OthersAreExactProducts) {
    EXPECT_EQ(in("s", "2 min"), 120.0);
    EXPECT_EQ(in("m/s", "36 km/h"), 10.0);
    EXPECT_EQ(in("1/s", "120 1/min"), 2.0);
    EXPECT_EQ(in("1/s", "2.5 Hz"), 2.5);
    EXPECT_DOUBLE_EQ(in("m", "1 in"), 0.0254);
    EXPECT_EQ(in("degrees", "45 deg"), 45.0);
    EXPECT_EQ(in("degrees", "45\u00b0"), 45.0);
    EXPECT_EQ(in("degrees", "0.25 turns"), 90.0);
    EXPECT_DOUBLE_EQ(in("degrees", "1 rad"), 180 / std::numbers::pi);
    EXPECT_DOUBLE_EQ(in("rad/s", "60 rpm"), 2 * std::numbers::pi);
    EXPECT_DOUBLE_EQ(in("rad/s", "90 deg/s"), std::numbers::pi / 2);
}

TEST(Units, WrongOnesAreToldWithARemedy) {
    const auto wrong = [](const std::string& text, const std::string& wanted,
                          const std::string& what) {
        const Quantity q = read_quantity(text, wanted);
        EXPECT_NE(q.mistake.find(what), std::string::npos) << text << ": " << q.mistake;
        EXPECT_FALSE(q.remedy.empty());
    };
    wrong("12 kPa", "m", "is in kPa, no measure in m");
    wrong("3 Hz", "rad/s", "no measure in rad/s");
    wrong("3 mm/s", "m", "no measure in m");
    wrong("3 furlongs", "m", "\"furlongs\" is no unit");
    wrong("mm", "m", "does not begin with a number");
    wrong("12", "m", "without a unit");
    wrong("", "m", "does not begin with a number");
    wrong("1e999 m", "m", "is no usable number");
    wrong("1e99999999999 m", "m", "is no usable number");
    wrong("3 kg/m s", "Pa s", "unclear");
    wrong("3 m^^2", "m", "no unit");
    wrong("nan m", "m", "does not begin with a number");
    wrong("1 Pa s^exponent", "Pa s^exponent", "takes no unit");
}

TEST(Units, QuantitiesAreToldFromOtherText) {
    EXPECT_TRUE(is_quantity("3 mm"));
    EXPECT_TRUE(is_quantity("1e3kPa"));
    EXPECT_FALSE(is_quantity("3"));
    EXPECT_FALSE(is_quantity("mm"));
    EXPECT_FALSE(is_quantity("3.ply"));
}

// GNU units knows the same units; h is Planck's constant there, rad a dose.
TEST(Units, AgreeWithGnuUnits) {
    if (std::system("units --version >/dev/null 2>&1") != 0)  // NOLINT(cert-env33-c)
        GTEST_SKIP() << "GNU units is not installed (Debian package units)";
    for (const auto& [given, wanted] : std::array<std::array<std::string, 2>, 22>{
             {{"mm", "m"},        {"um", "m"},          {"in", "m"},        {"ft", "m"},
              {"km", "m"},        {"min", "s"},         {"h", "s"},         {"us", "s"},
              {"g", "kg"},        {"t", "kg"},          {"lb", "kg"},       {"kN/m^2", "Pa"},
              {"mbar", "Pa"},     {"g/cm^3", "kg/m^3"}, {"kg/l", "kg/m^3"}, {"cP", "Pa s"},
              {"turn", "degree"}, {"rad", "degree"},    {"rpm", "rad/s"},   {"deg/s", "rad/s"},
              {"km/h", "m/s"},    {"mN/m", "N/m"}}}) {
        const auto renamed = [](std::string name) {
            if (name.ends_with("/h") || name == "h") name.replace(name.size() - 1, 1, "hour");
            if (name.starts_with("rad")) name.replace(0, 3, "radian");
            return name;
        };
        const std::string asked =
            "units -t -d 15 '" + renamed(given) + "' '" + renamed(wanted) + "'";
        std::FILE* pipe = popen(asked.c_str(), "r");  // NOLINT(cert-env33-c)
        ASSERT_NE(pipe, nullptr);
        double theirs = 0;
        EXPECT_EQ(std::fscanf(pipe, "%lf", &theirs), 1) << asked;  // NOLINT(cert-err34-c)
        pclose(pipe);
        const double ours = in(wanted, "1 " + given);
        EXPECT_NEAR(ours, theirs, 1e-14 * std::abs(theirs)) << asked;
    }
}

}  // namespace
}  // namespace knead
