#include "knead/points/embedded/start.h"

#include <algorithm>

#include "knead/base/error.h"
#include "knead/parallel/exec.h"
#include "knead/points/embedded/rows.h"
#include "knead/points/neighbours/neighbours.h"

namespace knead {

namespace {

template <class Real>
void create_columns(Particles<Real>& p) {
    const std::size_t n = p.size();
    if (!p.e.present()) p.e.create(n);
    if (!p.support.present()) p.support.create(n);
    if (!p.volume_scale.present()) p.volume_scale.create(n);
    if (!p.kept_volume.present()) p.kept_volume.create(n);
    if (!p.flow.present()) p.flow.create(n);
    if (!p.hardening.present()) p.hardening.create(n);
}

// The nearest neighbours, their vectors, and twice their mean distance as support.
template <class Real>
void find_neighbours(Phase<Real>& phase, const BodyRows& body) {
    Particles<Real>& p = phase.particles;
    Links<Real>& links = phase.links;
    const std::size_t n = body.end - body.begin;
    std::vector<Vec3d> points(n);
    for_each(n, 1024, [&](std::size_t k) { points[k] = p.x.vec(body.begin + k); });
    const KdTree tree(points);
    parallel_chunks(n, 256, [&](std::size_t begin, std::size_t end) {
        std::vector<Found> found;
        for (std::size_t k = begin; k < end; ++k) {
            tree.nearest(points[k], Links<Real>::width, any_distance, static_cast<std::uint32_t>(k),
                         found);
            double sum = 0;
            for (const Found& f : found) sum += std::sqrt(f.d2);
            std::sort(found.begin(), found.end(),
                      [](const Found& a, const Found& b) { return a.index < b.index; });
            const std::size_t i = body.begin + k;
            std::size_t slot = links.first(i);
            for (const Found& f : found) {
                links.to[slot] = static_cast<std::int32_t>(body.begin + f.index);
                links.set_rest(slot++, static_cast<Vec3<Real>>(points[f.index] - points[k]));
            }
            links.count[i] = static_cast<std::int32_t>(found.size());
            const double mean = found.empty() ? 1.0 : sum / static_cast<double>(found.size());
            p.support.at(i) = static_cast<Real>(2 * mean);
        }
    });
}

// c_V: the estimates of a body add up to the volume it was filled with.
template <class Real>
void calibrate_volumes(Phase<Real>& phase, const BodyRows& body, const StretchLaw<Real>& law,
                       const EmbeddedSettings& settings, EmbeddedWorkspace<Real>& work) {
    Particles<Real>& p = phase.particles;
    std::vector<Real> given(body.end - body.begin);
    for (std::size_t i = body.begin; i < body.end; ++i) {
        given[i - body.begin] = p.volume.at(i);
        p.mass.at(i) = law.density * p.volume.at(i);
        p.volume_scale.at(i) = Real(1);
    }
    compute_basis(phase, law, settings.volume, work);
    double filled = 0, estimated = 0;
    for (std::size_t i = body.begin; i < body.end; ++i) {
        filled += static_cast<double>(given[i - body.begin]);
        estimated += static_cast<double>(p.volume.at(i));
    }
    const Real scale = static_cast<Real>(filled / estimated);
    for (std::size_t i = body.begin; i < body.end; ++i) p.volume_scale.at(i) = scale;
    compute_basis(phase, law, settings.volume, work);
    for (std::size_t i = body.begin; i < body.end; ++i) p.kept_volume.at(i) = p.volume.at(i);
}

}  // namespace

template <class Real>
void start_bodies(Phase<Real>& phase, const StretchLaw<Real>& law, const EmbeddedSettings& settings,
                  EmbeddedWorkspace<Real>& work) {
    Particles<Real>& p = phase.particles;
    const std::size_t n = p.size();
    create_columns(p);
    bool complete = true;
    for (std::size_t i = 0; i < n; ++i) {
        if (p.support.at(i) > Real(0)) continue;
        complete = false;
        p.e.set(i, p.x.vec(i));
    }
    if (complete) return;
    phase.links.resize(n);
    sort_rows(phase);
    for (const BodyRows& body : body_rows(p)) {
        const auto fresh = std::count(&p.support.at(body.begin),
                                      &p.support.at(body.begin) + body.end - body.begin, Real(0));
        if (fresh == 0) continue;
        if (static_cast<std::size_t>(fresh) < body.end - body.begin)
            throw InputError({}, "the embedded method cannot take bodies that enter in copies",
                             "leave the emitter out, or write a body for every copy");
        find_neighbours(phase, body);
        calibrate_volumes(phase, body, law, settings, work);
    }
    work.links_changed = work.rest_changed = true;
}

template void start_bodies(Phase<float>&, const StretchLaw<float>&, const EmbeddedSettings&,
                           EmbeddedWorkspace<float>&);
template void start_bodies(Phase<double>&, const StretchLaw<double>&, const EmbeddedSettings&,
                           EmbeddedWorkspace<double>&);

}  // namespace knead
