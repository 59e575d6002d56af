#!/usr/bin/env python3
"""Writes meshes/: small meshes, each with one defect that a reader must name."""
import pathlib
import struct

HERE = pathlib.Path(__file__).parent / "meshes"
POINTS = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
FACES = [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
         (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]


def obj(points=POINTS, faces=FACES):
    lines = ["v %s %s %s" % tuple(p) for p in points]
    return "\n".join(lines + ["f " + " ".join(str(i + 1) for i in f) for f in faces]) + "\n"


def ply_header(kind, vertices, faces):
    return (f"ply\nformat {kind} 1.0\nelement vertex {vertices}\nproperty float x\nproperty float y\n"
            f"property float z\nelement face {faces}\nproperty list uchar int vertex_indices\nend_header\n")


def ply(points=POINTS, faces=FACES, vertices=None, count=None):
    head = ply_header("ascii", len(points) if vertices is None else vertices,
                      len(faces) if count is None else count)
    rows = ["%s %s %s" % tuple(p) for p in points]
    return head + "\n".join(rows + [str(len(f)) + " " + " ".join(map(str, f)) for f in faces]) + "\n"


def binary_ply(points=POINTS, faces=FACES, count=None):
    head = ply_header("binary_little_endian", len(points), len(faces) if count is None else count)
    body = b"".join(struct.pack("<3f", *p) for p in points)
    return head.encode() + body + b"".join(struct.pack("<B3i", 3, *f) for f in faces)


def text_stl(points=POINTS, faces=FACES):
    out = "solid box\n"
    for f in faces:
        out += "facet normal 0 0 0\nouter loop\n"
        out += "".join("vertex %s %s %s\n" % tuple(points[i]) for i in f)
        out += "endloop\nendfacet\n"
    return out + "endsolid box\n"


def binary_stl(points=POINTS, faces=FACES, count=None):
    out = b"box".ljust(80, b"\0") + struct.pack("<I", len(faces) if count is None else count)
    for f in faces:
        out += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *points[i]) for i in f)
        out += struct.pack("<H", 0)
    return out


def swapped(items, index, value):
    return items[:index] + [value] + items[index + 1:]


nan_points = swapped(POINTS, 3, ("nan", 0, 0))
half = FACES[:6]
flat = [(x, y, 0) for x, y, _ in POINTS]
MESHES = {
    "empty.obj": "",
    "only_words.obj": "# nothing here\n",
    "no_faces.obj": obj(faces=[]),
    "no_vertices.obj": "f 1 2 3\n",
    "index_too_high.obj": obj(faces=swapped(FACES, 2, (4, 6, 99))),
    "index_zero.obj": obj().replace("f 1 2 4", "f 0 2 4"),
    "index_too_negative.obj": obj().replace("f 1 2 4", "f -99 2 4"),
    "index_text.obj": obj().replace("f 1 2 4", "f one 2 4"),
    "index_huge.obj": obj().replace("f 1 2 4", "f 99999999999999999999 2 4"),
    "two_corners.obj": obj().replace("f 1 2 4", "f 1 2"),
    "two_numbers.obj": obj().replace("v 0 0 0", "v 0 0"),
    "text_number.obj": obj().replace("v 0 0 0", "v zero 0 0"),
    "nan.obj": obj(nan_points),
    "inf.obj": obj(swapped(POINTS, 3, ("inf", 0, 0))),
    "too_big.obj": obj(swapped(POINTS, 3, ("1e300", 0, 0))),
    "half_open.obj": obj(faces=half),
    "flat.obj": obj(flat),
    "one_point.obj": obj([(0, 0, 0)] * 8),
    "one_triangle.obj": obj(faces=FACES[:1]),
    "binary_garbage.obj": bytes(range(256)) * 4,
    "empty.ply": "",
    "wrong_magic.ply": "plx\n" + ply(),
    "no_end_header.ply": ply().split("end_header")[0],
    "no_format.ply": ply().replace("format ascii 1.0\n", ""),
    "odd_format.ply": ply().replace("ascii", "utf8"),
    "no_x.ply": ply().replace("property float x\n", ""),
    "odd_type.ply": ply().replace("float y", "flaot y"),
    "negative_count.ply": ply(vertices=-8),
    "huge_count.ply": ply(vertices=10**15),
    "huge_faces.ply": ply(count=10**15),
    "too_few_rows.ply": ply(count=13),
    "index_too_high.ply": ply(faces=swapped(FACES, 0, (0, 1, 8))),
    "negative_index.ply": ply(faces=swapped(FACES, 0, (0, 1, -1))),
    "nan.ply": ply(nan_points),
    "half_open.ply": ply(faces=half),
    "truncated_binary.ply": binary_ply()[:-5],
    "huge_count_binary.ply": binary_ply(count=2**31 - 1),
    "long_list_binary.ply": binary_ply()[:-13] + b"\xff" + b"\0" * 12,
    "empty.stl": "",
    "no_facets.stl": "solid x\nendsolid x\n",
    "no_vertices.stl": "solid x\nfacet normal 0 0 1\nouter loop\nendloop\nendfacet\nendsolid x\n",
    "two_vertices.stl": text_stl().replace("vertex 0 1 1\n", "", 1),
    "text_number.stl": text_stl().replace("vertex 0 1 1", "vertex 0 x 1", 1),
    "nan.stl": text_stl(nan_points),
    "cut_short.stl": text_stl()[:200],
    "half_open.stl": text_stl(faces=half),
    "truncated_binary.stl": binary_stl()[:-7],
    "huge_count_binary.stl": binary_stl(count=2**32 - 1),
    "nan_binary.stl": binary_stl(swapped(POINTS, 3, (float("nan"), 0, 0))),
    "short_header_binary.stl": binary_stl()[:60],
    "no_triangles_binary.stl": binary_stl(faces=[]),
    "unknown.fbx": "Kaydara FBX Binary",
    "no_ending": obj(),
}

if __name__ == "__main__":
    HERE.mkdir(exist_ok=True)
    for name, data in MESHES.items():
        (HERE / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    print(len(MESHES), "meshes")
