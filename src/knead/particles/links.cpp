#include "knead/particles/links.h"

#include "knead/parallel/exec.h"

namespace knead {

template <class Real>
void reorder_links(Links<Real>& links, const std::vector<std::uint32_t>& order) {
    constexpr std::int32_t gone = -1;
    std::vector<std::int32_t> new_row(links.size(), gone);
    for (std::size_t i = 0; i < order.size(); ++i) new_row[order[i]] = static_cast<std::int32_t>(i);

    Links<Real> result;
    result.resize(order.size());
    for_each(order.size(), 1024, [&](std::size_t i) {
        std::size_t slot = Links<Real>::first(i);
        for (std::size_t s = Links<Real>::first(order[i]); s < links.end(order[i]); ++s) {
            const std::int32_t row = new_row[static_cast<std::size_t>(links.to[s])];
            if (row == gone) continue;
            // Insertion keeps the slots in ascending order.
            std::size_t at = slot++;
            for (; at > Links<Real>::first(i) && result.to[at - 1] > row; --at) {
                result.to[at] = result.to[at - 1];
                result.set_rest(at, result.rest(at - 1));
            }
            result.to[at] = row;
            result.set_rest(at, links.rest(s));
        }
        result.count[i] = static_cast<std::int32_t>(slot - Links<Real>::first(i));
    });
    links = std::move(result);
}

template void reorder_links(Links<float>&, const std::vector<std::uint32_t>&);
template void reorder_links(Links<double>&, const std::vector<std::uint32_t>&);

}  // namespace knead
