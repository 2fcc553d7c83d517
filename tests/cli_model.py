"""A small character for the tests of the command line: writes FILE.gltf, and says where its vertices are.

cli_model.py write FILE.gltf          a body and a shirt, tubes on two joints, with a clip "Bend" of one second
cli_model.py clips FILE.gltf          the same with three clips more: "Nod", from 0.25 s to 0.75 s, "nod", as long as Bend,
                                      and "Prop", which moves only a node that carries nothing
cli_model.py points FILE.pc2 FPS      compares a point cache of it with plain linear skinning, done here
"""
import base64
import json
import math
import struct
import sys

AROUND, ALONG = 12, 9
KEYS = [0.0, 0.5, 1.0]
ANGLES = [0.0, 1.2, 0.4]  # about z, of the upper joint


def tube(radius):
    positions, joints, weights, triangles = [], [], [], []
    for i in range(ALONG):
        for k in range(AROUND):
            a, y = 2 * math.pi * k / AROUND, i / (ALONG - 1)
            positions.append((radius * math.sin(a), y, radius * math.cos(a)))
            joints.append((0, 1, 0, 0))
            weights.append((1 - y, y, 0.0, 0.0))
    for i in range(ALONG - 1):
        for k in range(AROUND):
            a, b = i * AROUND + k, i * AROUND + (k + 1) % AROUND
            triangles += [a, b, b + AROUND, a, b + AROUND, a + AROUND]
    return positions, joints, weights, triangles


TUBES = [("Body", 0.1), ("Shirt", 0.11)]


def write(path, clips=()):
    blob = bytearray()
    views, accessors = [], []

    def add(kind, component, code, rows, bounds=False):
        flat = [x for row in rows for x in (row if isinstance(row, tuple) else (row,))]
        data = struct.pack("<%d%s" % (len(flat), code), *flat)
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
        accessor = {"bufferView": len(views) - 1, "componentType": component, "count": len(rows), "type": kind}
        if bounds:
            columns = list(zip(*[row if isinstance(row, tuple) else (row,) for row in rows]))
            accessor["min"] = [struct.unpack("f", struct.pack("f", min(c)))[0] for c in columns]
            accessor["max"] = [struct.unpack("f", struct.pack("f", max(c)))[0] for c in columns]
        accessors.append(accessor)
        blob.extend(data)
        blob.extend(b"\0" * (-len(blob) % 4))
        return len(accessors) - 1

    meshes = []
    for index, (name, radius) in enumerate(TUBES):
        positions, joints, weights, triangles = tube(radius)
        attributes = {
            "POSITION": add("VEC3", 5126, "f", positions, True),
            "JOINTS_0": add("VEC4", 5121, "B", joints),
            "WEIGHTS_0": add("VEC4", 5126, "f", weights),
        }
        primitive = {"attributes": attributes, "indices": add("SCALAR", 5125, "I", triangles), "material": index}
        meshes.append({"name": name, "primitives": [primitive]})
    binds = [(1.0, 0, 0, 0, 0, 1.0, 0, 0, 0, 0, 1.0, 0, 0, -y, 0, 1.0) for y in (0.0, 0.5)]
    inverse_binds = add("MAT4", 5126, "f", binds)
    nodes = [
        {"name": "Hips", "children": [1]},
        {"name": "Chest", "translation": [0, 0.5, 0]},
        {"name": "Body", "mesh": 0, "skin": 0},
        {"name": "Shirt", "mesh": 1, "skin": 0},
        *([{"name": "Prop"}] if clips else []),
    ]
    animations = []
    for name, keys, angles, node in [("Bend", KEYS, ANGLES, 1), *clips]:
        times = add("SCALAR", 5126, "f", keys, True)
        turns = add("VEC4", 5126, "f", [(0.0, 0.0, math.sin(a / 2), math.cos(a / 2)) for a in angles])
        channel = {"sampler": 0, "target": {"node": node, "path": "rotation"}}
        animations.append({"name": name, "samplers": [{"input": times, "output": turns}], "channels": [channel]})
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, 2, 3, *([4] if clips else [])]}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [{"name": "Skin"}, {"name": "Cotton", "extras": {"kept": True}}],
        "skins": [{"joints": [0, 1], "inverseBindMatrices": inverse_binds}],
        "animations": animations,
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [
            {"byteLength": len(blob), "uri": "data:application/octet-stream;base64," + base64.b64encode(blob).decode()}
        ],
    }
    with open(path, "w") as out:
        json.dump(document, out)


def expected(time):
    """World positions of all tubes: rotations about one axis, so that the spherical interpolation is a plain one."""
    for i in range(len(KEYS) - 1):
        if time <= KEYS[i + 1] or i == len(KEYS) - 2:
            t = min(max((time - KEYS[i]) / (KEYS[i + 1] - KEYS[i]), 0), 1)
            angle = ANGLES[i] + t * (ANGLES[i + 1] - ANGLES[i])
            break
    c, s = math.cos(angle), math.sin(angle)
    out = []
    for _, radius in TUBES:
        for (x, y, z), (stay, turn, _, _) in zip(*[tube(radius)[i] for i in (0, 2)]):
            px, py = c * x - s * (y - 0.5), s * x + c * (y - 0.5) + 0.5
            out.append((stay * x + turn * px, stay * y + turn * py, z))
    return out


def points(path, fps):
    with open(path, "rb") as file:
        data = file.read()
    magic, version, vertices, start, step, frames = struct.unpack("<12siiffi", data[:32])
    assert magic == b"POINTCACHE2\0" and version == 1, (magic, version)
    assert vertices == len(TUBES) * AROUND * ALONG, vertices
    assert frames == int(fps) + 1, frames
    assert len(data) == 32 + 12 * vertices * frames, len(data)
    worst = 0.0
    for frame in range(frames):
        values = struct.unpack_from("<%df" % (3 * vertices), data, 32 + 12 * vertices * frame)
        for v, point in enumerate(expected(frame / fps)):
            worst = max(worst, *[abs(values[3 * v + k] - point[k]) for k in range(3)])
    print("largest difference %g m" % worst)
    assert worst < 1e-5, worst


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2])
    elif sys.argv[1] == "clips":
        nod, long = ("Nod", [0.25, 0.5, 0.75], [0.0, -1.4, 0.3], 1), ("nod", KEYS, [0.3, 0.0, 1.5], 1)
        write(sys.argv[2], [nod, long, ("Prop", KEYS, ANGLES, 4)])
    else:
        points(sys.argv[2], float(sys.argv[3]))
