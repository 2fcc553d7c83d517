"""Meshes with a topology for each frame, judged with numpy on the OBJ and PLY files alone: topology.py PLEAT FOLDER

Cut surfaces must be what the input is: the same borders, no cracks and no T-junctions, every place of the texture
covered once; and the crests of the frame's wrinkles must be edges.
"""
import os
import sys

import numpy

import cases
from wrinkles import bake, limit


class Mesh:
    """An OBJ: positions, texture coordinates, triangles; welded where positions are the same."""

    def __init__(self, path):
        rows = {"v": [], "vt": [], "f": []}
        with open(path, encoding="utf-8") as file:
            for line in file:
                words = line.split()
                if words and words[0] in rows:
                    rows[words[0]].append(words[1:4])
        self.points = numpy.array(rows["v"], float)
        self.uvs = numpy.array([row[:2] for row in rows["vt"]], float)
        self.triangles = numpy.array([[int(word.split("/")[0]) - 1 for word in row] for row in rows["f"]])
        if self.triangles.min() < 0 or self.triangles.max() >= len(self.points) or len(self.uvs) != len(self.points):
            raise AssertionError(f"{path}: an index outside of its list")
        self.places, weld = numpy.unique(self.points, axis=0, return_inverse=True)
        self.welded = weld.ravel()[self.triangles]

    def edges(self):
        sides = numpy.vstack([self.welded[:, [k, (k + 1) % 3]] for k in range(3)])
        return numpy.unique(numpy.sort(sides, axis=1), axis=0, return_counts=True)

    def shape(self):
        """Euler's number, loops of border, edges of more than two triangles."""
        edges, count = self.edges()
        euler = len(numpy.unique(self.welded)) - len(edges) + len(self.welded)
        border = edges[count == 1]
        after = {}
        for a, b in border:
            after.setdefault(a, []).append(b)
            after.setdefault(b, []).append(a)
        loops, seen = 0, set()
        for start in after:
            stack = [] if start in seen else [start]
            loops += start not in seen
            while stack:
                at = stack.pop()
                if at not in seen:
                    seen.add(at)
                    stack += after[at]
        return euler, loops, int((count > 2).sum())

    def border(self):
        edges, count = self.edges()
        ends = self.places[edges[count == 1]]
        return numpy.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).sum()

    def quality(self):
        """4 sqrt(3) area over the sum of squared sides: 1 of an even triangle, 0 of one without area."""
        corners = self.points[self.triangles]
        area = numpy.linalg.norm(numpy.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
        sides = sum(((corners[:, k] - corners[:, (k + 1) % 3]) ** 2).sum(1) for k in range(3))
        return 4 * numpy.sqrt(3) * area / sides

    def texture(self):
        """Signed areas of the triangles in the texture."""
        corners = self.uvs[self.triangles]
        a, b = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        return (a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]) / 2


def read_curves(path, frame):
    """The points of each wrinkle of a frame: triangle, three coordinates, width, depth, strength."""
    curves, here = [], False
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and words[0] == "frame":
                here = int(words[1]) == frame
            elif words and words[0] == "wrinkle" and here:
                curves.append([])
            elif words and words[0].isdigit() and here:
                curves[-1].append([float(word) for word in words])
    return [numpy.array(curve) for curve in curves]


def bake_meshes(pleat, folder, name, first, last, *options):
    """Frames of a character as meshes: unwrinkled, and with a topology for each."""
    source = os.path.join(folder, "characters", f"{name}.glb")
    target = os.path.join(folder, f"topology_{name}")
    common = ["-g", {"rectangle": "cloth"}.get(name, name), "--frames", f"{first}-{last}"]
    bake(pleat, source, f"{target}_plain.obj", "--layer", "none", *common)
    bake(pleat, source, f"{target}.obj", "--layer", "wrinkles", "--topology", "frame", "--wrinkles-out",
         f"{target}.wrinkles", *common, *options)
    names = [f"_{i:04}" for i in range(last - first + 1)] if last > first else [""]
    return [(Mesh(f"{target}_plain{n}.obj"), Mesh(f"{target}{n}.obj")) for n in names]


def judge_closed(pleat, folder, name, first, last):
    """Nothing opens, nothing turns over, everything is covered once, and the frames' meshes are not the same."""
    pairs = bake_meshes(pleat, folder, name, first, last)
    for frame, (plain, mesh) in enumerate(pairs):
        if mesh.shape() != plain.shape():
            raise AssertionError(f"frame {frame}: Euler, borders, broken edges are {mesh.shape()}, not {plain.shape()}")
        limit("border shorter than the input's", 1 - mesh.border() / plain.border(), 0.03)
        limit("worst triangle, 0.01 over its quality", 0.01 / mesh.quality().min(), 1)
        whole, cut = plain.texture(), mesh.texture()
        turn = numpy.sign(whole.sum())
        limit("texture turned over", (numpy.minimum(turn * cut, 0).sum() - numpy.minimum(turn * whole, 0).sum())
              / -abs(whole).sum(), 1e-3)
        limit("texture covered", abs(cut.sum() / whole.sum() - 1), 0.02)
    counts = [len(mesh.triangles) for _, mesh in pairs]
    print(f"{name}: {counts} triangles, {len(pairs[0][0].triangles)} before")
    if len(set(counts)) < len(counts) or min(counts) <= len(pairs[0][0].triangles):
        raise AssertionError(f"frames of {counts} triangles: they should differ, and all have more than the input")


