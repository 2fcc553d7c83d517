"""Small valid files that fuzz/mutate starts from: characters as glTF and GLB, meshes, point caches, looks, drawings."""
import json
import math
import os
import random
import struct
import zlib

FRAMES = [0.0, 0.05, 0.1]  # seconds: four frames at 30 a second


class Document:
    """A glTF document that grows; its one buffer is `blob`."""

    def __init__(self):
        self.blob = bytearray()
        self.root = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [], "meshes": [],
                     "materials": [{"name": "cotton shirt"}, {"name": "skin"}], "accessors": [], "bufferViews": []}

    def add(self, kind, component, code, rows, bounds=False):
        rows = [row if isinstance(row, (tuple, list)) else (row,) for row in rows]
        self.blob.extend(b"\0" * (-len(self.blob) % 4))
        data = b"".join(struct.pack("<%d%s" % (len(row), code), *row) for row in rows)
        self.root["bufferViews"].append({"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data)})
        accessor = {"bufferView": len(self.root["bufferViews"]) - 1, "componentType": component, "type": kind,
                    "count": len(rows)}
        if bounds:
            columns = list(zip(*rows))
            accessor["min"] = [struct.unpack("f", struct.pack("f", min(c)))[0] for c in columns]
            accessor["max"] = [struct.unpack("f", struct.pack("f", max(c)))[0] for c in columns]
        self.root["accessors"].append(accessor)
        self.blob.extend(data)
        return len(self.root["accessors"]) - 1

    def glb(self):
        self.blob.extend(b"\0" * (-len(self.blob) % 4))
        self.root["buffers"] = [{"byteLength": len(self.blob)}]
        text = json.dumps(self.root).encode()
        text += b" " * (-len(text) % 4)
        return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(self.blob)) + struct.pack("<I4s", len(text), b"JSON")
                + text + struct.pack("<I4s", len(self.blob), b"BIN\0") + bytes(self.blob))


def tube(rings, sides, radius, tall=2.0):
    places = [(radius * math.cos(2 * math.pi * k / sides), tall * (i / rings - 0.5), radius * math.sin(2 * math.pi * k / sides))
              for i in range(rings + 1) for k in range(sides)]
    uvs = [(k / sides, i / rings) for i in range(rings + 1) for k in range(sides)]
    triangles = []
    for i in range(rings):
        for k in range(sides):
            a, b = i * sides + k, i * sides + (k + 1) % sides
            triangles += [(a, a + sides, b), (b, a + sides, b + sides)]
    return places, uvs, triangles


def globe(rings, sides, radius=1.0):
    """As textbooks have it: each quad at a pole is two triangles, one of them a line."""
    places, uvs, triangles = [], [], []
    for i in range(rings + 1):
        for k in range(sides + 1):
            t, p = math.pi * i / rings, 2 * math.pi * k / sides
            places.append((radius * math.sin(t) * math.cos(p), radius * math.cos(t), radius * math.sin(t) * math.sin(p)))
            uvs.append((k / sides, i / rings))
    for i in range(rings):
        for k in range(sides):
            a, c = i * (sides + 1) + k, (i + 1) * (sides + 1) + k
            triangles += [(a, a + 1, c + 1), (a, c + 1, c)]
    return places, uvs, triangles


def sheet(size):
    places = [(i / size - 0.5, 0.3 * math.sin(3 * i / size), k / size - 0.5) for i in range(size + 1) for k in range(size + 1)]
    uvs = [(i / size, k / size) for i in range(size + 1) for k in range(size + 1)]
    triangles = []
    for i in range(size):
        for k in range(size):
            a = i * (size + 1) + k
            triangles += [(a, a + 1, a + size + 2), (a, a + size + 2, a + size + 1)]
    return places, uvs, triangles


def character(parts, joints=2, bend=1.5, twist=False, targets=0, clips=1, mirrored=False):
    """parts: (name, material, places, uvs, triangles); joints stand on the y axis from -1 to 1."""
    d = Document()
    root = d.root
    heights = [-1 + 2 * j / joints for j in range(joints)]
    for name, material, places, uvs, triangles in parts:
        weights, owners = [], []
        for p in places:
            at = min(max((p[1] + 1) / 2 * joints - 0.5, 0), joints - 1)
            first = min(int(at), joints - 2)
            part = min(max((at - first - 0.3) / 0.4, 0), 1)
            owners.append((first, first + 1, 0, 0))
            weights.append((1 - part, part, 0, 0))
        primitive = {"attributes": {"POSITION": d.add("VEC3", 5126, "f", places, True),
                                    "TEXCOORD_0": d.add("VEC2", 5126, "f", uvs),
                                    "JOINTS_0": d.add("VEC4", 5121, "B", owners),
                                    "WEIGHTS_0": d.add("VEC4", 5126, "f", weights)},
                     "indices": d.add("SCALAR", 5123, "H", [i for t in triangles for i in t]), "material": material}
        mesh = {"name": name, "primitives": [primitive]}
        if targets:
            primitive["targets"] = [{"POSITION": d.add("VEC3", 5126, "f", [(0.1 * math.sin(7 * i + t), 0, 0.05)
                                                                          for i in range(len(places))], True)}
                                    for t in range(targets)]
            mesh["weights"] = [0.0] * targets
        root["meshes"].append(mesh)
        root["scenes"][0]["nodes"].append(len(root["nodes"]))
        root["nodes"].append({"name": name, "mesh": len(root["meshes"]) - 1, "skin": 0})
    first = len(root["nodes"])
    root["scenes"][0]["nodes"].append(first)
    for j, height in enumerate(heights):
        step = height - heights[j - 1] if j else height
        node = {"name": "bone%d" % j, "translation": [0, step, 0]}
        if j + 1 < joints:
            node["children"] = [first + j + 1]
        if mirrored and j == 0:
            node["scale"] = [-1, 1, 1]
        root["nodes"].append(node)
    binds = [(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -h, 0, 1) for h in heights]
    root["skins"] = [{"joints": [first + j for j in range(joints)],
                      "inverseBindMatrices": d.add("MAT4", 5126, "f", binds)}]
    times = d.add("SCALAR", 5126, "f", FRAMES, True)
    root["animations"] = []
    for c in range(clips):
        animation = {"name": "clip%d" % c, "channels": [], "samplers": []}
        for j in range(1, joints):
            angles = [bend * i / (len(FRAMES) - 1) * (1 if c == 0 else -0.5) for i in range(len(FRAMES))]
            turns = [(0, math.sin(a / 2), 0, math.cos(a / 2)) if twist else (0, 0, math.sin(a / 2), math.cos(a / 2))
                     for a in angles]
            animation["samplers"].append({"input": times, "output": d.add("VEC4", 5126, "f", turns)})
            animation["channels"].append({"sampler": len(animation["samplers"]) - 1,
                                          "target": {"node": first + j, "path": "rotation"}})
        if targets:
            values = [float(i == k) for i in range(len(FRAMES)) for k in range(targets)]
            animation["samplers"].append({"input": times, "output": d.add("SCALAR", 5126, "f", values)})
            animation["channels"].append({"sampler": len(animation["samplers"]) - 1,
                                          "target": {"node": 0, "path": "weights"}})
        root["animations"].append(animation)
    return d


