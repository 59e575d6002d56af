// Materials, states and random tensors that the tests of this folder share.
#pragma once

#include <cmath>
#include <random>
#include <vector>

#include "knead/materials/law.h"
#include "knead/materials/parameters.h"
#include "knead/materials/presets.h"

namespace knead::test {

// One material for each pair of elastic law and flow rule that make_law takes, with numbers of
// order one thousand and yield within a few percent of strain.
inline std::vector<Material> one_of_each() {
    std::vector<Material> all;
    for (const std::string& law : elastic_law_words())
        for (const std::string& rule : flow_rules_of(*parse_elastic_law(law))) {
            if (law == "thin") continue;  // laws of their own: tests/materials/codimensional
            Material m;
            m.name = law + "+" + rule;
            m.elastic.law = *parse_elastic_law(law);
            m.flow.rule = *parse_flow_rule(rule);
            m.elastic.bulk_modulus = 2000;
            m.elastic.shear_modulus = 1000;
            m.elastic.fluid_viscosity = 3;
            m.flow.yield_stress = 40;
            m.flow.viscosity = 20;
            m.flow.exponent = 0.6;
            m.flow.friction_angle = 35;
            m.flow.hardening_gain = 9;
            m.flow.hardening_start = 10;
            m.flow.creep_rate = 0.3;
            m.flow.creep_interval = 0.01;
            m.flow.creep_hardening = 0.5;
            all.push_back(m);
        }
    return all;
}

struct Random {
    std::mt19937 bits{12345};
    double uniform(double low, double high) {
        return std::uniform_real_distribution<double>(low, high)(bits);
    }
    Mat3d matrix(double size) {
        Mat3d a;
        for (int k = 0; k < 9; ++k) a[k] = uniform(-size, size);
        return a;
    }
    // Uniform over rotations: a random unit quaternion.
    Mat3d rotation() {
        std::normal_distribution<double> normal;
        double w = normal(bits), x = normal(bits), y = normal(bits), z = normal(bits);
        const double n = std::sqrt(w * w + x * x + y * y + z * z);
        w /= n, x /= n, y /= n, z /= n;
        return {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
    }
    // Rotation times stretch, principal stretches within `most` of one.
    Mat3d deformation(double most) {
        const Vec3d s{1 + uniform(-most, most), 1 + uniform(-most, most), 1 + uniform(-most, most)};
        return rotation() * diagonal(s) * rotation();
    }
};

// The purely elastic state that a sudden deformation F leaves.
inline MaterialState<double> state_of(const Mat3d& F) {
    MaterialState<double> state = MaterialState<double>::rest();
    const double J = determinant(F);
    state.F = F;
    state.b = std::pow(std::abs(J), -2.0 / 3.0) * gram_rows(F);
    state.dilation = J - 1;
    return state;
}

inline double largest(const Mat3d& a) {
    double most = 0;
    for (int k = 0; k < 9; ++k) most = std::max(most, std::abs(a[k]));
    return most;
}
inline double largest(const Sym3d& a) { return largest(Mat3d(a)); }

inline Sym3d rotated(const Mat3d& Q, const Sym3d& a) { return congruence(Q, a); }

}  // namespace knead::test
