// The particles of a state as a frame.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "knead/base/error.h"
#include "knead/io/frame_writer.h"
#include "knead/parallel/exec.h"
#include "knead/parallel/sort.h"

namespace knead {

namespace {

constexpr std::size_t rows_a_task = 1 << 15;

// Where a row of the frame comes from.
struct Source {
    std::uint32_t phase;
    std::uint32_t row;
};

// The rows of all phases that are wanted, by id.
template <class Real, class Wanted>
std::vector<Source> rows_by_id(const std::vector<Phase<Real>>& phases, const Wanted& wanted) {
    std::vector<Source> sources;
    std::vector<std::uint64_t> ids;
    for (std::size_t p = 0; p < phases.size(); ++p) {
        if (!wanted(phases[p])) continue;
        const auto& id = phases[p].particles.id;
        for (std::size_t i = 0; i < id.size(); ++i) {
            ids.push_back(static_cast<std::uint64_t>(id.at(i)));
            sources.push_back({static_cast<std::uint32_t>(p), static_cast<std::uint32_t>(i)});
        }
    }
    std::vector<std::uint32_t> order;
    sort_by_key(ids, order);
    if (!ids.empty() && ids.back() > std::numeric_limits<std::int32_t>::max())
        throw RunError("particle ids above 2^31 do not fit a frame file");
    std::vector<Source> rows(order.size());
    for_each(order.size(), rows_a_task, [&](std::size_t i) { rows[i] = sources[order[i]]; });
    return rows;
}

std::string component_name(const ColumnInfo& info, int k) {
    static const char* const axes[] = {"x", "y", "z"};
    static const char* const sym[] = {"xx", "yy", "zz", "xy", "xz", "yz"};
    static const char* const mat[] = {"xx", "xy", "xz", "yx", "yy", "yz", "zx", "zy", "zz"};
    const std::string name = info.name;
    if (name == "x") return axes[k];
    if (name == "v") return name + axes[k];
    switch (info.type) {
        case ColumnType::vec3:
            return name + "_" + axes[k];
        case ColumnType::sym3:
            return name + "_" + sym[k];
        case ColumnType::mat3:
            return name + "_" + mat[k];
        default:
            return name;
    }
}

// Fills the column of a frame for plane k of one particle column, phase by phase.
class Gather {
public:
    Gather(std::vector<FrameColumn>& columns, const std::vector<Source>& rows)
        : columns_(columns), rows_(rows) {}

    template <class S, int N>
    void add(std::uint32_t phase, const ColumnInfo& info, const Column<S, N>& column) {
        using Out = std::conditional_t<std::is_integral_v<S>, std::int32_t, float>;
        for (int k = 0; k < N; ++k) {
            std::vector<Out>& out = values<Out>(component_name(info, k));
            for_each(rows_.size(), rows_a_task, [&](std::size_t r) {
                if (rows_[r].phase == phase) out[r] = static_cast<Out>(column.at(rows_[r].row, k));
            });
        }
    }

