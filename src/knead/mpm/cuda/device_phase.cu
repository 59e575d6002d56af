#include "knead/mpm/cuda/device_phase.h"

#include "knead/cuda/launch.h"
#include "knead/cuda/threads.h"
#include "knead/parallel/sort.h"

namespace knead {

namespace {

constexpr int most_planes = 42;

struct Moves {
    const void* from[most_planes];
    void* to[most_planes];
    int width[most_planes];
    int count;
};

__global__ void gather_rows(const __grid_constant__ Moves moves, const unsigned* order, int n) {
    const int i = thread_index();
    if (i >= n) return;
    const unsigned row = order[i];
    for (int p = 0; p < moves.count; ++p) {
        if (moves.width[p] == 4)
            static_cast<float*>(moves.to[p])[i] = static_cast<const float*>(moves.from[p])[row];
        else
            static_cast<double*>(moves.to[p])[i] = static_cast<const double*>(moves.from[p])[row];
    }
}

__global__ void number_rows(unsigned* rows, int n, unsigned first) {
    const int i = thread_index();
    if (i < n) rows[i] = first + static_cast<unsigned>(i);
}

// Rows [first, first + n) of every plane become copies of the rows `donors`.
__global__ void copy_rows(const __grid_constant__ Moves moves, const int* donors, int first,
                          int n) {
    const int i = thread_index();
    if (i >= n) return;
    const int row = donors[i], to = first + i;
    for (int p = 0; p < moves.count; ++p) {
        if (moves.width[p] == 4)
            static_cast<float*>(moves.to[p])[to] = static_cast<const float*>(moves.from[p])[row];
        else
            static_cast<double*>(moves.to[p])[to] = static_cast<const double*>(moves.from[p])[row];
    }
}

__global__ void mark_ranks(const unsigned* ranks, int n, int* left) {
    const int i = thread_index();
    if (i < n) left[ranks[i]] = 1;
}
__global__ void renumber(unsigned* ranks, int n, const int* left_before) {
    const int i = thread_index();
    if (i < n) ranks[i] = static_cast<unsigned>(left_before[ranks[i]]);
}

}  // namespace

// Whether no kernel looks at a column of this table: it stays on the host.
bool DevicePhase::rests(const Particles<float>& table, const void* column) {
    ParticleView scratch{};
    bool found = false;
    for_each_device_column(
        scratch, table, Transfer::apic,
        [&](bool, const auto&, const auto& other) { found = found || column == &other; });
    return !found;
}

void DevicePhase::upload(const Particles<float>& p, int phase, Transfer transfer,
                         PinnedCopies& copies, cudaStream_t stream) {
    size_ = static_cast<int>(p.size());
    view_ = {};
    view_.phase = phase;
    rows_are_moved_ = false;
    std::size_t used = 0;
    for_each_device_column(view_, p, transfer, [&](bool passes, auto& slots, const auto& column) {
        if (!column.present()) return;
        constexpr int width = sizeof(typename std::remove_cvref_t<decltype(column)>::Scalar);
        static_assert(width == 4 || width == 8);
        for (int k = 0; k < column.planes; ++k, ++used) {
            if (used == planes_.size()) planes_.emplace_back();
            Plane& plane = planes_[used];
            const std::size_t bytes = p.size() * width;
            plane.width = width;
            plane.lasting = !passes;
            plane.slot = reinterpret_cast<void**>(&plane_of(slots, k));
            if (plane.lasting) plane.spare.need(bytes);
            copies.to_device(plane.now.need(bytes), column.plane(k), bytes, stream);
        }
    });
    if (used + 2 > most_planes) throw RunError("a phase has more columns than the GPU code takes");
    planes_.resize(used);
    point_view();
    host_size_ = p.size();
    new_rows_.clear();
    copies.to_device(ids_.need(p.size()), p.id.plane(0), p.size() * sizeof(std::int64_t), stream);
    rank_rows(p, copies, stream);
    check_cuda(cudaStreamSynchronize(stream), "copying particles to it");
}

void DevicePhase::rank_rows(const Particles<float>& p, PinnedCopies& copies, cudaStream_t stream) {
    const std::size_t n = p.size();
    std::vector<std::uint64_t> ids(n);
    for_each(n, 65536, [&](std::size_t i) { ids[i] = static_cast<std::uint64_t>(p.id.at(i)); });
    std::vector<std::uint32_t> order;
    sort_by_key(ids, order);
    std::vector<unsigned> ranks(n);
    for_each(n, 65536, [&](std::size_t k) { ranks[order[k]] = static_cast<unsigned>(k); });
    copies.to_device(ranks_.need(n), ranks.data(), n * sizeof(unsigned), stream);
}

namespace {

std::vector<unsigned> fetch_rows(const unsigned* rows, std::size_t n, cudaStream_t stream) {
    std::vector<unsigned> host(n);
    check_cuda(
        cudaMemcpyAsync(host.data(), rows, n * sizeof(unsigned), cudaMemcpyDeviceToHost, stream),
        "copying particles from it");
    check_cuda(cudaStreamSynchronize(stream), "copying particles from it");
    return host;
}

// The numbers of a resting column for the rows as they are now; those that began on the GPU have
// the number of their donor.
template <class S>
std::vector<S> with_new_rows(const S* column, std::size_t size,
                             const std::vector<DevicePhase::NewRow>& new_rows) {
    std::vector<S> all(column, column + size);
    for (const auto& row : new_rows) all.push_back(all[row.donor]);
    return all;
}

// Ids of rows that began on the GPU, and of the particles they were split from.
void name_new_rows(Particles<float>& p, const std::vector<unsigned>& rows,
                   const std::vector<DevicePhase::NewRow>& new_rows,
                   const std::vector<std::int64_t>& old_ids) {
    const std::size_t old = old_ids.size();
    const auto id_at = [&](std::size_t at) {
        return at < old ? old_ids[at] : new_rows[at - old].id;
    };
    for_each(rows.size(), 65536, [&](std::size_t i) {
        if (rows[i] < old) return;
        const DevicePhase::NewRow& row = new_rows[rows[i] - old];
        p.id.at(i) = row.id;
        if (p.parent.present()) p.parent.at(i) = id_at(row.donor);
    });
}

}  // namespace

// p, the host's table, becomes what the image is: planes are copied, the numbers of resting columns
// follow their rows.
void DevicePhase::bring_back(const Image& image, Particles<float>& p, PinnedCopies& copies,
                             cudaStream_t stream) const {
    const bool moved = image.rows != nullptr;
    const std::vector<unsigned> rows =
        moved ? fetch_rows(image.rows, image.size, stream) : std::vector<unsigned>{};
    const std::vector<std::int64_t> old_ids(p.id.plane(0), p.id.plane(0) + image.host_size);
    std::size_t used = 0;
    p.for_each_column([&](const ColumnInfo&, auto& column) {
        if (!column.present()) return;
        const bool stays = rests(p, &column);
        using S = typename std::remove_cvref_t<decltype(column)>::Scalar;
        if (stays && !moved) return;
        if (!stays) {
            column.resize(image.size);
            for (int k = 0; k < column.planes; ++k)
                copies.to_host(column.plane(k), image.planes.at(used++), image.size * sizeof(S),
                               stream);
            return;
        }
        std::vector<std::vector<S>> planes;
        for (int k = 0; k < column.planes; ++k)
            planes.push_back(with_new_rows(column.plane(k), image.host_size, *image.new_rows));
        column.resize(image.size);
        for (int k = 0; k < column.planes; ++k)
            for_each(image.size, 65536, [&](std::size_t i) {
                column.at(i, k) = planes[static_cast<std::size_t>(k)][rows[i]];
            });
    });
    copies.finish();
    if (moved) name_new_rows(p, rows, *image.new_rows, old_ids);
}

void DevicePhase::download(Particles<float>& p, PinnedCopies& copies, cudaStream_t stream) {
    const auto size = static_cast<std::size_t>(size_);
    Image image{{}, rows_are_moved_ ? rows_.data() : nullptr, size, host_size_, &new_rows_};
    for (const Plane& plane : planes_) image.planes.push_back(plane.now.data());
    bring_back(image, p, copies, stream);
    host_size_ = size;
    new_rows_.clear();
    if (!rows_are_moved_) return;
    rows_are_moved_ = false;
    copies.to_device(ids_.need(size), p.id.plane(0), size * sizeof(std::int64_t), stream);
    check_cuda(cudaStreamSynchronize(stream), "copying particles to it");
}

void DevicePhase::take_snapshot(cudaStream_t stream) {
    Snapshot& s = snapshot_;
    s.size = static_cast<std::size_t>(size_);
    s.host_size = host_size_;
    s.new_rows = new_rows_;
    s.rows_are_moved = rows_are_moved_;
    const auto copy = [&](void* to, const void* from, std::size_t bytes) {
        check_cuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream),
                   "remembering particles");
    };
    if (rows_are_moved_) copy(s.rows.need(s.size), rows_.data(), s.size * sizeof(unsigned));
    s.planes.resize(planes_.size());
    for (std::size_t k = 0; k < planes_.size(); ++k) {
        const std::size_t bytes = s.size * static_cast<std::size_t>(planes_[k].width);
        copy(s.planes[k].need(bytes), planes_[k].now.data(), bytes);
    }
}

