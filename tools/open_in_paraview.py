"""Opens in ParaView what `knead export --format vtk` wrote and compares it with knead's own files.

    build/knead surface RUN
    build/knead export RUN --format vtk --what points
    build/knead export RUN --format vtk --what surface
    pvpython tools/open_in_paraview.py RUN

Ends with exit code 1 where something differs. Not part of `./dev test`: ParaView is a large package.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import numpy  # noqa: E402
from paraview import servermanager, simple  # noqa: E402

import ply_columns  # noqa: E402

FAILURES = []


def check(name, good, detail=""):
    print(("ok    " if good else "WRONG ") + name, detail)
    if not good:
        FAILURES.append(name)


def check_series(run, what, stem, columns):
    """Every frame of a .pvd against the PLY file it was made from."""
    reader = simple.PVDReader(FileName=str(run / "export" / "vtk" / f"{what}.pvd"))
    times = list(reader.TimestepValues)
    files = sorted((run / stem[0]).glob(f"{stem[1]}_*.ply"))
    check(f"{what}: frames", len(times) == len(files), f"{len(times)} of {len(files)}")
    for time, file in zip(times, files):
        reader.UpdatePipeline(time)
        table, faces = ply_columns.read(file)
        data = servermanager.Fetch(reader)
        name = f"{what} at {time:.4g} s"
        check(f"{name}: points", data.GetNumberOfPoints() == len(table),
              f"{data.GetNumberOfPoints()} of {len(table)}")
        check(f"{name}: cells", data.GetNumberOfCells() == (faces or len(table)))
        lo, hi = ply_columns.bounds(table)
        wanted = numpy.stack([lo, hi], axis=1).ravel()
        check(f"{name}: bounds [m], y up", numpy.allclose(data.GetBounds(), wanted, atol=1e-6))
        arrays = data.GetPointData()
        there = {arrays.GetArrayName(i) for i in range(arrays.GetNumberOfArrays())}
        check(f"{name}: columns", columns <= there, f"{sorted(there)}")


def main(run):
    run = pathlib.Path(run)
    check_series(run, "points", ("frames", "frame"), {"v", "id", "pscale", "body", "Cd"})
    check_series(run, "surface", ("surface", "surface"), {"Normals", "Cd", "body"})
    print(f"{len(FAILURES)} differences")
    sys.exit(1 if FAILURES else 0)


main(sys.argv[1])
