// A virtual rheometer: one material point through a classical test, with the code that the solvers
// run, on the grid or on points. Stresses are Cauchy's, tension positive; x is the direction of
// shear or pull, y the gradient.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "knead/materials/material_point.h"

namespace knead {

// What is tested: a material, and in which form of its law. A plain material is that of the grid.
struct Specimen : Material {
    Specimen(const Material& material, LawForm law_form = LawForm::grid)
        : Material(material), form(law_form) {}
    LawForm form;
};

struct Table {
    std::vector<std::string> columns;
    std::vector<std::vector<double>> rows;

    std::vector<double> column(std::string_view name) const;
};

// Of a column of these tables, as in "Pa"; empty for plain numbers.
std::string unit_of_column(std::string_view name);

// As text: a header line, then a line a row, with all the digits that matter.
std::string to_csv(const Table& table);

// Every test may hold the point under a confining pressure [Pa], which grains need to resist shear.

// Shear at constant rates [1/s], each from rest until the stress no longer changes.
// Columns: shear_rate, shear_stress, first_normal_difference.
Table steady_shear(const Specimen& material, std::span<const double> rates, double pressure = 0);

// Shear from rest at constant rates up to a strain.
// Columns: shear_rate, time, strain, shear_stress, first_normal_difference.
Table start_up(const Specimen& material, std::span<const double> rates, double strain,
               double pressure = 0);

// A sudden shear strain, then held. Columns: time, shear_stress, first_normal_difference.
Table relaxation(const Specimen& material, double strain, double duration, double pressure = 0);

// Pull (strain above 0) or push at constant rates of true strain, with the sides free, or under the
// pressure. Columns: strain_rate, strain, axial_stress, lateral_stretch; strain is length gained
// over length.
Table uniaxial(const Specimen& material, std::span<const double> rates, double strain,
               double pressure = 0);

// Shear strain that swings as a sine, until the response repeats.
// Columns: frequency, strain, storage_modulus, loss_modulus; frequency in cycles a second.
Table oscillatory(const Specimen& material, double strain, std::span<const double> frequencies,
                  double pressure = 0);

// What the foam law comes to in steady shear, in closed form: b = q (I + ...) with elastic strain
// w.
struct SteadyShear {
    double elastic_strain;  // w
    double shear_stress;
    double first_normal_difference;
};
// Exact, for neo-hookean materials with Herschel-Bulkley flow.
SteadyShear herschel_bulkley_steady_shear(const Material& material, double rate);
// Its limit for small elastic strain: yield/sqrt(3) + viscosity 2^-((1+h)/2) rate^h [Pa].
double herschel_bulkley_small_strain(const Material& material, double rate);

}  // namespace knead
