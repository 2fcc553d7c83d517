"""Attributes of bake --stretch against a second evaluation with numpy: stretch.py PLEAT FOLDER

Deformation gradients between the rest shape and frames of a baked point cache, as 3x3 matrices; their right stretch
tensors by singular values, averaged around each vertex by area.
"""
import os
import sys

import numpy

import cases
import gltf
import maps
import measure

# Files, what is baked of them, and the frame.
FILES = [("arm", "30"), ("dancer", "60"), ("skirt", "40")]
SHARED = [("mh_modern_leotard/mh_modern_leotard.glb", "100"), ("quat_knight/KnightCharacter.glb", "20"),
          ("gen_coarse_skirt_sim/coarse_skirt_sim.glb", "50")]


def tensors(rest, welded, frame):
    """Right stretch tensors of triangles in their planes, areas, and normals at rest."""
    def edges(points):
        return points[welded[:, 1]] - points[welded[:, 0]], points[welded[:, 2]] - points[welded[:, 0]]

    (u, v), (x, y) = edges(rest), edges(frame)
    normal = numpy.cross(u, v)
    doubled = numpy.linalg.norm(normal, axis=1)
    normal = normal / numpy.maximum(doubled, 1e-30)[:, None]
    there = numpy.cross(x, y)
    there = there / numpy.maximum(numpy.linalg.norm(there, axis=1), 1e-30)[:, None]
    longest = numpy.maximum((u * u).sum(axis=1), (v * v).sum(axis=1))
    good = doubled > 1e-6 * longest
    before = numpy.stack([u, v, normal], axis=2)
    before[~good] = numpy.eye(3)
    after = numpy.stack([x, y, there], axis=2)
    _, values, rows = numpy.linalg.svd(after @ numpy.linalg.inv(before))
    stretch = numpy.einsum("tki,tk,tkj->tij", rows, values, rows)
    return stretch - numpy.einsum("ti,tj->tij", normal, normal), 0.5 * doubled * good, normal


