// A plane channel between two sticky plates, without ends: a block of matter whose columns are all
// made equal to the middle one after every step, so that each sees an endless channel. Plates stand
// at y = shift and y = shift + width; a body force G drives matter along x.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "knead/geometry/sdf_build.h"
#include "mpm/blocks.h"

namespace knead::testing {

// Herschel-Bulkley matter in shear, tau = tau_y + K rate^h; Bingham with h = 1, Newton with tau_y =
// 0 besides.
struct ChannelFlow {
    double width, pull, tau_y, K, h;

    // u(y), y from one of the walls.
    double speed(double y) const {
        const double half = width / 2, y_0 = tau_y / pull, p = 1 + 1 / h;
        if (y_0 >= half) return 0;
        return h / (1 + h) * std::pow(pull / K, 1 / h) *
               (std::pow(half - y_0, p) - std::pow(std::max(std::abs(y - half) - y_0, 0.0), p));
    }
    // The pull under which its middle moves at the given speed.
    ChannelFlow with_speed(double wanted) const {
        ChannelFlow flow = *this;
        double low = 0, high = 1e9;
        for (int k = 0; k < 200; ++k) {
            flow.pull = 0.5 * (low + high);
            (flow.speed(width / 2) < wanted ? low : high) = flow.pull;
        }
        return flow;
    }
};

inline ChannelFlow channel_flow(const Material& m, double width) {
    if (m.elastic.law == ElasticLaw::fluid) return {width, 1, 0, m.elastic.fluid_viscosity, 1};
    const double h = m.flow.exponent;
    return {width, 1, m.flow.yield_stress / std::sqrt(3.0),
            m.flow.viscosity * std::pow(2, -(1 + h) / 2), h};
}

class Channel {
public:
    static constexpr Vec3i columns{9, 0, 7};  // cells along x and z

    // Starts with the flow there would be.
    Channel(const MpmSettings& settings, const Material& m, const ChannelFlow& flow, int cells,
            double shift)
        : dx_(settings.dx),
          shift_(shift),
          cells_(cells),
          sim_(settings, {m}, plates(settings.dx, cells, shift), {flow.pull / m.density, 0, 0},
               {block(settings.dx, cells, shift, m.density, flow)}) {}

    bool run(double seconds, double dt_share) {
        const double end = sim_.time + seconds;
        while (sim_.time < end) {
            if (!sim_.step(dt_share * sim_.stable_dt()).ok) return false;
            equalize();
        }
        return true;
    }
    double stable_dt() { return sim_.stable_dt(); }

    // u(y) of each layer of particles in the middle column, and the layer's y from the lower plate.
    std::vector<std::array<double, 2>> profile() {
        std::vector<std::array<double, 2>> layers;
        find_rows();
        for (int j = 0; j < 2 * cells_; ++j) {
            double u = 0, y = 0;
            for (int k = 0; k < 4; ++k) {
                const std::size_t i = row_of(column(), j, k);
                u += 0.25 * static_cast<double>(p().v.at(i, 0));
                y += 0.25 * (p().x.at(i, 1) - shift_);
            }
            layers.push_back({y, u});
        }
        return layers;
    }

private:
    static std::vector<Collider> plates(double dx, int cells, double shift) {
        std::vector<Collider> list(2);
        for (int side = 0; side < 2; ++side) {
            Collider& c = list[static_cast<std::size_t>(side)];
            c.name = side ? "upper" : "lower";
            c.contact = Contact::sticky;
            c.shape = sdf::plane({0, shift + side * cells * dx, 0}, {0, side ? -1.0 : 1.0, 0});
        }
        return list;
    }
    static Phase<float> block(double dx, int cells, double shift, double density,
                              const ChannelFlow& flow) {
        Phase<float> body =
            lattice_body<float>(dx, {0, 0, 0}, {2 * columns.x, 2 * cells, 2 * columns.z}, density,
                                [](const Vec3d&) { return true; });
        for (std::size_t i = 0; i < body.particles.size(); ++i) {
            const double y = body.particles.x.at(i, 1);
            body.particles.x.at(i, 1) = y + shift;
            body.particles.v.at(i, 0) = static_cast<float>(flow.speed(y));
        }
        return body;
    }

    Particles<float>& p() { return sim_.phases[0].particles; }
    // The middle column, as the number of its first particle along x and z.
    static constexpr std::array<int, 2> column() {
        return {2 * (columns.x / 2), 2 * (columns.z / 2)};
    }
    std::size_t row_of(std::array<int, 2> at, int j, int k) const {
        const int id = ((at[0] + k / 2) * 2 * cells_ + j) * 2 * columns.z + at[1] + k % 2;
        return row_[static_cast<std::size_t>(id)];
    }
    void find_rows() {
        row_.resize(p().size());
        for (std::size_t i = 0; i < row_.size(); ++i)
            row_[static_cast<std::size_t>(p().id.at(i))] = i;
    }
    // All columns become the middle one, whose particles stay within half a cell of where they
    // began along x.
    void equalize() {
        find_rows();
        for (int j = 0; j < 2 * cells_; ++j)
            for (int k = 0; k < 4; ++k) {
                const std::size_t from = row_of(column(), j, k);
                const double first = (column()[0] + k / 2 + 0.5) * dx_ / 2;
                const double gone = std::remainder(p().x.at(from, 0) - first, dx_);
                for (int a = 0; a < columns.x; ++a)
                    for (int b = 0; b < columns.z; ++b) {
                        const std::size_t to = row_of({2 * a, 2 * b}, j, k);
                        const Vec3d place = p().x.vec(from);
                        copy_row(from, to);
                        p().x.set(to, {(2 * a + k / 2 + 0.5) * dx_ / 2 + gone, place.y,
                                       place.z + (b - columns.z / 2) * dx_});
                    }
            }
        // they no longer stand where they were sorted
        sim_.memory.drift = 1e9;
    }
    void copy_row(std::size_t from, std::size_t to) {
        if (from == to) return;
        const std::int64_t id = p().id.at(to);
        p().for_each_column([&](const ColumnInfo&, auto& column) {
            if (!column.present()) return;
            for (int a = 0; a < std::remove_reference_t<decltype(column)>::planes; ++a)
                column.plane(a)[to] = column.plane(a)[from];
        });
        p().id.at(to) = id;
    }

    double dx_, shift_;
    int cells_;
    Simulation<float> sim_;
    std::vector<std::size_t> row_;
};

}  // namespace knead::testing
