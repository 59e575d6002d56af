// Any bytes as a checkpoint's first page; and a state whose numbers they change, as a file with a
// right checksum may hold it. Whatever check_checkpoint takes has every index within its range.
#include <cstdlib>
#include <cstring>

#include "knead/base/error.h"
#include "knead/sim/check_state.h"
#include "knead/sim/checkpoint_header.h"

namespace {

using namespace knead;

// A method that adds no columns: what it would need is not at stake here.
class NoMethod : public Solver<float> {
public:
    void prepare(State<float>&) override {}
    std::vector<DtLimit> dt_limits(const State<float>&) override { return {}; }
    StepReport advance(State<float>&, double) override { return {}; }
    double elastic_energy(const State<float>&) const override { return 0; }
};

Model model_of(bool grid) {
    Model model;
    model.materials.resize(2);
    model.bodies.resize(2);
    model.bodies[1].material = 1;
    if (grid)
        model.settings = MpmSettings{};
    else
        model.settings = EmbeddedSettings{};
    return model;
}

State<float> state_of(bool grid) {
    State<float> state;
    state.phases.resize(2);
    for (int k = 0; k < 2; ++k) {
        Phase<float>& phase = state.phases[static_cast<std::size_t>(k)];
        phase.material = k;
        const std::size_t n = 4;
        Particles<float>& p = phase.particles;
        p.id.create(n), p.parent.create(n, -1), p.body.create(n, k), p.x.create(n);
        p.v.create(n), p.mass.create(n, 1), p.volume.create(n, 1);
        for (std::size_t i = 0; i < n; ++i) p.id.at(i) = state.next_id++;
        if (!grid) phase.links.create(n);
    }
    return state;
}

// Writes eight bytes over one number; `which` counts through all of them.
template <class T>
void overwrite(T* numbers, std::size_t count, std::size_t at, const unsigned char* bytes) {
    if (count > 0) std::memcpy(numbers + at % count, bytes, sizeof(T));
}

void change(State<float>& s, std::size_t which, std::size_t at, const unsigned char* bytes) {
    Phase<float>& phase = s.phases[at % 2];
    std::size_t k = 0;
    const auto turn = [&] { return k++ == which; };
    if (turn()) std::memcpy(&s.time, bytes, 8);
    if (turn()) std::memcpy(&s.step, bytes, 8);
    if (turn()) std::memcpy(&s.frame, bytes, 4);
    if (turn()) std::memcpy(&s.next_id, bytes, 8);
    if (turn()) std::memcpy(&s.dt_scale, bytes, 8);
    if (turn()) std::memcpy(&phase.material, bytes, 4);
    if (turn()) s.emitted.resize(bytes[0] % 4);
    if (turn()) s.streams.resize(bytes[0] % 4);
    if (turn()) s.sinks.resize(bytes[0] % 4);
    if (turn()) s.rigid.resize(bytes[0] % 4);
    if (turn()) phase.blocks.resize(bytes[0] % 8);
    if (turn() && !phase.blocks.empty())
        overwrite(&phase.blocks[0].key, 3 * phase.blocks.size(), at, bytes);
    if (turn()) s.phases.resize(2 + bytes[0] % 2);
    phase.particles.for_each_column([&](const ColumnInfo&, auto& column) {
        if (turn() && column.present()) overwrite(column.plane(0), column.size(), at, bytes);
        if (turn() && column.present()) column.resize(bytes[0] % 8);
        if (turn() && !column.present()) column.create(bytes[0] % 8);
    });
    Links<float>::for_each_column(phase.links, [&](const char*, auto& array) {
        if (turn()) overwrite(array.data(), array.size(), at, bytes);
        if (turn()) array.resize((array.size() + bytes[0] % 3) / (1 + bytes[1] % 2));
    });
}

void require_ranges(const Model& model, const State<float>& s, bool grid) {
    for (const Phase<float>& phase : s.phases) {
        const Particles<float>& p = phase.particles;
        if (phase.material < 0 || phase.material > 1) std::abort();
        for (std::size_t i = 0; i < p.size(); ++i)
            if (p.body.at(i) < 0 || static_cast<std::size_t>(p.body.at(i)) >= model.bodies.size())
                std::abort();
        for (const BlockRange& b : phase.blocks)
            if (b.begin < 0 || b.end > static_cast<std::int64_t>(p.size())) std::abort();
        if (grid) continue;
        for (std::size_t i = 0; i < p.size(); ++i)
            for (std::size_t slot = phase.links.first(i); slot < phase.links.end(i); ++slot)
                if (phase.links.to[slot] < 0 ||
                    static_cast<std::size_t>(phase.links.to[slot]) >= p.size())
                    std::abort();
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    constexpr std::size_t step = 10;
    if (size == 0) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    try {
        parse_checkpoint_page(bytes, "checkpoint.h5");
    } catch (const InputError&) {
    }
    const bool grid = data[0] & 1;
    const Model model = model_of(grid);
    NoMethod method;
    Checkpoint<float> checkpoint{state_of(grid), {}, "checkpoint.h5"};
    for (std::size_t at = 1; at + step <= size && at < 64 * step; at += step)
        change(checkpoint.state, data[at] % 96, data[at + 1], data + at + 2);
    try {
        check_checkpoint(model, checkpoint, method);
        require_ranges(model, checkpoint.state, grid);
    } catch (const InputError&) {
    }
    return 0;
}
