#include "knead/io/frame_writer.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "knead/base/error.h"
#include "knead/io/atomic_file.h"
#include "knead/parallel/exec.h"
#include "knead/parallel/sort.h"

namespace knead {

static_assert(std::endian::native == std::endian::little, "frames are little-endian");

namespace {

constexpr std::size_t rows_a_task = 1 << 15;

// Where a row of the frame comes from.
struct Source {
    std::uint32_t phase;
    std::uint32_t row;
};

template <class Real>
std::vector<Source> rows_by_id(const std::vector<Phase<Real>>& phases) {
    std::vector<Source> sources;
    std::vector<std::uint64_t> ids;
    for (std::size_t p = 0; p < phases.size(); ++p) {
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

// Fills the frame's column for plane k of one particle column, phase by phase.
class Gather {
public:
    Gather(Frame& frame, const std::vector<Source>& rows) : frame_(frame), rows_(rows) {}

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
        for (FrameColumn& c : frame_.columns)
            if (c.name == name) return std::get<std::vector<Out>>(c.values);
        frame_.columns.push_back({name, std::vector<Out>(rows_.size())});
        return std::get<std::vector<Out>>(frame_.columns.back().values);
    }

private:
    Frame& frame_;
    const std::vector<Source>& rows_;
};

}  // namespace

template <class Real>
Frame make_frame(const std::vector<Phase<Real>>& phases, const FrameInfo& info) {
    const std::vector<Source> rows = rows_by_id(phases);
    Frame frame{info.frame, info.time, rows.size(), {}, info.colliders};
    Gather gather(frame, rows);

    // the first columns stand in a fixed order, whatever the list of columns says
    for (const char* name : {"x", "y", "z", "vx", "vy", "vz"}) gather.values<float>(name);
    gather.values<std::int32_t>("id");
    gather.values<float>("pscale");
    gather.values<std::int32_t>("body");

    // every io column of every phase
    for (std::uint32_t p = 0; p < phases.size(); ++p)
        phases[p].particles.for_each_column([&](const ColumnInfo& column_info, const auto& column) {
            if (column_info.io && column.present()) gather.add(p, column_info, column);
        });

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
    return frame;
}

template Frame make_frame(const std::vector<Phase<float>>&, const FrameInfo&);
template Frame make_frame(const std::vector<Phase<double>>&, const FrameInfo&);

namespace {

// Digits enough to read back the very same numbers.
std::string pose_comment(const ColliderPose& c) {
    std::string line = "comment collider " + c.name;
    for (int k = 0; k < 3; ++k) line += fmt::format(" {:.17g}", c.pose.position[k]);
    for (int k = 0; k < 9; ++k) line += fmt::format(" {:.17g}", c.pose.rotation[k]);
    return line + "\n";
}

}  // namespace

void write_frame(const std::string& path, const Frame& frame) {
    std::string header = "ply\nformat binary_little_endian 1.0\ncomment knead particles\n";
    header += fmt::format("comment frame {}\ncomment time {:.17g}\n", frame.frame, frame.time);
    for (const ColliderPose& c : frame.colliders) header += pose_comment(c);
    header += fmt::format("element vertex {}\n", frame.count);
    for (const FrameColumn& c : frame.columns)
        header += fmt::format("property {} {}\n", c.is_integer() ? "int" : "float", c.name);
    header += "end_header\n";

    // columns to rows; every property has four bytes
    const std::size_t width = frame.columns.size();
    std::vector<std::uint32_t> rows(width * frame.count);
    for (std::size_t k = 0; k < width; ++k)
        std::visit(
            [&](const auto& values) {
                for_each(frame.count, rows_a_task, [&](std::size_t i) {
                    rows[i * width + k] = std::bit_cast<std::uint32_t>(values[i]);
                });
            },
            frame.columns[k].values);

    AtomicFile file(path);
    file.write(header);
    file.write_all(rows);
    file.commit();
}

}  // namespace knead
