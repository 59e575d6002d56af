#include "knead/io/vdb.h"

#include <openvdb/openvdb.h>
#include <openvdb/points/PointDataGrid.h>
#include <openvdb/tools/LevelSetRebuild.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <sstream>
#include <tuple>

#include "knead/base/random.h"
#include "knead/geometry/box3.h"
#include "knead/io/atomic_file.h"
#include "knead/io/body_color.h"

namespace knead {

namespace {

namespace vdb = openvdb;
using PointLeaf = vdb::points::PointDataTree::LeafNodeType;
using Descriptor = vdb::points::AttributeSet::DescriptorPtr;

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

// A VDB file in memory, as io::File would lay it out: OpenVDB itself does not notice a full disk.
class Archive : public vdb::io::Archive {
public:
    static std::string bytes_of(const vdb::GridPtrVec& grids) {
        std::ostringstream out(std::ios::binary);
        Archive().vdb::io::Archive::write(out, grids, true);
        if (!out) throw std::bad_alloc();
        return std::move(out).str();
    }
};

void write_grids(const std::string& path, const vdb::GridPtrVec& grids) {
    std::string bytes = Archive::bytes_of(grids);
    make_identifier_follow_content(bytes);
    write_whole(path, bytes);
}

// A grid made by the library, which holds the code of its trees: made here, that code would be
// compiled anew.
template <class Grid>
typename Grid::Ptr new_grid() {
    vdb::initialize();
    return vdb::gridPtrCast<Grid>(vdb::GridBase::createGrid(Grid::gridType()));
}

// A few points a voxel, as Houdini makes them.
double points_voxel(const std::vector<Vec3f>& positions, const Frame& frame) {
    float radius = 0;
    if (frame.find("pscale"))
        for (float r : frame.floats("pscale")) radius = std::max(radius, r);
    if (radius > 0) return 4.0 * static_cast<double>(radius);
    Box3 box;
    for (const Vec3f& x : positions) box.add(Vec3d(x));
    const Vec3d size = positions.empty() ? Vec3d{} : box.size();
    const double points = static_cast<double>(std::max<std::size_t>(positions.size(), 1));
    const double edge = std::cbrt(8 * size.x * size.y * size.z / points);
    return edge > 0 ? edge : 1.0;
}

// A particle and the voxel it lies in: the leaf of 8 x 8 x 8 voxels, and which of them.
struct Resident {
    vdb::Coord leaf;
    vdb::Index voxel;
    std::size_t row;

