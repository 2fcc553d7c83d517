"""Figures of pleat measure against a second evaluation with numpy: measure.py PLEAT FOLDER

Positions come from baked point caches and rest shapes from the OBJ beside them; stretches are singular values of
deformation gradients, volumes sums of tetrahedra over welded triangles, insides winding numbers.
"""
import json
import os
import shutil
import subprocess
import sys

import numpy

import cases

STEP = 1 / 2048  # of the histogram that percentiles come from

# Shared characters, and frames a second: some dance for half a minute.
SHARED = {
    "khr_rigged_simple/RiggedSimple.glb": 10,
    "khr_cesium_man/CesiumMan.glb": 10,
    "mh_arm/mh_sleeve.glb": 10,
    "webxr_hand/webxr_hand_left_curl.glb": 10,
    "mh_salsa_sportsuit/mh_salsa_sportsuit.glb": 1,
    "mh_modern_leotard/mh_modern_leotard.glb": 2,
    "quat_knight/KnightCharacter.glb": 10,
    "cwf_twist_cylinder/twist_cylinder_morph.glb": 10,
    "gen_coarse_skirt_sim/coarse_skirt_sim.glb": 5,
}


def measure(pleat, *arguments):
    command = [pleat, "measure", "--json", "-q", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode} of {' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def near(what, value, expected, tolerance):
    if not abs(value - expected) <= tolerance:
        raise AssertionError(f"{what} is {value:.9g}, and {expected:.9g} by the second evaluation")


class Cache:
    """A baked cache: frames, rest shape, triangles."""

    def __init__(self, path):
        self.frames = cases.read_pc2(path)
        self.side = cases.read_sidecar(path[:-4] + ".json")
        rest, triangles = [], []
        with open(path[:-4] + ".rest.obj", encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words and words[0] == "v":
                    rest.append([float(word) for word in words[1:4]])
                elif words and words[0] == "f":
                    triangles.append([int(word.split("/")[0]) - 1 for word in words[1:4]])
        self.rest, self.triangles = numpy.array(rest), numpy.array(triangles)
        # Vertices at the same place are one; every triangle then names the first of them.
        _, first, which = numpy.unique(self.rest, axis=0, return_index=True, return_inverse=True)
        self.welded = first[which.reshape(-1)][self.triangles]

    def part(self, name):
        """The triangles of a node."""
        for mesh in self.side["meshes"]:
            if mesh["node"] == name:
                return slice(mesh["first_triangle"], mesh["first_triangle"] + mesh["triangle_count"])
        raise KeyError(name)


def stretches(rest, triangles, frames):
    """Areas at rest, and principal stretches, #frames by #triangles by 2, larger first."""
    u, v = (rest[triangles[:, k]] - rest[triangles[:, 0]] for k in (1, 2))
    length = numpy.linalg.norm(u, axis=1)
    height = numpy.linalg.norm(numpy.cross(u, v), axis=1) / numpy.maximum(length, 1e-30)
    good = length * height > 1e-6 * numpy.maximum(length, numpy.linalg.norm(v, axis=1)) ** 2
    triangles, u, v, length, height = triangles[good], u[good], v[good], length[good], height[good]
    inverse = numpy.zeros((len(triangles), 2, 2))
    inverse[:, 0, 0] = 1 / length
    inverse[:, 0, 1] = -(u * v).sum(axis=1) / length / (length * height)
    inverse[:, 1, 1] = 1 / height
    found = []
    for frame in frames:
        edges = numpy.stack([frame[triangles[:, k]] - frame[triangles[:, 0]] for k in (1, 2)], axis=2)
        found.append(numpy.linalg.svd(edges @ inverse, compute_uv=False))
    return 0.5 * length * height, numpy.array(found)


def percentile(values, weights, share):
    order = numpy.argsort(values, kind="stable")
    summed = numpy.cumsum(weights[order])
    at = numpy.searchsorted(summed, share * summed[-1])
    low, high = values[order[max(at - 1, 0)]], values[order[min(at + 1, len(order) - 1)]]
    return low, high


def check_stretches(what, figures, areas, values):
    """One frame, or several laid end to end."""
    weights = numpy.tile(areas, len(values))
    smaller, larger = values[:, :, 1].ravel(), values[:, :, 0].ravel()
    for name, flat in (("smallest_stretch", smaller), ("largest_stretch", larger)):
        found = figures[name]
        near(f"{what} {name} least", found["least"], flat.min(), 2e-4)
        near(f"{what} {name} most", found["most"], flat.max(), 2e-4 * flat.max())
        for key, share in (("percent_1", 0.01), ("percent_50", 0.5), ("percent_99", 0.99)):
            low, high = percentile(flat, weights, share)
            if not low - STEP - 1e-5 <= found[key] <= high + STEP + 1e-5:
                raise AssertionError(f"{what} {name} {key} is {found[key]}, not from {low} to {high}")
    # A triangle within rounding of 0.9 may fall on either side.
    unsure = (abs(smaller - 0.9) < 1e-4).mean() + 1e-9
    near(f"{what} compressed_triangles", figures["compressed_triangles"], (smaller < 0.9).mean(), unsure)
    unsure = weights[abs(smaller - 0.9) < 1e-4].sum() / weights.sum() + 1e-6
    near(f"{what} compressed_area", figures["compressed_area"], weights[smaller < 0.9].sum() / weights.sum(), unsure)
    norm = numpy.sqrt((weights * numpy.maximum(0, 1 - smaller) ** 2).sum() / weights.sum())
    near(f"{what} compression_l2", figures["compression_l2"], norm, 1e-5)


def area(points, triangles):
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return 0.5 * numpy.linalg.norm(numpy.cross(b - a, c - a), axis=1).sum()


def borders(triangles):
    """Loops of the edges that only one triangle has, as arrays of vertices, the first one again at the end."""
    edges = {(t[k], t[(k + 1) % 3]) for t in triangles.tolist() for k in range(3)}
    follows = {a: b for a, b in edges if (b, a) not in edges}
    loops = []
    while follows:
        loop = [next(iter(follows))]
        while loop[-1] in follows:
            loop.append(follows.pop(loop[-1]))
        loops.append(numpy.array(loop))
    return loops


def volume(points, triangles, loops):
    """Signed tetrahedra, each border closed by a fan about the mean of its edges' middles by length."""
    origin = points[triangles[0, 0]]
    a, b, c = (points[triangles[:, k]] - origin for k in range(3))
    total = (a * numpy.cross(b, c)).sum() / 6
    for loop in loops:
        p, q = points[loop[:-1]] - origin, points[loop[1:]] - origin
        lengths = numpy.linalg.norm(q - p, axis=1)
        centre = (0.5 * (p + q) * lengths[:, None]).sum(axis=0) / lengths.sum()
        total += (centre * numpy.cross(q, p)).sum() / 6
    return abs(total)


def meridians(rest):
    """The arm's meridians: the vertices that share x and z, in the order of y."""
    _, which = numpy.unique(rest[:, [0, 2]], axis=0, return_inverse=True)
    found = []
    for key in range(which.max() + 1):
        on = numpy.flatnonzero(which.reshape(-1) == key)
        found.append(on[numpy.unique(rest[on, 1], return_index=True)[1]])
    return numpy.array(found)


def lengths(points, lines):
    return numpy.linalg.norm(numpy.diff(points[lines], axis=1), axis=2).sum(axis=1)


def judge_arm(pleat, folder):
    arm = os.path.join(folder, "..", "characters", "arm.glb")
    caches = []
    for method in ("lbs", "dqs"):
        path = os.path.join(folder, f"arm_{method}.pc2")
        cases.bake(pleat, arm, "--skin", method, "--fps", 2, "-o", path)
        caches.append(Cache(path))
    result = measure(pleat, arm, os.path.join(folder, "arm_dqs.pc2"), "--meridians", 72)
    if result["fps"] != 2 or result["frame_count"] != 9:
        raise AssertionError(f"{result['frame_count']} frames at {result['fps']} a second, not 9 at 2 as the cache says")
    for side, cache in zip(("before", "after"), caches):
        found = result[side]
        areas, values = stretches(cache.rest, cache.triangles, cache.frames)
        check_stretches(f"{side}, all frames:", found["total"], areas, values)
        lines, loops = meridians(cache.rest), borders(cache.welded)
        rest_lengths = lengths(cache.rest, lines)
        line = found["lines"][0]
        for f, frame in enumerate(cache.frames):
            figures, what = found["frames"][f], f"{side}, frame {f}:"
            check_stretches(what, figures, areas, values[f : f + 1])
            near(f"{what} area", figures["area"], area(frame, cache.welded), 1e-6)
            near(f"{what} volume", figures["volume"], volume(frame, cache.welded, loops), 1e-8)
            ratios = lengths(frame, lines) / rest_lengths
            near(f"{what} shortest meridian", line["shortest_per_frame"][f], ratios.min(), 1e-5)
            near(f"{what} meridians", line["mean_per_frame"][f], ratios.mean(), 1e-5)
        motion = numpy.linalg.norm(numpy.diff(cache.frames, axis=0), axis=2).max()
        near(f"{side} motion", found["total"]["motion"], motion, 1e-5)
    shortest = [result[side]["lines"][0]["shortest"] for side in ("before", "after")]
    print(f"  arm, bend: shortest meridian {shortest[0]:.4f} by lbs, {shortest[1]:.4f} by dqs")


def write_pc2(path, frames):
    head = b"POINTCACHE2\0" + numpy.array([1, frames.shape[1]], "<i4").tobytes()
    head += numpy.array([0, 1], "<f4").tobytes() + numpy.array([len(frames)], "<i4").tobytes()
    with open(path, "wb") as file:
        file.write(head + frames.astype("<f4").tobytes())


def judge_jump(pleat, folder):
    """A cache against itself stands still; one in which a patch is moved from a frame on jumps there, by that much."""
    arm = os.path.join(folder, "..", "characters", "arm.glb")
    path = os.path.join(folder, "still.pc2")
    cases.bake(pleat, arm, "--fps", 20, "--frames", "0-40", "-o", path)
    for key in ("jump", "pop"):
        near(key, measure(pleat, path, path, "--no-crossings")["after"]["total"][key], 0, 0)
    cache = Cache(path)
    moved = cache.frames.copy()
    patch = cache.rest[:, 1] > 0.25
    moved[17:, patch] += [0.003, 0, 0.004]
    jumped = os.path.join(folder, "jumped.pc2")
    write_pc2(jumped, moved)
    for ending in (".rest.obj", ".json"):
        shutil.copy(path[:-4] + ending, jumped[:-4] + ending)
    total = measure(pleat, path, jumped, "--no-crossings")["after"]["total"]
    near("jump", total["jump"], 0.005, 1e-6)
    near("frame of the jump", total["jump_frame"], 17, 0)
    near("pop", total["pop"], 0.005, 1e-6)
    # The glTF itself against the cache: the same but for rounding.
    near("jump", measure(pleat, arm, path, "--no-crossings")["after"]["total"]["jump"], 0, 1e-6)


def winding(points, surface, triangles):
    """The winding number of a surface about each point: 1 inside a closed one (van Oosterom and Strackee, 1983)."""
    total = numpy.zeros(len(points))
    for i, point in enumerate(points):
        a, b, c = (surface[triangles[:, k]] - point for k in range(3))
        la, lb, lc = (numpy.linalg.norm(e, axis=1) for e in (a, b, c))
        above = (a * numpy.cross(b, c)).sum(axis=1)
        below = la * lb * lc + (a * b).sum(axis=1) * lc + (b * c).sum(axis=1) * la + (c * a).sum(axis=1) * lb
        total[i] = 2 * numpy.arctan2(above, below).sum() / (4 * numpy.pi)
    return total


def judge_inside(pleat, folder):
    """The dancer's leotard pushed into her skin, judged by winding numbers. The skin must not cross itself there."""
    dancer = os.path.join(folder, "..", "characters", "dancer.glb")
    path = os.path.join(folder, "dancer.pc2")
    cases.bake(pleat, dancer, "--clip", "arabesque", "--frames", "30-30", "-o", path)
    cache = Cache(path)
    used = numpy.unique(cache.triangles[cache.part("leotard")])
    frame = cache.frames[0].copy()
    frame[used] += [0.01, 0.005, -0.01]
    write_pc2(path, frame[None])
    kept = numpy.unique(cache.welded[cache.part("leotard")])
    inside = winding(frame[kept], frame, cache.triangles[cache.part("skin")]) > 0.5
    found = measure(pleat, path, "--garment", "leotard", "--body", "skin")["before"]["total"]
    print(f"  dancer, pushed: {found['inside']} of {len(kept)} vertices inside, {inside.sum()} by winding numbers, "
          f"deepest {1000 * found['depth']:.2f} mm")
    # Those nearer to the surface than the tolerance of about 0.02 mm do not count.
    if not (inside.sum() > 300 and inside.sum() - 5 <= found["inside"] <= inside.sum()):
        raise AssertionError(f"{found['inside']} vertices inside, and {inside.sum()} by winding numbers")


def judge_shared(pleat, name, folder):
    """The share of triangle-frames under 0.9, on the garment that pleat chooses."""
    file = cases.data(name)
    path = os.path.join(folder, "shared.pc2")
    result = measure(pleat, file, "--no-crossings", "--no-body", "--fps", SHARED[name])["before"]
    cases.bake(pleat, file, "--fps", SHARED[name], "-o", path)
    cache = Cache(path)
    chosen = {(part["node"], part["primitive"]) for part in result["parts"]}
    triangles = numpy.concatenate([
        cache.triangles[mesh["first_triangle"] : mesh["first_triangle"] + mesh["triangle_count"]]
        for mesh in cache.side["meshes"] if (mesh["node"], mesh["primitive"]) in chosen])
    areas, values = stretches(cache.rest, triangles, cache.frames)
    share = 100 * (values[:, :, 1] < 0.9).mean()
    print(f"  {name:46} {100 * result['total']['compressed_triangles']:6.2f} % {share:6.2f} %")
    check_stretches(name, result["total"], areas, values)


def main():
    pleat = os.path.abspath(sys.argv[1])
    folder = os.path.join(sys.argv[2], "measure")
    os.makedirs(folder, exist_ok=True)
    run = cases.Cases()
    run.run("measure_arm", judge_arm, pleat, folder)
    run.run("measure_jump", judge_jump, pleat, folder)
    run.run("measure_inside", judge_inside, pleat, folder, long=True)
    print(f"  {'triangle-frames under 0.9':46} {'pleat':>8} {'numpy':>8}")
    for name in SHARED:
        run.run(f"measure_shared_{cases.stem(name)}", judge_shared, pleat, name, folder,
                long=not name.startswith(("khr", "mh_arm", "webxr")))
    run.end()


if __name__ == "__main__":
    main()
