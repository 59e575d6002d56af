// The keys of the point methods.
#include "knead/scene/keys.h"

namespace knead {

namespace {

// A number that is filled in later where the scene names none (fill_in_settings).
template <class T>
Key<T> filled_in(Key<T> key, const char* fallback) {
    key.info.fallback = fallback;
    return key;
}

}  // namespace

const Keys<IncrementalSettings>& incremental_keys() {
    using T = IncrementalSettings;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::number("support", &T::support, {1.2, 5}, "",
                  "radius of neighbourhoods, in spacings of particles"),
        K::integer("neighbours", &T::neighbours, {0, 200},
                   "at most, the nearest; 0: all within the radius"),
        filled_in(K::number("pressure", &T::pressure, at_least(0), "Pa",
                            "stiffness against crowding; 0: none, and matter may fall into "
                            "itself"),
                  "half of the bulk modulus; the least"),
        filled_in(
            K::number("viscosity", &T::viscosity, at_least(-1), "Pa s",
                      "against relative motion of neighbours; elastic matter needs some. Negative: "
                      "each material's own, 0.2 of density x speed of sound x spacing, 0.5 of it "
                      "where it flows, all of it for increments of what does not"),
            "-1"),
        K::number("surface_tension", &T::surface_tension, at_least(0), "N/m", "0: none"),
        filled_in(K::word("memory", &T::memory,
                          Words<DeformationMemory>{
                              {"by-matter", DeformationMemory::by_matter},
                              {"increments", DeformationMemory::increments},
                              {"start", DeformationMemory::start},
                              {"rest-configuration", DeformationMemory::rest_configuration},
                              {"additive-strain", DeformationMemory::additive_strain}},
                          "how deformation is remembered: step by step, or, by matter that never "
                          "flows, from places and neighbours at the start; the last two are what "
                          "the paper compares with"),
                  "\"by-matter\": \"start\" where something never flows, else \"increments\""),
        K::number("shape_stiffness", &T::shape_stiffness, {0, 10}, "",
                  "stiffness against what neighbours do beyond a linear map, in units of that "
                  "against pressure waves; memory \"start\" only"),
        K::word(
            "stress", &T::stress,
            Words<StressForm>{{"stretched", StressForm::stretched}, {"plain", StressForm::plain}},
            "F P in the pair force of increments, as in the paper, or P alone; from the start "
            "always P"),
        filled_in(K::number("force_by_fit", &T::force_by_fit, {0, 1}, "",
                            "share of the elastic force of increments that is the fit's own, which "
                            "keeps matter below its yield stress quiet; 0: by the kernel alone, as "
                            "in the paper"),
                  "0.15"),
        K::flag("squared_stretch", &T::squared_stretch,
                "stress from squared stretches: hyperelastic, twice as stiff"),
        K::word("weight", &T::weight_power, Words<int>{{"squared", 2}, {"plain", 1}},
                "the kernel in the fit of increments"),
        K::flag("fuse", &T::fuse,
                "bodies that meet become one (those that keep their start: with whom they touch "
                "there); else they only press"),
        K::number("stability", &T::stability, {0, 2, true, false}, "",
                  "share of the elastic step bound to use"),
        K::number("cfl", &T::cfl, {0, 1, true, false}, "",
                  "spacings a particle may cross in a step"),
    };
    return keys;
}

const Keys<EmbeddedSettings>& embedded_keys() {
    using T = EmbeddedSettings;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        filled_in(K::number("viscosity", &T::viscosity, at_least(-1), "Pa s",
                            "against relative motion of neighbours. Negative: each material's own, "
                            "0.1 of density x speed of sound x spacing, 0.5 of it where it flows"),
                  "-1"),
        K::number("stability", &T::stability, {0, 2, true, false}, "",
                  "share of the elastic step bound to use"),
        K::word("integrator", &T::integrator,
                Words<EmbeddedIntegrator>{{"newmark", EmbeddedIntegrator::newmark},
                                          {"semi-implicit", EmbeddedIntegrator::semi_implicit},
                                          {"leapfrog", EmbeddedIntegrator::leapfrog}},
                "how time steps are taken"),
        K::flag("plastic_offsets", &T::plastic_offsets,
                "rest vectors follow the flow; off: nothing is remembered"),
        K::word("embedding", &T::embedding,
                Words<Embedding>{{"linear", Embedding::linear},
                                 {"nonlinear", Embedding::nonlinear},
                                 {"none", Embedding::none}},
                "how particles are placed in embedded space"),
        K::word("embedding_weights", &T::embedding_weights,
                Words<EmbeddingWeights>{{"kernel", EmbeddingWeights::kernel},
                                        {"scale-free", EmbeddingWeights::scale_free}},
                "the paper's, or even ones for uneven sampling"),
        K::integer("nonlinear_rounds", &T::nonlinear_rounds, {1, 100},
                   "of rotations and placements; nonlinear only"),
        K::number("embedding_tolerance", &T::embedding_tolerance, {1e-12, 0.1}, "",
                  "of the residual, in neighbourhood radii"),
        K::number("shape_stiffness", &T::shape_stiffness, {0, 10}, "",
                  "stiffness against what neighbours do beyond a linear map, in units of that "
                  "against pressure waves; 0: none, as in the paper"),
        K::number("settling", &T::settling, {0, 1}, "",
                  "share of the flow at which rest vectors follow what neighbours did beyond a "
                  "linear map; 0: never, as in the paper"),
        K::flag("neighbour_updates", &T::neighbour_updates,
                "neighbourhoods are renewed in embedded space"),
        K::word("volume", &T::volume,
                Words<EmbeddedVolume>{{"estimate", EmbeddedVolume::estimate},
                                      {"sph", EmbeddedVolume::sph},
                                      {"constant", EmbeddedVolume::constant}},
                "how a particle's volume follows its neighbourhood"),
        K::flag("force_with_flow", &T::force_with_flow, "forces through the flowed rest vectors"),
        K::flag("resampling", &T::resampling, "split and merge particles"),
        K::number("split", &T::split, at_least(0), "",
                  "split where sampling is sparser than this share of the start's"),
        K::number("merge", &T::merge, at_least(0), "",
                  "merge where sampling is denser than this multiple of the start's"),
        K::number("merge_distance", &T::merge_distance, at_least(0), "",
                  "merge neighbours nearer than this, in spacings"),
        K::number("split_volume", &T::split_volume, at_least(0), "",
                  "split what has merged inside a body to more than this multiple of the start's "
                  "volume"),
        K::number("surface", &T::surface, at_least(0), "",
                  "mean neighbour vector of surface particles, in spacings"),
        K::flag("contact", &T::contact,
                "parts that are near in the world and far in embedded space push each other"),
        K::number("contact_friction", &T::contact_friction, {0, 100}, "",
                  "Coulomb's, between them"),
    };
    return keys;
}

}  // namespace knead
