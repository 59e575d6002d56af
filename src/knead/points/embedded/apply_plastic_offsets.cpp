// apply_plastic_offsets: the flow of a step goes into the rest vectors.
#include "knead/parallel/exec.h"
#include "knead/points/embedded/slot_packs.h"
#include "knead/points/embedded/stages.h"

namespace knead {

namespace {

// F is a fit: of what neighbours did, it explains the linear part, and stress and flow know no
// other. The rest would gather in the rest vectors for ever, until they say nothing of where
// neighbours are. So it flows as well: the share g of F^-1 x_ij - u_ij goes into u_ij. The fit to
// the new vectors is F M; with M, the result, in them it is F again, and the stress stays.
template <class Real>
Mat3<Real> follow_neighbours(Links<Real>& links, const EmbeddedWorkspace<Real>& work, std::size_t i,
                             Real g) {
    using P = Pack<Real>;
    Mat3<Real> F;
    for (int k = 0; k < 9; ++k) F[k] = work.F[k][i];
    if (!(determinant(F) > Real(0.05))) return identity3<Real>();
    const Mat3<P> back = in_all_lanes(inverse(F));
    P sums[16];  // A = sum w u u^T by rows, and B = sum w x u^T; sixteen for sum_lanes8
    for (P& sum : sums) sum = P(Real(0));
    for (std::size_t s = links.first(i); s < links.end(i); s += pack_lanes<Real>) {
        const Vec3<P> seen = back * to_neighbours(links, s, work.x, i);
        Vec3<P> u = load_rest(links, s);
        u = u + P(g) * (seen - u);
        const Vec3<P> wu = fourth_of(work.weighted, s) * u;
        sums[0] += wu.x * u.x, sums[1] += wu.x * u.y, sums[2] += wu.x * u.z;
        sums[3] += wu.y * u.y, sums[4] += wu.y * u.z, sums[5] += wu.z * u.z;
        for (int a = 0; a < 3; ++a)
            for (int b = 0; b < 3; ++b) sums[6 + 3 * a + b] += seen[a] * wu[b];
        store_rest(links, s, u);
    }
    Real S[16];
    sum_lanes8(sums, S), sum_lanes8(sums + 8, S + 8);
    const Mat3<Real> A{S[0], S[1], S[2], S[1], S[3], S[4], S[2], S[4], S[5]};
    const Mat3<Real> B{S[6], S[7], S[8], S[9], S[10], S[11], S[12], S[13], S[14]};
    return B * inverse(A);
}

template <class Real>
void multiply_rest(Links<Real>& links, std::size_t i, const Mat3<Real>& m) {
    const Mat3<Pack<Real>> M = in_all_lanes(m);
    for (std::size_t s = links.first(i); s < links.end(i); s += pack_lanes<Real>)
        store_rest(links, s, M * load_rest(links, s));
}

}  // namespace

template <class Real>
void apply_plastic_offsets(Phase<Real>& phase, double settling, EmbeddedWorkspace<Real>& work) {
    Links<Real>& links = phase.links;
    const Column<Real, 1>& flow = phase.particles.flow;
    for_each(links.size(), 256, [&](std::size_t i) {
        if (!(flow.at(i) > Real(0))) return;
        Mat3<Real> M = work.flow[i];
        if (settling > 0)
            M = M * follow_neighbours(links, work, i, static_cast<Real>(settling) * flow.at(i));
        multiply_rest(links, i, M);
    });
}

template void apply_plastic_offsets(Phase<float>&, double, EmbeddedWorkspace<float>&);
template void apply_plastic_offsets(Phase<double>&, double, EmbeddedWorkspace<double>&);

}  // namespace knead