void DevicePhase::read_snapshot(const Particles<float>& table, Particles<float>& p,
                                PinnedCopies& copies, cudaStream_t stream) const {
    p.for_each_column_with(table, [&](const ColumnInfo&, auto& column, const auto& other) {
        const bool comes = other.present() && !rests(table, &other);
        if (!comes)
            column = other;
        else if (!column.present())
            column.create(0);
    });
    const Snapshot& s = snapshot_;
    Image image{{}, s.rows_are_moved ? s.rows.data() : nullptr, s.size, s.host_size, &s.new_rows};
    for (const auto& plane : s.planes) image.planes.push_back(plane.data());
    bring_back(image, p, copies, stream);
}

void DevicePhase::point_view() {
    for (Plane& plane : planes_) *plane.slot = plane.now.data();
}

void DevicePhase::reorder(const unsigned* order, cudaStream_t stream) {
    if (size_ == 0) return;
    const auto n = static_cast<std::size_t>(size_);
    Moves moves{};
    const auto move = [&moves](const void* from, void* to, int width) {
        moves.from[moves.count] = from;
        moves.to[moves.count] = to;
        moves.width[moves.count++] = width;
    };
    for (Plane& plane : planes_) {
        if (!plane.lasting) continue;
        move(plane.now.data(), plane.spare.data(), plane.width);
        plane.now.swap(plane.spare);
    }
    move(ranks_.data(), spare_ranks_.need(n), 4);
    ranks_.swap(spare_ranks_);
    rows_.need(n), spare_rows_.need(n);
    if (rows_are_moved_) {
        move(rows_.data(), spare_rows_.data(), 4);
        rows_.swap(spare_rows_);
    } else {
        check_cuda(cudaMemcpyAsync(rows_.data(), order, n * sizeof(unsigned),
                                   cudaMemcpyDeviceToDevice, stream),
                   "moving particles");
        rows_are_moved_ = true;
    }
    launch<gather_rows>({blocks_for(size_), 256}, stream, moves, order, size_);
    check_cuda(cudaGetLastError(), "moving particles");
    point_view();
    view_.order = order;
}

