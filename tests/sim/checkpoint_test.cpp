#include "knead/sim/checkpoint.h"

#include <gtest/gtest.h>

#include <random>

#include "knead/base/error.h"
#include "knead/sim/checkpoint_header.h"
#include "sim/toy.h"

namespace knead::test {
namespace {

// Every column of the list present, every number different.
template <class Real>
State<Real> full_state() {
    State<Real> state = toy_state<Real>();
    state.time = 1.0 / 3;
    state.step = 1234567890123;
    state.frame = 17;
    state.frame_start = 0.3;
    state.frame_start_step = 42;
    state.dt_scale = 0.125;
    state.memory = {0.75, 3.5, 0.01, 5, 0.02, 6};
    state.totals = {{"plastic_work", 0.1}, {"removed", 3}};
    state.emitted = {4, 0, 7};
    state.streams = {{0.5, -1}, {0.75, 0.25}};
    state.sinks = {0.125};
    state.rigid.resize(2);
    state.rigid[1] = {{{1, 2, 3}, {4, 5, 6, 7, 8, 9, 10, 11, 12}}, {{13, 14, 15}, {16, 17, 18}}};
    double next = 1;
    for (auto& phase : state.phases) {
        const std::size_t n = phase.particles.size();
        phase.particles.for_each_column([&](const ColumnInfo&, auto& column) {
            using C = std::decay_t<decltype(column)>;
            if (!column.present()) column.create(n);
            for (int k = 0; k < C::planes; ++k)
                for (std::size_t i = 0; i < n; ++i)
                    column.at(i, k) = static_cast<typename C::Scalar>(next += 1.0 / 7);
        });
        phase.links.resize(n);
        Links<Real>::for_each_column(phase.links, [&](const char*, auto& array) {
            for (auto& value : array) value = static_cast<std::decay_t<decltype(value)>>(++next);
        });
    }
    return state;
}

template <class Real>
void expect_round_trip(const State<Real>& state, const State<Real>* frame_start) {
    const TemporaryFolder folder;
    save_checkpoint(folder / "c.h5", state, frame_start, 99);
    const Checkpoint<Real> back = load_checkpoint<Real>(folder / "c.h5", 99);
    EXPECT_TRUE(same(state, back.state));
    ASSERT_EQ(back.frame_start.has_value(), frame_start != nullptr);
    if (frame_start) {
        EXPECT_TRUE(same(*frame_start, *back.frame_start));
    }
}

TEST(Checkpoint, EveryColumnAndNumberComesBackInFloat) {
    expect_round_trip<float>(full_state<float>(), nullptr);
}

TEST(Checkpoint, EveryColumnAndNumberComesBackInDouble) {
    expect_round_trip<double>(full_state<double>(), nullptr);
}

TEST(Checkpoint, ColumnsThatAreAbsentStayAbsent) {
    expect_round_trip<float>(toy_state<float>(), nullptr);
}

TEST(Checkpoint, AStateWithoutParticlesComesBack) {
    State<float> state;
    state.phases.resize(2);
    state.phases[0].particles.id.create(0);
    state.phases[1].particles.id.create(0);
    expect_round_trip<float>(state, nullptr);
    expect_round_trip<float>(State<float>(), nullptr);
}

TEST(Checkpoint, AFrameInProgressComesBackWithItsStart) {
    const State<float> start = toy_state<float>();
    const State<float> now = full_state<float>();
    expect_round_trip<float>(now, &start);
}

// A triangle: three vertices in the first phase, one element in the second.
State<float> triangle_state() {
    State<float> state;
    state.phases.resize(2);
    Phase<float>&vertices = state.phases[0], &sheet = state.phases[1];
    vertices.kind = PhaseKind::vertices;
    vertices.particles.id.create(3);
    for (std::size_t i = 0; i < 3; ++i) vertices.particles.id.at(i) = 40 - static_cast<int>(i);
    sheet.kind = PhaseKind::elements;
    sheet.particles.id.create(1, 50);
    sheet.elements.create(3, 1);
    for (int c = 0; c < 3; ++c) sheet.elements.vertex[c][0] = 38 + c;
    for (int k = 0; k < 3; ++k) sheet.elements.inverse_rest[k][0] = 0.3f * static_cast<float>(k);
    return state;
}

TEST(Checkpoint, ElementsComeBackWithTheirVertices) {
    expect_round_trip<float>(triangle_state(), nullptr);
}

TEST(Checkpoint, ElementsWithoutTheirVerticesAreRefused) {
    const TemporaryFolder folder;
    State<float> state = triangle_state();
    state.phases[1].elements.vertex[2][0] = 41;
    save_checkpoint<float>(folder / "c.h5", state, nullptr, 99);
    EXPECT_THROW(load_checkpoint<float>(folder / "c.h5", 99), InputError);
}

TEST(Checkpoint, TheFirstPageSaysWhatIsInIt) {
    const TemporaryFolder folder;
    const State<double> state = full_state<double>();
    save_checkpoint<double>(folder / "c.h5", state, nullptr, 99);
    const CheckpointHeader header = verify_checkpoint(folder / "c.h5");
    EXPECT_EQ(header.frame, 17);
    EXPECT_EQ(header.time, 1.0 / 3);
    EXPECT_EQ(header.step, 1234567890123);
    EXPECT_EQ(header.particles, 300u);
    EXPECT_EQ(header.precision, "double");
    EXPECT_EQ(header.model_hash, 99u);
}

TEST(Checkpoint, AnotherSceneOrPrecisionIsRefused) {
    const TemporaryFolder folder;
    save_checkpoint<float>(folder / "c.h5", toy_state<float>(), nullptr, 99);
    EXPECT_THROW(load_checkpoint<float>(folder / "c.h5", 98), InputError);
    EXPECT_THROW(load_checkpoint<double>(folder / "c.h5", 99), InputError);
    EXPECT_NO_THROW(load_checkpoint<float>(folder / "c.h5", 99));
}

TEST(Checkpoint, AFlippedBitAnywhereIsFound) {
    const TemporaryFolder folder;
    save_checkpoint<float>(folder / "c.h5", toy_state<float>(), nullptr, 99);
    const std::string whole = bytes_of(folder / "c.h5");
    std::mt19937 random(1);
    // All of the first page and its surroundings, then a sample of the rest.
    std::vector<std::size_t> bits;
    for (std::size_t bit = 0; bit < 8 * 700; bit += 3) bits.push_back(bit);
    for (int i = 0; i < 300; ++i) bits.push_back(random() % (8 * whole.size()));
    for (const std::size_t bit : bits) {
        std::string damaged = whole;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
        std::ofstream(folder / "d.h5", std::ios::binary) << damaged;
        EXPECT_THROW(load_checkpoint<float>(folder / "d.h5", 99), InputError) << "bit " << bit;
    }
}

// Someone who forges the hash, too, still leads HDF5 nowhere: its structure is under checksums of
// its own.
TEST(Checkpoint, AChangedStructureIsSeenThoughTheHashIsRight) {
    const TemporaryFolder folder;
    const std::string path = folder / "c.h5";
    save_checkpoint<float>(path, toy_state<float>(), nullptr, 99);
    const CheckpointHeader header = verify_checkpoint(path);
    const std::string payload = bytes_of(path).substr(checkpoint_page);
    const auto loads = [&](const std::string& changed) {
        std::ofstream(folder / "d.h5", std::ios::binary)
            << checkpoint_page_of(header, changed) << changed;
        load_checkpoint<float>(folder / "d.h5", 99);
    };
    EXPECT_NO_THROW(loads(payload));
    int objects = 0;
    for (std::size_t at = payload.find("OHDR"); at != std::string::npos;
         at = payload.find("OHDR", at + 1), ++objects)
        for (const std::size_t offset : {5u, 9u, 17u, 33u}) {
            std::string changed = payload;
            changed[at + offset] ^= 0x55;
            EXPECT_THROW(loads(changed), InputError) << at << " + " << offset;
        }
    EXPECT_GT(objects, 10);
}

TEST(Checkpoint, AFileCutShortAnywhereIsFound) {
    const TemporaryFolder folder;
    save_checkpoint<float>(folder / "c.h5", toy_state<float>(), nullptr, 99);
    const std::string whole = bytes_of(folder / "c.h5");
    std::mt19937 random(2);
    std::vector<std::size_t> lengths{0, 1, 17, 18, 511, 512, 513, whole.size() - 1};
    for (int i = 0; i < 100; ++i) lengths.push_back(random() % whole.size());
    for (const std::size_t length : lengths) {
        std::ofstream(folder / "d.h5", std::ios::binary) << whole.substr(0, length);
        EXPECT_THROW(load_checkpoint<float>(folder / "d.h5", 99), InputError) << length;
    }
    std::ofstream(folder / "d.h5", std::ios::binary) << whole + "x";
    EXPECT_THROW(load_checkpoint<float>(folder / "d.h5", 99), InputError);
    EXPECT_THROW(load_checkpoint<float>(folder / "none.h5", 99), InputError);
    EXPECT_THROW(load_checkpoint<float>(folder.path(), 99), InputError);
}

TEST(RunFolder, KeepsTheLastTwoCheckpoints) {
    const TemporaryFolder place;
    const RunFolder folder(place / "run");
    folder.create();
    State<float> state = toy_state<float>();
    for (state.frame = 0; state.frame < 5; ++state.frame) folder.save<float>(state, nullptr, 1);
    ASSERT_EQ(folder.checkpoint_files().size(), 2u);
    EXPECT_EQ(verify_checkpoint(folder.checkpoint_files()[0]).frame, 3);
    EXPECT_EQ(verify_checkpoint(folder.checkpoint_files()[1]).frame, 4);
}

}  // namespace
}  // namespace knead::test
