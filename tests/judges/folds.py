"""Lengths on baked point caches of sleeves, by numpy alone: folds.py PLEAT FOLDER

The sleeves are written here, in as many ways as files of artists differ: fine, coarse, irregular or of slivers, every
triangle with vertices of its own, eight influences, a rig in centimetres and turned upright far from the origin, keys as
steps or splines, a bend shared by two joints. Each is baked twice on the same refined mesh, with folds and with a
strength of 0. Lines are where planes through the bone cut the mesh at rest, 24 around it, as far as folds reach.
"""
import json
import os
import struct
import sys

import numpy

import cases
import measure

SECONDS, KEYS = 2.0, 21  # of the clips
# What lines may come to, of their length at rest; the second up to 70 degrees, when the crease begins to close.
LEAST, MOST = 0.98, 1.03


def smooth(x):
    x = numpy.clip(x, 0, 1)
    return x * x * (3 - 2 * x)


def radius(y):
    return 0.05 - 0.05 * y + 0.004 * numpy.cos(20 * y)


def tube(around, along, jitter=0.0, half=0.3):
    """A tube along y."""
    random = numpy.random.default_rng(3)
    row, column = (a.ravel() for a in numpy.meshgrid(numpy.arange(along + 1), numpy.arange(around), indexing="ij"))
    inside = (row > 0) & (row < along)
    y = -half + 2 * half * (row + inside * jitter * random.uniform(-1, 1, row.size)) / along
    turn = 2 * numpy.pi * (column + inside * jitter * random.uniform(-1, 1, row.size)) / around
    points = numpy.stack([radius(y) * numpy.cos(turn), y, radius(y) * numpy.sin(turn)], axis=1)
    r, c = (a.ravel() for a in numpy.meshgrid(numpy.arange(along), numpy.arange(around), indexing="ij"))
    a, b = r * around + c, r * around + (c + 1) % around
    return points, numpy.concatenate([numpy.stack([a, a + around, b + around], 1), numpy.stack([a, b + around, b], 1)])


def one_joint(points, blend=0.06):
    h = smooth((points[:, 1] + blend) / (2 * blend))
    return numpy.stack([1 - h, h], axis=1)


def two_joints(points):
    h, k = smooth((points[:, 1] + 0.06) / 0.06), smooth(points[:, 1] / 0.06)
    return numpy.stack([1 - h, h * (1 - k), h * k], axis=1)


def eight(points):
    h = one_joint(points)[:, 1:]
    return numpy.concatenate([1 - h, h * numpy.array([1, 1, 2, 1, 1, 1, 1]) / 8], axis=1)


def cone():
    """From a trunk to an arm: what suits the one is too wide for the other."""
    points, triangles = tube(36, 90, half=0.6)
    wanted = 0.12 - 0.078 * smooth((points[:, 1] + 0.3) / 0.45)
    points[:, [0, 2]] *= (wanted / radius(points[:, 1]))[:, None]
    return points, triangles


def trunk_and_arm(points):
    h, k = smooth((points[:, 1] + 0.37) / 0.24), smooth((points[:, 1] - 0.195) / 0.11)
    return numpy.stack([1 - h, h * (1 - k), h * k], axis=1)


class Glb:
    def __init__(self):
        self.data = b""
        self.json = {"asset": {"version": "2.0"}, "buffers": [{}], "bufferViews": [], "accessors": [], "scene": 0}

    def add(self, array, kind, component):
        self.data += b"\0" * (-len(self.data) % 4)
        view = {"buffer": 0, "byteOffset": len(self.data), "byteLength": array.nbytes}
        self.data += array.tobytes()
        self.json["bufferViews"].append(view)
        accessor = {"bufferView": len(self.json["bufferViews"]) - 1, "componentType": component, "count": len(array),
                    "type": kind}
        if component == 5126 and kind in ("VEC3", "SCALAR"):
            flat = array.reshape(len(array), -1)
            accessor["min"], accessor["max"] = flat.min(axis=0).tolist(), flat.max(axis=0).tolist()
        self.json["accessors"].append(accessor)
        return len(self.json["accessors"]) - 1

    def write(self, path):
        self.data += b"\0" * (-len(self.data) % 4)
        self.json["buffers"][0]["byteLength"] = len(self.data)
        text = json.dumps(self.json).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as file:
            file.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(self.data)))
            file.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
            file.write(struct.pack("<II", len(self.data), 0x004E4942) + self.data)


