#include "knead/materials/preset_notes.h"

#include <array>
#include <stdexcept>
#include <string_view>

namespace knead {

namespace {

struct Note {
    std::string_view name;
    int color;
    const char* compared;
};

constexpr const char* of_foam =
    "The paper's pictures, by the claims of scenes/yue-2015 (docs/papers/yue-2015.md); no "
    "measurement of the real matter.";
constexpr const char* of_oobleck =
    "The paper's pictures only. Real cornstarch in water jams at stresses of some kPa.";
constexpr const char* of_jiang =
    "The paper's pictures, by the claims of scenes/jiang-2017 (docs/papers/jiang-2017.md), in its "
    "units; no measurement.";
constexpr const char* of_cloth =
    "Handbook weights, thicknesses and bending stiffness of such cloth; a hanging strip and a "
    "cantilever of the tests. Stretch is softer than real.";
constexpr const char* of_yarn =
    "Handbook weights and radii; the cantilever of the tests. Stretch is softer than real.";

constexpr std::array notes{
    Note{"shaving-cream", 0xf4f6f8, of_foam},
    Note{"smore-interior", 0xfaf3ee, of_foam},
    Note{"smore-exterior", 0xd9a86c, of_foam},
    Note{"pie", 0xf3e3b3, of_foam},
    Note{"oobleck", 0xd7e3c8, of_oobleck},
    Note{"viscoplastic", 0xc9d6e8, of_foam},
    Note{"jelly", 0xc8402f,
         "Gelatine gels of 5 to 10 %: shear modulus 1 to 5 kPa, here 2.1 kPa (`knead rheometer "
         "jelly --test oscillatory`). No loss here; real gels lose a few percent a cycle."},
    Note{"rubber", 0x3c4048,
         "Soft rubber: Young's modulus 1 to 5 MPa, here 1 MPa. Real rubber hardly changes its "
         "volume; here Poisson's ratio is 0.45."},
    Note{"foam-rubber", 0xe8d67a,
         "Upholstery foam: tens of kPa at small strain, here 30 kPa. No plateau of buckling cells "
         "and no loss, which real foam has."},
    Note{"clay", 0x9c6b4e,
         "Soft clay: undrained strength 12 to 25 kPa, here 25 kPa / sqrt(3) = 14 kPa in shear."},
    Note{"soft-clay", 0xb98a6a, "Nothing measured: chosen by eye."},
    Note{"gum", 0xe58fa8, "Nothing measured: chosen by eye."},
    Note{"cornstarch", 0xefe9d8, "Nothing measured: chosen by eye."},
    Note{"goo", 0x7fb04f, "Nothing measured: chosen by eye, for the scale of half a metre."},
    Note{"slime", 0x6cc24a,
         "Slime of polyvinyl alcohol and borax: shear modulus 0.1 to 1 kPa in quick motion, "
         "relaxation within 0.1 to 1 s. Here 741 Pa, and stress above yield relaxes in about "
         "0.3 s (`knead rheometer slime --test relaxation`)."},
    Note{"sand", 0xd9b77a, "The pictures of Klar et al. 2016; no measurement."},
    Note{"dry-sand", 0xe0c48c,
         "Dry loose sand: angle of repose 30 to 35 degrees, an angle of shear; here 33 degrees, in "
         "shear (`flow.cone`)."},
    Note{"gravel", 0x8d8a86,
         "Gravel: friction angle 38 to 42 degrees, here 40 in triaxial compression."},
    Note{"whipped-cream", 0xfbf7ec,
         "Whipped cream: yield stress 20 to 60 Pa and shear modulus 1 to 3 kPa; here 40 Pa and "
         "1.5 kPa in shear."},
    Note{"dough", 0xe0c193,
         "Wheat dough: shear modulus 2 to 20 kPa, here 5 kPa. Real dough loses energy in every "
         "oscillation, with a loss tangent of 0.3 to 0.5 from 0.1 % strain on; here there is none "
         "below the yield strain of 3 %, and 0.35 at 10 % and 1 Hz (`knead rheometer dough --test "
         "oscillatory --strain 0.1 --frequency 1`)."},
    Note{"toothpaste", 0xcfeef2,
         "Toothpaste: yield stress 100 to 200 Pa, here 150 Pa in shear; flow index 0.45."},
    Note{"mayonnaise", 0xf6e9b8, "Mayonnaise: yield stress 50 to 100 Pa, here 80 Pa in shear."},
    Note{"ketchup", 0xb3261e, "Ketchup: yield stress 10 to 30 Pa, here 20 Pa in shear."},
    Note{"mud", 0x6b4f3a, "Wet mud: yield stress 20 to 100 Pa, here 60 Pa in shear."},
    Note{"molten-chocolate", 0x4a2c1d,
         "Dark chocolate at 40 C: yield stress 5 to 20 Pa, here 8 Pa; plastic viscosity 2 to 5 Pa "
         "s, "
         "here 4."},
    Note{"water", 0x7fb7e0, "Density and viscosity of water at 20 C. Sound is 150 times too slow."},
    Note{"honey", 0xd9952b, "Honey at 20 C: viscosity 2 to 15 Pa s, here 10."},
    Note{"syrup", 0x9a5a1c, "Sugar syrup: viscosity 1 to 5 Pa s, here 2."},
    Note{"cotton", 0xe9e4d8, of_cloth},
    Note{"denim", 0x3f5f8f, of_cloth},
    Note{"silk", 0xd9c7e3, of_cloth},
    Note{"jersey", 0x9fb6a8, of_cloth},
    Note{"wool-yarn", 0xb5524a, of_yarn},
    Note{"rope", 0xc2a878, of_yarn},
    Note{"straight-hair", 0x5a4030, of_yarn},
    Note{"curly-hair", 0x4a3226, of_yarn},
    Note{"hair-tubes", 0x5a4030, of_jiang},
    Note{"shag-carpet", 0xa8442f, of_jiang},
};

}  // namespace

void add_note(Material& preset) {
    for (const Note& note : notes)
        if (note.name == preset.name) {
            preset.color = note.color;
            preset.compared = note.compared;
            return;
        }
    if (!is_thin(preset)) throw std::logic_error("no note on material " + preset.name);
    // The rest are those of the cloth paper.
    preset.color = 0xb8c4d4;
    preset.compared = of_jiang;
}

}  // namespace knead
