"""Opens in Blender what `knead export` wrote and compares it with knead's own files.

    build/knead surface RUN
    for format in ply gltf vdb; do
        for what in points surface; do
            build/knead export RUN --format $format --what $what --frames N
        done
    done
    blender -b --python tools/open_in_blender.py -- RUN N

Ends with exit code 1 where something differs. Not part of `./dev test`: Blender is a large package.
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import bpy  # noqa: E402
import numpy  # noqa: E402

import ply_columns  # noqa: E402

FAILURES = []
numpy.bool = bool  # Debian 12's glTF importer still asks its newer numpy for it


def check(name, good, detail=""):
    print(("ok    " if good else "WRONG ") + name, detail)
    if not good:
        FAILURES.append(name)


def imported(operator, path):
    """The objects an import operator brought in."""
    before = set(bpy.data.objects)
    operator(filepath=str(path))
    bpy.context.view_layer.update()
    return [o for o in bpy.data.objects if o not in before]


def world_points(objects):
    points = [o.matrix_world @ v.co for o in objects if o.type == "MESH" for v in o.data.vertices]
    return numpy.array([tuple(p) for p in points])


def same_box(points, box, turned):
    """Whether points fill knead's box [m]; `turned`: y up has become Blender's z up."""
    lo, hi = box
    if turned:
        lo, hi = (numpy.array([lo[0], -hi[2], lo[1]]), numpy.array([hi[0], -lo[2], hi[1]]))
    size = max(hi - lo)
    return bool(numpy.allclose(points.min(axis=0), lo, atol=1e-5 * size) and
                numpy.allclose(points.max(axis=0), hi, atol=1e-5 * size))


def check_mesh(name, objects, rows, faces, box, turned):
    points = world_points(objects)
    check(f"{name}: vertices", len(points) == rows, f"{len(points)} of {rows}")
    found = sum(len(o.data.polygons) for o in objects if o.type == "MESH")
    check(f"{name}: triangles", found == faces, f"{found} of {faces}")
    check(f"{name}: bounds in metres, {'z' if turned else 'y'} up", same_box(points, box, turned))


def check_color(name, objects):
    meshes = [o for o in objects if o.type == "MESH"]
    colors = {c.name for o in meshes for c in o.data.color_attributes}
    check(f"{name}: a colour a vertex", len(colors) > 0, f"{sorted(colors)}")


def check_volume(path, grid_name, kind, box):
    volume = bpy.data.volumes.new(path.stem)
    volume.filepath = str(path)
    check(f"{path.name}: opens", volume.grids.load())
    grids = {g.name: g for g in volume.grids}
    check(f"{path.name}: grid {grid_name}", grid_name in grids, f"{list(grids)}")
    grid = grids[grid_name]
    check(f"{path.name}: type", grid.data_type == kind, grid.data_type)
    voxel = grid.matrix_object[0][0]
    check(f"{path.name}: voxel in metres", 0 < voxel < max(box[1] - box[0]) / 4, f"{voxel}")


def main(run, frame):
    run, number = pathlib.Path(run), f"{int(frame):05d}"
    points, _ = ply_columns.read(run / "frames" / f"frame_{number}.ply")
    surface, faces = ply_columns.read(run / "surface" / f"surface_{number}.ply")
    boxes = ply_columns.bounds(points), ply_columns.bounds(surface)
    out = run / "export"

    ply = imported(bpy.ops.import_mesh.ply, out / "ply" / f"points_{number}.ply")
    check_mesh("points.ply", ply, len(points), 0, boxes[0], turned=False)
    ply = imported(bpy.ops.import_mesh.ply, out / "ply" / f"surface_{number}.ply")
    check_mesh("surface.ply", ply, len(surface), faces, boxes[1], turned=False)
    check_color("surface.ply", ply)

    glb = imported(bpy.ops.import_scene.gltf, out / "gltf" / f"points_{number}.glb")
    check_mesh("points.glb", glb, len(points), 0, boxes[0], turned=True)
    glb = imported(bpy.ops.import_scene.gltf, out / "gltf" / f"surface_{number}.glb")
    check_mesh("surface.glb", glb, len(surface), faces, boxes[1], turned=True)
    check_color("surface.glb", glb)

    check_volume(out / "vdb" / f"surface_{number}.vdb", "surface", "FLOAT", boxes[1])
    # Blender knows points in a VDB when it sees them, but shows voxel grids alone.
    check_volume(out / "vdb" / f"points_{number}.vdb", "points", "POINTS", boxes[0])


try:
    main(*sys.argv[sys.argv.index("--") + 1:])
except Exception as error:  # Blender would end with 0
    check(repr(error), False)
print(f"{len(FAILURES)} differences")
sys.stdout.flush()
os._exit(1 if FAILURES else 0)
