#include "knead/points/embedded/resample.h"

#include <algorithm>

#include "knead/math/eigen_sym.h"
#include "knead/parallel/exec.h"
#include "knead/particles/edit_rows.h"
#include "knead/points/embedded/row_fit.h"
#include "knead/points/embedded/rows.h"

namespace knead {

namespace {

// Inside a cubic lattice with the 32 nearest: h / spacing, and the eigenvalue in units of h^-2.
constexpr double lattice_support = 3.0517;
constexpr double lattice_lambda = 5.389 * lattice_support * lattice_support;
constexpr double least_split_volume = 0.8;  // of the mean volume of neighbours

enum class Change : char { none, split, merge };

// One that stands for less volume than its neighbours is at a rim, or was split before: its halves
// would be split in turn, and light particles fly off.
template <class Real>
bool is_light(const Phase<Real>& phase, std::size_t i) {
    const Links<Real>& links = phase.links;
    const Column<Real, 1>& kept = phase.particles.kept_volume;
    Real sum = Real(0);
    for (std::size_t s = links.first(i); s < links.end(i); ++s)
        sum += kept.at(static_cast<std::size_t>(links.to[s]));
    return kept.at(i) * static_cast<Real>(links.count[i]) < Real(least_split_volume) * sum;
}

// The spacing at the start of particles with the support h.
template <class Real>
Real spacing_of(Real h) {
    return h / Real(lattice_support);
}

template <class Real>
bool is_surface(const SamplingMatrix<Real>& s, Real h, const EmbeddedSettings& settings) {
    return length(s.mean) > static_cast<Real>(settings.surface) * spacing_of(h);
}

// What every particle asks: the matrix B, the nearest, the mean.
template <class Real>
SamplingMatrix<Real> sampling_matrix(const Links<Real>& links, std::size_t i, Real h,
                                     Sym3<Real>& B) {
    B = Sym3<Real>{};
    SamplingMatrix<Real> result{};
    result.nearest = std::numeric_limits<Real>::infinity();
    for (std::size_t s = links.first(i); s < links.end(i); ++s) {
        const Vec3<Real> u = links.rest(s), v = (Real(1) / h) * u;
        const Real d2 = max(length_squared(v), Real(1e-12)), q = Real(1) / (d2 * d2);
        B = B + Sym3<Real>{q * v.x * v.x, q * v.y * v.y, q * v.z * v.z,
                           q * v.x * v.y, q * v.x * v.z, q * v.y * v.z};
        if (d2 < result.nearest) result.nearest = d2, result.nearest_slot = s;
        result.mean += u;
    }
    result.mean = result.mean / static_cast<Real>(std::max(links.count[i], 1));
    result.nearest = std::sqrt(result.nearest) * Real(lattice_support);
    return result;
}
template <class Real>
void find_directions(const Sym3<Real>& B, SamplingMatrix<Real>& result) {
    const EigenSym3<Real> eigen = eigen_sym(B);
    result.lambda = eigen.lambda / Real(lattice_lambda);
    result.directions = eigen.Q;
}

// Crowded is what both of a pair call so: thin parts start with wide supports, and would swallow
// one neighbour after the other where they flow into the bulk.
template <class Real>
bool is_crowded(const Phase<Real>& phase, std::size_t i, const SamplingMatrix<Real>& s,
                const EmbeddedSettings& settings) {
    const Column<Real, 1>& support = phase.particles.support;
    const auto nearest = static_cast<std::size_t>(phase.links.to[s.nearest_slot]);
    const Real share = min(support.at(nearest) / support.at(i), Real(1));
    return s.nearest < static_cast<Real>(settings.merge_distance) * share ||
           s.lambda.z * share * share > static_cast<Real>(settings.merge);
}

// What a particle asks for. Where matter is flattened, neighbours crowd in one direction and leave
// each other in the others, which no eigenvalue of the printed rules shows: pairs merge by their
// distance, and what has merged parts again, sideways.
template <class Real>
Change wish(const Phase<Real>& phase, std::size_t i, const EmbeddedSettings& settings) {
    const Real h = phase.particles.support.at(i);
    Sym3<Real> B;
    SamplingMatrix<Real> s = sampling_matrix(phase.links, i, h, B);
    // The mean eigenvalue nearly always says that neither the largest nor the smallest matters.
    const Real mean = trace(B) / Real(3 * lattice_lambda);
    s.lambda = splat(mean);
    if (mean < static_cast<Real>(settings.split) || mean > static_cast<Real>(settings.merge))
        find_directions(B, s);
    if (is_crowded(phase, i, s, settings)) return Change::merge;
    if (s.lambda.x < static_cast<Real>(settings.split))
        return is_light(phase, i) ? Change::none : Change::split;
    const Real a = spacing_of(h);
    const bool merged =
        phase.particles.kept_volume.at(i) > static_cast<Real>(settings.split_volume) * a * a * a;
    return merged ? Change::split : Change::none;
}

// Half of what parts the two that a particle becomes, in rest space.
template <class Real>
Vec3<Real> split_offset(const SamplingMatrix<Real>& s, bool surface,
                        const EmbeddedSettings& settings) {
    const Real reach = Real(0.5) * s.mean_distance;
    if (!surface) return reach * s.directions.column(2);
    if (s.lambda.x < static_cast<Real>(settings.split)) return reach * s.directions.column(1);
    // What has merged on a surface parts along it, no farther than the paper's rule for surfaces
    // allows, so that flat matter keeps its sampling.
    const Real depth = length(s.mean);
    const Vec3<Real> normal = s.mean / depth;
    const auto along = [&](const Vec3<Real>& d) { return d - dot(d, normal) * normal; };
    Vec3<Real> d = along(s.directions.column(2));
    if (length_squared(d) < Real(0.5)) d = along(s.directions.column(1));
    return (min(reach, depth) / length(d)) * d;
}

// Slot of i's link to j, or end(i).
template <class Real>
std::size_t find_link(const Links<Real>& links, std::size_t i, std::size_t j) {
    std::size_t s = links.first(i);
    while (s < links.end(i) && links.to[s] != static_cast<std::int32_t>(j)) ++s;
    return s;
}

template <class Real>
void drop_link(Links<Real>& links, std::size_t i, std::size_t slot) {
    const std::size_t last = links.end(i) - 1;
    links.to[slot] = links.to[last];
    links.set_rest(slot, links.rest(last));
    links.to[last] = static_cast<std::int32_t>(i);
    links.set_rest(last, splat(Real(0)));
    --links.count[i];
}

// A link more; where all slots are taken, the farthest neighbour gives way if it is farther.
template <class Real>
void add_link(Links<Real>& links, std::size_t i, std::size_t j, const Vec3<Real>& u) {
    std::size_t slot = links.end(i);
    if (slot < links.first(i) + Links<Real>::width) {
        ++links.count[i];
    } else {
        slot = links.first(i);
        for (std::size_t s = slot; s < links.end(i); ++s)
            if (length_squared(links.rest(s)) > length_squared(links.rest(slot))) slot = s;
        if (length_squared(links.rest(slot)) <= length_squared(u)) return;
    }
    links.to[slot] = static_cast<std::int32_t>(j);
    links.set_rest(slot, u);
}

// The rows that i links to and those that link to it alone.
template <class Real>
std::vector<std::size_t> gather_list_of(const Links<Real>& links, const LinkGraph& graph,
                                        std::size_t i) {
    std::vector<std::size_t> rows;
    for (std::size_t s = links.first(i); s < links.end(i); ++s)
        rows.push_back(static_cast<std::size_t>(links.to[s]));
    for (std::uint32_t k = graph.incoming_begin[i]; k < graph.incoming_begin[i + 1]; ++k)
        rows.push_back(LinkGraph::owner(graph.incoming[k]));
    return rows;
}

template <class Real>
class Resampler {
public:
    Resampler(Phase<Real>& phase, const EmbeddedSettings& settings,
              std::span<const ColliderAt> colliders, std::int64_t& next_id, const LinkGraph& graph)
        : phase_(phase),
          p_(phase.particles),
          links_(phase.links),
          settings_(settings),
          colliders_(colliders),
          next_id_(next_id),
          graph_(graph),
          gone_(p_.size(), 0) {
        // The graph speaks of the links as they are now, before any change.
        gather_lists_.resize(p_.size());
    }
    const std::vector<char>& gone() {
        gone_.resize(p_.size(), 0);
        return gone_;
    }
    const std::vector<std::size_t>& gather_list(std::size_t i) const { return gather_lists_[i]; }
    void remember(std::size_t i) {
        if (gather_lists_[i].empty()) gather_lists_[i] = gather_list_of(links_, graph_, i);
    }

