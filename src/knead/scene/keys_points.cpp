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

template <class T>
Key<T> viscosity_form_key(ViscosityForm T::*member) {
    return KeyOf<T>::word(
        "viscosity_form", member,
        Words<ViscosityForm>{{"central", ViscosityForm::central},
                             {"laplacian", ViscosityForm::laplacian}},
        "viscosity along the line between neighbours, which keeps spin; or on their whole "
        "relative velocity, as in the paper, which takes it away");
}

template <class T>
Key<T> wall_distance_key() {
    return KeyOf<T>::number(
        "wall_distance", &T::wall_distance, {0, 1}, "",
        "how far from a collider particles that touch it stand, in spacings: half of one where "
        "bodies end at their surface; 0: their middles touch it, as in the paper");
}

template <class T>
Key<T> shape_stiffness_key(const std::string& note) {
    static const std::string text =
        "stiffness against the part of the neighbours' motion that F does not explain, relative "
        "to the P-wave modulus; " +
        note +
        ". Negative: 4 shear moduli of each material, with which thin bars bend as they should";
    return filled_in(
        KeyOf<T>::number("shape_stiffness", &T::shape_stiffness, {-1, 10}, "", text.c_str()), "-1");
}

}  // namespace

const Keys<IncrementalSettings>& incremental_keys() {
    using T = IncrementalSettings;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::number("support", &T::support, {1.2, 5}, "",
                  "radius of neighbourhoods, in particle spacings"),
        K::integer("neighbours", &T::neighbours, {0, 200},
                   "largest number of neighbours, the nearest ones; 0: all within the radius"),
        filled_in(K::number("pressure", &T::pressure, at_least(0), "Pa",
                            "stiffness of the SPH pressure; 0: none, and matter may collapse"),
                  "half of the smallest bulk modulus"),
        filled_in(K::number("viscosity", &T::viscosity, at_least(-1), "Pa s",
                            "SPH viscosity; elastic matter needs some. Negative: k x density x "
                            "sound speed x spacing for each material, with k = 0.2 (elastic), 0.5 "
                            "(flowing), 1 (elastic with memory \"increments\")"),
                  "-1"),
        viscosity_form_key(&T::viscosity_form),
        K::number("surface_tension", &T::surface_tension, at_least(0), "N/m",
                  "coefficient of surface tension; 0: none"),
        wall_distance_key<T>(),
        filled_in(K::word("memory", &T::memory,
                          Words<DeformationMemory>{
                              {"by-matter", DeformationMemory::by_matter},
                              {"increments", DeformationMemory::increments},
                              {"start", DeformationMemory::start},
                              {"rest-configuration", DeformationMemory::rest_configuration},
                              {"additive-strain", DeformationMemory::additive_strain}},
                          "what deformation is measured from: increments of each step, or, for "
                          "matter that never flows, positions and neighbours at the start; the "
                          "last two are baselines of the paper's Fig. 8"),
                  "\"by-matter\": \"start\" where something never flows, else \"increments\""),
        shape_stiffness_key<T>("memory \"start\" only"),
        K::word(
            "stress", &T::stress,
            Words<StressForm>{{"stretched", StressForm::stretched}, {"plain", StressForm::plain}},
            "stress in the pair force of increments: stretched is F P, as in the paper; plain is "
            "P. Memory \"start\" always uses P"),
        filled_in(K::number("force_by_fit", &T::force_by_fit, {0, 1}, "",
                            "fraction of the elastic force of increments that is derived from the "
                            "affine fit, which keeps spin, and matter below its yield stress at "
                            "rest; 0: kernel forces alone, as in the paper"),
                  "1"),
        K::flag("squared_stretch", &T::squared_stretch,
                "stress from squared stretches: hyperelastic, twice as stiff"),
        K::word("weight", &T::weight_power, Words<int>{{"squared", 2}, {"plain", 1}},
                "kernel weights of the affine fit: squared, as in the paper, or plain. Memory "
                "\"start\" always has plain ones, and all neighbours within the radius"),
        K::flag("fuse", &T::fuse,
                "bodies that touch become one; with memory \"start\" only those that touch at the "
                "start. False: bodies only press on each other"),
        K::number("stability", &T::stability, {0, 2, true, false}, "",
                  "fraction of the stable elastic time step to use"),
        K::number("cfl", &T::cfl, {0, 1, true, false}, "",
                  "spacings a particle may cross in a step"),
    };
    return keys;
}