def turned(axis, degrees):
    half = numpy.radians(degrees) / 2
    return numpy.concatenate([numpy.outer(numpy.sin(half), axis), numpy.cos(half)[:, None]], axis=1)


def animation(glb, name, nodes, axis, degrees, keys):
    times = numpy.linspace(0, SECONDS, KEYS)
    values = turned(axis, degrees * times / SECONDS)
    if keys == "CUBICSPLINE":
        tangents = numpy.gradient(values, times, axis=0)
        values = numpy.stack([tangents, values, tangents], axis=1).reshape(-1, 4)
    sampler = {"input": glb.add(times.astype("<f4"), "SCALAR", 5126),
               "output": glb.add(values.astype("<f4"), "VEC4", 5126), "interpolation": keys}
    channels = [{"sampler": 0, "target": {"node": node, "path": "rotation"}} for node in nodes]
    return {"name": name, "samplers": [sampler], "channels": channels}


def write_sleeve(path, points, triangles, weights, places, bends, split=False, scale=1.0, root=None, keys="LINEAR",
                 degrees=100, at=0.0, radii=3):
    """places: of joints along y, each the child of the one before or, beyond the third, of the second. degrees: what
    the joints that bend share; at: the place of the one to look at; radii: how far folds reach there."""
    glb = Glb()
    if split:
        points, weights = points[triangles.ravel()], weights[triangles.ravel()]
        triangles = numpy.arange(len(points)).reshape(-1, 3)
    weights = numpy.pad(weights, ((0, 0), (0, -weights.shape[1] % 4)))
    attributes = {"POSITION": glb.add(points.astype("<f4"), "VEC3", 5126)}
    for k in range(weights.shape[1] // 4):
        part = weights[:, 4 * k:4 * k + 4]
        joints = numpy.where(part > 0, numpy.arange(4 * k, 4 * k + 4), 0)
        attributes[f"JOINTS_{k}"] = glb.add(joints.astype("<u2"), "VEC4", 5123)
        attributes[f"WEIGHTS_{k}"] = glb.add(part.astype("<f4"), "VEC4", 5126)
    indices = glb.add(triangles.astype("<u4").ravel(), "SCALAR", 5125)
    binds = numpy.array([numpy.linalg.inv([[scale, 0, 0, 0], [0, scale, 0, y], [0, 0, scale, 0], [0, 0, 0, 1]]).T
                         for y in places])
    parents = [None, 0] + [min(j - 1, 1) if len(places) > 3 else j - 1 for j in range(2, len(places))]
    nodes = [{"name": "rig", "scale": [scale] * 3, "children": [1]}]
    for j, y in enumerate(places):
        before = 0 if parents[j] is None else places[parents[j]]
        nodes.append({"name": f"joint{j}", "translation": [0, (y - before) / scale, 0]})
        if parents[j] is not None:
            nodes[1 + parents[j]].setdefault("children", []).append(len(nodes) - 1)
    nodes.append({"name": "sleeve", "mesh": 0, "skin": 0})
    nodes.append({"name": "root", "children": [0, len(nodes) - 1], **(root or {})})
    skin = {"joints": list(range(1, 1 + len(places))),
            "inverseBindMatrices": glb.add(binds.astype("<f4").reshape(-1, 16), "MAT4", 5126)}
    bent = [1 + j for j in bends]
    glb.json.update(nodes=nodes, skins=[skin], scenes=[{"nodes": [len(nodes) - 1]}],
                    meshes=[{"name": "sleeve", "primitives": [{"attributes": attributes, "indices": indices}]}],
                    animations=[animation(glb, "bend", bent, [1, 0, 0], degrees / len(bent), keys),
                                animation(glb, "twist", bent, [0, 1, 0], 120 / len(bent), keys)])
    glb.write(path)


def far_away():
    return {"rotation": turned([1, 0, 0], numpy.array([-90.0]))[0].tolist(), "translation": [80.0, 3.0, -60.0]}


# Of each: the mesh, its weights, where joints are, which of them bend, and how the file is written.
SLEEVES = {
    "plain": (tube(32, 60), one_joint, (-0.3, 0.0), (1,), {}),
    "coarse": (tube(16, 22), one_joint, (-0.3, 0.0), (1,), {}),
    "crooked": (tube(8, 12, 0.45, 0.4), one_joint, (-0.4, 0.0), (1,), {}),
    "slivers": (tube(60, 14), one_joint, (-0.3, 0.0), (1,), {}),
    "irregular": (tube(28, 44, 0.45), one_joint, (-0.3, 0.0), (1,), {}),
    "split": (tube(32, 50), one_joint, (-0.3, 0.0), (1,), {"split": True}),
    "eight": (tube(32, 60), eight, (-0.3, 0.0, 0.03, 0.06, 0.09, 0.12, 0.15, 0.18), (1,), {}),
    "centimetres": (tube(32, 60), one_joint, (-0.3, 0.0), (1,), {"scale": 0.01, "root": far_away()}),
    "steps": (tube(32, 60), one_joint, (-0.3, 0.0), (1,), {"keys": "STEP"}),
    "splines": (tube(32, 60), one_joint, (-0.3, 0.0), (1,), {"keys": "CUBICSPLINE"}),
    "cone": (cone(), trunk_and_arm, (-0.5, -0.25, 0.25), (1, 2), {"degrees": 140, "at": 0.25, "radii": 2.2}),
    "chain": (tube(32, 60), two_joints, (-0.3, -0.03, 0.03), (1, 2), {"degrees": 90}),
}


def bake_one(pleat, file, folder, clip, strength):
    path = os.path.join(folder, f"{cases.stem(file)}_{clip}_{strength}.pc2")
    cases.bake(pleat, file, "--layer", "folds", "--garment", "*", "--clip", clip, "--fps", (KEYS - 1) / SECONDS,
               "--refine", "loop", "--set", f"folds.strength={strength}", "-o", path)
    return path


def bake_pair(pleat, file, folder, clip):
    """The same refined mesh with folds of a millionth of their height, as none would not be refined, and with folds."""
    pair = []
    for strength in (1e-6, 1):
        path = bake_one(pleat, file, folder, clip, strength)
        pair.append(measure.Cache(path))
        os.remove(path)
    return pair


def cut(rest, triangles, direction, half):
    """Where the half plane of the y axis and a direction cuts triangles within +-half: per piece two edges, and how far
    along each."""
    side = rest @ numpy.cross([0, 1, 0], direction)
    edges = numpy.stack([triangles, numpy.roll(triangles, -1, axis=1)], axis=2)
    ends = side[edges] > 0
    crossed = ends[:, :, 0] != ends[:, :, 1]
    pieces = edges[crossed].reshape(-1, 2, 2)
    share = side[pieces[:, :, 0]] / (side[pieces[:, :, 0]] - side[pieces[:, :, 1]])
    at = rest[pieces[:, :, 0]] * (1 - share)[..., None] + rest[pieces[:, :, 1]] * share[..., None]
    kept = ((at @ direction > 0) & (abs(at[:, :, 1]) < half)).all(axis=1)
    return pieces[kept], share[kept]


def length(points, piece):
    edges, share = piece
    at = points[edges[:, :, 0]] * (1 - share)[..., None] + points[edges[:, :, 1]] * share[..., None]
    return numpy.linalg.norm(at[:, 1] - at[:, 0], axis=1).sum()


def check_closed(rest, triangles):
    """A tube stays one where it is refined: two borders, and two triangles at every other edge. A vertex in the middle of
    another triangle's edge would leave a slit there, which is one more border."""
    _, same = numpy.unique(rest, axis=0, return_inverse=True)
    corners = same.ravel()[triangles]
    edges = numpy.sort(numpy.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]]), axis=1)
    edges, counts = numpy.unique(edges, axis=0, return_counts=True)
    assert counts.max() == 2 and (edges[:, 0] != edges[:, 1]).all(), "edges of three triangles, or of no length"
    nexts = {}
    for a, b in edges[counts == 1].tolist():
        nexts.setdefault(a, []).append(b)
        nexts.setdefault(b, []).append(a)
    loops, seen = 0, set()
    for start in nexts:
        loops += start not in seen
        reached = [start]
        while reached:
            vertex = reached.pop()
            if vertex not in seen:
                seen.add(vertex)
                reached += nexts[vertex]
    assert loops == 2 and all(len(ends) == 2 for ends in nexts.values()), f"{loops} borders"


