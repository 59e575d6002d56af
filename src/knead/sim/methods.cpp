#include "knead/sim/methods.h"

#include <fmt/format.h>

#include <stdexcept>

namespace knead {

namespace {

MethodSummary summary(const MpmSettings& s) {
    return {"grid", fmt::format("dx {:g} m, {}, {}", s.dx,
                                s.kernel == 1   ? "linear"
                                : s.kernel == 2 ? "quadratic"
                                                : "cubic",
                                s.transfer == Transfer::apic   ? "apic"
                                : s.transfer == Transfer::flip ? "flip"
                                                               : "aflip")};
}
MethodSummary summary(const IncrementalSettings& s) {
    return {"points", s.keeps_start() ? "incremental method; matter that never flows is "
                                        "measured from its start (memory = \"start\")"
                                      : "incremental method"};
}
MethodSummary summary(const EmbeddedSettings&) { return {"points", "embedded method"}; }
MethodSummary summary(const ImplicitSettings& s) {
    return {"points", s.is_explicit() ? "implicit method, its explicit twin"
                                      : fmt::format("implicit method, steps of {:g} s", s.dt)};
}

}  // namespace

std::string name_of(Method method) {
    switch (method) {
        case Method::mpm:
            return "mpm";
        case Method::incremental:
            return "incremental";
        case Method::embedded:
            return "embedded";
        case Method::implicit:
            return "implicit";
    }
    throw std::logic_error("a method without a name");
}

MethodSummary summary_of(const MethodSettings& settings) {
    return std::visit([](const auto& s) { return summary(s); }, settings);
}

}  // namespace knead
