#include "knead/geometry/weave/read_thin.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "knead/base/error.h"
#include "knead/geometry/weave/sheet.h"

namespace knead {
namespace {

// A quad of two triangles, open, with texture coordinates.
const std::string quad =
    "v 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 0.5\n"
    "f 1/1 2/2 3/3 4/4\n";

std::string refusal(const std::string& bytes, const std::string& name, bool curves = false) {
    try {
        if (curves)
            parse_curves(bytes, name);
        else
            parse_thin_mesh(bytes, name);
    } catch (const InputError& e) {
        return e.what();
    }
    return "read without complaint";
}
void expect_refusal(const std::string& bytes, const std::string& name, const std::string& part,
                    bool curves = false) {
    const std::string message = refusal(bytes, name, curves);
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(ThinFiles, AnOpenObjKeepsItsTextureCoordinates) {
    const ThinFile file = parse_thin_mesh(quad, "cloth.obj");
    EXPECT_TRUE(file.notes.empty());
    ASSERT_EQ(file.body.triangles.size(), 2u);
    ASSERT_EQ(file.body.uv.size(), 2u);
    EXPECT_EQ(file.body.triangles[1], (std::array<int, 3>{0, 2, 3}));
    EXPECT_EQ(file.body.uv[1], (std::array<float, 6>{0, 0, 1, 1, 0, 0.5f}));
}

TEST(ThinFiles, SizeAndCentrePlaceTheBody) {
    ThinFilePlan plan;
    plan.size = 1;
    plan.center = Vec3d{5, 6, 7};
    const ThinBody body = parse_thin_mesh(quad, "cloth.obj", plan).body;
    EXPECT_EQ(body.vertices[0], (Vec3d{4.5, 5.75, 7}));
    EXPECT_EQ(body.vertices[2], (Vec3d{5.5, 6.25, 7}));
    plan = {};
    plan.scale = 0.5;
    EXPECT_EQ(parse_thin_mesh(quad, "cloth.obj", plan).body.vertices[2], (Vec3d{1, 0.5, 0}));
}

TEST(ThinFiles, PlyHasTextureCoordinatesOfVerticesOrFaces) {
    const std::string vertices =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nproperty float s\nproperty float t\nelement face 1\n"
        "property list uchar int vertex_indices\nend_header\n"
        "0 0 0 0.5 0\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2\n";
    EXPECT_EQ(parse_thin_mesh(vertices, "a.ply").body.uv.at(0),
              (std::array<float, 6>{0.5f, 0, 1, 0, 0, 1}));
    const std::string faces =
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
        "property float z\nelement face 1\nproperty list uchar int vertex_indices\n"
        "property list uchar float texcoord\nend_header\n"
        "0 0 0\n1 0 0\n0 1 0\n3 2 0 1 6 0 1 0.25 0 1 0\n";
    EXPECT_EQ(parse_thin_mesh(faces, "a.ply").body.uv.at(0),
              (std::array<float, 6>{0, 1, 0.25f, 0, 1, 0}));
}

TEST(ThinFiles, StlIsWeldedWithoutBeingAsked) {
    std::string stl = "solid\n";
    for (const char* corners :
         {"vertex 0 0 0 vertex 1 0 0 vertex 1 1 0", "vertex 0 0 0 vertex 1 1 0 vertex 0 1 0"})
        stl += fmt::format("facet normal 0 0 1 outer loop {} endloop endfacet\n", corners);
    const ThinFile file = parse_thin_mesh(stl + "endsolid\n", "a.stl");
    EXPECT_EQ(file.body.vertices.size(), 4u);
    EXPECT_EQ(file.body.triangles.size(), 2u);
    EXPECT_TRUE(file.notes.empty());
}

TEST(ThinFiles, LinesBecomeCurvesWithRootsAndTips) {
    const ThinBody body =
        parse_curves("v 0 0 0\nv 0 1 0\nv 0 2 0\nv 1 0 0\nv 1 1 0\nl 1 2 3\nl -2 5\n", "h.obj")
            .body;
    EXPECT_EQ(body.segments, (std::vector<std::array<int, 2>>{{0, 1}, {1, 2}, {3, 4}}));
    EXPECT_EQ(body.groups.at("roots"), (std::vector<int>{0, 3}));
    EXPECT_EQ(body.groups.at("tips"), (std::vector<int>{2, 4}));
}

TEST(ThinFiles, MistakesNamePlaceAndRemedy) {
    const std::string xyz = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    expect_refusal(xyz, "a.obj", "there are no faces");
    expect_refusal(xyz + "l 1 2 3\n", "a.obj", "it has lines");
    expect_refusal(xyz + "v 0 2 0\nf 1 2 3\nf 1 3 4\n", "a.obj",
                   "triangle 2 at (0, 0, 0) has no area");
    expect_refusal(xyz + "f 1 2 3\nf 2 1 3\n", "a.obj", "triangle 2 at (1, 0, 0) was there before");
    expect_refusal(xyz + "l 1 2 3 2\n", "a.obj", "segment 3 at (0, 1, 0) was there before", true);
    expect_refusal(xyz + "v 9 9 9\nf 1 2 3\n", "a.obj", "1 vertex is there that nothing uses");
    expect_refusal(xyz + "v 0 0 1\nv 0 0 -1\nf 1 2 3\nf 1 2 4\nf 1 2 5\n", "a.obj",
                   "more than two triangles meet in the edge between vertices 1 and 2");
    expect_refusal(xyz + "l 1 2\nl 3\n", "a.obj", "a.obj:5: the line has 1 point", true);
    expect_refusal(xyz + "l 1 2 9\n", "a.obj", "a.obj:4: the line names vertex 9 of 3", true);
    expect_refusal(xyz + "l 1 x\n", "a.obj", "is no line corner", true);
    expect_refusal(xyz + "f 1 2 3\n", "a.obj", "there are no lines", true);
    expect_refusal("v 1 1 1\nv 1 1 1\nv 1 2 1\nl 1 2 3\n", "a.obj", "segment 1 at (1, 1, 1)", true);
}

TEST(ThinFiles, RepairSaysWhatItDid) {
    // two triangles that meet in vertices stored twice, one without area, one vertex unused
    const std::string bytes =
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 5 5 5\n"
        "f 1 2 3\nf 4 6 5\nf 1 2 2\nf 5 6 2\n";
    ThinFilePlan plan;
    plan.repair = true;
    const ThinFile file = parse_thin_mesh(bytes, "a.obj", plan);
    EXPECT_EQ(file.body.vertices.size(), 4u);
    EXPECT_EQ(file.body.triangles, (std::vector<std::array<int, 3>>{{0, 1, 2}, {1, 3, 2}}));
    EXPECT_EQ(file.notes,
              (std::vector<std::string>{"repaired: welded 2 vertices to others at the same place",
                                        "repaired: dropped 1 element without size",
                                        "repaired: dropped 1 element that was there twice",
                                        "repaired: dropped 1 vertex that nothing uses"}));
    const ThinFile curves = parse_curves("v 0 0 0\nv 1 0 0\nv 2 0 0\nl 1 2\nl 3\n", "a.obj", plan);
    EXPECT_EQ(curves.body.vertices.size(), 2u);
    EXPECT_EQ(curves.notes.at(0), "repaired: dropped 1 curve of one point");
    // a curve without length goes whole, and leaves no root behind
    const ThinFile rest =
        parse_curves("v 0 0 0\nv 1 0 0\nv 3 0 0\nv 3 0 0\nl 1 2\nl 3 4\n", "a.obj", plan);
    EXPECT_EQ(rest.body.groups.at("roots"), (std::vector<int>{0}));
    EXPECT_EQ(rest.body.vertices.size(), 2u);
}

TEST(ThinFiles, VerticesStoredTwiceAreNoted) {
    const ThinFile file = parse_thin_mesh(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 6 5\n", "a.obj");
    ASSERT_EQ(file.notes.size(), 1u);
    EXPECT_NE(file.notes[0].find("2 vertices stand where another one does, the first at (1, 0, 0)"),
              std::string::npos)
        << file.notes[0];
}

TEST(ThinFiles, NeedlesAndSpecksAreNoted) {
    const std::string xyz = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.5 -0.001 0\n";
    const ThinFile sheet = parse_thin_mesh(xyz + "f 1 2 3\nf 1 4 2\n", "a.obj");
    ASSERT_EQ(sheet.notes.size(), 1u);
    EXPECT_NE(sheet.notes[0].find("1 triangle is less than a five-hundredth as high as long, the "
                                  "first at (0, 0, 0)"),
              std::string::npos)
        << sheet.notes[0];
    const ThinFile curve =
        parse_curves("v 0 0 0\nv 1 0 0\nv 1.001 0 0\nv 2 0 0\nl 1 2 3 4\n", "a.obj");
    ASSERT_EQ(curve.notes.size(), 1u);
    EXPECT_NE(curve.notes[0].find("1 segment has less than a five-hundredth of the mean length, "
                                  "the first at (1, 0, 0)"),
              std::string::npos)
        << curve.notes[0];
}

TEST(ThinFiles, EdgesAreWarnedOfWhereTheGridIsFinerOrMuchCoarser) {
    SheetPlan plan;
    plan.edge = 0.1;  // diagonals 0.141
    const ThinBody body = sheet(plan);
    EXPECT_TRUE(edge_warnings(body, 0.1).empty());
    ASSERT_EQ(edge_warnings(body, 0.09).size(), 1u);
    EXPECT_NE(edge_warnings(body, 0.09)[0].find("leaks"), std::string::npos);
    ASSERT_EQ(edge_warnings(body, 0.5).size(), 1u);
    EXPECT_NE(edge_warnings(body, 0.5)[0].find("wrinkles"), std::string::npos);
}

TEST(ThinFiles, SheetsHaveTextureCoordinatesFromCornerToCorner) {
    SheetPlan plan;
    plan.along = {2, 0, 0}, plan.across = {0, 0, 1}, plan.edge = 0.25;
    const ThinBody body = sheet(plan);
    ASSERT_EQ(body.uv.size(), body.triangles.size());
    for (std::size_t t = 0; t < body.uv.size(); ++t)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3d x = body.vertex(body.triangles[t][k]);
            EXPECT_NEAR(body.uv[t][2 * k], x.x / 2, 1e-6);
            EXPECT_NEAR(body.uv[t][2 * k + 1], x.z, 1e-6);
        }
}

}  // namespace
}  // namespace knead
