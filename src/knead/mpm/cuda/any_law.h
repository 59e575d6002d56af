// One law that can be any of the closed list: kernels for materials that have none of their own.
#pragma once

#include <cstring>
#include <utility>

#include "knead/cuda/runtime.h"
#include "knead/materials/law.h"

namespace knead {

// One step of a law, and healing by heal_dt where that is above 0.
template <class L>
__device__ inline Sym3<float> advance_law(const L& law, MaterialState<float>& state,
                                          const Mat3<float>& dt_L, float dt, float heal_dt) {
    Sym3<float> tau = law.advance(state, dt_L, dt);
    if constexpr ((L::columns & uses_weak) != 0)
        if (heal_dt > 0) {
            law.heal(state, heal_dt);
            tau = law.stress(state);
        }
    return tau;
}

template <class L>
__device__ __noinline__ void advance_out_of_line(const void* law, MaterialState<float>& state,
                                                 const Mat3<float>& dt_L, float dt, float heal_dt,
                                                 Sym3<float>& tau) {
    tau = advance_law(*static_cast<const L*>(law), state, dt_L, dt, heal_dt);
}

struct AnyLaw {
    static constexpr unsigned columns = ~0u;
    int kind = 0;
    alignas(16) unsigned char bytes[sizeof(Law<float>)] = {};

    explicit AnyLaw(const Law<float>& law) : kind(static_cast<int>(law.index())) {
        std::visit([this](const auto& one) { std::memcpy(bytes, &one, sizeof(one)); }, law);
    }
};

template <std::size_t... I>
__device__ inline void advance_kind(const AnyLaw& law, MaterialState<float>& state,
                                    const Mat3<float>& dt_L, float dt, float heal_dt,
                                    Sym3<float>& tau, std::index_sequence<I...>) {
    ((law.kind == static_cast<int>(I)
          ? advance_out_of_line<std::variant_alternative_t<I, Law<float>>>(law.bytes, state, dt_L,
                                                                           dt, heal_dt, tau)
          : void()),
     ...);
}

__device__ inline Sym3<float> advance_law(const AnyLaw& law, MaterialState<float>& state,
                                          const Mat3<float>& dt_L, float dt, float heal_dt) {
    Sym3<float> tau;
    advance_kind(law, state, dt_L, dt, heal_dt, tau,
                 std::make_index_sequence<std::variant_size_v<Law<float>>>{});
    return tau;
}

}  // namespace knead