def both_sides(triangles):
    return triangles + [(a, c, b) for a, b, c in triangles]


def characters():
    """Name and document."""
    arm = tube(6, 8, 0.3)
    skin = tube(6, 8, 0.25)
    places, uvs, triangles = arm
    ball = globe(6, 8)
    yield "arm", character([("shirt", 0) + arm])
    yield "person", character([("body", 1) + skin, ("shirt", 0) + arm])
    yield "both", character([("shirt", 0, places, uvs, both_sides(triangles))])
    yield "globe", character([("shirt", 0) + ball])
    yield "chain", character([("shirt", 0) + tube(10, 6, 0.2)], joints=5)
    yield "twist", character([("shirt", 0) + arm], twist=True, clips=2)
    yield "morph", character([("shirt", 0) + arm], targets=2)
    yield "cloth", character([("shirt", 0) + sheet(4)], targets=3, bend=0.2)
    yield "mirror", character([("body", 1) + skin, ("shirt", 0) + arm], mirrored=True, clips=2)


def write(folder, name, data):
    path = os.path.join(folder, name)
    with open(path, "wb") as file:
        file.write(data if isinstance(data, (bytes, bytearray)) else data.encode())
    return path


def obj(places, triangles):
    lines = ["v %g %g %g" % p for p in places] + ["f %d %d %d" % (a + 1, b + 1, c + 1) for a, b, c in triangles]
    return "\n".join(lines) + "\n"


def ply(places, triangles):
    head = ("ply\nformat ascii 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
            "element face %d\nproperty list uchar int vertex_indices\nend_header\n" % (len(places), len(triangles)))
    return head + "".join("%g %g %g\n" % p for p in places) + "".join("3 %d %d %d\n" % t for t in triangles)


def frames_of(places, count=4):
    return [[(x, y * (1 - 0.1 * f), z + 0.05 * f * math.sin(4 * x)) for x, y, z in places] for f in range(count)]


def pc2(frames):
    head = b"POINTCACHE2\0" + struct.pack("<iiffi", 1, len(frames[0]), 0.0, 1.0, len(frames))
    return head + b"".join(struct.pack("<3f", *p) for frame in frames for p in frame)


def mdd(frames):
    head = struct.pack(">ii", len(frames), len(frames[0])) + struct.pack(">%df" % len(frames), *[i / 30 for i in range(len(frames))])
    return head + b"".join(struct.pack(">3f", *p) for frame in frames for p in frame)


def png(width, height, pixels):
    """pixels: rows of grey bytes."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"".join(b"\0" + bytes(row) for row in pixels)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


SVG = '<svg viewBox="0 0 100 100"><path d="M 0 100 C 20 0 60 0 70 40 L 100 100" stroke="black" fill="none"/></svg>\n'


def side_files(folder):
    """Everything that an option reads, by kind."""
    rng = random.Random(1)
    places, _, triangles = sheet(6)
    made = {"mesh": [write(folder, "cloth.obj", obj(places, triangles)), write(folder, "cloth.ply", ply(places, triangles))],
            "points": [write(folder, "cloth.pc2", pc2(frames_of(places))), write(folder, "cloth.mdd", mdd(frames_of(places)))],
            "curve": [write(folder, "curve.svg", SVG),
                      write(folder, "curve.png", png(32, 32, [[0 if abs(y - 31 + 2 * min(x, 31 - x)) < 2 else 255
                                                               for x in range(32)] for y in range(32)]))],
            "mask": [write(folder, "mask.png", png(16, 16, [[rng.randrange(256) for _ in range(16)] for _ in range(16)]))]}
    look = {"folds": {"width": "8cm", "irregularity": "40%", "seed": 3, "detail": 3}, "folds[bone1]": {"width": "12cm"},
            "volume": {"inflate": "2%", "target": "0,0.1 0.1,0"}, "wrinkles": {"radius": "6cm", "side": "both"}}
    made["look"] = [write(folder, "look.json", json.dumps(look, indent=2))]
    ball, _, ball_triangles = globe(6, 8, 0.2)
    made["body"] = [write(folder, "ball.obj", obj(ball, ball_triangles))]
    return made
