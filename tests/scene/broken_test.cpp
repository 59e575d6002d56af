// Every way to break a scene that tests/system/broken lists, and some more: each must be named with
// its file, line and key, and none may crash.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "knead/geometry/mesh_to_sdf.h"
#include "knead/scene/build_model.h"
#include "knead/scene/read_scene.h"

namespace knead {

namespace {

const std::string folder = std::string(KNEAD_TESTS) + "/system/broken/";

std::string contents(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

struct Defect {
    std::string find, replace, word;
    int offset = 0;  // lines from the change to the mistake
    bool any_line = false;
};

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> fields;
    std::size_t begin = 0;
    for (std::size_t at; (at = line.find(" >> ", begin)) != std::string::npos; begin = at + 4)
        fields.push_back(line.substr(begin, at - begin));
    fields.push_back(line.substr(begin));
    return fields;
}

std::vector<Defect> defects() {
    std::vector<Defect> all;
    std::istringstream text(contents(folder + "defects.txt"));
    for (std::string line; std::getline(text, line);) {
        if (line.empty() || line[0] == '#') continue;
        std::vector<std::string> f = split(line);
        Defect d;
        if (f.size() == 4) {
            d.any_line = f[0] == "any";
            d.offset = d.any_line ? 0 : std::stoi(f[0]);
            f.erase(f.begin());
        }
        EXPECT_EQ(f.size(), 3u) << line;
        d.find = f[0], d.replace = f[1], d.word = f[2];
        for (std::size_t at; (at = d.replace.find("\\n")) != std::string::npos;)
            d.replace.replace(at, 2, "\n");
        all.push_back(d);
    }
    return all;
}

bool is_named(const std::vector<Mistake>& mistakes, const std::string& file, int line,
              const Defect& d) {
    for (const Mistake& m : mistakes) {
        const bool there = m.place.file == file && (d.any_line || m.place.line == line + d.offset);
        const bool said = (m.what + " " + m.remedy).find(d.word) != std::string::npos;
        if (there && said && m.place.column > 0 && !m.remedy.empty()) return true;
    }
    return false;
}

}  // namespace

TEST(Broken, TheGoodSceneHasNoMistakes) {
    const Reading reading = try_read_scene(folder + "good.toml");
    for (const Mistake& m : reading.mistakes) ADD_FAILURE() << to_string(m);
    for (const Mistake& m : reading.scene.warnings) ADD_FAILURE() << to_string(m);
}

TEST(Broken, EveryDefectIsNamedWithItsLineAndKey) {
    const std::string good = contents(folder + "good.toml");
    const std::vector<Defect> all = defects();
    EXPECT_GE(all.size(), 200u);
    for (const Defect& d : all) {
        const std::size_t at = good.find(d.find);
        ASSERT_NE(at, std::string::npos) << d.find;
        std::string broken = good;
        broken.replace(at, d.find.size(), d.replace);
        const auto line = 1 + std::count(good.begin(), good.begin() + static_cast<long>(at), '\n');
        const Reading reading = try_read_scene_text(broken, "scene.toml");
        std::string said;
        for (const Mistake& m : reading.mistakes) said += to_string(m) + "\n";
        EXPECT_TRUE(is_named(reading.mistakes, "scene.toml", static_cast<int>(line), d))
            << d.find << " >> " << d.replace << " >> " << d.word << " at line " << line << "\n"
            << said;
    }
}

// One slip must not raise a storm: the reader says what is wrong, not what follows from it.
TEST(Broken, OneDefectGivesFewMistakes) {
    const std::string good = contents(folder + "good.toml");
    for (const Defect& d : defects()) {
        std::string broken = good;
        broken.replace(good.find(d.find), d.find.size(), d.replace);
        const Reading reading = try_read_scene_text(broken, "scene.toml");
        std::string said;
        for (const Mistake& m : reading.mistakes) said += to_string(m) + "\n";
        EXPECT_LE(reading.mistakes.size(), 5u) << d.find << " >> " << d.replace << "\n" << said;
    }
}

TEST(Broken, SeveralDefectsAreAllNamedAtOnce) {
    std::string text = contents(folder + "good.toml");
    const std::vector<std::pair<std::string, std::string>> edits = {
        {"seed = 12", "sead = 12"},
        {"dx = 0.05", "dx = -1"},
        {"frames = 48", "frames = 48\nframes = 49"},
        {"density = 1050", "density = \"much\""},
        {"\"herschel-bulkley\"", "\"herschel\""},
        {"radius = 0.25", "raduis = 0.25"},
        {"frequency = 2", "frequency = nan"},
        {"width = 960", "width = 1 2"},
    };
    for (const auto& [from, to] : edits) text.replace(text.find(from), from.size(), to);
    const Reading reading = try_read_scene_text(text, "scene.toml");
    EXPECT_EQ(reading.mistakes.size(), edits.size());
    for (std::size_t i = 1; i < reading.mistakes.size(); ++i)
        EXPECT_LT(reading.mistakes[i - 1].place.line, reading.mistakes[i].place.line);
}

TEST(Broken, TextThatIsNoSceneIsRefusedWithAPlace) {
    std::string deep, keys = "a", arrays = "x = ", quoted = "\"=\"", header = "[";
    for (int i = 0; i < 100000; ++i) keys += ".a", quoted += ".\"=\"";
    for (int i = 0; i < 20000; ++i) arrays += '[', deep += "{union = [", header += "a.";
    const std::string shape = "[[bodies]]\nmaterial = \"clay\"\nshape = ";
    const std::vector<std::string> texts = {
        "",
        " \n\n",
        "# only words\n",
        std::string(1000, '\0'),
        std::string("\xff\xfe\x00\x01 garbage", 12),
        "title = \"\xc3\x28\"",
        "\x89PNG\r\n\x1a\n",
        std::string("\x7f") + "ELF",
        "{\"json\": true}",
        "<xml/>",
        keys + " = 1",
        quoted + " = 1",
        header + "a]",
        arrays,
        shape + deep,
        "[quality.a]\n\"" + keys + "\" = 1\n",
        "[[bodies]]",
        "bodies = []",
        "bodies = 3",
        "solver = []",
        "[solver]\n[solver]\n",
        "title = 1\ntitle = 2\ntitle = 3\n",
        std::string(17 << 20, '#'),
    };
    for (const std::string& text : texts) {
        const Reading reading = try_read_scene_text(text, "odd.toml");
        ASSERT_FALSE(reading.mistakes.empty()) << text.substr(0, 40);
        for (const Mistake& m : reading.mistakes) EXPECT_EQ(m.place.file, "odd.toml");
        EXPECT_THROW(read_scene_text(text, "odd.toml"), InputError);
    }
}

TEST(Broken, ShapesNestedTooDeeplyAreRefused) {
    std::string shape = "[[bodies]]\nmaterial = \"clay\"\nshape";
    for (int i = 0; i < 8; ++i) shape += ".shell.of";
    std::string text = "[solver]\ndx = 0.1\n" + shape + " = ";
    for (int i = 0; i < 20; ++i) text += "{shell = {thickness = 0.1, of = ";
    text += "{sphere = {radius = 1}}";
    for (int i = 0; i < 20; ++i) text += "}}";
    const Reading reading = try_read_scene_text(text, "deep.toml");
    bool named = false;
    for (const Mistake& m : reading.mistakes)
        named |= to_string(m).find("nested") != std::string::npos;
    EXPECT_TRUE(named);
}

TEST(Broken, FilesThatAreNoneAreNamed) {
    for (const std::string path : {"/no/such/scene.toml", "/tmp", "", "/dev/null"}) {
        const Reading reading = try_read_scene(path);
        ASSERT_FALSE(reading.mistakes.empty()) << path;
        EXPECT_EQ(reading.mistakes[0].place.file, path);
    }
}

TEST(Broken, BadOverridesAreNamedAsTyped) {
    const std::string good = contents(folder + "good.toml");
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"solver.dx", "KEY=VALUE"},
        {"=3", "KEY=VALUE"},
        {"solver.dx=", "not TOML"},
        {"solver.dx=1 2", "not TOML"},
        {"solver.dx=-1", "above 0"},
        {"solver.dxx=1", "dx"},
        {"solver.dx.x=1", "nothing below"},
        {"bodies.7.velocity=[0,0,0]", "no item 7"},
        {"bodies.bell.velocity=[0,0,0]", "ball"},
        {"bodies.ball.velocity=[0,0]", "3 numbers"},
        {"bodies.ball.material=jely", "jelly"},
        {"quality=prewiew", "preview"},
        {"quality=", "quality"},
        {"nonsense.a.b=1", "nonsense"},
        {"solver={dx=1,dxx=2}", "dx"},
        {"title=\"a", "not TOML"},
        {"x=1\ny=2", "not TOML"},
    };
    for (const auto& [setting, word] : cases) {
        const Reading reading = try_read_scene_text(good, "scene.toml", {setting});
        ASSERT_FALSE(reading.mistakes.empty()) << setting;
        bool named = false;
        for (const Mistake& m : reading.mistakes)
            named |=
                m.place.file == "--set " + setting && to_string(m).find(word) != std::string::npos;
        EXPECT_TRUE(named) << setting << "\n" << to_string(reading.mistakes[0]);
    }
}

