#include "info_vdb.h"

#include <fmt/format.h>
#include <openvdb/openvdb.h>
#include <openvdb/points/PointCount.h>
#include <openvdb/points/PointDataGrid.h>

#include "knead/base/error.h"
#include "progress.h"

namespace knead::cli {

namespace {

void show_points(const openvdb::points::PointDataGrid& grid) {
    fmt::print("  points      {}\n", count_text(openvdb::points::pointCount(grid.tree())));
    const auto leaf = grid.tree().cbeginLeaf();
    if (!leaf) return;
    fmt::print("  attributes ");
    for (const auto& [name, position] : leaf->attributeSet().descriptor().map())
        fmt::print(" {}", name);
    fmt::print("\n");
}

void show_grid(const openvdb::GridBase& grid) {
    fmt::print("{:<14}{}\n", "grid", grid.getName());
    fmt::print("  type        {}\n", grid.type());
    fmt::print("  voxel       {:.6g} m\n", grid.voxelSize()[0]);
    const openvdb::CoordBBox box = grid.evalActiveVoxelBoundingBox();
    if (!box.empty()) {
        const openvdb::Vec3d lo = grid.indexToWorld(box.min()), hi = grid.indexToWorld(box.max());
        fmt::print("  bounds      {:.4g} {:.4g} {:.4g} to {:.4g} {:.4g} {:.4g} m\n", lo[0], lo[1],
                   lo[2], hi[0], hi[1], hi[2]);
    }
    fmt::print("  active      {} voxels\n", count_text(grid.activeVoxelCount()));
    if (const auto* points = dynamic_cast<const openvdb::points::PointDataGrid*>(&grid))
        show_points(*points);
}

}  // namespace

void show_vdb(const std::string& path) {
    openvdb::initialize();
    try {
        openvdb::io::File file(path);
        file.open();
        fmt::print("{:<14}{}\n", "VDB", path);
        const auto grids = file.getGrids();
        for (const auto& grid : *grids) show_grid(*grid);
        file.close();
    } catch (const openvdb::Exception& error) {
        throw InputError({path}, std::string("not a readable VDB file: ") + error.what());
    }
}

}  // namespace knead::cli