namespace {

Keys<EmbeddedSettings> embedded_method_keys() {
    using T = EmbeddedSettings;
    using K = KeyOf<T>;
    return {
        filled_in(K::number("viscosity", &T::viscosity, at_least(-1), "Pa s",
                            "viscosity between neighbours. Negative: k x density x sound speed x "
                            "spacing for each material, with k = 0.1 (elastic), 0.5 (flowing)"),
                  "-1"),
        viscosity_form_key(&T::viscosity_form),
        wall_distance_key<T>(),
        K::number("stability", &T::stability, {0, 2, true, false}, "",
                  "fraction of the stable elastic time step to use"),
        K::word("integrator", &T::integrator,
                Words<EmbeddedIntegrator>{{"newmark", EmbeddedIntegrator::newmark},
                                          {"semi-implicit", EmbeddedIntegrator::semi_implicit},
                                          {"leapfrog", EmbeddedIntegrator::leapfrog}},
                "time integration scheme"),
        K::flag("plastic_offsets", &T::plastic_offsets,
                "rest vectors follow plastic flow; false: no permanent deformation"),
        K::word("embedding", &T::embedding,
                Words<Embedding>{{"linear", Embedding::linear},
                                 {"nonlinear", Embedding::nonlinear},
                                 {"none", Embedding::none}},
                "how particles are placed in embedded space: linear, as in the paper; nonlinear, "
                "rest spaces are rotated to match first; none"),
        K::word(
            "embedding_weights", &T::embedding_weights,
            Words<EmbeddingWeights>{{"kernel", EmbeddingWeights::kernel},
                                    {"scale-free", EmbeddingWeights::scale_free}},
            "weights of that placement: kernel, as in the paper; scale-free, for uneven sampling"),
        K::integer("nonlinear_rounds", &T::nonlinear_rounds, {1, 100},
                   "rounds of rotation and placement; nonlinear only"),
        K::number("embedding_tolerance", &T::embedding_tolerance, {1e-12, 0.1}, "",
                  "tolerance of the placement's residual, in neighbourhood radii"),
        shape_stiffness_key<T>("0: none, as in the paper"),
        K::number("settling", &T::settling, {0, 1}, "",
                  "rate at which rest vectors absorb that motion, relative to the rate of flow; 0: "
                  "never, as in the paper"),
        K::flag("neighbour_updates", &T::neighbour_updates,
                "find neighbours again in embedded space"),
        K::word("volume", &T::volume,
                Words<EmbeddedVolume>{{"estimate", EmbeddedVolume::estimate},
                                      {"sph", EmbeddedVolume::sph},
                                      {"constant", EmbeddedVolume::constant}},
                "how a particle's volume is found: the paper's estimate, SPH density, or constant"),
        K::flag("force_with_flow", &T::force_with_flow,
                "compute forces with the rest vectors after flow"),
    };
}

// Resampling, and contact between parts that embedded space keeps apart.
Keys<EmbeddedSettings> embedded_sampling_keys() {
    using T = EmbeddedSettings;
    using K = KeyOf<T>;
    return {
        K::flag("resampling", &T::resampling, "split and merge particles"),
        K::number("split", &T::split, at_least(0), "",
                  "split where sampling is sparser than this fraction of that at the start"),
        K::number("merge", &T::merge, at_least(0), "",
                  "merge where sampling is denser than this multiple of that at the start"),
        K::number("merge_distance", &T::merge_distance, at_least(0), "",
                  "merge neighbours nearer than this, in spacings"),
        K::number("split_volume", &T::split_volume, at_least(0), "",
                  "split particles that merging has enlarged beyond this multiple of their volume "
                  "at the start"),
        K::number(
            "surface", &T::surface, at_least(0), "",
            "threshold for surface particles: length of the mean neighbour vector, in spacings"),
        K::flag("contact", &T::contact,
                "repulsion between parts that are near in the world and far apart in embedded "
                "space, and between bodies"),
        K::number("contact_friction", &T::contact_friction, {0, 100}, "",
                  "Coulomb friction coefficient of that contact"),
    };
}

}  // namespace

const Keys<EmbeddedSettings>& embedded_keys() {
    static const auto keys = [] {
        Keys<EmbeddedSettings> all = embedded_method_keys();
        for (auto& key : embedded_sampling_keys()) all.push_back(std::move(key));
        return all;
    }();
    return keys;
}

const Keys<ImplicitSettings>& implicit_keys() {
    using T = ImplicitSettings;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::number("support", &T::support, {1.2, 5}, "",
                  "radius of neighbourhoods, in spacings of particles"),
        K::number("dt", &T::dt, above(0), "s", "longest step"),
        K::word("integrator", &T::integrator,
                Words<PointIntegrator>{{"implicit", PointIntegrator::implicit_euler},
                                       {"explicit", PointIntegrator::explicit_euler}},
                "one linear solve a step, or the explicit twin that the paper compares with"),
        K::number("stability", &T::stability, {0, 1, true, false}, "",
                  "explicit only: share of the largest stable step to use"),
        K::word("rest_update", &T::rest_update,
                Words<RestUpdate>{{"always", RestUpdate::always}, {"lazy", RestUpdate::lazy}},
                "rest vectors follow the shape in every step, as in the paper, or are kept until "
                "flow has distorted them"),
        K::word("guess", &T::guess,
                Words<FirstGuess>{{"ballistic", FirstGuess::ballistic},
                                  {"last-force", FirstGuess::last_force},
                                  {"current", FirstGuess::current}},
                "where rotations are taken and the solve begins: without elastic force, with that "
                "of the last step (the paper's), or where particles are"),
        K::word("preconditioner", &T::preconditioner,
                Words<Preconditioner>{{"mass", Preconditioner::mass},
                                      {"block-jacobi", Preconditioner::block_jacobi},
                                      {"two-level", Preconditioner::two_level}},
                "of the solve: masses, the blocks on the diagonal, or those and a coarse space"),
        K::number("tolerance", &T::tolerance, {1e-14, 0.1}, "",
                  "of the solve's residual, relative to the step's motion"),
        K::integer("max_iterations", &T::max_iterations, {1, 100000},
                   "of a solve; running into it is counted (cg_limit)"),
        K::word("contact", &T::contact,
                Words<ObstacleContact>{{"constrain", ObstacleContact::constrain},
                                       {"project", ObstacleContact::project}},
                "colliders as constraints inside the solve, or as corrections after it"),
        K::flag("body_contact", &T::body_contact, "bodies push each other; else they pass"),
        K::number("contact_friction", &T::contact_friction, {0, 100}, "",
                  "Coulomb's, between bodies"),
    };
    return keys;
}

}  // namespace knead