std::int64_t DevicePhase::id_of(unsigned row, cudaStream_t stream) const {
    const auto fetch = [&](auto& to, const auto* from) {
        check_cuda(cudaMemcpyAsync(&to, from, sizeof(to), cudaMemcpyDeviceToHost, stream),
                   "finding a particle");
        check_cuda(cudaStreamSynchronize(stream), "finding a particle");
    };
    unsigned host = row;
    if (rows_are_moved_) fetch(host, rows_.data() + row);
    std::int64_t id = -1;
    fetch(id, ids_.data() + host);
    return id;
}

const unsigned* DevicePhase::rows(cudaStream_t stream) {
    if (!rows_are_moved_ && size_ > 0) {
        launch<number_rows>({blocks_for(size_), 256}, stream,
                            rows_.need(static_cast<std::size_t>(size_)), size_, 0);
        rows_are_moved_ = true;
    }
    return rows_.data();
}

void DevicePhase::append(const int* donors, std::span<const std::int64_t> ids,
                         cudaStream_t stream) {
    rows(stream);
    const int count = static_cast<int>(ids.size());
    const auto old = static_cast<std::size_t>(size_), n = old + static_cast<std::size_t>(count);
    Moves moves{};
    for (Plane& plane : planes_) {
        const auto width = static_cast<std::size_t>(plane.width);
        plane.now.grow(n * width, old * width, stream);
        if (plane.lasting) plane.spare.need(n * width);
        moves.from[moves.count] = moves.to[moves.count] = plane.now.data();
        moves.width[moves.count++] = plane.width;
    }
    launch<copy_rows>({blocks_for(count), 256}, stream, moves, donors, size_, count);
    learn_new_rows(donors, ids, stream);
    size_ += count;
    point_view();
    check_cuda(cudaGetLastError(), "adding particles");
}