def edge_distance(mesh, points):
    """From points of the texture to the nearest edge, and the mean edge."""
    edges = numpy.unique(numpy.sort(numpy.vstack([mesh.triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1), axis=0)
    a, b = (mesh.uvs[edges[:, k]] for k in range(2))
    way = b - a
    length = (way**2).sum(1)
    middle, reach = (a + b) / 2, numpy.sqrt(length) / 2
    nearest = []
    for point in points:
        off = numpy.linalg.norm(middle - point, axis=1) - reach
        close = off <= off.min() + 2 * reach.max()
        at = numpy.clip(((point - a[close]) * way[close]).sum(1) / length[close], 0, 1)
        nearest.append(numpy.linalg.norm(a[close] + at[:, None] * way[close] - point, axis=1).min())
    return numpy.array(nearest), numpy.sqrt(length).mean()


def judge_crests(pleat, folder):
    """Edges of the mesh run, in the texture of flat cloth, where the curves of the text do."""
    leather = ["--set", "wrinkles.fabric=leather"]
    (plain, mesh), = bake_meshes(pleat, folder, "rectangle", 60, 60, *leather)
    curves = read_curves(os.path.join(folder, "topology_rectangle.wrinkles"), 0)
    points = []
    for curve in curves:
        deep = curve[curve[:, 5] > 0.5 * curve[:, 5].max()]
        line = (plain.uvs[plain.triangles[deep[:, 0].astype(int)]] * deep[:, 1:4, None]).sum(1)
        points += [line[i] + share * (line[i + 1] - line[i]) for i in range(len(line) - 1) for share in (0, 0.37)]
    points = numpy.array(points)[::7]
    source = os.path.join(folder, "characters", "rectangle.glb")
    path = os.path.join(folder, "topology_clip.obj")
    bake(pleat, source, path, "--layer", "wrinkles", "--frames", "60-60", *leather)
    off, edge = edge_distance(mesh, points)
    free, free_edge = edge_distance(Mesh(path), points)
    print(f"{len(points)} points of {len(curves)} crests, in shares of an edge: {numpy.median(off) / edge:.3f} from an "
          f"edge, 95 % within {numpy.quantile(off, 0.95) / edge:.3f}; one topology: {numpy.median(free) / free_edge:.3f}, "
          f"{numpy.quantile(free, 0.95) / free_edge:.3f}")
    # Nearer to a vertex than 0.08 of an edge a crest goes through it.
    limit("crests from edges, median, of an edge", numpy.median(off) / edge, 0.01)
    limit("crests from edges, 95 %, of an edge", numpy.quantile(off, 0.95) / edge, 0.06)
    rest = plain.places[:, 2].max()
    edges, count = mesh.edges()
    ends = mesh.places[edges[(count == 1) & (mesh.places[edges][:, :, 2] > rest - 0.01).all(1)]]
    front = numpy.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).sum()
    limit("length error along the compressed side", abs(1 - front), 0.03)


def judge_formats(pleat, folder):
    """PLY and OBJ have the same mesh; outputs of one topology are refused."""
    source = os.path.join(folder, "characters", "towel.glb")
    target = os.path.join(folder, "topology_towel")
    both = ["--layer", "wrinkles", "--topology", "frame", "--frames", "40-41"]
    bake(pleat, source, f"{target}.obj", "-o", f"{target}.ply", *both)
    for frame in range(2):
        mesh = Mesh(f"{target}_{frame:04}.obj")
        with open(f"{target}_{frame:04}.ply", "rb") as file:
            head = file.read(400).split(b"end_header")[0].decode().split("\n")
        counts = [int(line.split()[2]) for line in head if line.startswith("element")]
        if counts != [len(mesh.points), len(mesh.triangles)]:
            raise AssertionError(f"frame {frame}: the PLY has {counts}, the OBJ {len(mesh.points)}, "
                                 f"{len(mesh.triangles)}")
    for name in ("glb", "gltf", "pc2", "mdd"):
        try:
            bake(pleat, source, f"{target}.{name}", *both)
        except RuntimeError as error:
            if "one mesh for all frames" not in str(error):
                raise
        else:
            raise AssertionError(f"a .{name} was written with a topology for each frame")


def main():
    pleat, folder = sys.argv[1:3]
    all_cases = cases.Cases()
    all_cases.run("topology_towel", judge_closed, pleat, folder, "towel", 40, 41, long=True)
    all_cases.run("topology_shirt", judge_closed, pleat, folder, "shirt", 28, 30, long=True)
    all_cases.run("topology_skirt", judge_closed, pleat, folder, "skirt", 60, 61, long=True)
    all_cases.run("topology_crests", judge_crests, pleat, folder, long=True)
    all_cases.run("topology_formats", judge_formats, pleat, folder)
    all_cases.end()


if __name__ == "__main__":
    main()
