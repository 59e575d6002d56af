#include "knead/io/vdb.h"

#include <openvdb/openvdb.h>
#include <openvdb/points/PointConversion.h>
#include <openvdb/tools/LevelSetRebuild.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <algorithm>
#include <set>

#include "knead/base/error.h"
#include "knead/base/random.h"
#include "knead/io/atomic_file.h"
#include "knead/io/body_color.h"
#include "knead/io/ply.h"

namespace knead {

namespace {

namespace vdb = openvdb;
using vdb::points::PointDataGrid;

// OpenVDB puts a random identifier after magic, versions and a flag. Ours follows from the content,
// so that the same frame gives the same bytes.
void make_identifier_follow_content(std::string& bytes) {
    constexpr std::size_t at = 8 + 4 + 4 + 4 + 1, length = 36;
    if (bytes.size() < at + length) return;
    std::string blank(length, '0');
    for (const std::size_t dash : {8u, 13u, 18u, 23u}) blank[dash] = '-';
    bytes.replace(at, length, blank);
    std::uint64_t hash[2] = {bytes.size(), 0};
    for (std::size_t i = 0; i < bytes.size(); ++i)
        hash[i % 2] = mix_bits(hash[i % 2] ^ static_cast<unsigned char>(bytes[i]));
    int nibble = 0;
    for (std::size_t i = 0; i < length; ++i)
        if (blank[i] != '-') {
            const auto digit = hash[nibble / 16] >> (4 * (nibble % 16)) & 15;
            bytes[at + i] = "0123456789abcdef"[digit];
            ++nibble;
        }
}

// OpenVDB writes to a file of its own; its bytes then go out whole or not at all.
void write_grid(const std::string& path, const vdb::GridBase::Ptr& grid) {
    const std::string draft = path + ".draft.vdb";
    std::string bytes;
    try {
        vdb::io::File file(draft);
        file.write(vdb::GridPtrVec{grid});
        file.close();
        bytes = read_bytes(draft);
    } catch (const std::exception& e) {
        std::remove(draft.c_str());
        throw RunError(path + ": cannot be written: " + e.what());
    }
    std::remove(draft.c_str());
    make_identifier_follow_content(bytes);
    AtomicFile out(path);
    out.write(bytes);
    out.commit();
}

template <class T>
void add_attribute(PointDataGrid& grid, const vdb::tools::PointIndexGrid& index,
                   const std::string& name, const std::vector<T>& values) {
    vdb::points::appendAttribute<T>(grid.tree(), name);
    const vdb::points::PointAttributeVector<T> wrapped(values);
    vdb::points::populateAttribute(grid.tree(), index.tree(), name, wrapped);
}

std::vector<vdb::Vec3s> to_vdb(const std::vector<Vec3f>& from) {
    std::vector<vdb::Vec3s> to;
    to.reserve(from.size());
    for (const Vec3f& a : from) to.emplace_back(a.x, a.y, a.z);
    return to;
}

// A few points a voxel, as Houdini makes them.
double points_voxel(const std::vector<vdb::Vec3s>& positions, const Frame& frame) {
    float radius = 0;
    if (frame.find("pscale"))
        for (float r : frame.floats("pscale")) radius = std::max(radius, r);
    if (radius > 0) return 4.0 * static_cast<double>(radius);
    return positions.empty() ? 1.0
                             : vdb::points::computeVoxelSize(
                                   vdb::points::PointAttributeVector<vdb::Vec3s>(positions), 8);
}

}  // namespace

void write_vdb_points(const std::string& path, const Frame& frame,
                      const std::vector<Vec3f>& body_colors) {
    vdb::initialize();
    const std::vector<vdb::Vec3s> positions = to_vdb(frame.positions());
    const auto transform =
        vdb::math::Transform::createLinearTransform(points_voxel(positions, frame));
    const vdb::points::PointAttributeVector<vdb::Vec3s> wrapped(positions);
    const auto index =
        vdb::tools::createPointIndexGrid<vdb::tools::PointIndexGrid>(wrapped, *transform);
    const auto grid = vdb::points::createPointDataGrid<vdb::points::NullCodec, PointDataGrid>(
        *index, wrapped, *transform);
    grid->setName("points");
    grid->insertMeta("frame", vdb::Int32Metadata(frame.frame));
    grid->insertMeta("time", vdb::DoubleMetadata(frame.time));

    add_attribute(*grid, *index, "Cd", to_vdb(colors_of_points(frame, body_colors)));
    if (frame.find("vx"))
        add_attribute(*grid, *index, "v", to_vdb(frame.vectors("vx", "vy", "vz")));
    const std::set<std::string> done = {"x", "y", "z", "vx", "vy", "vz"};
    for (const FrameColumn& c : frame.columns)
        if (!done.contains(c.name))
            std::visit([&](const auto& values) { add_attribute(*grid, *index, c.name, values); },
                       c.values);
    write_grid(path, grid);
}

std::shared_ptr<void> float_grid(const LevelSet& set) {
    openvdb::initialize();
    auto grid = openvdb::FloatGrid::create(set.outside);
    grid->setTransform(openvdb::math::Transform::createLinearTransform(set.voxel));
    grid->setGridClass(openvdb::GRID_LEVEL_SET);
    grid->setName("surface");
    for (const LevelSetBlock& block : set.blocks) {
        using Leaf = openvdb::FloatTree::LeafNodeType;
        static_assert(Leaf::SIZE == LevelSetBlock::count);
        auto* leaf = new Leaf(openvdb::Coord(block.origin.x, block.origin.y, block.origin.z), 0);
        std::copy(block.phi.begin(), block.phi.end(), leaf->buffer().data());
        leaf->setValuesOn();
        grid->tree().addLeaf(leaf);  // the tree owns it now
    }
    openvdb::tools::signedFloodFill(grid->tree());
    return grid;
}

void write_vdb_level_set(const std::string& path, const LevelSet& set) {
    const auto raw = std::static_pointer_cast<vdb::FloatGrid>(float_grid(set));
    const auto grid = vdb::tools::levelSetRebuild(*raw, 0.0f, 3.0f);
    grid->setName("surface");
    grid->setGridClass(vdb::GRID_LEVEL_SET);
    write_grid(path, grid);
}

}  // namespace knead
