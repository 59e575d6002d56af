#include "knead/materials/rheometer_plot.h"

#include <fmt/format.h>

#include <algorithm>

namespace knead {

namespace {

bool positive(const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double a) { return a > 0; });
}

PlotSeries measured(const char* label, const Table& table, const char* x, const char* y,
                    int colour) {
    return {label, table.column(x), table.column(y), true, true, false, colour};
}

// The rows of a table fall into runs of equal rate: one curve each.
std::vector<PlotSeries> curves_by_rate(const Table& table, const char* x, const char* y) {
    std::vector<PlotSeries> curves;
    const std::vector<double> xs = table.column(x), ys = table.column(y);
    for (size_t k = 0; k < table.rows.size(); ++k) {
        const double rate = table.rows[k][0];
        if (k == 0 || rate != table.rows[k - 1][0])
            curves.push_back({fmt::format("{:g} /s", rate),
                              {},
                              {},
                              true,
                              false,
                              false,
                              static_cast<int>(curves.size())});
        curves.back().x.push_back(xs[k]);
        curves.back().y.push_back(ys[k]);
    }
    return curves;
}

Plot steady_shear_plot(const Material& m, const Table& table) {
    Plot plot{m.name + ": steady shear", "shear rate [1/s]", "stress [Pa]", true, true, {}};
    const std::vector<double> rates = table.column("shear_rate");
    const bool foam =
        m.elastic.law == ElasticLaw::neo_hookean && m.flow.rule == FlowRule::herschel_bulkley;
    if (foam) {
        PlotSeries exact{"Herschel-Bulkley, exact", rates, {}, true, false, false, 7};
        PlotSeries small{"Herschel-Bulkley, small elastic strain", rates, {}, true, false, true, 7};
        for (const double rate : rates) {
            exact.y.push_back(herschel_bulkley_steady_shear(m, rate).shear_stress);
            small.y.push_back(herschel_bulkley_small_strain(m, rate));
        }
        plot.series = {exact, small};
    }
    plot.series.push_back(measured("shear stress", table, "shear_rate", "shear_stress", 0));
    plot.series.push_back(measured("first normal stress difference", table, "shear_rate",
                                   "first_normal_difference", 1));
    if (foam) plot.series[2].line = plot.series[3].line = false;
    return plot;
}

Plot relaxation_plot(const Material& m, const Table& table) {
    Plot plot{m.name + ": stress relaxation", "time [s]", "shear stress [Pa]", true, false, {}};
    plot.log_y = positive(table.column("shear_stress"));
    plot.series.push_back(measured("shear stress", table, "time", "shear_stress", 0));
    plot.series.back().dots = false;
    return plot;
}

Plot oscillatory_plot(const Material& m, const Table& table) {
    Plot plot{m.name + ": oscillatory shear", "frequency [Hz]", "modulus [Pa]", true, true, {}};
    plot.series.push_back(measured("storage modulus G'", table, "frequency", "storage_modulus", 0));
    plot.series.push_back(measured("loss modulus G''", table, "frequency", "loss_modulus", 1));
    return plot;
}

Plot thin_plot(const Material& m, std::string_view test, const Table& table) {
    Plot plot{m.name + ": " + std::string(test), table.columns[0], "stress [Pa]", false, false, {}};
    const auto add = [&](const char* label, const char* column) {
        plot.series.push_back(measured(label, table, table.columns[0].c_str(), column,
                                       static_cast<int>(plot.series.size())));
        plot.series.back().dots = false;
    };
    if (test == "pull") add("along", "axial_stress");
    if (test == "shear") add("shear", "shear_stress");
    if (test != "pull") add("across", "normal_stress");
    return plot;
}

}  // namespace

const std::vector<std::string>& rheometer_tests() {
    static const std::vector<std::string> tests{"steady-shear", "start-up",    "relaxation",
                                                "uniaxial",     "oscillatory", "pull",
                                                "shear",        "compress"};
    return tests;
}

Plot rheometer_plot(const Material& m, std::string_view test, const Table& table) {
    if (test == "steady-shear") return steady_shear_plot(m, table);
    if (test == "relaxation") return relaxation_plot(m, table);
    if (test == "oscillatory") return oscillatory_plot(m, table);
    if (test == "start-up")
        return {m.name + ": start-up of shear",
                "shear strain",
                "shear stress [Pa]",
                false,
                false,
                curves_by_rate(table, "strain", "shear_stress")};
    if (is_thin(m)) return thin_plot(m, test, table);
    return {m.name + ": uniaxial test",
            "strain",
            "axial stress [Pa]",
            false,
            false,
            curves_by_rate(table, "strain", "axial_stress")};
}

}  // namespace knead
