// apply_plastic_offsets: the flow of a step goes into the rest vectors.
#include "knead/parallel/exec.h"
#include "knead/points/embedded/stages.h"

namespace knead {

namespace {

// F is a fit: of what neighbours did, it explains the linear part, and stress and flow know no
// other. The rest would gather in the rest vectors for ever, until they say nothing of where
// neighbours are. So it flows as well: the share g of F^-1 x_ij - u_ij goes into u_ij.
template <class Real>
void follow_neighbours(Links<Real>& links, const EmbeddedWorkspace<Real>& work, std::size_t i,
                       Real g) {
    Mat3<Real> F;
    for (int k = 0; k < 9; ++k) F[k] = work.F[k][i];
    if (!(determinant(F) > Real(0.05))) return;
    const Mat3<Real> back = inverse(F);
    Mat3<Real> A{}, B{};
    for (std::size_t s = links.first(i); s < links.end(i); ++s) {
        const auto j = static_cast<std::size_t>(links.to[s]);
        const Vec3<Real> seen = back * to_vec(narrow<Real>(work.x[j] - work.x[i]));
        const Vec3<Real> u = links.rest(s) + g * (seen - links.rest(s));
        const Vec3<Real> wu = work.weighted[s][3] * u;
        A = A + outer(wu, u);
        B = B + outer(seen, wu);
        links.set_rest(s, u);
    }
    // The fit to the new vectors is F M; with M in them it is F again, and the stress stays.
    const Mat3<Real> M = B * inverse(A);
    for (std::size_t s = links.first(i); s < links.end(i); ++s)
        links.set_rest(s, M * links.rest(s));
}

}  // namespace

template <class Real>
void apply_plastic_offsets(Phase<Real>& phase, double settling, EmbeddedWorkspace<Real>& work) {
    Links<Real>& links = phase.links;
    const Column<Real, 1>& flow = phase.particles.flow;
    for_each(links.size(), 256, [&](std::size_t i) {
        if (!(flow.at(i) > Real(0))) return;
        if (settling > 0)
            follow_neighbours(links, work, i, static_cast<Real>(settling) * flow.at(i));
        const Mat3<Real>& Fp = work.flow[i];
        for (std::size_t s = links.first(i); s < links.end(i); ++s)
            links.set_rest(s, Fp * links.rest(s));
    });
}

template void apply_plastic_offsets(Phase<float>&, double, EmbeddedWorkspace<float>&);
template void apply_plastic_offsets(Phase<double>&, double, EmbeddedWorkspace<double>&);

}  // namespace knead