    // i becomes two, at -d and +d in rest space.
    bool split(std::size_t i, const SamplingMatrix<Real>& s) {
        const bool surface = is_surface(s, p_.support.at(i), settings_);
        const Vec3<Real> d = split_offset(s, surface, settings_);
        // A surface particle must not leave its neighbourhood.
        const Real limit = Real(1.4143) * length(s.mean);
        if (surface && (length(s.mean - d) > limit || length(s.mean + d) > limit)) return false;
        // d in the world and in embedded space
        const auto shown_in = [&](const Column<double, 3>& place) {
            const auto seen = [&](std::size_t j) {
                return static_cast<Vec3<Real>>(place.vec(j) - place.vec(i));
            };
            return static_cast<Vec3d>(fit_row(links_, i, p_.support.at(i), seen) * d);
        };
        const Vec3d x = p_.x.vec(i), e = p_.e.vec(i);
        const Vec3d offset = shown_in(p_.x), e_offset = shown_in(p_.e);
        for (const ColliderAt& c : colliders_)
            if (c.distance(x + offset) < 0 || c.distance(x - offset) < 0) return false;

        const std::vector<Vec3<Real>> shifts = at_rest(gather_lists_[i], offset, d);
        const std::size_t twin = append_rows(phase_, 1);
        copy_row(i, twin);
        if (p_.parent.present()) p_.parent.at(i) = p_.parent.at(twin) = p_.id.at(i);
        p_.id.at(i) = next_id_++, p_.id.at(twin) = next_id_++;
        p_.x.set(i, x - offset), p_.x.set(twin, x + offset);
        p_.e.set(i, e - e_offset), p_.e.set(twin, e + e_offset);
        for (auto* c : {&p_.volume, &p_.kept_volume, &p_.mass})
            c->at(i) = c->at(twin) = c->at(i) / 2;
        calibrate_about(i);
        p_.volume_scale.at(twin) = p_.volume_scale.at(i);
        split_links(i, twin, d, shifts);
        return true;
    }