    bool operator<(const Resident& o) const {
        return std::tie(leaf, voxel, row) < std::tie(o.leaf, o.voxel, o.row);
    }
};

std::vector<Resident> sorted_into_voxels(const std::vector<Vec3f>& positions, double voxel) {
    std::vector<Resident> residents;
    residents.reserve(positions.size());
    for (std::size_t row = 0; row < positions.size(); ++row) {
        const Vec3d q = Vec3d(positions[row]) / voxel;
        const vdb::Coord at = vdb::Coord::round(vdb::Vec3d(q.x, q.y, q.z));
        constexpr int leaf_mask = ~(static_cast<int>(PointLeaf::DIM) - 1);
        residents.push_back({at & leaf_mask, PointLeaf::coordToOffset(at), row});
    }
    std::sort(residents.begin(), residents.end());
    return residents;
}

// The particles of one leaf.
using Residents = std::span<const Resident>;

// Columns as OpenVDB knows them: a name, a type, and how a leaf is given its values.
struct Attribute {
    std::string name;
    vdb::NamePair type;
    std::function<void(vdb::points::AttributeArray&, Residents)> fill;
};

template <class T, class ValueOf>
Attribute attribute(const std::string& name, ValueOf value_of) {
    return {name, vdb::points::TypedAttributeArray<T>::attributeType(),
            [value_of](vdb::points::AttributeArray& array, Residents residents) {
                vdb::points::AttributeWriteHandle<T> values(array);
                for (vdb::Index i = 0; i < residents.size(); ++i)
                    values.set(i, value_of(residents[i]));
            }};
}

Attribute vector_attribute(const std::string& name, std::vector<Vec3f> from) {
    return attribute<vdb::Vec3f>(name, [from = std::move(from)](const Resident& r) {
        const Vec3f& a = from[r.row];
        return vdb::Vec3f(a.x, a.y, a.z);
    });
}

// "P", which counts from the middle of the voxel in units of voxels, and all columns.
std::vector<Attribute> attributes_of(const Frame& frame, const std::vector<Vec3f>& positions,
                                     const std::vector<Vec3f>& body_colors, double voxel) {
    std::vector<Attribute> list;
    list.push_back(attribute<vdb::Vec3f>("P", [&positions, voxel](const Resident& r) {
        const Vec3d q = Vec3d(positions[r.row]) / voxel;
        const vdb::Coord at = PointLeaf::offsetToLocalCoord(r.voxel) + r.leaf;
        return vdb::Vec3f(vdb::Vec3d(q.x, q.y, q.z) - at.asVec3d());
    }));
    list.push_back(vector_attribute("Cd", colors_of_points(frame, body_colors)));
    if (frame.find("vx")) list.push_back(vector_attribute("v", frame.vectors("vx", "vy", "vz")));
    const std::set<std::string> done = {"x", "y", "z", "vx", "vy", "vz"};
    for (const FrameColumn& c : frame.columns)
        if (!done.contains(c.name))
            std::visit(
                [&]<class T>(const std::vector<T>& values) {
                    list.push_back(attribute<T>(
                        c.name, [&values](const Resident& r) { return values[r.row]; }));
                },
                c.values);
    return list;
}

PointLeaf* new_leaf(Residents residents, const std::vector<Attribute>& attributes,
                    const Descriptor& descriptor) {
    auto* leaf = new PointLeaf(residents.front().leaf);
    const auto count = static_cast<vdb::Index>(residents.size());
    auto values = std::make_unique<vdb::points::AttributeSet>(descriptor, count);
    for (std::size_t k = 0; k < attributes.size(); ++k)
        attributes[k].fill(*values->get(k), residents);
    leaf->replaceAttributeSet(values.release(), true);
    // Each voxel says where its particles end.
    std::vector<PointLeaf::ValueType> ends(PointLeaf::NUM_VALUES);
    for (vdb::Index v = 0, end = 0; v < PointLeaf::NUM_VALUES; ++v) {
        while (end < count && residents[end].voxel == v) ++end;
        ends[v] = end;
    }
    leaf->setOffsets(ends);
    return leaf;
}

}  // namespace

void write_vdb_points(const std::string& path, const Frame& frame,
                      const std::vector<Vec3f>& body_colors) {
    const auto grid = new_grid<vdb::points::PointDataGrid>();
    const std::vector<Vec3f> positions = frame.positions();
    const double voxel = points_voxel(positions, frame);
    grid->setTransform(vdb::math::Transform::createLinearTransform(voxel));
    grid->setName("points");
    grid->insertMeta("frame", vdb::Int32Metadata(frame.frame));
    grid->insertMeta("time", vdb::DoubleMetadata(frame.time));

    const std::vector<Attribute> attributes = attributes_of(frame, positions, body_colors, voxel);
    Descriptor descriptor = vdb::points::AttributeSet::Descriptor::create(attributes[0].type);
    for (std::size_t k = 1; k < attributes.size(); ++k)
        descriptor = descriptor->duplicateAppend(attributes[k].name, attributes[k].type);
    const std::vector<Resident> residents = sorted_into_voxels(positions, voxel);
    for (std::size_t begin = 0, end = 0; begin < residents.size(); begin = end) {
        while (end < residents.size() && residents[end].leaf == residents[begin].leaf) ++end;
        const Residents part(&residents[begin], end - begin);
        grid->tree().addLeaf(new_leaf(part, attributes, descriptor));  // the tree owns it now
    }
    write_grids(path, {grid});
}

std::shared_ptr<void> float_grid(const LevelSet& set) {
    auto grid = new_grid<vdb::FloatGrid>();
    grid->tree().root().setBackground(set.outside, false);
    grid->setTransform(vdb::math::Transform::createLinearTransform(set.voxel));
    grid->setGridClass(vdb::GRID_LEVEL_SET);
    grid->setName("surface");
    for (const LevelSetBlock& block : set.blocks) {
        using Leaf = vdb::FloatTree::LeafNodeType;
        static_assert(Leaf::SIZE == LevelSetBlock::count);
        auto* leaf = new Leaf(vdb::Coord(block.origin.x, block.origin.y, block.origin.z), 0);
        std::copy(block.phi.begin(), block.phi.end(), leaf->buffer().data());
        leaf->setValuesOn();
        grid->tree().addLeaf(leaf);  // the tree owns it now
    }
    vdb::tools::signedFloodFill(grid->tree());
    return grid;
}

namespace {

// Velocities on the voxels of a level set.
vdb::GridBase::Ptr velocity_grid(const vdb::FloatGrid& surface, const VelocityField& velocity) {
    auto grid = new_grid<vdb::Vec3SGrid>();
    grid->setTransform(surface.transform().copy());
    grid->setName("vel");
    grid->setVectorType(vdb::VEC_CONTRAVARIANT_RELATIVE);
    std::vector<vdb::Coord> voxels;
    std::vector<Vec3f> points;
    for (auto value = surface.cbeginValueOn(); value; ++value) {
        const vdb::Vec3d at = surface.indexToWorld(value.getCoord());
        voxels.push_back(value.getCoord());
        points.push_back(Vec3f(Vec3d{at.x(), at.y(), at.z()}));
    }
    const std::vector<Vec3f> found = velocity(points);
    auto values = grid->getAccessor();
    for (std::size_t i = 0; i < voxels.size(); ++i)
        values.setValue(voxels[i], vdb::Vec3f(found[i].x, found[i].y, found[i].z));
    return grid;
}

}  // namespace

void write_vdb_level_set(const std::string& path, const LevelSet& set,
                         const VelocityField& velocity) {
    const auto raw = std::static_pointer_cast<vdb::FloatGrid>(float_grid(set));
    const auto grid = vdb::tools::levelSetRebuild(*raw, 0.0f, 3.0f);
    grid->setName("surface");
    grid->setGridClass(vdb::GRID_LEVEL_SET);
    vdb::GridPtrVec grids{grid};
    if (velocity) grids.push_back(velocity_grid(*grid, velocity));
    write_grids(path, grids);
}

}  // namespace knead