// Their ids and donors, on both sides.
void DevicePhase::learn_new_rows(const int* donors, std::span<const std::int64_t> ids,
                                 cudaStream_t stream) {
    const auto old = static_cast<std::size_t>(size_), added = ids.size();
    const int count = static_cast<int>(added);
    const std::size_t known = host_size_ + new_rows_.size();
    std::vector<unsigned> places(added);
    moved_.need(added * sizeof(unsigned));
    auto* const at = reinterpret_cast<unsigned*>(moved_.data());
    Moves moves{};
    moves.from[0] = rows_.data(), moves.to[0] = at, moves.width[0] = 4, moves.count = 1;
    launch<copy_rows>({blocks_for(count), 256}, stream, moves, donors, 0, count);
    check_cuda(cudaMemcpyAsync(places.data(), at, added * sizeof(unsigned), cudaMemcpyDeviceToHost,
                               stream),
               "adding particles");
    ids_.grow(known + added, known, stream);
    check_cuda(cudaMemcpyAsync(ids_.data() + known, ids.data(), added * sizeof(std::int64_t),
                               cudaMemcpyHostToDevice, stream),
               "adding particles");
    rows_.grow(old + added, old, stream);
    spare_rows_.need(old + added);
    launch<number_rows>({blocks_for(count), 256}, stream, rows_.data() + old, count,
                        static_cast<unsigned>(known));
    // New ids are the highest.
    ranks_.grow(old + added, old, stream);
    launch<number_rows>({blocks_for(count), 256}, stream, ranks_.data() + old, count,
                        static_cast<unsigned>(old));
    check_cuda(cudaStreamSynchronize(stream), "adding particles");
    for (std::size_t i = 0; i < added; ++i) new_rows_.push_back({ids[i], places[i]});
}

void DevicePhase::keep(const int* order, int count, cudaStream_t stream) {
    rows(stream);
    const auto n = static_cast<std::size_t>(count);
    const auto* const by = reinterpret_cast<const unsigned*>(order);
    const auto move = [&](const void* from, void* to, int width) {
        Moves moves{};
        moves.from[0] = from, moves.to[0] = to, moves.width[0] = width, moves.count = 1;
        launch<gather_rows>({blocks_for(count), 256}, stream, moves, by, count);
    };
    if (count > 0) {
        for (Plane& plane : planes_) {
            DeviceArray<char>& to = plane.lasting ? plane.spare : moved_;
            to.need(n * static_cast<std::size_t>(plane.width));
            move(plane.now.data(), to.data(), plane.width);
            plane.now.swap(to);
        }
        move(rows_.data(), spare_rows_.need(n), 4);
        rows_.swap(spare_rows_);
        move(ranks_.data(), spare_ranks_.need(n), 4);
        ranks_.swap(spare_ranks_);
        close_ranks(count, stream);
    }
    size_ = count;
    point_view();
    check_cuda(cudaGetLastError(), "removing particles");
}

// The ranks of the first `count` rows, which are left of all, become their ranks among themselves.
void DevicePhase::close_ranks(int count, cudaStream_t stream) {
    const auto all = static_cast<std::size_t>(size_);
    int* const left = left_.need(all);
    check_cuda(cudaMemsetAsync(left, 0, all * sizeof(int), stream), "removing particles");
    launch<mark_ranks>({blocks_for(count), 256}, stream, ranks_.data(), count, left);
    algorithms_->exclusive_sum(left, left, size_, stream);
    launch<renumber>({blocks_for(count), 256}, stream, ranks_.data(), count, left);
}

std::size_t DevicePhase::bytes() const {
    std::size_t sum = rows_.bytes() + spare_rows_.bytes() + ids_.bytes() + moved_.bytes() +
                      ranks_.bytes() + spare_ranks_.bytes() + left_.bytes() + algorithms_->bytes();
    for (const Plane& plane : planes_) sum += plane.now.bytes() + plane.spare.bytes();
    for (const auto& plane : snapshot_.planes) sum += plane.bytes();
    sum += snapshot_.rows.bytes();
    return sum;
}

}  // namespace knead
