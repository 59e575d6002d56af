// The elastic energy of all that a solve treats as elastic, as a function of the displacements of
// the grid's nodes in the step: its forces, and its second derivatives times a vector. Each is
// gather, law, scatter; sums run in a fixed order. [Jiang 2017, section 4.4]
#pragma once

#include <span>

#include "knead/materials/law.h"
#include "knead/mpm/codimensional/bend_forces.h"
#include "knead/mpm/grid/block_grid.h"
#include "knead/mpm/implicit/tile_map.h"
#include "knead/mpm/settings.h"
#include "knead/mpm/transfer/operator.h"
#include "knead/parallel/exec.h"

namespace knead {

// Scratch of a phase.
template <class Real>
struct ElasticPhase {
    bool solved = false;       // has a differential; elements always, vertices with them
    Column<Real, 9> state;     // F of volumes, d of elements, where energy was last asked for
    Column<Real, 9> gradient;  // of the displacement, of elements
    Column<double, 3> place;   // of vertices there
    Column<Real, 3> shift;     // of vertices, of a direction
    std::vector<std::uint32_t> first_pack;  // by source block
    Array<OperatorSupport<Real>> supports;  // pack by pack
    Array<Real> stiffness;                  // of all but vertices
};

template <class Real>
struct ElasticScratch {
    std::vector<ElasticPhase<Real>> phases;
    Array<Real> tiles;
    std::size_t bytes() const;
};

// What a GridEnergy looks at; it changes only the forces in `thin` and the scratch.
template <class Real>
struct ElasticMatter {
    const std::vector<Phase<Real>>& phases;
    const BlockGrid& grid;
    std::span<const Law<Real>> laws;
    std::span<const Material> materials;
    const MpmSettings& settings;
    ThinWorkspace<Real>& thin;
    BendForces<Real>& bending;
    ElasticScratch<Real>& scratch;
};

// Which phases a solve treats; the others move explicitly.
template <class Real>
std::vector<char> solved_phases(const std::vector<Phase<Real>>& phases,
                                std::span<const Law<Real>> laws);

template <class Real, int Order>
class GridEnergy {
public:
    // To be made once a step.
    GridEnergy(const ElasticMatter<Real>& matter, const SolveNodes<Real>& nodes);

    // Energy at these displacements of nodes [m], infinite where matter would turn inside out, and
    // the forces on nodes [N].
    double evaluate(const NodeVector<Real>& u, NodeVector<Real>& forces);
    // Second derivatives where energy was last asked for; `positive`: those of each particle with
    // their negative eigenvalues set to zero.
    void linearize(bool positive);
    // The change of forces with displacements in that direction: use(node, change) for each node.
    template <class Use>
    void differential(const NodeVector<Real>& du, const Use& use) {
        fill_tiles(What::differential, du);
        for_each(node_count_, 1024, [&](std::size_t i) { use(i, tile_sum(i)); });
    }

private:
    static std::vector<TileBox> find_boxes(const ElasticMatter<Real>& matter);
    enum class What { forces, differential };
    void find_packs();
    // What each block brings to the nodes it reaches; returns the energy.
    double fill_tiles(What what, const NodeVector<Real>& u);
    Four<Real> tile_sum(std::size_t node) const {
        return map_.sum(node, matter_.scratch.tiles.data());
    }
    template <What what>
    double gather_block(std::size_t s, const NodeVector<Real>& u, Real* to);
    template <What what>
    double strain_elements(std::size_t s);
    template <What what>
    void hold_vertices();
    template <What what>
    double push_vertices();
    void scatter_thin(std::size_t s, Real* tile);
    template <What what, class L>
    double strain_volume(const L& law, std::size_t p, std::size_t s, const Real* from, Real* to);
    template <What what, int along, class L>
    double strain_rows(const L& law, std::size_t p, std::size_t s);

    ElasticMatter<Real> matter_;
    std::size_t node_count_;
    std::vector<TileBox> boxes_;  // what particles of a source block reach
    TileMap<Real, Order> map_;
};

}  // namespace knead
