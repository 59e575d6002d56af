#include "knead/materials/rheometer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "knead/base/error.h"

namespace knead {

namespace {

Mat3d shear(double step) { return {0, step, 0, 0, 0, 0, 0, 0, 0}; }

double first_normal_difference(const Sym3d& stress) { return stress.xx - stress.yy; }

// A point under isotropic pressure: compressed in small steps until the pressure is there.
MaterialPoint point_under(const Specimen& material, double pressure) {
    MaterialPoint point(material, material.form);
    if (pressure <= 0) return point;
    const double step = 1e-3 * std::min(1.0, pressure / material.elastic.bulk_modulus);
    while (-trace(point.cauchy()) / 3 < pressure) {
        if (determinant(point.deformation()) < 1e-3)
            throw RunError(
                fmt::format("{} cannot hold a pressure of {:g} Pa", material.name, pressure));
        point.advance(-step * identity3<double>(), 0);
    }
    return point;
}

// How much elastic shear strain the stress stands for; fluids have none.
double elastic_strain(const Material& m, const Sym3d& stress) {
    return m.elastic.shear_modulus > 0 ? std::abs(stress.xy) / m.elastic.shear_modulus : 0;
}

void require_steady_state(const Material& m) {
    const bool fluid = m.elastic.law == ElasticLaw::fluid;
    if (m.flow.rule == FlowRule::none && !fluid)
        throw InputError({}, m.name + " does not flow, so shear never becomes steady",
                         "use the start-up test, or a material with a flow rule");
    if (m.flow.rule == FlowRule::creep && m.flow.creep_hardening != 0)
        throw InputError({}, m.name + " hardens or softens without end",
                         "use the start-up test, or set flow.creep_hardening=0");
}

void require_reference_step(const Material& m) {
    if (m.flow.rule == FlowRule::creep && m.flow.creep_interval == 0)
        throw InputError({}, m.name + " creeps by a share of each step, whatever its length",
                         "set flow.creep_interval to the step it is meant for, in seconds");
}

// Strain that shear needs at least before it can be steady: grains first use up their hardening.
double least_strain(const Material& m) {
    const bool hardens = m.flow.hardening_gain != 0 || m.flow.hardening_start != 0;
    if (m.flow.rule != FlowRule::drucker_prager || !hardens || m.flow.hardening_decay <= 0)
        return 0;
    return 10 / m.flow.hardening_decay;
}

// Steps are a part of the elastic strain: the error of the normal stress is in proportion to them,
// and so is that of creep in the stress itself. Grains have hardening to get through.
double step_part(FlowRule rule) {
    return rule == FlowRule::creep ? 0.002 : rule == FlowRule::drucker_prager ? 0.02 : 0.005;
}

// Shears until the stress stays within 1e-5 over three windows as long as the elastic strain
// itself.
Sym3d shear_until_steady(const Material& m, MaterialPoint point, double rate) {
    const double part = step_part(m.flow.rule), least = least_strain(m);
    const double nothing = 1e-15 * m.elastic.bulk_modulus;  // rounding
    double strain = 0, window_end = 0;
    int quiet_windows = 0;
    Sym3d before = point.cauchy();
    for (int count = 0; count < 3'000'000; ++count) {
        const double elastic = elastic_strain(m, point.cauchy());
        const double step = std::clamp(part * elastic, 1e-8, 5e-4);
        point.advance(shear(step), step / rate);
        strain += step;
        if (strain < window_end) continue;

        const Sym3d now = point.cauchy();
        const double normal = first_normal_difference(now);
        const bool quiet =
            std::abs(now.xy - before.xy) <= 1e-5 * std::abs(now.xy) + nothing &&
            std::abs(normal - first_normal_difference(before)) <= 1e-4 * std::abs(normal) + nothing;
        quiet_windows = quiet && strain > least ? quiet_windows + 1 : 0;
        if (quiet_windows == 3) return now;
        before = now;
        window_end = strain + elastic_strain(m, now);
    }
    throw RunError(
        fmt::format("{}: shear at {:g} /s is not steady after a strain of {:g}; the "
                    "start-up test shows how it goes on",
                    m.name, rate, strain));
}

// Perfect plasticity and dry friction know no time.
bool rate_matters(const Material& m) {
    return m.flow.rule != FlowRule::von_mises && m.flow.rule != FlowRule::drucker_prager;
}

}  // namespace

std::vector<double> Table::column(std::string_view name) const {
    const auto at = std::find(columns.begin(), columns.end(), name);
    if (at == columns.end()) throw InputError({}, "there is no column " + std::string(name));
    const auto index = static_cast<size_t>(at - columns.begin());
    std::vector<double> values;
    for (const auto& row : rows) values.push_back(row[index]);
    return values;
}

std::string unit_of_column(std::string_view name) {
    const auto ends = [&](std::string_view end) {
        return name.size() >= end.size() && name.substr(name.size() - end.size()) == end;
    };
    if (ends("_rate")) return "1/s";
    if (name == "time") return "s";
    if (name == "frequency") return "Hz";
    if (ends("_stress") || ends("_modulus") || ends("_difference")) return "Pa";
    return "";
}

std::string to_csv(const Table& table) {
    std::string text = fmt::format("{}\n", fmt::join(table.columns, ","));
    for (const auto& row : table.rows) text += fmt::format("{:.9g}\n", fmt::join(row, ","));
    return text;
}

Table steady_shear(const Specimen& m, std::span<const double> rates, double pressure) {
    require_steady_state(m);
    require_reference_step(m);
    Table table{{"shear_rate", "shear_stress", "first_normal_difference"}, {}};
    Sym3d stress{};
    for (const double rate : rates) {
        if (table.rows.empty() || rate_matters(m))
            stress = shear_until_steady(m, point_under(m, pressure), rate);
        table.rows.push_back({rate, stress.xy, first_normal_difference(stress)});
    }
    return table;
}

Table start_up(const Specimen& m, std::span<const double> rates, double strain, double pressure) {
    require_reference_step(m);
    Table table{{"shear_rate", "time", "strain", "shear_stress", "first_normal_difference"}, {}};
    constexpr int rows = 200, steps_a_row = 100;
    const double step = strain / (rows * steps_a_row);
    for (const double rate : rates) {
        MaterialPoint point = point_under(m, pressure);
        for (int row = 0; row <= rows; ++row) {
            for (int k = 0; k < (row == 0 ? 0 : steps_a_row); ++k)
                point.advance(shear(step), step / rate);
            const Sym3d stress = point.cauchy();
            const double reached = row * steps_a_row * step;
            table.rows.push_back(
                {rate, reached / rate, reached, stress.xy, first_normal_difference(stress)});
        }
    }
    return table;
}

namespace {

// Every step in `parts`.
Table relax(const Specimen& m, double strain, double duration, double pressure, int parts) {
    Table table{{"time", "shear_stress", "first_normal_difference"}, {}};
    MaterialPoint point = point_under(m, pressure);
    for (int k = 0; k < 100; ++k) point.advance(shear(strain / 100), 0);

    // Times grow by half a percent a step, over nine decades.
    const double first = 1e-9 * duration, growth = 1.005;
    const int steps = static_cast<int>(std::ceil(std::log(duration / first) / std::log(growth)));
    double time = 0;
    for (int k = 0; k <= steps; ++k) {
        const double next = k == steps ? duration : first * std::pow(growth, k);
        for (int part = 0; k > 0 && part < parts; ++part)
            point.advance(shear(0), (next - time) / parts);
        time = k == 0 ? 0 : next;
        const Sym3d stress = point.cauchy();
        if (k % 20 == 0 || k == steps)
            table.rows.push_back({time, stress.xy, first_normal_difference(stress)});
    }
    return table;
}

}  // namespace

// The update is of first order in dt: two step sizes give the limit.
Table relaxation(const Specimen& m, double strain, double duration, double pressure) {
    require_reference_step(m);
    const Table coarse = relax(m, strain, duration, pressure, 1);
    Table table = relax(m, strain, duration, pressure, 2);
    for (std::size_t row = 0; row < table.rows.size(); ++row)
        for (std::size_t column = 1; column <= 2; ++column) {
            double& value = table.rows[row][column];
            value = 2 * value - coarse.rows[row][column];
        }
    return table;
}

namespace {

// Advances by an axial step and the lateral step that leaves the sides under `pressure`: secant,
// from the lateral step of last time.
void pull(MaterialPoint& point, const Material& m, double axial, double dt, double pressure,
          double& lateral) {
    const double scale = m.elastic.bulk_modulus + m.elastic.shear_modulus;
    const double tolerance = 1e-10 * scale;
    const auto excess = [&](double l) {
        MaterialPoint trial = point;
        trial.advance(diagonal(Vec3d{axial, l, l}), dt);
        return trial.cauchy().yy + pressure;
    };
    double a = lateral, ga = excess(a), slope = 2 * scale;
    for (int k = 0; k < 60 && std::abs(ga) > tolerance; ++k) {
        const double b = a - std::clamp(ga / slope, -0.05, 0.05), gb = excess(b);
        if (gb != ga && b != a) slope = (gb - ga) / (b - a);
        a = b;
        ga = gb;
    }
    if (!(std::abs(ga) <= 1e3 * tolerance))
        throw RunError(m.name + ": the sides could not be kept free of stress");
    lateral = a;
    point.advance(diagonal(Vec3d{axial, a, a}), dt);
}

}  // namespace

Table uniaxial(const Specimen& m, std::span<const double> rates, double strain, double pressure) {
    require_reference_step(m);
    Table table{{"strain_rate", "strain", "axial_stress", "lateral_stretch"}, {}};
    constexpr int rows = 200, steps_a_row = 20;
    const double growth = std::pow(1 + strain, 1.0 / (rows * steps_a_row));
    for (const double rate : rates) {
        MaterialPoint point = point_under(m, pressure);
        const Mat3d start = point.deformation();
        const double dt = std::abs(std::log(growth)) / rate;
        double lateral = 0;
        for (int row = 0; row <= rows; ++row) {
            for (int k = 0; k < (row == 0 ? 0 : steps_a_row); ++k)
                pull(point, m, growth - 1, dt, pressure, lateral);
            const Mat3d& F = point.deformation();
            table.rows.push_back({rate, F.xx / start.xx - 1, point.cauchy().xx, F.yy / start.yy});
        }
    }
    return table;
}

namespace {

struct Moduli {
    double storage, loss;
};

// Storage and loss modulus by Fourier sums over the last cycle, once a cycle repeats.
Moduli swing(const Specimen& m, double amplitude, double frequency, double pressure, int steps) {
    constexpr double turn = 2 * std::numbers::pi;
    MaterialPoint point = point_under(m, pressure);
    const double dt = 1 / (frequency * steps);
    Moduli last{0, 0};
    for (int cycle = 0; cycle < 100; ++cycle) {
        Moduli sum{0, 0};
        double strain = 0;
        for (int k = 1; k <= steps; ++k) {
            const double phase = turn * k / steps, next = amplitude * std::sin(phase);
            point.advance(shear(next - strain), dt);
            strain = next;
            const double stress = point.cauchy().xy;
            sum.storage += stress * std::sin(phase);
            sum.loss += stress * std::cos(phase);
        }
        const Moduli now{2 * sum.storage / (steps * amplitude), 2 * sum.loss / (steps * amplitude)};
        const double change = std::hypot(now.storage - last.storage, now.loss - last.loss);
        last = now;
        if (cycle >= 2 && change <= 1e-5 * std::hypot(now.storage, now.loss)) break;
    }
    return last;
}

}  // namespace

Table oscillatory(const Specimen& m, double strain, std::span<const double> frequencies,
                  double pressure) {
    require_reference_step(m);
    Table table{{"frequency", "strain", "storage_modulus", "loss_modulus"}, {}};
    for (const double frequency : frequencies) {
        // The update is of first order in dt: two step sizes give the limit.
        const Moduli coarse = swing(m, strain, frequency, pressure, 1000);
        const Moduli fine = swing(m, strain, frequency, pressure, 2000);
        table.rows.push_back(
            {frequency, strain, 2 * fine.storage - coarse.storage, 2 * fine.loss - coarse.loss});
    }
    return table;
}

SteadyShear herschel_bulkley_steady_shear(const Material& m, double rate) {
    const double mu = m.elastic.shear_modulus, h = m.flow.exponent;
    const double s_yield = std::sqrt(2.0 / 3.0) * m.flow.yield_stress;
    const auto excess = [&](double w) {
        const double w2 = w * w, root = std::sqrt(1 + 4.0 / 3.0 * w2);
        const double s = std::sqrt(2.0) * mu * w / std::cbrt(1 + w2) * root;
        const double flow = rate / std::sqrt(2.0) * root / std::pow(1 + 2.0 / 3.0 * w2, 2);
        return s - s_yield - m.flow.viscosity * std::pow(flow, h);
    };
    // Grows with w: halve the bracket of ln w.
    double low = std::log(1e-15), high = std::log(1e6);
    for (int k = 0; k < 100; ++k) {
        const double middle = 0.5 * (low + high);
        (excess(std::exp(middle)) < 0 ? low : high) = middle;
    }
    const double w = std::exp(0.5 * (low + high)), stress = mu * w / std::cbrt(1 + w * w);
    return {w, stress, 2 * w * stress};
}

double herschel_bulkley_small_strain(const Material& m, double rate) {
    const double h = m.flow.exponent;
    return m.flow.yield_stress / std::sqrt(3.0) +
           m.flow.viscosity * std::pow(2.0, -0.5 * (1 + h)) * std::pow(rate, h);
}

}  // namespace knead
