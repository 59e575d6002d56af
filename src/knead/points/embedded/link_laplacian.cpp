#include "knead/points/embedded/link_laplacian.h"

#include <cmath>

#include "knead/parallel/exec.h"
#include "knead/points/embedded/slot_packs.h"

namespace knead {

namespace {

// Rows of four numbers in one pack: two of floats, the first alone of doubles.
template <class Real>
Pack<Real> fours(const Lanes<Real>* first, const Lanes<Real>* second) {
    if constexpr (pack_lanes<Real> == 8)
        return load_halves(reinterpret_cast<const Real*>(first),
                           reinterpret_cast<const Real*>(second));
    else
        return *first;
}

// In every lane the sum of the four that it stands in.
template <class S, int N>
Wide<S, N> sum_of_each_four(const Wide<S, N>& a) {
    if constexpr (N == 8) {
        const auto pairs = a.v + __builtin_shufflevector(a.v, a.v, 1, 0, 3, 2, 5, 4, 7, 6);
        return pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1, 6, 7, 4, 5);
    } else {
        const auto pairs = a.v + __builtin_shufflevector(a.v, a.v, 1, 0, 3, 2);
        return pairs + __builtin_shufflevector(pairs, pairs, 2, 3, 0, 1);
    }
}

}  // namespace

template <class Real>
void LinkLaplacian<Real>::set(const Links<Real>& links, const LinkGraph& graph,
                              const Array<Real>& directed) {
    links_ = &links;
    graph_ = &graph;
    central_ = false;
    const std::size_t n = links.size();
    both_.resize(directed.size());
    incoming_.resize(graph.incoming.size());
    for (auto* a : {&sum_, &diagonal_, &inverse_}) a->resize(n);
    for_each(n, 512, [&](std::size_t i) {
        Real sum = Real(0);
        for (std::size_t s = links.first(i); s < links.end(i); ++s) {
            const std::int32_t twin = graph.twin[s];
            both_[s] =
                directed[s] +
                (twin == LinkGraph::none ? Real(0) : directed[static_cast<std::size_t>(twin)]);
            sum += both_[s];
        }
        for (std::uint32_t k = graph.incoming_begin[i]; k < graph.incoming_begin[i + 1]; ++k)
            sum += incoming_[k] = directed[graph.incoming[k]];
        sum_[i] = diagonal_[i] = sum;
        inverse_[i] = sum > Real(0) ? Real(1) / sum : Real(0);
    });
}

template <class Real>
void LinkLaplacian<Real>::set_central(const Links<Real>& links, const LinkGraph& graph,
                                      const Array<Real>& directed, const Array<Lanes<double>>& x) {
    links_ = &links;
    graph_ = &graph;
    central_ = true;
    const std::size_t n = links.size();
    along_.resize(directed.size());
    for (auto* a : {&sum_, &diagonal_, &inverse_}) a->assign(n, Real(0));
    for_each(n, 512, [&](std::size_t i) {
        for (std::size_t s = links.first(i); s < links.end(i); s += pack_lanes<Real>) {
            using P = Pack<Real>;
            const std::size_t left = links.end(i) - s;
            Real c[pack_lanes<Real>];
            for (std::size_t k = 0; k < pack_lanes<Real>; ++k) {
                const std::int32_t twin = k < left ? graph.twin[s + k] : LinkGraph::none;
                c[k] = k < left ? directed[s + k] : Real(0);
                if (twin != LinkGraph::none) c[k] += directed[static_cast<std::size_t>(twin)];
            }
            const Vec3<P> r = to_neighbours(links, s, x, i);
            const P d2 = dot(r, r), zero(Real(0));
            const P scale = select(d2 > zero, sqrt(P::load(c) / d2), zero);
            const Vec3<P> d = scale * r;
            interleave4(d.x, d.y, d.z, zero, reinterpret_cast<Real*>(&along_[s]));
        }
    });
}

template <class Real>
void LinkLaplacian<Real>::set_shift(const Array<Real>& shift) {
    for_each(size(), 4096, [&](std::size_t i) {
        diagonal_[i] = sum_[i] + shift[i];
        const Real scale = central_ ? shift[i] : diagonal_[i];
        inverse_[i] = scale > Real(0) ? Real(1) / scale : Real(0);
    });
}