def judge_sleeve(pleat, name, folder):
    (points, triangles), weigh, places, bends, options = SLEEVES[name]
    angles = options.get("degrees", 100) * numpy.arange(KEYS) / (KEYS - 1)
    angles = angles / 2 if "at" in options else angles
    file = os.path.join(folder, f"{name}.glb")
    write_sleeve(file, points, triangles, weigh(points), places, bends, **options)
    plain, folded = bake_pair(pleat, file, folder, "bend")
    rest = own = plain.rest
    check_closed(rest, plain.triangles)
    if "root" in options:  # back upright
        own = rest - options["root"]["translation"]
        own = own @ numpy.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]).T
        own = own if numpy.ptp(own[:, 1]) > 0.5 else own * [1, -1, -1]
    own = own - [0, options.get("at", 0), 0]
    half = options.get("radii", 3) * numpy.median(numpy.hypot(own[:, 0], own[:, 2])[abs(own[:, 1]) < 0.03])
    turns = numpy.arange(24) * numpy.pi / 12
    lines = [cut(own, plain.triangles, numpy.array([numpy.cos(t), 0, numpy.sin(t)]), half) for t in turns]
    at_rest = numpy.array([length(own, line) for line in lines])
    shortest, least, most = [], 1, 1
    for frame in range(1, KEYS):
        before = numpy.array([length(plain.frames[frame], line) for line in lines]) / at_rest
        after = numpy.array([length(folded.frames[frame], line) for line in lines]) / at_rest
        lost = before < 0.99
        shortest.append(before.min())
        least = min(least, after[lost].min(initial=1))
        if angles[frame] <= 70:
            most = max(most, after[lost].max(initial=1))
    moved = (plain.frames != folded.frames).any(axis=(0, 2))
    rose = numpy.linalg.norm(folded.frames - plain.frames, axis=2)
    up = rose[:, plain.triangles].min(axis=2) > 0.0003
    up &= (angles <= 70)[:, None]
    _, before = measure.stretches(rest, plain.triangles, plain.frames)
    _, after = measure.stretches(rest, plain.triangles, folded.frames)
    share = ((after[:, :, 1] < 0.9) & up).sum() / ((before[:, :, 1] < 0.9) & up).sum()
    print(f"  {name:12} {min(shortest):.3f} {least:.3f} {most:.3f} {share:.2f} {100 * moved.mean():3.0f} %")
    assert min(shortest) < 0.9 and moved.any(), "nothing is compressed"
    assert least > LEAST, f"a line of {least:.4f}"
    assert most < MOST, f"a line of {most:.4f}"
    assert share < 0.5, f"compressed triangles where folds stand fall to {share:.2f}"
    plain, folded = bake_pair(pleat, file, folder, "twist")
    assert (plain.frames == folded.frames).all(), "torsion alone moves vertices"


