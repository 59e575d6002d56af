"""Reads the vertices of a PLY file that knead wrote: columns by name, and the number of faces."""
import numpy

TYPES = {"float": "<f4", "int": "<i4", "uchar": "u1", "double": "<f8"}


def read(path):
    with open(path, "rb") as file:
        bytes_ = file.read()
    end = bytes_.index(b"end_header\n") + len(b"end_header\n")
    rows, columns, faces, element = 0, [], 0, ""
    for line in bytes_[:end].decode().splitlines():
        words = line.split()
        if words[0] == "element":
            element = words[1]
            if element == "vertex":
                rows = int(words[2])
            elif element == "face":
                faces = int(words[2])
        elif words[0] == "property" and element == "vertex":
            columns.append((words[2], TYPES[words[1]]))
    return numpy.frombuffer(bytes_, dtype=columns, count=rows, offset=end), faces


def bounds(table):
    points = numpy.stack([table["x"], table["y"], table["z"]], axis=1)
    return points.min(axis=0), points.max(axis=0)
