#include "knead/materials/thin_rheometer.h"

#include <fmt/format.h>

#include <cmath>

#include "knead/base/error.h"
#include "knead/materials/codimensional/make_thin_law.h"

namespace knead {

namespace {

constexpr int rows = 200;

template <class Use>
auto with_law(const Material& m, ThinKind kind, const Use& use) {
    return kind == ThinKind::sheet ? use(make_sheet_law<double>(m))
                                   : use(make_fibre_law<double>(m));
}

template <class Law>
Mat3d cauchy(const Law& law, const Mat3d& d) {
    return (1 / determinant(d)) * (codimensional_stress(law, qr(d)) * transpose(d));
}

Mat3d returned(const SheetLaw<double>& law, const Mat3d& d) {
    return from_columns(d.column(0), d.column(1), law.return_map(qr(d)).normal);
}
Mat3d returned(const FibreLaw<double>& law, const Mat3d& d) {
    const auto r = law.return_map(qr(d));
    return from_columns(d.column(0), r.second, r.third);
}

// The stretch between 0 and 2 at which excess(stretch), which grows with it, is nothing.
template <class Excess>
double balanced(const Excess& excess) {
    double low = 1e-3, high = 2;
    for (int k = 0; k < 100; ++k) {
        const double middle = 0.5 * (low + high);
        (excess(middle) < 0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
}

// Pressed as far as the pressure asks: a sheet across, a fibre from all around.
Mat3d pressed(const SheetLaw<double>&, double stretch) { return diagonal(Vec3d{1, 1, stretch}); }
Mat3d pressed(const FibreLaw<double>&, double stretch) {
    return diagonal(Vec3d{1, stretch, stretch});
}

void require_stiffness(const Material& m, ThinKind kind) {
    const bool sheet = kind == ThinKind::sheet;
    if (!((sheet ? m.thin.compression : m.thin.stretch) > 0))
        throw InputError(
            {}, fmt::format("{} has no thin.{}", m.name, sheet ? "compression" : "stretch"),
            sheet ? "sheets need it" : "curves need it");
}

}  // namespace

ThinKind thin_kind(const Material& m) {
    return m.thin.compression > 0 ? ThinKind::sheet : ThinKind::fibre;
}

const std::vector<std::string>& thin_tests() {
    static const std::vector<std::string> tests{"pull", "shear", "compress"};
    return tests;
}

Table pull_thin(const Material& m, ThinKind kind, double strain) {
    require_stiffness(m, kind);
    Table table{{"strain", "axial_stress", "lateral_stretch"}, {}};
    with_law(m, kind, [&](const auto& law) {
        for (int row = 0; row <= rows; ++row) {
            const double along = 1 + strain * row / rows;
            const auto at = [&](double aside) {
                return diagonal(Vec3d{along, kind == ThinKind::sheet ? aside : 1, 1});
            };
            const double aside = kind == ThinKind::sheet
                                     ? balanced([&](double s) { return cauchy(law, at(s)).yy; })
                                     : 1;
            table.rows.push_back({along - 1, cauchy(law, at(aside)).xx, aside});
        }
    });
    return table;
}

Table compress_thin(const Material& m, ThinKind kind, double compression) {
    require_stiffness(m, kind);
    Table table{{"compression", "normal_stress"}, {}};
    with_law(m, kind, [&](const auto& law) {
        for (int row = 0; row <= rows; ++row) {
            const double part = compression * row / rows;
            table.rows.push_back({part, cauchy(law, returned(law, pressed(law, 1 - part))).zz});
        }
    });
    return table;
}

Table shear_thin(const Material& m, ThinKind kind, double shear, double pressure) {
    require_stiffness(m, kind);
    Table table{{"shear", "shear_stress", "normal_stress"}, {}};
    with_law(m, kind, [&](const auto& law) {
        const double least = cauchy(law, pressed(law, 1e-3)).zz;
        if (-least < pressure)
            throw InputError({},
                             fmt::format("{} cannot hold a pressure of {:g} Pa", m.name, pressure),
                             fmt::format("allowed: below {:g} Pa", -least));
        const double stretch = balanced(
            [&](double s) { return s >= 1 ? 1 : cauchy(law, pressed(law, s)).zz + pressure; });
        Mat3d d = returned(law, pressed(law, stretch));
        for (int row = 0; row <= rows; ++row) {
            if (row > 0) {
                // the top moves along; what lies flat stays
                d.xz += shear / rows * d.zz;
                d = returned(law, d);
            }
            const Mat3d stress = cauchy(law, d);
            table.rows.push_back({shear * row / rows, stress.xz, stress.zz});
        }
    });
    return table;
}

double usual_pressure(const Material& m, ThinKind kind) {
    const double stiffness =
        kind == ThinKind::sheet ? m.thin.compression : m.elastic.shear_modulus + lame_lambda(m);
    return 0.01 * stiffness;
}

}  // namespace knead