# Half of the way over which weights blend, and how many crossing triangles folds may leave of skinning's in a clip up to
# 100 degrees: where it is short, skinning pushes the limb through itself long before a right angle.
SHORT = {0.012: 1.01, 0.02: 1.01, 0.03: 0.7, 0.04: 0.55}


def judge_short(pleat, blend, folder):
    points, triangles = tube(32, 60)
    file = os.path.join(folder, "short.glb")
    write_sleeve(file, points, triangles, one_joint(points, blend), (-0.3, 0.0), (1,))
    pair = [bake_one(pleat, file, folder, "bend", strength) for strength in (1e-6, 1)]
    found = measure.measure(pleat, *pair)
    before, after = (found[side]["total"]["crossings"] for side in ("before", "after"))
    print(f"  weights blend over {2000 * blend:.0f} mm: {before} crossing triangles, {after} with folds")
    assert before > 1000 and after <= SHORT[blend] * before, "folds cross"
    for path in pair:
        os.remove(path)


def main():
    pleat = os.path.abspath(sys.argv[1])
    folder = os.path.join(sys.argv[2], "folds")
    os.makedirs(folder, exist_ok=True)
    run = cases.Cases()
    print(f"  {'lines':12} {'skin':5} {'least':5} {'most':5} under 0.9, moved")
    for name in SLEEVES:
        run.run(f"folds_{name}", judge_sleeve, pleat, name, folder, long=name not in ("crooked", "split", "chain"))
    for blend in SHORT:
        run.run(f"folds_short_{1000 * blend:.0f}", judge_short, pleat, blend, folder, long=True)
    run.end()


if __name__ == "__main__":
    main()
