#include "knead/sim/checkpoint.h"

#include <algorithm>

#include "knead/base/error.h"
#include "knead/base/version.h"
#include "knead/io/atomic_file.h"
#include "knead/particles/vertex_rows.h"
#include "knead/sim/checkpoint_header.h"
#include "knead/sim/hdf5_file.h"
#include "knead/sim/mapped_file.h"

namespace knead {

namespace {

constexpr std::size_t rigid_numbers = 18;  // position, rotation, linear and angular velocity
constexpr std::size_t stream_numbers = 3;  // due, blocked_since, held

template <class Real>
const char* precision_name() {
    return sizeof(Real) == 4 ? "single" : "double";
}

// The numbers of a state by name, for writing and for reading alike.
template <class State, class Visit>
void for_each_number(State& s, Visit&& visit) {
    visit("time", s.time);
    visit("step", s.step);
    visit("frame", s.frame);
    visit("frame_start", s.frame_start);
    visit("frame_start_step", s.frame_start_step);
    visit("dt_scale", s.dt_scale);
    StepMemory::for_each_member(s.memory, visit);
    visit("next_id", s.next_id);
}

// What hangs on the rows of a phase besides columns: lists by name.
template <class Table>
void write_lists(Hdf5Group group, const Table& table) {
    Table::for_each_column(table, [&](const char* name, const auto& array) {
        using T = typename std::decay_t<decltype(array)>::value_type;
        const std::vector<const void*> rows{array.data()};
        group.write_table(name, hdf5_type_of<T>(), rows, array.size());
    });
}

template <class Table>
void read_lists(const Hdf5Group& group, Table& table) {
    Table::for_each_column(table, [&](const char* name, auto& array) {
        using T = typename std::decay_t<decltype(array)>::value_type;
        array.resize(group.table_length(name, hdf5_type_of<T>(), 1));
        group.read_table(name, hdf5_type_of<T>(), {array.data()}, array.size());
    });
}

template <class Real>
void write_phase(Hdf5Group group, const Phase<Real>& phase) {
    group.write_number("material", static_cast<std::int64_t>(phase.material));
    group.write_number("kind", static_cast<std::int64_t>(phase.kind));
    static_assert(sizeof(BlockRange) == 3 * sizeof(std::int64_t));
    const std::vector<const void*> blocks{phase.blocks.data()};
    group.write_table("blocks", Hdf5Type::int64, blocks, 3 * phase.blocks.size());
    if (phase.links.present()) write_lists(group.create("links"), phase.links);
    if (phase.elements.present()) {
        Hdf5Group elements = group.create("elements");
        elements.write_number("corners", phase.elements.corners);
        elements.write_number("vertex_phase", phase.elements.vertex_phase);
        write_lists(elements.create("lists"), phase.elements);
    }
    Hdf5Group columns = group.create("columns");
    phase.particles.for_each_column([&](const ColumnInfo& info, const auto& column) {
        using C = std::decay_t<decltype(column)>;
        if (!column.present()) return;
        std::vector<const void*> planes;
        for (int k = 0; k < C::planes; ++k) planes.push_back(column.plane(k));
        columns.write_table(info.name, hdf5_type_of<typename C::Scalar>(), planes, column.size());
    });
}

template <class Real>
void write_state(Hdf5Group group, const State<Real>& state) {
    for_each_number(state, [&](const char* name, const auto& value) {
        if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>)
            group.write_number(name, value);
        else
            group.write_number(name, static_cast<std::int64_t>(value));
    });
    const std::vector<const void*> emitted{state.emitted.data()};
    group.write_table("emitted", Hdf5Type::int64, emitted, state.emitted.size());
    static_assert(sizeof(StreamState) == stream_numbers * sizeof(double));
    const std::vector<const void*> streams{state.streams.data()}, sinks{state.sinks.data()};
    group.write_table("streams", Hdf5Type::float64, streams, stream_numbers * state.streams.size());
    group.write_table("sinks", Hdf5Type::float64, sinks, state.sinks.size());
    static_assert(sizeof(RigidState) == rigid_numbers * sizeof(double));
    const std::vector<const void*> rigid{state.rigid.data()};
    group.write_table("rigid", Hdf5Type::float64, rigid, rigid_numbers * state.rigid.size());
    group.write_number("kick_dt", state.kicks.dt);
    const std::vector<const void*> kick_blocks{state.kicks.blocks.data()};
    const std::vector<const void*> kick_speeds{state.kicks.speeds.data()};
    group.write_table("kick_blocks", Hdf5Type::int32, kick_blocks, state.kicks.blocks.size());
    group.write_table("kick_speeds", hdf5_type_of<Real>(), kick_speeds, state.kicks.speeds.size());
    Hdf5Group totals = group.create("totals");
    for (const auto& [name, value] : state.totals) totals.write_number(name, value);
    Hdf5Group phases = group.create("phases");
    for (std::size_t i = 0; i < state.phases.size(); ++i)
        write_phase(phases.create(std::to_string(i)), state.phases[i]);
}

template <class T>
T narrowed(std::int64_t value, const char* name) {
    if (value != static_cast<std::int64_t>(static_cast<T>(value)))
        throw InputError({}, std::string("damaged checkpoint: its ") + name + " is out of range",
                         "delete it and resume from an older one");
    return static_cast<T>(value);
}

// Rows of a table that holds `each` numbers a row.
std::size_t rows_of(const Hdf5Group& group, const char* name, Hdf5Type type, std::size_t each) {
    const std::size_t numbers = group.table_length(name, type, 1);
    if (numbers % each != 0)
        throw InputError({}, std::string("damaged checkpoint: its ") + name + " are cut short",
                         "delete it and resume from an older one");
    return numbers / each;
}

template <class Real>
void read_phase(const Hdf5Group& group, Phase<Real>& phase) {
    phase.material = narrowed<int>(group.read_integer("material"), "material");
    const std::int64_t kind = group.read_integer("kind");
    if (kind < 0 || kind > static_cast<std::int64_t>(PhaseKind::elements))
        throw InputError({}, "damaged checkpoint: its kind of phase is out of range",
                         "delete it and resume from an older one");
    phase.kind = static_cast<PhaseKind>(kind);
    phase.blocks.resize(rows_of(group, "blocks", Hdf5Type::int64, 3));
    group.read_table("blocks", Hdf5Type::int64, {phase.blocks.data()}, 3 * phase.blocks.size());
    if (group.has("links")) read_lists(group.open("links"), phase.links);
    if (group.has("elements")) {
        const Hdf5Group elements = group.open("elements");
        phase.elements.corners = elements.read_integer("corners");
        phase.elements.vertex_phase = elements.read_integer("vertex_phase");
        read_lists(elements.open("lists"), phase.elements);
    }
    const Hdf5Group columns = group.open("columns");
    const std::size_t n = columns.table_length("id", Hdf5Type::int64, 1);
    std::size_t known = 0;
    phase.particles.for_each_column([&](const ColumnInfo& info, auto& column) {
        using C = std::decay_t<decltype(column)>;
        if (!columns.has(info.name)) return;
        ++known;
        column.create(n);
        std::vector<void*> planes;
        for (int k = 0; k < C::planes; ++k) planes.push_back(column.plane(k));
        columns.read_table(info.name, hdf5_type_of<typename C::Scalar>(), planes, n);
    });
    if (known != columns.names().size())
        throw InputError({}, "the checkpoint has columns that this knead does not know",
                         "resume with the version that wrote it");
}

template <class Real>
State<Real> read_state(const Hdf5Group& group) {
    State<Real> state;
    for_each_number(state, [&](const char* name, auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_floating_point_v<T>)
            value = group.read_double(name);
        else
            value = narrowed<T>(group.read_integer(name), name);
    });
    state.emitted.resize(group.table_length("emitted", Hdf5Type::int64, 1));
    group.read_table("emitted", Hdf5Type::int64, {state.emitted.data()}, state.emitted.size());
    state.streams.resize(rows_of(group, "streams", Hdf5Type::float64, stream_numbers));
    group.read_table("streams", Hdf5Type::float64, {state.streams.data()},
                     stream_numbers * state.streams.size());
    state.sinks.resize(group.table_length("sinks", Hdf5Type::float64, 1));
    group.read_table("sinks", Hdf5Type::float64, {state.sinks.data()}, state.sinks.size());
    state.rigid.resize(rows_of(group, "rigid", Hdf5Type::float64, rigid_numbers));
    group.read_table("rigid", Hdf5Type::float64, {state.rigid.data()},
                     rigid_numbers * state.rigid.size());
    NodeKicks<Real>& kicks = state.kicks;
    kicks.dt = group.read_double("kick_dt");
    kicks.blocks.resize(group.table_length("kick_blocks", Hdf5Type::int32, 1));
    group.read_table("kick_blocks", Hdf5Type::int32, {kicks.blocks.data()}, kicks.blocks.size());
    kicks.speeds.resize(group.table_length("kick_speeds", hdf5_type_of<Real>(), 1));
    group.read_table("kick_speeds", hdf5_type_of<Real>(), {kicks.speeds.data()},
                     kicks.speeds.size());
    const Hdf5Group totals = group.open("totals");
    for (const std::string& name : totals.number_names())
        state.totals[name] = totals.read_double(name);
    const Hdf5Group phases = group.open("phases");
    state.phases.resize(phases.names().size());
    for (std::size_t i = 0; i < state.phases.size(); ++i)
        read_phase(phases.open(std::to_string(i)), state.phases[i]);
    const std::string mistake = elements_mistake(state.phases);
    if (!mistake.empty())
        throw InputError({}, "damaged checkpoint: " + mistake,
                         "delete it and resume from an older one");
    return state;
}

