// The methods: one enumerator, one settings type and one name each. A model holds the settings of
// the method it runs, as a variant; make_solver visits it, so that a method without a factory does
// not compile. What a scene may say about each stands in scene/methods.cpp.
#pragma once

#include <array>
#include <string>
#include <variant>

#include "knead/mpm/settings.h"
#include "knead/points/embedded/settings.h"
#include "knead/points/implicit/settings.h"
#include "knead/points/incremental/settings.h"

namespace knead {

enum class Method { mpm, incremental, embedded, implicit };
inline constexpr std::array all_methods{Method::mpm, Method::incremental, Method::embedded,
                                        Method::implicit};

// In the order of the enumerators.
using MethodSettings =
    std::variant<MpmSettings, IncrementalSettings, EmbeddedSettings, ImplicitSettings>;
static_assert(std::variant_size_v<MethodSettings> == all_methods.size());

inline Method method_of(const MethodSettings& settings) { return all_methods[settings.index()]; }

// As scenes and messages write it.
std::string name_of(Method method);

// What a method is and runs with, for people: "grid" and "dx 0.02 m, quadratic, apic".
struct MethodSummary {
    std::string kind, text;
};
MethodSummary summary_of(const MethodSettings& settings);

}  // namespace knead