def turns(a, b):
    """The shortest turns from unit vectors to unit vectors, as matrices (Rodrigues)."""
    axis, cosine = numpy.cross(a, b), (a * b).sum(axis=1)
    cross = numpy.zeros((len(a), 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        cross[:, i, j], cross[:, j, i] = -axis[:, k], axis[:, k]
    turn = numpy.eye(3) + cross + cross @ cross / numpy.maximum(1 + cosine, 1e-3)[:, None, None]
    turn[cosine < -0.999] = numpy.eye(3)  # there is no shortest one
    return turn


def at_vertices(rest, welded, frame):
    """Smallest and largest stretch at vertices with the direction of the smallest; how flat the rest is there."""
    stretch, area, normal = tensors(rest, welded, frame)
    count = len(rest)
    sums, weights, normals = numpy.zeros((count, 3, 3)), numpy.zeros(count), numpy.zeros((count, 3))
    for k in range(3):
        numpy.add.at(weights, welded[:, k], area)
        numpy.add.at(normals, welded[:, k], normal * area[:, None])
    length = numpy.linalg.norm(normals, axis=1)
    upright = normals / numpy.maximum(length, 1e-30)[:, None]
    for k in range(3):
        turn = turns(normal, upright[welded[:, k]])
        numpy.add.at(sums, welded[:, k], turn @ stretch @ turn.transpose(0, 2, 1) * area[:, None, None])
    # The normal's own eigenvalue is 0, the least of the three.
    values, vectors = numpy.linalg.eigh(sums / numpy.maximum(weights, 1e-30)[:, None, None])
    return values[:, 1], values[:, 2], vectors[:, :, 1], length / numpy.maximum(weights, 1e-30), weights > 0


def judge(pleat, file, folder, frame, clip=()):
    out = os.path.join(folder, cases.stem(file))
    arguments = ["--layer", "none", "--frames", f"{frame}-{frame}", "-g", "*", *clip]
    cases.bake(pleat, file, "-o", out + ".glb", "-o", out + ".pc2", "--stretch", frame, *arguments)
    cache = measure.Cache(out + ".pc2")
    model = gltf.Gltf(out + ".glb")
    for part in cache.side["meshes"]:
        # The parts of a node are one surface; meshes that only touch are not.
        whole = [slice(other["first_triangle"], other["first_triangle"] + other["triangle_count"]) for other in cache.side["meshes"] if other["node"] == part["node"]]
        triangles = numpy.concatenate([cache.triangles[range] for range in whole])
        welded = numpy.concatenate([cache.welded[range] for range in whole])
        smallest, largest, across, flat, used = at_vertices(cache.rest, welded, cache.frames[0])
        first = {int(v): int(w) for v, w in zip(triangles.ravel(), welded.ravel())}
        node = next(n for n in model.mesh_nodes() if model.list("nodes")[n].get("name", "") == part["node"])
        primitive = model.list("meshes")[model.list("nodes")[node]["mesh"]]["primitives"][part["primitive"]]
        data = {name: model.accessor(index) for name, index in primitive["attributes"].items() if name[0] == "_"}
        vertices = [v for v in range(part["first_vertex"], part["first_vertex"] + part["vertex_count"]) if v in first]
        where = numpy.array(vertices) - part["first_vertex"]
        weld = numpy.array([first[v] for v in vertices])
        smooth = used[weld] & (flat[weld] > 0.5)  # where sides face away from each other the turn is anybody's choice
        off = abs(data["_COMPRESSION"][where, 0] - (1 - smallest[weld]))[smooth]
        more = abs(data["_STRETCH"][where, 0] - (largest[weld] - 1))[smooth]
        strong = smooth & (smallest[weld] < 0.9) & (largest[weld] - smallest[weld] > 0.1)
        same = abs((data["_COMPRESSION_DIRECTION"][where] * across[weld]).sum(axis=1))[strong]
        print(f"  {cases.stem(file):24} {part['node'][:16]:16} {smooth.sum():6} {numpy.quantile(off, 0.99):9.4f} "
              f"{numpy.quantile(more, 0.99):9.4f} {strong.sum():6} {numpy.quantile(same, 0.02) if len(same) else 1:9.4f}")
        if not (numpy.quantile(off, 0.99) < 1e-3 and numpy.quantile(more, 0.99) < 1e-3):
            raise AssertionError(f"stretches of {part['node']} are off")
        turned = model.list("nodes")[node].get("skin") is None  # else rest and mesh have the same axes here
        if len(same) > 20 and not turned and numpy.quantile(same, 0.02) < 0.999:
            raise AssertionError(f"directions of {part['node']} are off")


def judge_textures(pleat, file, folder, frame, *arguments):
    """Stretch maps, read at the vertices' places, against the attributes there."""
    out = os.path.join(folder, cases.stem(file))
    options = ["--layer", "none", *arguments]
    cases.bake(pleat, file, "-o", out + "_maps.glb", "--stretch", frame, "--frames", f"{frame}-{frame}", *options)
    model = gltf.Gltf(out + "_maps.glb")
    common = ["--map", "stretch", "--size", 1024, "--frames", f"{frame}-{frame}", *options]
    tension = maps.run_maps(pleat, file, out + "_tension", *common, "--stretch-strength", 0.4)
    tensor = maps.run_maps(pleat, file, out + "_tensor", *common, "--stretch-color", "tensor")
    for colors, strains in zip(tension, tensor):
        node = next(n for n in model.mesh_nodes() if model.list("nodes")[n].get("name", "") == colors["node"])
        data = model.list("meshes")[model.list("nodes")[node]["mesh"]]["primitives"][0]["attributes"]
        data = {name: model.accessor(index) for name, index in data.items()}
        uvs, off = data["TEXCOORD_0"], []
        color = maps.fetch(maps.read_png(os.path.join(out + "_tension", colors["frames"][0]["stretch"])), uvs)
        for channel, name in ((0, "_STRETCH"), (2, "_COMPRESSION")):
            off.append(abs(color[:, channel] - numpy.clip(data[name][:, 0] / 0.4, 0, 1)))
        entry, strength = strains["frames"][0], strains["stretch"]["strength"]
        diagonal, mixed = ((maps.fetch(maps.read_png(os.path.join(out + "_tensor", entry[name])), uvs) - 0.5) * 2 * strength
                           for name in ("strain", "strain_mixed"))
        a, b = data["_COMPRESSION_DIRECTION"], data["_STRETCH_DIRECTION"]
        s, l = -data["_COMPRESSION"], data["_STRETCH"]
        off += [abs(diagonal - s * a * a - l * b * b).max(axis=1)]
        off += [abs(mixed - s * a * a[:, [1, 2, 0]] - l * b * b[:, [1, 2, 0]]).max(axis=1)]
        within = [numpy.quantile(each, 0.95) for each in off]
        print(f"  {cases.stem(file):24} {colors['name'][:16]:16} {len(uvs):6} " + " ".join(f"{x:8.4f}" for x in within)
              + "   95 % of texels within: stretch, compression, strain")
        if not (max(within) < 0.03 and data["_COMPRESSION"].max() > 0.1):
            raise AssertionError(f"the maps of {colors['name']} are off")


def judge_built_in(pleat, name, outputs, folder, frame):
    judge(pleat, os.path.join(outputs, "characters", name + ".glb"), folder, frame)


def main():
    pleat = os.path.abspath(sys.argv[1])
    outputs = os.path.abspath(sys.argv[2])
    folder = os.path.join(outputs, "stretch")
    os.makedirs(folder, exist_ok=True)
    files = {cases.stem(file): file for file in cases.built_in(outputs)}
    run = cases.Cases()
    print(f"  {'file':24} {'mesh':16} {'points':>6} {'smallest':>9} {'largest':>9} {'strong':>6} {'direction':>9}"
          "   99 % within, and cosines of 98 %")
    for name, frame in FILES:
        run.run("stretch_" + name, judge_built_in, pleat, name, outputs, folder, frame, long=name == "skirt")
    run.run("stretch_maps_arm", judge_textures, pleat, files["arm"], folder, "30")
    run.run("stretch_maps_dancer", judge_textures, pleat, files["dancer"], folder, "60", "-g", "leotard")
    for path, frame in SHARED:
        run.run("stretch_" + cases.stem(path), lambda: judge(pleat, cases.data(path), folder, frame))
    run.end()


if __name__ == "__main__":
    main()