    // i and its nearest neighbour j become one, halfway; the row of j goes.
    bool merge(std::size_t i, std::size_t j, const Vec3<Real>& u_ij) {
        const Real m_i = p_.mass.at(i), m_j = p_.mass.at(j), m = m_i + m_j;
        const Real a = m_i / m, b = m_j / m;
        const Vec3d offset = 0.5 * (p_.x.vec(j) - p_.x.vec(i));
        const Vec3<Real> half = Real(0.5) * u_ij, own = at_rest(i, offset, half);
        const std::vector<Vec3<Real>> of_i = at_rest(gather_lists_[i], offset, half),
                                      of_j = at_rest(gather_lists_[j], offset, half);
        p_.x.set(i, p_.x.vec(i) + offset);
        p_.e.set(i, 0.5 * (p_.e.vec(i) + p_.e.vec(j)));
        p_.v.set(i, a * p_.v.vec(i) + b * p_.v.vec(j));
        p_.hardening.at(i) = a * p_.hardening.at(i) + b * p_.hardening.at(j);
        if (p_.flow_rate.present())
            p_.flow_rate.at(i) = a * p_.flow_rate.at(i) + b * p_.flow_rate.at(j);
        p_.support.at(i) = max(p_.support.at(i), p_.support.at(j));
        for (auto* c : {&p_.volume, &p_.kept_volume, &p_.mass}) c->at(i) += c->at(j);
        calibrate_about(i), calibrate_about(j);
        p_.id.at(i) = next_id_++;  // it is where neither of them was
        merge_links(i, j, own, of_i, of_j);
        gone_[j] = 1;
        return true;
    }

private:
    // Whoever has i among its neighbours will have others, and another estimate of its volume; but
    // matter is neither made nor lost. SPH volumes depend on the mass.
    void calibrate_about(std::size_t i) {
        if (settings_.volume == EmbeddedVolume::sph) return;
        p_.volume_scale.at(i) = Real(0);
        for (const std::size_t k : gather_lists_[i]) p_.volume_scale.at(k) = Real(0);
    }
    void copy_row(std::size_t from, std::size_t to) {
        p_.for_each_column([&](const ColumnInfo&, auto& column) {
            if (!column.present()) return;
            for (int k = 0; k < column.planes; ++k) column.at(to, k) = column.at(from, k);
        });
    }
    // An offset in the world as the rest space of k has it: rest spaces turn against each other.
    // Without settling they may say nothing of the world, and it is `plain`, as in the paper.
    Vec3<Real> at_rest(std::size_t k, const Vec3d& offset, const Vec3<Real>& plain) const {
        if (!(settings_.settling > 0)) return plain;
        const Mat3<Real> F = fit_row(links_, k, p_.support.at(k), [&](std::size_t j) {
            return static_cast<Vec3<Real>>(p_.x.vec(j) - p_.x.vec(k));
        });
        if (!(determinant(F) > Real(0.05))) return plain;
        return inverse(F) * static_cast<Vec3<Real>>(offset);
    }
    std::vector<Vec3<Real>> at_rest(const std::vector<std::size_t>& rows, const Vec3d& offset,
                                    const Vec3<Real>& plain) const {
        std::vector<Vec3<Real>> shifts;
        for (const std::size_t k : rows) shifts.push_back(at_rest(k, offset, plain));
        return shifts;
    }
    // `shifts` is d as each row of i's gather list has it.
    void split_links(std::size_t i, std::size_t twin, const Vec3<Real>& d,
                     const std::vector<Vec3<Real>>& shifts) {
        for (std::size_t s = links_.first(i); s < links_.end(i); ++s) {
            const Vec3<Real> u = links_.rest(s);
            add_link(links_, twin, static_cast<std::size_t>(links_.to[s]), u - d);
            links_.set_rest(s, u + d);
        }
        add_link(links_, twin, i, Real(-2) * d);
        add_link(links_, i, twin, Real(2) * d);
        for (std::size_t n = 0; n < shifts.size(); ++n) {
            const std::size_t k = gather_lists_[i][n], s = find_link(links_, k, i);
            if (s == links_.end(k)) continue;
            const Vec3<Real> u = links_.rest(s);
            links_.set_rest(s, u - shifts[n]);
            add_link(links_, k, twin, u + shifts[n]);
        }
    }
    // Half the way from i to j as i and the gather lists of i and j have it.
    void merge_links(std::size_t i, std::size_t j, const Vec3<Real>& own,
                     const std::vector<Vec3<Real>>& of_i, const std::vector<Vec3<Real>>& of_j) {
        for (std::size_t s = links_.first(i); s < links_.end(i); ++s)
            links_.set_rest(s, links_.rest(s) - own);
        drop_link(links_, i, find_link(links_, i, j));
        for (std::size_t n = 0; n < of_i.size(); ++n) {
            const std::size_t k = gather_lists_[i][n], s = find_link(links_, k, i);
            if (s != links_.end(k)) links_.set_rest(s, links_.rest(s) + of_i[n]);
        }
        // Links to j alone now lead to the merged particle.
        for (std::size_t n = 0; n < of_j.size(); ++n) {
            const std::size_t k = gather_lists_[j][n], s = find_link(links_, k, j);
            if (s == links_.end(k) || k == i) continue;
            const Vec3<Real> u = links_.rest(s) - of_j[n];
            drop_link(links_, k, s);
            if (find_link(links_, k, i) == links_.end(k)) add_link(links_, k, i, u);
        }
    }

