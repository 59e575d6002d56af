#include "knead/materials/thin_presets.h"

#include "knead/materials/parameters.h"

namespace knead {

namespace {

Material thin(const char* name, double density, double young, double poisson,
              const std::string& source) {
    Material m;
    m.name = name;
    m.density = density;
    m.elastic.law = ElasticLaw::thin;
    set_young_poisson(m, young, poisson);
    m.source = source;
    return m;
}

// A row of Table 1. Its k is of sheets or of fibres, as the scene has them.
Material published(const char* name, double density, double young, double poisson, double gamma,
                   double k, double angle, double damping, bool sheet, bool fibre) {
    Material m = thin(name, density, young, poisson,
                      "Jiang et al. 2017, Anisotropic Elastoplasticity, Table 1, in that paper's "
                      "units: lengths of about a metre, densities of about one.");
    m.thin.compression = sheet ? k : 0;
    m.thin.stretch = fibre ? k : 0;
    m.thin.shear = gamma;
    m.thin.friction_angle = angle;
    m.thin.damping = damping;
    return m;
}

void add_published(std::vector<Material>& all) {
    const auto sheet = [&](const char* name, double density, double young, double poisson, double k,
                           double damping) {
        all.push_back(published(name, density, young, poisson, 0, k, 0, damping, true, false));
    };
    const auto fibre = [&](const char* name, double density, double young, double gamma, double k,
                           double angle, double damping) {
        all.push_back(published(name, density, young, 0.3, gamma, k, angle, damping, false, true));
    };
    sheet("cloth-curtain", 2, 400, 0.3, 800, 0.8);
    sheet("cloth-curtain-x3", 2, 400, 0.3, 800, 0.8);
    sheet("cloth-and-ball", 2, 200, 0.3, 100, 0.7);
    sheet("cloth-twister", 2, 200, 0.3, 400, 0.1);
    fibre("knit-sweater", 4, 500, 100, 500, 10, 1);
    fibre("knit-poncho", 4, 500, 500, 2000, 40, 1);
    fibre("knit-twister", 4, 500, 500, 2000, 40, 1);
    fibre("knit-curtain", 4, 500, 500, 500, 20, 1);
    fibre("knit-anisotropy", 4, 500, 0, 10000, 0, 1);
    all.push_back(published("shag-carpet", 2, 400, 0.3, 0, 800, 0, 0.8, true, true));
    fibre("tearing-fibre", 4, 100, 500, 8000, 40, 0.5);
    fibre("hair-tubes", 1, 60, 10, 2000, 15, 0.07);
    sheet("curtain-and-goo", 2, 400, 0.3, 40000, 1);
    sheet("cloth-and-slime", 2.5, 15000, 0.35, 20000, 0.85);
    sheet("curtain-and-sand", 2, 400, 0.3, 200000, 0);
    sheet("cloth-and-sand", 2, 200, 0.3, 40000, 0);
}

const char* const chosen = " Stiffness of contact and damping chosen by us.";

// A fabric: mass an area [kg/m2], thickness [m], in-plane stiffness [N/m], bending stiffness [N m]
// and friction of the cloth on itself.
Material fabric(const char* name, double area_mass, double thickness, double stiffness,
                double poisson, double bending, double angle, const std::string& source) {
    Material m = thin(name, area_mass / thickness, stiffness / thickness, poisson, source + chosen);
    m.thin.thickness = thickness;
    m.thin.compression = 0.5 * stiffness / thickness;
    m.thin.shear = 0.05 * stiffness / thickness;
    m.thin.friction_angle = angle;
    m.thin.sheet_bending = bending;
    m.thin.damping = 0.2;
    m.thin.whole_volume = true;
    return m;
}

void add_fabrics(std::vector<Material>& all) {
    const std::string kawabata = "Handbook order of magnitude of Kawabata's tests (KES-F): ";
    const std::string soft =
        " The stiffness in the sheet is a tenth of that, so that steps stay long: a metre of it "
        "stretches by about a percent under its weight.";
    all.push_back(fabric("cotton", 0.12, 3e-4, 300, 0.3, 6e-6, 27,
                         kawabata +
                             "cotton poplin, 120 g/m2, 0.3 mm, in-plane stiffness 1 to 5 "
                             "kN/m, bending stiffness 4 to 10 uN m, friction 0.5." +
                             soft));
    all.push_back(fabric("denim", 0.4, 8e-4, 1500, 0.3, 4e-5, 27,
                         kawabata +
                             "denim, 400 g/m2, 0.8 mm, in-plane stiffness 10 to 30 kN/m, "
                             "bending stiffness 30 to 80 uN m, friction 0.5." +
                             soft));
    all.push_back(fabric("silk", 0.06, 1.2e-4, 250, 0.3, 2e-6, 14,
                         kawabata +
                             "silk habotai, 60 g/m2, 0.12 mm, in-plane stiffness 2 to 5 "
                             "kN/m, bending stiffness 1 to 4 uN m, friction 0.25." +
                             soft));
    all.push_back(fabric("jersey", 0.17, 6e-4, 150, 0.35, 3e-6, 22,
                         kawabata + "cotton jersey, 170 g/m2, 0.6 mm, in-plane stiffness 100 to "
                                    "300 N/m, bending stiffness 2 to 5 uN m, friction 0.4."));
}

// A yarn or hair: mass a length [kg/m], radius [m], stiffness along it [N], bending stiffness [N
// m2] and stiffness of its cross-section [Pa].
Material strand(const char* name, double length_mass, double radius, double stiffness,
                double bending, double section, double angle, const std::string& source) {
    const double area = 3.14159265358979 * radius * radius;
    Material m = thin(name, length_mass / area, section, 0.3, source + chosen);
    m.thin.radius = radius;
    m.thin.stretch = stiffness / area;
    m.thin.shear = 0.1 * section;
    m.thin.friction_angle = angle;
    m.thin.fibre_bending = bending;
    m.thin.damping = 0.1;
    m.thin.whole_volume = true;
    return m;
}

void add_strands(std::vector<Material>& all) {
    const std::string order = "Handbook order of magnitude for ";
    all.push_back(strand("wool-yarn", 5e-4, 1e-3, 3, 5e-9, 2e4, 20,
                         order +
                             "worsted knitting yarn: 200 m of it weigh 100 g, 2 mm thick, "
                             "flexural rigidity 1e-9 to 2e-8 N m2, friction 0.35. It stretches "
                             "by 100 N per unit strain; here by 3 N, so that steps stay long."));
    all.push_back(strand("rope", 0.07, 5e-3, 800, 2e-3, 1e6, 17,
                         order + "laid rope of 10 mm: 70 g/m, bends as its fibres slide, 1e-3 to "
                                 "1e-2 N m2, friction 0.3. It stretches by 1e4 to 1e5 N per unit "
                                 "strain; here by 800 N, so that steps stay long."));
    const std::string hair =
        order +
        "human hair: density 1320 kg/m3, Young's modulus 3 to 4 GPa, so that a hair of "
        "this radius bends with E pi r^4 / 4; friction 0.25. Along it the stiffness is a "
        "thousandth of that, so that steps stay long; it stretches by less than a percent "
        "under its weight.";
    constexpr double pi = 3.14159265358979;
    const auto hairs = [&](const char* name, double radius, const std::string& more) {
        const double area = pi * radius * radius;
        all.push_back(strand(name, 1320 * area, radius, 3.5e6 * area,
                             3.5e9 * 0.25 * area * radius * radius, 1e5, 14, hair + more));
    };
    hairs("straight-hair", 3.5e-5, "");
    hairs(
        "curly-hair", 4.5e-5,
        " Curls are in the shape of the curves: a curve keeps the curvature that it starts with.");
}

}  // namespace

void add_thin_presets(std::vector<Material>& all) {
    add_published(all);
    add_fabrics(all);
    add_strands(all);
}

}  // namespace knead
