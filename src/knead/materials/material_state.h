// What one particle remembers of its past, as far as its material is concerned: the one list of it.
// A law names the members it uses; the others are never loaded or stored. Tables of particles,
// packs, the GPU's views, fresh and emitted particles and resampling all follow from this list.
#pragma once

#include <bit>

#include "knead/math/mat.h"

// A line a member: X(name, what it is, unit, written to frames, at rest, averaged, is a flag)
//   at rest     this number, or so many times the identity
//   averaged    resampling takes means; else a new particle has what its nearest donor has
//
//   F                  deformation gradient: elastic, or total for foam that tears
//   b                  unimodular elastic left Cauchy-Green tensor
//   dilation           J - 1, kept apart so that small changes survive
//   hardening          the flow rule's memory
//   volume_correction  log volume gained in tension, for sand
//   weak               1 where the particle is torn [Yue 2015, section 7], else 0
#define KNEAD_FOR_EACH_STATE_COLUMN(X)                       \
    X(F, Matrix, "1", false, 1, true, false)                 \
    X(b, Symmetric, "1", false, 1, true, false)              \
    X(dilation, Number, "1", true, 0, true, false)           \
    X(hardening, Number, "1", true, 0, true, false)          \
    X(volume_correction, Number, "1", false, 0, true, false) \
    X(weak, Number, "1", true, 0, false, true)

namespace knead {

// uses_F, uses_b, ...: a bit each.
#define KNEAD_POSITION(name, ...) position_of_##name,
#define KNEAD_BIT(name, ...) uses_##name = 1u << position_of_##name,
enum StatePositions : unsigned { KNEAD_FOR_EACH_STATE_COLUMN(KNEAD_POSITION) };
enum MaterialColumns : unsigned { KNEAD_FOR_EACH_STATE_COLUMN(KNEAD_BIT) };
#undef KNEAD_POSITION
#undef KNEAD_BIT

// `Of` says what a member is: numbers, columns of a table, planes in the GPU's memory.
template <class Of>
struct MaterialMembers {
#define KNEAD_MEMBER(name, kind, ...) typename Of::kind name;
    KNEAD_FOR_EACH_STATE_COLUMN(KNEAD_MEMBER)
#undef KNEAD_MEMBER
};

// A line of the list.
struct StateInfo {
    const char* name;
    const char* unit;  // SI, "1" for a pure number
    bool io;
    double rest;
    bool averaged;
    bool flag;
};
#define KNEAD_INFO(name, kind, unit, io, rest, averaged, flag) \
    StateInfo{#name, unit, io, rest, averaged, flag},
inline constexpr StateInfo state_columns[] = {KNEAD_FOR_EACH_STATE_COLUMN(KNEAD_INFO)};
#undef KNEAD_INFO

template <unsigned which>
struct StateColumn {
    static constexpr unsigned bit = which;
    static constexpr StateInfo info = state_columns[std::countr_zero(which)];
    static constexpr double rest = info.rest;  // a number by itself, for device code
};

// visit(StateColumn, that member of each part) for every member. A part is anything with these
// members: a state, a table of particles, a view of one.
#if defined(__CUDACC__)
#pragma nv_exec_check_disable
#endif
template <class Visit, class... Part>
CPU_GPU ALWAYS_INLINE constexpr void for_each_state_column(const Visit& visit, Part&... part) {
#define KNEAD_VISIT(name, ...) visit(StateColumn<uses_##name>{}, part.name...);
    KNEAD_FOR_EACH_STATE_COLUMN(KNEAD_VISIT)
#undef KNEAD_VISIT
}

// The numbers of a member of a state, one after another.
template <class T>
CPU_GPU inline T* numbers_of(T& number) {
    return &number;
}
template <class T>
CPU_GPU inline T* numbers_of(Sym3<T>& a) {
    return &a.xx;
}
template <class T>
CPU_GPU inline T* numbers_of(Mat3<T>& a) {
    return &a.xx;
}

template <class T>
CPU_GPU inline const T* numbers_of(const Sym3<T>& a) {
    return &a.xx;
}
template <class T>
CPU_GPU inline const T* numbers_of(const Mat3<T>& a) {
    return &a.xx;
}

// Number k of the `count` (1, 6 or 9) of a member that is `rest` times the identity.
CPU_GPU constexpr double rest_number(double rest, int count, int k) {
    const bool on_diagonal = count == 9 ? k % 4 == 0 : count == 6 ? k < 3 : true;
    return on_diagonal ? rest : 0.0;
}

template <class T>
struct StateNumbers {
    using Number = T;
    using Symmetric = Sym3<T>;
    using Matrix = Mat3<T>;
};

template <class T>
struct MaterialState : MaterialMembers<StateNumbers<T>> {
    struct SetRest {
        template <unsigned bit, class Member>
        CPU_GPU constexpr void operator()(StateColumn<bit> column, Member& member) const {
            constexpr int count = sizeof(Member) / sizeof(T);  // NOLINT(bugprone-sizeof-expression)
            for (int k = 0; k < count; ++k)
                numbers_of(member)[k] = T(rest_number(column.rest, count, k));
        }
    };
    CPU_GPU static MaterialState rest() {
        MaterialState state;
        for_each_state_column(SetRest{}, state);
        return state;
    }
};

}  // namespace knead