TEST(Broken, CopiesThatTheEmbeddedMethodCannotTakeAreNamed) {
    const std::string text =
        "[solver]\nmethod = \"embedded\"\ndx = 0.1\n"
        "[materials.m]\nelastic.law = \"hencky\"\nelastic.young_modulus = 1e5\n"
        "elastic.poisson_ratio = 0.3\n"
        "[[bodies]]\nmaterial = \"m\"\nshape = {sphere = {radius = 0.3}}\n"
        "emit = {interval = 0.5, count = 4}\n";
    const Reading reading = try_read_scene_text(text, "scene.toml", {});
    ASSERT_EQ(reading.mistakes.size(), 1u);
    EXPECT_EQ(reading.mistakes[0].place.file, "scene.toml");
    EXPECT_EQ(reading.mistakes[0].place.line, 11);
    EXPECT_TRUE(try_read_scene_text(text, "scene.toml", {"solver.method=mpm"}).mistakes.empty());
}

TEST(Broken, EveryBrokenMeshIsNamed) {
    int count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder + "meshes")) {
        const std::string mesh = entry.path().string();
        const std::string text =
            "[solver]\ndx = 0.1\n[[bodies]]\nmaterial = \"clay\"\nshape = {mesh = {file = \"" +
            mesh + "\"}}\n";
        try {
            build_model<float>(read_scene_text(text, "scene.toml"));
            ADD_FAILURE() << mesh << " was taken";
        } catch (const InputError& e) {
            EXPECT_NE(std::string(e.what()).find(mesh), std::string::npos) << e.what();
            EXPECT_NE(std::string(e.what()).find("scene.toml:5"), std::string::npos) << e.what();
        }
        ++count;
    }
    EXPECT_GE(count, 40);
}

}  // namespace knead