    Phase<Real>& phase_;
    Particles<Real>& p_;
    Links<Real>& links_;
    const EmbeddedSettings& settings_;
    std::span<const ColliderAt> colliders_;
    std::int64_t& next_id_;
    const LinkGraph& graph_;
    std::vector<char> gone_;
    std::vector<std::vector<std::size_t>> gather_lists_;
};

}  // namespace

template <class Real>
SamplingMatrix<Real> sampling_of(const Links<Real>& links, std::size_t i, Real h) {
    Sym3<Real> B;
    SamplingMatrix<Real> result = sampling_matrix(links, i, h, B);
    find_directions(B, result);
    for (std::size_t s = links.first(i); s < links.end(i); ++s)
        result.mean_distance += length(links.rest(s));
    result.mean_distance /= static_cast<Real>(std::max(links.count[i], 1));
    return result;
}

template <class Real>
ResampleCount resample(Phase<Real>& phase, const EmbeddedSettings& settings,
                       std::span<const ColliderAt> colliders, std::int64_t& next_id,
                       EmbeddedWorkspace<Real>& work) {
    const Particles<Real>& p = phase.particles;
    const std::size_t n = p.size();
    const auto sampling = [&](std::size_t i) {
        return sampling_of(phase.links, i, p.support.at(i));
    };
    std::vector<Change> wishes(n);
    for_each(n, 256, [&](std::size_t i) {
        wishes[i] = phase.links.count[i] == 0 ? Change::none : wish(phase, i, settings);
    });
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < n; ++i)
        if (wishes[i] != Change::none) rows.push_back(i);
    if (rows.empty()) return {};