template <class Real>
Lanes<Real> LinkLaplacian<Real>::central_row(std::size_t i, const Array<Lanes<Real>>& z) const {
    using P = Pack<Real>;
    constexpr std::size_t rows = pack_lanes<Real> / 4;  // of four numbers in a pack
    static const Lanes<Real> nothing(Real(0));
    const P own = same_four(reinterpret_cast<const Real*>(&z[i]));
    P sum(Real(0));
    const auto term = [&](const P& d, const P& other) {
        sum += sum_of_each_four(d * (own - other)) * d;
    };
    // Free slots hold zeros, and an even number of slots fits a row.
    for (std::size_t s = links_->first(i); s < links_->end(i); s += rows)
        term(P::load(reinterpret_cast<const Real*>(&along_[s])),
             fours<Real>(&z[static_cast<std::size_t>(links_->to[s])],
                         &z[static_cast<std::size_t>(links_->to[s + rows - 1])]));
    const std::uint32_t end = graph_->incoming_begin[i + 1];
    for (std::uint32_t k = graph_->incoming_begin[i]; k < end; k += rows) {
        const std::uint32_t first = graph_->incoming[k];
        const bool both = k + rows <= end;
        const std::uint32_t second = both ? graph_->incoming[k + rows - 1] : first;
        term(fours<Real>(&along_[first], both ? &along_[second] : &nothing),
             fours<Real>(&z[LinkGraph::owner(first)], &z[LinkGraph::owner(second)]));
    }
    Lanes<Real> result;
    store_sum_of_fours(sum, reinterpret_cast<Real*>(&result));
    return Lanes<Real>(diagonal_[i]) * z[i] + result;
}

template <class Real>
Lanes<Real> LinkLaplacian<Real>::plain_row(std::size_t i, const Array<Lanes<Real>>& z) const {
    Lanes<Real> a(Real(0)), b(Real(0));
    const std::size_t end = links_->end(i);
    std::size_t s = links_->first(i);
    const auto term = [&](std::size_t slot) {
        return Lanes<Real>(both_[slot]) * z[static_cast<std::size_t>(links_->to[slot])];
    };
    for (; s + 2 <= end; s += 2) a += term(s), b += term(s + 1);
    if (s < end) a += term(s);
    for (std::uint32_t k = graph_->incoming_begin[i]; k < graph_->incoming_begin[i + 1]; ++k)
        b += Lanes<Real>(incoming_[k]) * z[LinkGraph::owner(graph_->incoming[k])];
    return Lanes<Real>(diagonal_[i]) * z[i] - (a + b);
}

// The loops of one solve.
template <class Real>
struct LinkLaplacian<Real>::System {
    LinkLaplacian& a;
    Array<Lanes<Real>>&x, &r;
    const Real* scale;

    static CgNorms plus(const CgNorms& s, const CgNorms& t) {
        return {s.r_dot_z + t.r_dot_z, s.size + t.size};
    }
    // z = r / diagonal, and the sums over one row.
    CgNorms precondition(std::size_t i) const {
        const Lanes<Real> z = Lanes<Real>(a.inverse_[i]) * r[i];
        a.z_[i] = z;
        const double one = scale ? 1 / static_cast<double>(scale[i]) : 1;
        return {dot(r[i], z), one * one * dot(z, z)};
    }
    CgNorms finish(const CgNorms& sum) const {
        return {sum.r_dot_z, std::sqrt(sum.size / static_cast<double>(a.size()))};
    }
    CgNorms start() {
        return finish(reduce(
            a.size(), CgNorms{},
            [&](std::size_t i) {
                x[i] = Lanes<Real>(Real(0));
                return precondition(i);
            },
            plus));
    }
    void direct(double beta) {
        const auto b = static_cast<Real>(beta);
        for_each(a.size(), reduce_chunk, [&](std::size_t i) {
            a.p_[i] = beta == 0 ? a.z_[i] : a.z_[i] + Lanes<Real>(b) * a.p_[i];
        });
    }
    double apply() {
        return reduce(
            a.size(), 0.0,
            [&](std::size_t i) {
                a.q_[i] = a.row(i, a.p_);
                return dot(a.p_[i], a.q_[i]);
            },
            std::plus<>{});
    }
    CgNorms descend(double alpha) {
        const Lanes<Real> step(static_cast<Real>(alpha));
        return finish(reduce(
            a.size(), CgNorms{},
            [&](std::size_t i) {
                x[i] += step * a.p_[i];
                r[i] -= step * a.q_[i];
                return precondition(i);
            },
            plus));
    }
};

template <class Real>
CgReport LinkLaplacian<Real>::solve(Array<Lanes<Real>>& x, Array<Lanes<Real>>& r, double target,
                                    int max_iterations, const Real* scale) {
    for (auto* a : {&p_, &q_, &z_, &x}) a->resize(size());
    System system{*this, x, r, scale};
    return conjugate_gradient(system, target, max_iterations);
}

template <class Real>
std::size_t LinkLaplacian<Real>::bytes() const {
    return sizeof(Real) * (both_.size() + incoming_.size() + 3 * diagonal_.size()) +
           sizeof(Lanes<Real>) * (along_.size() + p_.size() + q_.size() + z_.size());
}

template class LinkLaplacian<float>;
template class LinkLaplacian<double>;

}  // namespace knead
