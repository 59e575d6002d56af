// Sums over the links at every particle, from either end, of what a link gives to its owner and
// takes from its neighbour.
#pragma once

#include "knead/parallel/exec.h"
#include "knead/particles/links.h"
#include "knead/points/lanes.h"

namespace knead {

// Scatter buffer: what links give to rows of other parts of the table, by the part it comes from
// and the one it goes to. Scratch of sum_both_ends that only keeps its memory from call to call.
template <class Real>
class ScatterBuffer {
    struct Entry {
        Vec3<Real> given;
        std::uint32_t row;
    };
    struct Bucket {
        std::size_t to;
        Array<Entry> entries;
    };

public:
    static constexpr std::size_t part = 4096;  // rows

    void clear(std::size_t rows) {
        from_.resize((rows + part - 1) / part);
        for (auto& buckets : from_)
            for (Bucket& bucket : buckets) bucket.entries.clear();
    }
    // From the part of rows that starts at `first`.
    class Writer {
    public:
        Writer(ScatterBuffer& buffer, std::size_t first) : buckets_(buffer.from_[first / part]) {}
        [[gnu::noinline]] void add(const Lanes<Real>& given, std::size_t row) {
            if (last_ == buckets_.size() || buckets_[last_].to != row / part)
                last_ = find(row / part);
            buckets_[last_].entries.push_back({to_vec(given), static_cast<std::uint32_t>(row)});
        }

    private:
        std::size_t find(std::size_t to) {
            std::size_t k = 0;
            while (k < buckets_.size() && buckets_[k].to != to) ++k;
            if (k == buckets_.size()) buckets_.push_back({to, {}});
            return k;
        }
        std::vector<Bucket>& buckets_;
        std::size_t last_ = 0;
    };
    // take(given, row) for all entries to a part: by the parts they come from, in order.
    template <class Take>
    void for_each_to(std::size_t first, const Take& take) const {
        for (const auto& buckets : from_)
            for (const Bucket& bucket : buckets)
                if (bucket.to == first / part)
                    for (const Entry& entry : bucket.entries)
                        take(to_lanes(entry.given), static_cast<std::size_t>(entry.row));
    }
    std::size_t bytes() const {
        std::size_t sum = 0;
        for (const auto& buckets : from_)
            for (const Bucket& bucket : buckets) sum += bucket.entries.capacity() * sizeof(Entry);
        return sum;
    }

private:
    std::vector<std::vector<Bucket>> from_;  // one a part
};

// sums[i] = sum over own links of give(slot, i, j) - sum over links from k to i of give(slot, k,
// i). Rows are cut into parts. A link within a part gives to both ends at once; what one takes from
// a row of another part, which may be in work elsewhere, goes to the buffer and is added at the
// end. The order of a sum depends on the parts alone.
template <class Real, class Give>
void sum_both_ends(const Links<Real>& links, ScatterBuffer<Real>& buffer, Array<Lanes<Real>>& sums,
                   const Give& give) {
    constexpr std::size_t part = ScatterBuffer<Real>::part;
    const std::size_t n = links.size();
    sums.resize(n);
    buffer.clear(n);
    parallel_chunks(n, part, [&](std::size_t first, std::size_t end) {
        typename ScatterBuffer<Real>::Writer writer(buffer, first);
        Lanes<Real>* const sum_of = sums.data();
        const std::int32_t* const to = links.to.data();
        const std::size_t rows = end - first;
        // What goes elsewhere is put aside without a branch, which could not be foreseen.
        Lanes<Real> away[Links<Real>::width + 1], nowhere(Real(0));
        std::size_t away_to[Links<Real>::width + 1];
        for (std::size_t i = first; i < end; ++i) sum_of[i] = Lanes<Real>(Real(0));
        for (std::size_t i = first; i < end; ++i) {
            Lanes<Real> sum(Real(0));
            std::size_t leaving = 0;
            const std::size_t last = links.end(i);
            for (std::size_t s = links.first(i); s < last; ++s) {
                const auto j = static_cast<std::size_t>(to[s]);
                const Lanes<Real> given = give(s, i, j);
                sum += given;
                const bool here = j - first < rows;
                *(here ? sum_of + j : &nowhere) -= given;
                away[leaving] = given;
                away_to[leaving] = j;
                leaving += here ? 0 : 1;
            }
            sum_of[i] += sum;
            for (std::size_t k = 0; k < leaving; ++k) writer.add(away[k], away_to[k]);
        }
    });
    if (n <= part) return;
    parallel_chunks(n, part, [&](std::size_t first, std::size_t) {
        buffer.for_each_to(first,
                           [&](const Lanes<Real>& given, std::size_t row) { sums[row] -= given; });
    });
}

}  // namespace knead
