#include "knead/points/embedded/link_laplacian.h"

#include <cmath>

#include "knead/parallel/exec.h"

namespace knead {

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
        for (std::size_t s = links.first(i); s < links.end(i); ++s) {
            const std::int32_t twin = graph.twin[s];
            const Real c =
                directed[s] +
                (twin == LinkGraph::none ? Real(0) : directed[static_cast<std::size_t>(twin)]);
            const Lanes<Real> r = narrow<Real>(x[static_cast<std::size_t>(links.to[s])] - x[i]);
            const Lanes<Real> square = r * r;
            const Real d2 = square[0] + square[1] + square[2];
            along_[s] = Lanes<Real>(d2 > Real(0) ? std::sqrt(c / d2) : Real(0)) * r;
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
    const Lanes<Real> own = z[i];
    Lanes<Real> sum = Lanes<Real>(diagonal_[i]) * own;
    const auto term = [&](std::size_t slot, std::size_t other) {
        const Lanes<Real> d = along_[slot], t = d * (own - z[other]);
        sum += Lanes<Real>(t[0] + t[1] + t[2]) * d;
    };
    for (std::size_t s = links_->first(i); s < links_->end(i); ++s)
        term(s, static_cast<std::size_t>(links_->to[s]));
    for (std::uint32_t k = graph_->incoming_begin[i]; k < graph_->incoming_begin[i + 1]; ++k)
        term(graph_->incoming[k], LinkGraph::owner(graph_->incoming[k]));
    return sum;
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
