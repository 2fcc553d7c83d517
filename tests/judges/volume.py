"""The volume layer's results by an integrator of its own: volume.py PLEAT FOLDER

Baked point caches; shells are triangles that share edges, holes are closed by fans about the mean of their border, volumes
are sums of tetrahedra in double precision. Prints what skinning loses and what is left, of every shell.
"""
import os
import sys
from collections import Counter, defaultdict

import numpy

import cases
import measure

# Shared files, frames a second, and what to bake: some dance for half a minute.
SHARED = [("khr_cesium_man/CesiumMan.glb", 10, "*"), ("mh_arm/mh_arm_body.glb", 10, "*"),
          ("webxr_hand/webxr_hand_left_curl.glb", 10, "*"), ("quat_knight/KnightCharacter.glb", 10, "*"),
          ("mh_salsa_sportsuit/mh_salsa_sportsuit.glb", 2, "*"), ("mh_modern_leotard/mh_modern_leotard.glb", 5, "*"),
          ("mh_fat_male_worksuit/mh_fat_male_worksuit.glb", 2, "*")]
LEAST = 1e-5  # cubic metres: a rest shape written as text says too little about buckles
BOUND = 1e-6


def shells(triangles):
    """Triangles that share edges."""
    parent = list(range(len(triangles)))

    def find(t):
        while parent[t] != t:
            parent[t] = parent[parent[t]]
            t = parent[t]
        return t

    owner = {}
    for t, corners in enumerate(triangles.tolist()):
        for k in range(3):
            edge = tuple(sorted((corners[k], corners[(k + 1) % 3])))
            parent[find(t)] = find(owner.setdefault(edge, t))
    roots = numpy.array([find(t) for t in range(len(triangles))])
    return [triangles[roots == root] for root in numpy.unique(roots)]


def holes(triangles):
    """Loops of border edges, turned round."""
    count = Counter((c[k], c[(k + 1) % 3]) for c in triangles.tolist() for k in range(3))
    onwards = defaultdict(list)
    for (a, b), number in count.items():
        onwards[b] += [a] * (number - count.get((b, a), 0))
    loops = []
    for start in list(onwards):
        path = [start]
        while onwards[path[-1]]:
            vertex = onwards[path[-1]].pop()
            if vertex in path:
                at = path.index(vertex)
                loops += [path[at:]] if len(path) - at > 2 else []
                path = path[: at + 1]
            else:
                path.append(vertex)
    return loops


def volume(points, triangles, loops):
    a, b, c = (points[triangles[:, k]] - points[triangles[0, 0]] for k in range(3))
    total = (a * numpy.cross(b, c)).sum()
    for loop in loops:
        border = points[loop] - points[triangles[0, 0]]
        total += (border.mean(axis=0) * numpy.cross(border, numpy.roll(border, -1, axis=0))).sum()
    return total / 6


def judge(pleat, file, folder, fps=30, garment="*"):
    out = os.path.join(folder, cases.stem(file))
    common = ["--fps", fps, "-g", garment]
    cases.bake(pleat, file, "--layer", "none", "-o", out + "_plain.pc2", *common)
    cases.bake(pleat, file, "--layer", "volume", "-o", out + "_kept.pc2", *common)
    plain, kept = measure.Cache(out + "_plain.pc2"), measure.Cache(out + "_kept.pc2")
    judged, wrong = 0, []
    for node in dict.fromkeys(part["node"] for part in kept.side["meshes"]):
        parts = [part for part in kept.side["meshes"] if part["node"] == node]
        triangles = numpy.concatenate([
            kept.welded[part["first_triangle"] : part["first_triangle"] + part["triangle_count"]] for part in parts])
        whole = (triangles != numpy.roll(triangles, 1, axis=1)).all(axis=1)
        for shell in shells(triangles[whole]):
            loops = holes(shell)
            rest = volume(kept.rest, shell, loops)
            before, after = (max(abs(volume(frame, shell, loops) / rest - 1) for frame in cache.frames)
                             for cache in (plain, kept))
            print(f"  {cases.stem(file):24} {node[:16]:16} {len(loops):5} {rest * 1e6:10.1f} {100 * before:9.3f} "
                  f"{after:9.1e}{'' if abs(rest) > LEAST else '   not judged'}")
            if abs(rest) > LEAST:
                judged += 1
                wrong += [f"{node} by {after:.1e}"] if not after <= BOUND else []
    if wrong or not judged:
        raise AssertionError(f"volumes are off: {', '.join(wrong) or 'nothing was judged'}")


def main():
    pleat, outputs = (os.path.abspath(name) for name in sys.argv[1:3])
    folder = os.path.join(outputs, "volume")
    os.makedirs(folder, exist_ok=True)
    run = cases.Cases()
    print(f"  {'file':24} {'mesh':16} {'holes':>5} {'ml':>10} {'% lost':>9} {'left':>9}")
    for file in cases.built_in(outputs):
        if cases.stem(file) in ("arm", "hand", "belly"):
            run.run("volume_" + cases.stem(file), judge, pleat, file, folder, 10)
    for path, fps, garment in SHARED:
        run.run("volume_" + cases.stem(path), lambda: judge(pleat, cases.data(path), folder, fps, garment))
    run.end()


if __name__ == "__main__":
    main()
