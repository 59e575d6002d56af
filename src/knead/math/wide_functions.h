// exp, log, cbrt and pow for packs.
#pragma once

namespace knead {

template <class S, int N>
inline Wide<S, N> exp(Wide<S, N> a) {
    for (int i = 0; i < N; ++i) a.v[i] = std::exp(a.v[i]);
    return a;
}
template <class S, int N>
inline Wide<S, N> log(Wide<S, N> a) {
    for (int i = 0; i < N; ++i) a.v[i] = std::log(a.v[i]);
    return a;
}
template <class S, int N>
inline Wide<S, N> cbrt(Wide<S, N> a) {
    for (int i = 0; i < N; ++i) a.v[i] = std::cbrt(a.v[i]);
    return a;
}
template <class S, int N>
inline Wide<S, N> pow(Wide<S, N> a, std::type_identity_t<Wide<S, N>> b) {
    for (int i = 0; i < N; ++i) a.v[i] = std::pow(a.v[i], b.v[i]);
    return a;
}

}  // namespace knead