    template <class Out>
    std::vector<Out>& values(const std::string& name) {
        for (FrameColumn& c : columns_)
            if (c.name == name) return std::get<std::vector<Out>>(c.values);
        columns_.push_back({name, std::vector<Out>(rows_.size())});
        return std::get<std::vector<Out>>(columns_.back().values);
    }

private:
    std::vector<FrameColumn>& columns_;
    const std::vector<Source>& rows_;
};

// What elements have beside their place and their share of the matter.
bool is_of_elements(const ColumnInfo& info) {
    for (const char* other : {"id", "parent", "x", "v", "mass", "volume"})
        if (std::string_view(info.name) == other) return false;
    return info.io;
}

std::int32_t row_of_id(const std::vector<std::int32_t>& ids, std::int64_t id) {
    const auto at = std::lower_bound(ids.begin(), ids.end(), id);
    if (at == ids.end() || *at != id)
        throw RunError(fmt::format("an element names vertex {}, which is not there", id));
    return static_cast<std::int32_t>(at - ids.begin());
}

// All elements of N corners; `ids` are those of the frame's rows.
template <class Real, std::size_t N>
void gather_elements(const std::vector<Phase<Real>>& phases, const std::vector<std::int32_t>& ids,
                     FrameElements<N>& out) {
    const auto wanted = [](const Phase<Real>& phase) {
        return phase.kind == PhaseKind::elements && phase.elements.corners == N;
    };
    const std::vector<Source> rows = rows_by_id(phases, wanted);
    if (rows.empty()) return;
    out.corners.resize(rows.size());
    const bool has_uv = std::any_of(phases.begin(), phases.end(), [&](const Phase<Real>& phase) {
        return wanted(phase) && N == 3 && phase.elements.has_uv();
    });
    if (has_uv) out.uv.resize(rows.size());
    for_each(rows.size(), rows_a_task, [&](std::size_t r) {
        const Elements<Real>& elements = phases[rows[r].phase].elements;
        for (std::size_t c = 0; c < N; ++c)
            out.corners[r][c] = row_of_id(ids, elements.vertex[c][rows[r].row]);
        if (has_uv && elements.has_uv())
            for (std::size_t k = 0; k < 2 * N; ++k)
                out.uv[r][k] = static_cast<float>(elements.uv[k][rows[r].row]);
    });
    Gather gather(out.columns, rows);
    gather.values<std::int32_t>("body");
    for (std::uint32_t p = 0; p < phases.size(); ++p)
        if (wanted(phases[p]))
            phases[p].particles.for_each_column([&](const ColumnInfo& info, const auto& column) {
                if (is_of_elements(info) && column.present()) gather.add(p, info, column);
            });
}

}  // namespace

template <class Real>
Frame make_frame(const std::vector<Phase<Real>>& phases, const FrameInfo& info) {
    const auto wanted = [](const Phase<Real>& phase) { return phase.kind != PhaseKind::elements; };
    const std::vector<Source> rows = rows_by_id(phases, wanted);
    Frame frame{info.frame, info.time, rows.size(), {}, info.colliders};
    Gather gather(frame.columns, rows);

    // the first columns stand in a fixed order, whatever the list of columns says
    for (const char* name : {"x", "y", "z", "vx", "vy", "vz"}) gather.values<float>(name);
    gather.values<std::int32_t>("id");
    gather.values<float>("pscale");
    gather.values<std::int32_t>("body");

    // every io column of every phase that has rows here
    for (std::uint32_t p = 0; p < phases.size(); ++p) {
        if (!wanted(phases[p])) continue;
        phases[p].particles.for_each_column([&](const ColumnInfo& column_info, const auto& column) {
            if (column_info.io && column.present()) gather.add(p, column_info, column);
        });
    }

    // the radius follows from the body, or from the particle's own share of space where that varies
    const std::vector<std::int32_t> body = gather.values<std::int32_t>("body");
    std::vector<float>& pscale = gather.values<float>("pscale");
    for_each(rows.size(), rows_a_task, [&](std::size_t r) {
        const auto b = static_cast<std::size_t>(body[r]);
        if (b < info.pscale_of_body.size()) pscale[r] = static_cast<float>(info.pscale_of_body[b]);
        const Particles<Real>& particles = phases[rows[r].phase].particles;
        if (particles.support.present())
            pscale[r] = 0.5f * std::cbrt(static_cast<float>(particles.volume.at(rows[r].row)));
    });

    // what joins them
    const std::vector<std::int32_t> ids = gather.values<std::int32_t>("id");
    gather_elements(phases, ids, frame.triangles);
    gather_elements(phases, ids, frame.segments);
    return frame;
}

template Frame make_frame(const std::vector<Phase<float>>&, const FrameInfo&);
template Frame make_frame(const std::vector<Phase<double>>&, const FrameInfo&);

}  // namespace knead
