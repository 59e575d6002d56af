// Level set to OpenVDB grid. Includes OpenVDB: only for sources that work with its grids.
#pragma once

#include <openvdb/openvdb.h>
#include <openvdb/tools/SignedFloodFill.h>

#include <algorithm>

#include "knead/io/level_set.h"

namespace knead {

inline openvdb::FloatGrid::Ptr float_grid(const LevelSet& set) {
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

}  // namespace knead
