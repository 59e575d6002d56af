#!/usr/bin/env python3
"""The table "to add / write" of CONTRIBUTING.md is true: what it names exists, and a law that remembers
something new, a column, a statistic, an export format and a key are added to a copy of the sources by touching
what the table says only."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Neo-Hookean foam that creeps has no law yet: one that remembers its age takes the pair.
LAW = """#pragma once
#include "knead/materials/flow/creep.h"
#include "knead/materials/laws/foam.h"
namespace knead {
template <class Real>
struct AgeingFoam : Foam<Real, NoFlow> {
    static constexpr unsigned columns = uses_b | uses_dilation | uses_age;
    static bool fits(const Material& m, const Tearing&) {
        return is_made_of<NeoHookean<Real>, Creep<Real>>(m);
    }
    static AgeingFoam of(const Material& m, const Tearing&) {
        return {{NeoHookean<Real>::of(m), {}}};
    }
    template <class T>
    CPU_GPU Sym3<T> advance(MaterialState<T>& state, const Mat3<T>& dt_L, Real dt) const {
        state.age = state.age + T(dt);
        return Foam<Real, NoFlow>::advance(state, dt_L, dt);
    }
};
}
"""

PROBE = """
#include <cstdio>
#include <cstring>
#include "knead/materials/law.h"
#include "knead/mpm/foam/resample/fields.h"
#include "knead/mpm/pack_columns.h"
#include "knead/particles/state_columns.h"
using namespace knead;
#define EXPECT(what) if (!(what)) return std::printf("not so: %s\\n", #what), 1
int main() {
    Material m;
    m.elastic = {ElasticLaw::neo_hookean, 1e4, 1e3};
    m.flow.rule = FlowRule::creep;
    const Law<float> law = make_law<float>(m);
    EXPECT(std::holds_alternative<AgeingFoam<float>>(law));
    Particles<float> p;
    p.id.create(3);
    // creation, at rest
    create_state_columns<AgeingFoam<float>::columns>(p);
    EXPECT(p.age.present() && p.age.size() == 3 && p.age.at(2) == 7 && !p.F.present());
    // packs: loaded, advanced, stored
    auto state = load_state<AgeingFoam<float>::columns>(p, 0, 3);
    std::get<AgeingFoam<float>>(law).advance(state, Mat3<Pack<float>>{}, 0.5f);
    store_state<AgeingFoam<float>::columns>(p, 0, 3, state);
    EXPECT(p.age.at(1) == 7.5f);
    EXPECT(state_of<AgeingFoam<float>::columns>(p, 1).age == 7.5f);
    // emission
    p.resize(4);
    set_at_rest(p, 3, 4);
    EXPECT(p.age.at(3) == 7 && p.b.at(3, 0) == 1);
    // resampling, frames, checkpoints
    bool averaged = false, listed = false, other = false;
    for_each_field(p, [&](const auto& c) { averaged |= (const void*)&c == &p.age; });
    p.for_each_column([&](const ColumnInfo& info, const auto& c) {
        listed |= (const void*)&c == &p.age && info.io && !std::strcmp(info.name, "age");
        other |= (const void*)&c == &p.warmth;
    });
    EXPECT(averaged);
    EXPECT(listed);
    EXPECT(other);
    std::puts("the probe law and columns are everywhere");
}
"""

FORMAT = """#include <fstream>
#include "knead/picture/formats.h"
namespace knead {
ExportFormat count_format();
ExportFormat count_format() {
    return {"count", ".txt",
            [](const std::string& path, const Frame& frame, const ExportFormat::Colors&) {
                std::ofstream(path) << frame.count;
            },
            {}};
}
}
"""


def rows_of_table():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    table = text[text.index("| to add | write |"):].split("\n\n")[0].splitlines()[2:]
    return {cells[1].strip(): cells[2] for cells in (line.split("|") for line in table)}


def check_names(rows):
    """Every file or folder that the table names is there."""
    for what, write in rows.items():
        for name in re.findall(r"`([\w./*]+/[\w./*]*)`", write):
            places = [base for base in (ROOT, ROOT / "src/knead")
                      if list(base.glob(name.rstrip("/")))]
            assert places, f"CONTRIBUTING names {name} to add {what}: there is none"


def insert(path, after, text, touched):
    """Puts a line behind the last that begins with `after`."""
    lines = path.read_text(encoding="utf-8").split("\n")
    at = max(i for i, line in enumerate(lines) if line.strip().startswith(after))
    lines.insert(at + 1, text)
    path.write_text("\n".join(lines), encoding="utf-8")
    touched.add(path)


def add_law(src):
    touched = set()
    header = src / "knead/materials/laws/ageing_foam.h"
    header.write_text(LAW, encoding="utf-8")
    touched.add(header)
    law = src / "knead/materials/law.h"
    insert(law, '#include "knead/materials/laws/', '#include "knead/materials/laws/ageing_foam.h"', touched)
    text = law.read_text(encoding="utf-8")
    assert text.count("Fluid<Real>>;") == 1
    law.write_text(text.replace("Fluid<Real>>;", "Fluid<Real>, AgeingFoam<Real>>;"), encoding="utf-8")
    state = src / "knead/materials/material_state.h"
    insert(state, "X(volume_correction,", '    X(age, Number, "s", true, 7, true, false) \\', touched)
    return touched


def add_column(src):
    touched = set()
    table = src / "knead/particles/particles.h"
    insert(table, "Column<std::int32_t, 1> grip;", "    Column<Real, 1> warmth;", touched)
    insert(table, 'visit(ColumnInfo{"grip"',
           '        visit(ColumnInfo{"warmth", "K", T::scalar, true}, p.warmth);', touched)
    return touched


def add_statistic(src):
    touched = set()
    insert(src / "knead/sim/statistics.cpp", "s.extra = solver.statistics(state);",
           '    s.extra.emplace_back("rms_speed", std::sqrt(2 * s.kinetic_energy / s.mass));', touched)
    return touched


def add_format(src):
    touched = set()
    source, table = src / "knead/picture/formats/count.cpp", src / "knead/picture/formats.cpp"
    source.write_text(FORMAT, encoding="utf-8")
    touched.add(source)
    insert(table, "ExportFormat ply_format();", "ExportFormat count_format();", touched)
    text = table.read_text(encoding="utf-8")
    assert text.count("list{ply_format(),") == 1
    table.write_text(text.replace("list{ply_format(),", "list{ply_format(), count_format(),"), encoding="utf-8")
    return touched


def add_key(src):
    """A key, for a member that is there."""
    touched = set()
    insert(src / "knead/scene/keys_points.cpp", 'K::flag("resampling", &T::resampling, "split',
           '        K::flag("split_and_merge", &T::resampling, "the same by another name"),', touched)
    return touched


def main():
    compiler, *libraries = sys.argv[1:]  # those below materials and particles
    rows = rows_of_table()
    assert {"a material law", "what a law remembers", "a particle column", "a statistic", "an export format",
            "a scene key"} <= rows.keys()
    check_names(rows)
    with tempfile.TemporaryDirectory() as folder:
        src = pathlib.Path(folder) / "src"
        shutil.copytree(ROOT / "src", src)
        touched = add_law(src)
        assert len(touched) <= 3, f"a law with a column of its own touches {len(touched)} files"
        assert len(add_column(src)) == 1
        others = [add_statistic(src), add_key(src), add_format(src)]
        assert [len(t) for t in others] == [1, 1, 2], others
        (src / "probe.cpp").write_text(PROBE, encoding="utf-8")
        sources = ["probe.cpp"] + [f"knead/{name}.cpp" for name in (
            "materials/law", "materials/parameters", "particles/state_columns")]
        flags = ["-std=c++20", "-O0", "-march=x86-64-v3", "-Wno-psabi", f"-I{src}"]
        running = [subprocess.Popen([compiler, *flags, "-c", str(src / s), "-o",
                                     str(src / f"{i}.o")]) for i, s in enumerate(sources)]
        running += [subprocess.Popen([compiler, *flags, "-fsyntax-only", str(path)])
                    for path in sorted(set().union(*others))]
        assert all([p.wait() == 0 for p in running]), "the sources with the probe do not compile"
        program = str(src / "probe")
        objects = [str(src / f"{i}.o") for i in range(len(sources))]
        subprocess.run([compiler, *objects, "-o", program, *libraries, "-ltbb", "-lfmt"], check=True)
        subprocess.run([program], check=True)


main()
