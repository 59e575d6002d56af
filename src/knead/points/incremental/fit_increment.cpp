#include "knead/parallel/exec.h"
#include "knead/points/incremental/fit_weight.h"
#include "knead/points/incremental/stages.h"

namespace knead {

namespace {

// sum of w u r^T over the own list, row by row. Displacements u are fitted rather than positions,
// dF - I rather than dF, so that small increments keep their digits.
template <class Real>
void fit(const NearLists<Real>& lists, const Array<Real>& measured, const FitWeight<Real>& weight,
         std::size_t i, IncrementalWorkspace<Real>& work) {
    using P = Pack<Real>;
    const std::uint32_t* list = lists.list(i);
    const P x = same_four(measured.data() + 4 * i), u = same_four(work.move.data() + 4 * i);
    P B[3] = {P(Real(0)), P(Real(0)), P(Real(0))};
    for (int k = 0; k < lists.own(i); k += pack_lanes<Real>) {
        const P w = weight(i, k).w;
        for_each_four([&](auto l) {
            const P a = spread<l>(w) * (four_of(measured.data(), list + k, l) - x);
            const P d = four_of(work.move.data(), list + k, l) - u;
            B[0] += spread<0>(d) * a;
            B[1] += spread<1>(d) * a;
            B[2] += spread<2>(d) * a;
        });
    }
    Real* sums = numbers(work.sums[i].motion);
    for (std::size_t row = 0; row < 3; ++row) store_sum_of_fours(B[row], sums + 4 * row);
}

}  // namespace

template <class Real>
void fit_increment(const IncrementalSettings& settings, IncrementalWorkspace<Real>& work) {
    for (std::size_t p = 0; p < work.from_rest.size(); ++p) {
        const NearLists<Real>& lists = work.fit_lists(p);
        const Array<Real>& measured = work.fit_places(p);
        const FitWeight<Real> weight(settings, settings.power_of_weights(work.from_rest[p]), work,
                                     lists);
        for_each(work.first[p + 1] - work.first[p], 256,
                 [&](std::size_t row) { fit(lists, measured, weight, work.first[p] + row, work); });
    }
}

template void fit_increment(const IncrementalSettings&, IncrementalWorkspace<float>&);
template void fit_increment(const IncrementalSettings&, IncrementalWorkspace<double>&);

}  // namespace knead