template <class Real>
Checkpoint<Real> read_payload(const std::string& path) {
    const Hdf5Reader reader(path);
    const Hdf5Group root = reader.root();
    Checkpoint<Real> checkpoint{read_state<Real>(root.open("state")), {}, path};
    if (root.has("frame_start"))
        checkpoint.frame_start = read_state<Real>(root.open("frame_start"));
    return checkpoint;
}

}  // namespace

template <class Real>
void save_checkpoint(const std::string& path, const State<Real>& state,
                     const State<Real>* frame_start, std::uint64_t model_hash) {
    Hdf5Writer writer(checkpoint_page);
    {
        Hdf5Group root = writer.root();
        write_state(root.create("state"), state);
        if (frame_start) write_state(root.create("frame_start"), *frame_start);
    }
    const std::string_view payload = writer.bytes();
    const CheckpointHeader header{version(),  precision_name<Real>(), state.frame, state.time,
                                  state.step, state.particle_count(), model_hash};
    AtomicFile file(path);
    file.write(checkpoint_page_of(header, payload));
    file.write(payload);
    file.commit();
}

CheckpointHeader verify_checkpoint(const std::string& path) {
    const MappedFile file(path);
    return parse_checkpoint_page(file.bytes(), path);
}

template <class Real>
Checkpoint<Real> load_checkpoint(const std::string& path, std::uint64_t model_hash) {
    const CheckpointHeader header = verify_checkpoint(path);
    if (header.model_hash != model_hash)
        throw ForeignCheckpoint(
            {path}, "this checkpoint belongs to another scene, or a mesh file has changed since",
            "resume with the scene and meshes it was started with, or start anew with "
            "--overwrite or another --out");
    if (header.version != version())
        throw ForeignCheckpoint({path}, "this checkpoint was written by knead " + header.version,
                                std::string("this is ") + version() + ": resume with that one");
    if (header.precision != precision_name<Real>())
        throw ForeignCheckpoint({path}, "this checkpoint holds numbers of " + header.precision +
                                            " precision, the scene asks for " +
                                            precision_name<Real>());
    Checkpoint<Real> checkpoint = in_file(path, [&] { return read_payload<Real>(path); });
    const State<Real>& state = checkpoint.state;
    if (state.frame != header.frame || state.time != header.time || state.step != header.step ||
        state.particle_count() != header.particles)
        throw InputError({path}, "damaged checkpoint: it does not hold what its first page says",
                         "delete it and resume from an older one");
    return checkpoint;
}

template void save_checkpoint(const std::string&, const State<float>&, const State<float>*,
                              std::uint64_t);
template void save_checkpoint(const std::string&, const State<double>&, const State<double>*,
                              std::uint64_t);
template Checkpoint<float> load_checkpoint(const std::string&, std::uint64_t);
template Checkpoint<double> load_checkpoint(const std::string&, std::uint64_t);

}  // namespace knead
