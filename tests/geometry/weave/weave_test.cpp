// Sheets, knits and strands: counts, lengths, welds, and rows that hold each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "knead/base/error.h"
#include "knead/geometry/weave/knit.h"
#include "knead/geometry/weave/plies.h"
#include "knead/geometry/weave/sheet.h"
#include "knead/geometry/weave/strands.h"
#include "support/tolerance.h"

namespace knead {

namespace {

const std::vector<KnitPattern> patterns{KnitPattern::stockinette, KnitPattern::rib1,
                                        KnitPattern::rib2, KnitPattern::garter, KnitPattern::seed};

double area(const ThinBody& body) {
    double sum = 0;
    for (const auto& t : body.triangles)
        sum += 0.5 * length(cross(body.at_rest(t[1]) - body.at_rest(t[0]),
                                  body.at_rest(t[2]) - body.at_rest(t[0])));
    return sum;
}

// The least distance between the yarns of two rows in the middle of a fabric, in yarn diameters.
double row_distance(KnitPattern pattern) {
    double least = 1e9;
    const int n = 300;
    std::vector<Vec3d> above;
    for (int j = 0; j < 4 * n; ++j) above.push_back(yarn_at(pattern, 3, 2 * M_PI * j / n));
    for (int i = 0; i < 4 * n; ++i)
        for (const Vec3d& x : above)
            least = std::min(least, length(x - yarn_at(pattern, 2, 2 * M_PI * i / n)));
    return least;
}

double stitch_length(KnitPattern pattern) {
    double sum = 0;
    const int n = 2000;
    for (int k = 0; k < n; ++k)
        sum += length(yarn_at(pattern, 2, 2 * M_PI * (k + 1) / n) -
                      yarn_at(pattern, 2, 2 * M_PI * k / n));
    return sum;
}

}  // namespace

TEST(Sheet, HasTwoTrianglesAQuadAndTheAreaOfItsSides) {
    SheetPlan plan;
    plan.along = {0.6, 0, 0}, plan.across = {0, 0, 0.4}, plan.edge = 0.02;
    for (const double jitter : {0.0, 0.1}) {
        plan.jitter = jitter;
        const ThinBody body = sheet(plan);
        EXPECT_EQ(body.triangles.size(), 2u * 30 * 20);
        EXPECT_EQ(body.vertices.size(), 31u * 21);
        EXPECT_NEAR(area(body), 0.24, 1e-12 * tolerance::scale());
        EXPECT_EQ(body.groups.at("border").size(), 2u * (31 + 21) - 4);
        EXPECT_EQ(body.groups.at("corners").size(), 4u);
        EXPECT_NO_THROW(check_thin_body(body, "cloth"));
    }
}

// The folds are as long as the flat sheet: edges along the rod keep their length.
TEST(Curtain, IsHungInFoldsWithoutStrain) {
    CurtainPlan plan;
    plan.width = 1.2, plan.folds = 8, plan.depth = 0.04, plan.edge = 0.01;
    const ThinBody body = curtain(plan);
    double most = 0;
    for (const auto& t : body.triangles)
        for (int k = 0; k < 3; ++k) {
            const int a = t[static_cast<std::size_t>(k)],
                      b = t[static_cast<std::size_t>((k + 1) % 3)];
            const double rest = length(body.at_rest(b) - body.at_rest(a));
            most = std::max(most, std::abs(length(body.vertex(b) - body.vertex(a)) / rest - 1));
        }
    EXPECT_LT(most, 0.02);  // chords of an arc
    EXPECT_GT(area(body), 1.2 * 1.4);
    EXPECT_EQ(body.groups.at("top"), body.groups.at("left"));
    plan.ring_every = 10;
    const std::size_t held = curtain(plan).groups.at("top").size(),
                      row = body.groups.at("top").size();
    EXPECT_NEAR(static_cast<double>(held) / static_cast<double>(row), 0.3, 0.02);
}

// A row crosses the next four times a stitch; that it lies over, under, under and over is what
// holds the loop.
TEST(Knit, RowsHoldEachOtherInEveryPattern) {
    for (const KnitPattern pattern : patterns)
        for (int row = 0; row < 4; ++row)
            for (int column = 0; column < 4; ++column) {
                const int s = stitch_sign(pattern, row + 1, column);
                EXPECT_EQ(crossing_signs(pattern, row, column), (std::vector<int>{-s, s, s, -s}))
                    << static_cast<int>(pattern) << " " << row << " " << column;
            }
}

TEST(Knit, YarnsOfNeighbouringRowsKeepTheirDistance) {
    const std::vector<double> expected{1.54, 1.48, 1.48, 1.21, 1.21};
    for (std::size_t p = 0; p < patterns.size(); ++p)
        EXPECT_NEAR(row_distance(patterns[p]), expected[p], 0.011) << p;
    EXPECT_NEAR(stitch_length(KnitPattern::stockinette), 24.7, 0.1);
    EXPECT_NEAR(stitch_length(KnitPattern::seed), 28.8, 0.1);
}

TEST(Knit, IsOnePieceWhenContinuousAndClosed) {
    KnitPlan plan;
    plan.rows = 5, plan.columns = 6, plan.samples = 48, plan.continuous = true;
    const ThinBody body = knit(plan);
    EXPECT_NO_THROW(check_thin_body(body, "swatch"));
    EXPECT_EQ(body.groups.at("heads").size(), 6u);
    EXPECT_EQ(body.groups.at("feet").size(), 7u);
    // welds: a head in the bind-off has three or four segments
    std::vector<int> degree(body.vertices.size(), 0);
    for (const auto& s : body.segments)
        for (const int v : s) ++degree[static_cast<std::size_t>(v)];
    for (const int v : body.groups.at("heads")) EXPECT_GE(degree[static_cast<std::size_t>(v)], 3);
    // the whole is connected
    std::vector<int> root(body.vertices.size());
    for (std::size_t i = 0; i < root.size(); ++i) root[i] = static_cast<int>(i);
    const auto find = [&](int i) {
        while (root[static_cast<std::size_t>(i)] != i) i = root[static_cast<std::size_t>(i)];
        return i;
    };
    for (const auto& s : body.segments) root[static_cast<std::size_t>(find(s[0]))] = find(s[1]);
    std::set<int> pieces;
    for (std::size_t i = 0; i < root.size(); ++i) pieces.insert(find(static_cast<int>(i)));
    EXPECT_EQ(pieces.size(), 1u);
    const EdgeLengths lengths = edge_lengths(body);
    EXPECT_LT(lengths.longest, 1.5 * lengths.mean);
}

TEST(Knit, InTheRoundIsOneHelixAtItsRadius) {
    KnitPlan plan;
    plan.rows = 4, plan.columns = 20, plan.closures = false;
    const double radius = natural_radius(plan);
    const ThinBody body = knit_in_the_round(plan, [&](double, double) { return radius; });
    EXPECT_EQ(body.segments.size(), 4u * 20 * 48);
    EXPECT_EQ(body.vertices.size(), body.segments.size() + 1);
    for (const Vec3d& x : body.vertices)
        EXPECT_NEAR(std::hypot(x.x, x.z), radius, 1.01 * plan.yarn);
    const EdgeLengths lengths = edge_lengths(body);
    EXPECT_LT(lengths.longest, 2 * lengths.mean);  // no jump where the rows go on
    plan.closures = true;
    EXPECT_NO_THROW(
        check_thin_body(knit_in_the_round(plan, [&](double, double) { return radius; }), "tube"));
}

TEST(Plies, WindAroundTheYarnAndStayAtItsRadius) {
    ThinBody line;
    std::vector<int> all;
    for (int i = 0; i <= 200; ++i) all.push_back(line.add({0.01 * i, 0, 0}));
    line.join(all);
    line.groups["ends"] = {0, 200};
    const ThinBody threads = with_plies(line, 3, 0.02);
    EXPECT_EQ(threads.segments.size(), 600u);
    EXPECT_EQ(threads.groups.at("ends").size(), 6u);
    for (const Vec3d& x : threads.vertices)
        EXPECT_NEAR(std::hypot(x.y, x.z), 0.02, 1e-12 * tolerance::scale());
}

TEST(Strands, HaveTheCountsTheyWereAskedFor) {
    const ThinBody hair = hair_tube({});
    EXPECT_EQ(hair.segments.size(), 2655u * 72);
    EXPECT_EQ(hair.vertices.size(), 2655u * 73);
    for (const int v : hair.groups.at("roots")) {
        const double r = std::hypot(hair.vertex(v).y, hair.vertex(v).z);
        EXPECT_GT(r, 0.0799);
        EXPECT_LT(r, 0.1201);
    }
    FibreBundlePlan plan;
    const ThinBody bundle = fibre_bundle(plan);
    EXPECT_EQ(bundle.segments.size(), 15000u);
    EXPECT_NEAR(edge_lengths(bundle).longest, 0.02, 1e-9);
    EXPECT_GT(bundle.groups.at("start").size(), 100u);
    EXPECT_EQ(pile({}).segments.size(), 8u * 5 * 25);
}

TEST(Carpet, TuftsAreWeldedToTheBacking) {
    const ThinBody body = carpet({});
    EXPECT_NO_THROW(check_thin_body(body, "carpet"));
    const std::size_t backing = 101u * 61;
    std::set<int> roots;
    for (const auto& s : body.segments)
        if (static_cast<std::size_t>(s[0]) < backing) roots.insert(s[0]);
    EXPECT_EQ(roots.size(), body.groups.at("tips").size());  // each tuft has a root of its own
    EXPECT_EQ(body.vertices.size(), backing + 16 * roots.size());
    for (const int tip : body.groups.at("tips")) EXPECT_GT(body.vertex(tip).y, 0.01);
}

TEST(ThinBody, DefectsAreNamed) {
    const ThinBody good = sheet({});
    const auto refused = [](const ThinBody& body, const std::string& word) {
        try {
            check_thin_body(body, "flag");
        } catch (const InputError& e) {
            return std::string(e.what()).find(word) != std::string::npos &&
                   std::string(e.what()).find("flag") != std::string::npos;
        }
        return false;
    };
    ThinBody body = good;
    body.triangles[5][1] = 99999;
    EXPECT_TRUE(refused(body, "triangle 6"));
    body = good;
    body.triangles[5][1] = body.triangles[5][0];
    EXPECT_TRUE(refused(body, "twice"));
    body = good;
    body.triangles.push_back(body.triangles[0]);
    body.triangles.push_back(body.triangles[0]);
    EXPECT_TRUE(refused(body, "more than two"));
    body = good;
    body.vertices[0] = body.vertices[1];
    EXPECT_TRUE(refused(body, "no area"));
    body = good;
    body.add({9, 9, 9});
    EXPECT_TRUE(refused(body, "nothing uses"));
    EXPECT_TRUE(refused(ThinBody{}, "neither"));
}

}  // namespace knead