    // What is needed of the links before they change.
    Resampler<Real> resampler(phase, settings, colliders, next_id, work.graph);
    std::vector<SamplingMatrix<Real>> samplings;
    std::vector<std::size_t> partners;
    for (const std::size_t i : rows) {
        samplings.push_back(sampling(i));
        partners.push_back(static_cast<std::size_t>(phase.links.to[samplings.back().nearest_slot]));
        resampler.remember(i);
        resampler.remember(partners.back());
    }
    // One change a particle and step; neighbours of a split one wait for the next.
    std::vector<char> busy(n, 0);
    ResampleCount count;
    for (std::size_t k = 0; k < rows.size(); ++k) {
        const std::size_t i = rows[k], j = partners[k];
        if (busy[i]) continue;
        if (wishes[i] == Change::merge) {
            const std::size_t slot = find_link(phase.links, i, j);
            if (busy[j] || slot == phase.links.end(i)) continue;
            resampler.merge(i, j, phase.links.rest(slot));
            busy[i] = busy[j] = 1;
            ++count.merged;
        } else if (resampler.split(i, samplings[k])) {
            busy[i] = 1;
            for (const std::size_t neighbour : resampler.gather_list(i)) busy[neighbour] = 1;
            ++count.split;
        }
    }
    if (count.split + count.merged == 0) return count;
    remove_rows(phase, resampler.gone());
    sort_rows(phase);
    work.links_changed = work.rest_changed = true;
    return count;
}

#define INSTANTIATE(Real)                                                             \
    template SamplingMatrix<Real> sampling_of(const Links<Real>&, std::size_t, Real); \
    template ResampleCount resample(Phase<Real>&, const EmbeddedSettings&,            \
                                    std::span<const ColliderAt>, std::int64_t&,       \
                                    EmbeddedWorkspace<Real>&);
INSTANTIATE(float)
INSTANTIATE(double)
#undef INSTANTIATE

}  // namespace knead
