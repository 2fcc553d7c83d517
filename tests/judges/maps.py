"""Maps as a program that knows nothing of pleat applies them: maps.py PLEAT FOLDER

Reads the PNG and JSON files of pleat maps, moves points of the coarse mesh by what they say, and measures how far they
are from the surface that pleat bake writes for the same frame.
  height, vector   at random points, bilinear reads: the share within 2 % of the largest displacement, and the worst
  normal           the mean angle to the surface's normals
  default          what is written where no map is asked for: every sample within 2 % by the map that it names
  vat              every vertex of every frame: within a step of 16 bits
  basis            base and basis maps added by a frame's weights, then skinned: within the error that the fit states
"""
import os
import struct
import subprocess
import sys
import zlib

import numpy

import cases
import gltf

SAMPLES = 1000
DEFAULT_SAMPLES = 4000
NEAR = 24  # triangles looked at for each sample


# ---- Files ----------------------------------------------------------------------------------------------------------


def read_png(path):
    """Rows by columns by channels, 0..1. Rows may be as they are, or differences to the left or to the row above."""
    with open(path, "rb") as file:
        raw = file.read()
    at, packed = 8, b""
    while at < len(raw):
        length, kind = struct.unpack_from(">I4s", raw, at)
        body = raw[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack_from(">IIBB", body)
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    channels = {0: 1, 2: 3}[colour]
    step = channels * bits // 8
    rows = numpy.frombuffer(zlib.decompress(packed), numpy.uint8).reshape(height, 1 + width * step)
    out = numpy.zeros((height, width * step), numpy.uint8)
    above = numpy.zeros(width * step, numpy.uint8)
    for y in range(height):
        row = rows[y, 1:]
        if rows[y, 0] == 1:
            row = row.reshape(-1, step).cumsum(axis=0, dtype=numpy.uint8).reshape(-1)
        elif rows[y, 0] == 2:
            row = row + above
        elif rows[y, 0] != 0:
            raise ValueError(f"{path}: filter {rows[y, 0]} in row {y}")
        out[y] = above = row
    values = out.view(">u2") if bits == 16 else out
    return values.reshape(height, width, channels) / (2.0**bits - 1)


def decode(folder, encoded, file=None):
    """A map in its unit."""
    low, high = encoded["low"], encoded["high"]
    return low + read_png(os.path.join(folder, file or encoded["file"])) * (high - low)


def run_maps(pleat, file, folder, *arguments):
    command = [pleat, "maps", file, "-o", folder, "--quiet", "--refine", "loop", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode} of {' '.join(command)}: {done.stderr.strip()}")
    return cases.read_sidecar(os.path.join(folder, "maps.json"))["maps"]


class Coarse:
    """The coarse mesh of a frame, as pleat maps --coarse writes it."""

    def __init__(self, path):
        model = gltf.Gltf(path)
        primitive = model.list("meshes")[0]["primitives"][0]
        read = lambda name: model.accessor(primitive["attributes"][name])
        self.positions, self.normals, self.uvs = read("POSITION"), read("NORMAL"), read("TEXCOORD_0")
        self.tangents = read("TANGENT")
        self.triangles = model.accessor(primitive["indices"]).astype(int).reshape(-1, 3)

    def at(self, triangles, weights):
        """Positions, frames (rows tangent, bitangent, normal) and coordinates of places."""
        corners = self.triangles[triangles]
        mix = lambda values: numpy.einsum("sk,skc->sc", weights, values[corners])
        normal = unit(mix(self.normals))
        tangent = mix(self.tangents[:, :3])
        tangent = unit(tangent - normal * (tangent * normal).sum(axis=1, keepdims=True))
        bitangent = numpy.cross(normal, tangent) * self.tangents[corners[:, 0], 3:]
        return mix(self.positions), numpy.stack([tangent, bitangent, normal], axis=1), mix(self.uvs)


def unit(vectors):
    return vectors / numpy.maximum(numpy.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)


def fetch(picture, uvs):
    """Bilinear, texel centres at halves, clamped at the border."""
    size = numpy.array([picture.shape[1], picture.shape[0]])
    at = uvs * size - 0.5
    low = numpy.floor(at)
    part = at - low
    total = 0
    for dx in (0, 1):
        for dy in (0, 1):
            column = numpy.clip(low[:, 0] + dx, 0, size[0] - 1).astype(int)
            row = numpy.clip(low[:, 1] + dy, 0, size[1] - 1).astype(int)
            weight = (part[:, 0] if dx else 1 - part[:, 0]) * (part[:, 1] if dy else 1 - part[:, 1])
            total = total + weight[:, None] * picture[row, column]
    return total


# ---- Distances ------------------------------------------------------------------------------------------------------


def segment_distance(p, a, b):
    t = ((p - a) * (b - a)).sum(-1) / numpy.maximum(((b - a) ** 2).sum(-1), 1e-30)
    return numpy.linalg.norm(p - a - numpy.clip(t, 0, 1)[..., None] * (b - a), axis=-1)


def triangle_distance(p, a, b, c):
    """Distances of points to triangles, of the same shapes."""
    normal = numpy.cross(b - a, c - a)
    area = numpy.maximum((normal**2).sum(-1), 1e-30)
    inside = numpy.ones(area.shape, bool)
    for x, y in ((a, b), (b, c), (c, a)):
        inside &= (numpy.cross(y - x, p - x) * normal).sum(-1) >= 0
    plane = numpy.abs(((p - a) * normal).sum(-1)) / numpy.sqrt(area)
    edges = numpy.minimum(numpy.minimum(segment_distance(p, a, b), segment_distance(p, b, c)), segment_distance(p, c, a))
    return numpy.where(inside, plane, edges)


class Surface:
    def __init__(self, points, triangles):
        self.corners = points[triangles]
        centres = self.corners.mean(axis=1)
        self.middle = centres.mean(axis=0)
        self.near = (centres - self.middle).astype(numpy.float32)
        self.squares = (self.near**2).sum(axis=1)
        self.radii = numpy.linalg.norm(self.corners - centres[:, None], axis=2).max(axis=1).astype(numpy.float32)
        edges = self.corners[:, [1, 2]] - self.corners[:, :1]
        self.normals = unit(numpy.cross(edges[:, 0], edges[:, 1]))

    def nearest(self, points):
        """Distances, and the triangles, by the exact distance to those that may be nearest."""
        distances, found = [], []
        for start in range(0, len(points), 200):
            part = points[start : start + 200]
            local = (part - self.middle).astype(numpy.float32)
            squares = self.squares - 2 * local @ self.near.T + (local**2).sum(axis=1)[:, None]
            least = numpy.sqrt(numpy.maximum(squares, 0)) - self.radii
            near = numpy.argpartition(least, NEAR, axis=1)[:, :NEAR]
            corners = self.corners[near]
            exact = triangle_distance(part[:, None], corners[:, :, 0], corners[:, :, 1], corners[:, :, 2])
            best = exact.argmin(axis=1)
            distances.append(exact[numpy.arange(len(part)), best])
            found.append(near[numpy.arange(len(part)), best])
        return numpy.concatenate(distances), numpy.concatenate(found)


def read_triangles(path):
    with open(path, encoding="utf-8") as file:
        rows = [line.split()[1:4] for line in file if line.startswith("f ")]
    return numpy.array([[int(corner.split("/")[0]) - 1 for corner in row] for row in rows])


def baked_surface(pleat, file, folder, *arguments):
    out = os.path.join(folder, "frame.pc2")
    cases.bake(pleat, file, "-o", out, "--refine", "loop", *arguments)
    return cases.read_pc2(out), read_triangles(out[:-4] + ".rest.obj")


def random_places(count, samples=SAMPLES):
    random = numpy.random.default_rng(7)
    weights = random.random((samples, 3))
    return random.integers(0, count, samples), -numpy.log(weights) / -numpy.log(weights).sum(axis=1, keepdims=True)


# ---- Cases ----------------------------------------------------------------------------------------------------------


def judge_frame(pleat, file, folder, size, stack, options):
    """Heights, vectors and normals of one frame."""
    maps = run_maps(pleat, file, folder, "--size", size, "--coarse", "--map", "height", "--map", "normal", "--map",
                    "vector", *stack, *options)[0]
    frames, triangles = baked_surface(pleat, file, folder, *stack)
    surface = Surface(frames[0], triangles)
    entry = maps["frames"][0]
    coarse = Coarse(os.path.join(folder, entry["coarse"]))
    positions, axes, uvs = coarse.at(*random_places(len(coarse.triangles)))
    heights = fetch(decode(folder, maps["height"], entry["height"]), uvs)
    vectors = fetch(decode(folder, maps["vector"], entry["vector"]), uvs)
    normals = fetch(read_png(os.path.join(folder, entry["normal"])), uvs) * 2 - 1
    largest = max(abs(maps["height"]["low"]), abs(maps["height"]["high"]))
    raised = positions + heights * axes[:, 2]
    moved = positions + vectors if maps["vector"]["space"] == "world" else positions + numpy.einsum("sk,skc->sc", vectors, axes)
    by_height, hit = surface.nearest(raised)
    by_vector, _ = surface.nearest(moved)
    seen = unit(numpy.einsum("sk,skc->sc", normals, axes))
    angle = numpy.degrees(numpy.arccos(numpy.clip((seen * surface.normals[hit]).sum(axis=1), -1, 1))).mean()
    within = lambda distances: 100 * (distances <= 0.02 * largest).mean()
    print(f"  {cases.stem(file):12} {maps['size']:5} {1000 * largest:6.1f} mm   height {within(by_height):6.2f} % within 2 %, "
          f"worst {100 * by_height.max() / largest:4.1f} %   vector {within(by_vector):6.2f} %, worst "
          f"{100 * by_vector.max() / largest:4.1f} %   normals {angle:.1f} degrees")
    if not (within(by_height) >= 99.8 and within(by_vector) >= 99.9 and angle < 6):  # of 1000 samples: 2, and 1
        raise AssertionError("the maps do not reproduce the surface")


def judge_default(pleat, file, folder, frame, garment, *options):
    """What comes out where nothing is asked for: all of it within 2 % of the largest height."""
    stack = ["--layer", "folds", "--frames", frame, "--garment", garment, *options]
    for maps in run_maps(pleat, file, folder, "--coarse", *stack):
        entry, kind = maps["frames"][0], maps["displace_by"]
        frames, triangles = baked_surface(pleat, file, folder, *stack)
        surface = Surface(frames[0], triangles)
        coarse = Coarse(os.path.join(folder, entry["coarse"]))
        positions, axes, uvs = coarse.at(*random_places(len(coarse.triangles), DEFAULT_SAMPLES))
        values = fetch(decode(folder, maps[kind], entry[kind]), uvs)
        largest = max(abs(maps["height"]["low"]), abs(maps["height"]["high"]))
        if kind == "height":
            moved = positions + values * axes[:, 2]
        elif maps["vector"]["space"] == "world":
            moved = positions + values
        else:
            moved = positions + numpy.einsum("sk,skc->sc", values, axes)
        distances = surface.nearest(moved)[0] / largest
        print(f"  {maps['name']:20} {maps['size']:5} {1000 * largest:6.1f} mm   {kind:7}"
              f"{maps['vector']['space'] if kind == 'vector' else '':8} {100 * (distances <= 0.02).mean():6.2f} % within 2 %, worst "
              f"{100 * distances.max():4.1f} %")
        if not (distances.max() <= 0.02 and largest > 0.002):
            raise AssertionError(f"{maps['name']}: the maps that are written by themselves leave {100 * distances.max():.1f} %")


def judge_green(pleat, file, folder):
    """DirectX's normal maps are OpenGL's with green turned."""
    arguments = ["--frames", "30", "--size", 256, "--map", "normal", "--normal-bits", 16]
    up = run_maps(pleat, file, folder, *arguments)[0]["frames"][0]["normal"]
    up = read_png(os.path.join(folder, up))
    down = run_maps(pleat, file, folder, *arguments, "--green", "down")[0]
    down = read_png(os.path.join(folder, down["frames"][0]["normal"]))
    if not (numpy.array_equal(up[..., [0, 2]], down[..., [0, 2]]) and numpy.abs(up[..., 1] + down[..., 1] - 1).max() < 1e-9):
        raise AssertionError("green down is not green up turned over")
    if not up[..., 1].std() > 0.01:
        raise AssertionError("the map is flat: nothing was compared")


def read_exr(path):
    """A reader of its own: scanlines of floats, not compressed. Rows from the top, red green blue."""
    data = open(path, "rb").read()
    if struct.unpack_from("<II", data) != (0x01312F76, 2):
        raise AssertionError(f"{path} is no scanline EXR")
    at, attributes = 8, {}
    while data[at]:
        name_end = data.index(0, at)
        type_end = data.index(0, name_end + 1)
        size = struct.unpack_from("<I", data, type_end + 1)[0]
        attributes[data[at:name_end].decode()] = data[type_end + 5 : type_end + 5 + size]
        at = type_end + 5 + size
    left, top, right, bottom = struct.unpack("<4i", attributes["dataWindow"])
    width, height = right - left + 1, bottom - top + 1
    if attributes["compression"] != b"\0" or [attributes["channels"][18 * k] for k in range(3)] != [*b"BGR"]:
        raise AssertionError("compressed, or other channels")
    out = numpy.empty((height, width, 3))
    for place in struct.unpack_from(f"<{height}Q", data, at + 1):
        y, size = struct.unpack_from("<iI", data, place)
        out[y] = numpy.frombuffer(data, "<f4", 3 * width, place + 8).reshape(3, width)[::-1].T
    return out


def judge_vat(pleat, file, folder, form, *arguments):
    """By OpenVAT's convention alone, as its shaders for Godot and three.js do it: the second set of coordinates plus a row
    for each frame, Min and Max of os-remap, axes of Blender; packed: normals half a picture further down."""
    done = subprocess.run([pleat, "maps", file, "-o", folder, "--map", form, "--quiet", "--refine", "loop", *arguments],
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    remap = cases.read_sidecar(os.path.join(folder, "pleat-remap_info.json"))["os-remap"]
    frames, _ = baked_surface(pleat, file, folder, *arguments)
    model = gltf.Gltf(os.path.join(folder, "pleat.glb"))
    attributes = model.list("meshes")[0]["primitives"][0]["attributes"]
    rest, uv2 = model.accessor(attributes["POSITION"]), model.accessor(attributes["TEXCOORD_1"])
    read, ending = (read_png, "png") if form == "vat" else (read_exr, "exr")
    positions = read(os.path.join(folder, f"pleat_vat.{ending}"))
    normals = positions if form == "vat-packed" else read(os.path.join(folder, f"pleat_vnrm.{ending}"))
    height, width = positions.shape[:2]
    low, high = numpy.array(remap["Min"]), numpy.array(remap["Max"])

    def sample(picture, frame, shift):
        # The nearest texel.
        column, row = numpy.floor((uv2 + [0, frame / height + shift]) * [width, height]).astype(int).T
        return picture[row, column]

    worst = turned = 0
    for frame, points in enumerate(frames):
        c = low + sample(positions, frame, 0) * (high - low)
        worst = max(worst, numpy.abs(rest + c[:, [0, 2, 1]] * [1, 1, -1] - points).max())
        n = sample(normals, frame, 0.5 if form == "vat-packed" else 0) * 2 - 1
        n = n[:, [0, 2, 1]] * [1, 1, -1]
        if abs(numpy.linalg.norm(n, axis=1) - 1).max() > 1e-3:
            raise AssertionError("normals are not of length 1")
        turned = max(turned, numpy.degrees(numpy.arccos(numpy.clip((n * surface_normals(points, model)).sum(axis=1), -1, 1))).mean())
    step = (high - low).max() / 65535
    print(f"  {cases.stem(file):12} vertex textures {width} x {height}, {form}, {len(frames)} frames: "
          f"{1000 * worst:.4f} mm, a step is {1000 * step:.4f} mm; normals {turned:.2f} degrees from numpy's on the mean")
    if not worst <= 0.51 * step + 1e-6:
        raise AssertionError("the textures do not hold the frames")
    if not turned < 3:
        raise AssertionError("normals look elsewhere")
    if remap["Frames"] != len(frames):
        raise AssertionError("os-remap says something else")


def surface_normals(points, model):
    """Of the frame's own triangles, over split vertices: a second opinion, not the same numbers."""
    triangles = model.accessor(model.list("meshes")[0]["primitives"][0]["indices"]).reshape(-1, 3).astype(int)
    a, b, c = points[triangles[:, 0]], points[triangles[:, 1]], points[triangles[:, 2]]
    sums = numpy.zeros_like(points)
    for k in range(3):
        numpy.add.at(sums, triangles[:, k], numpy.cross(b - a, c - a))
    return sums / numpy.maximum(numpy.linalg.norm(sums, axis=1), 1e-30)[:, None]


def judge_basis(pleat, file, folder, size, targets, *arguments):
    """Coarse vertices moved by the added maps in the bind pose, and skinned by the second evaluator."""
    maps = run_maps(pleat, file, folder, "--size", size, "--coarse", "--map", "vector", "--basis", targets, *arguments)[0]
    basis = maps["basis"]
    frames, triangles = baked_surface(pleat, file, folder, *arguments)
    base = decode(folder, basis["base"]["vector"])
    parts = [decode(folder, part["vector"]) for part in basis["maps"]]
    model = gltf.Gltf(file)
    primitive = model.list("meshes")[0]["primitives"][0]
    accessor = primitive["attributes"]["POSITION"]
    coarse = Coarse(os.path.join(folder, basis["base"]["coarse"]))
    if numpy.abs(coarse.positions - model.accessor(accessor)).max() > 1e-6:
        raise AssertionError("the base map's mesh is not the file's")
    normal, tangent = coarse.normals, coarse.tangents[:, :3]
    axes = numpy.stack([tangent, numpy.cross(normal, tangent) * coarse.tangents[:, 3:], normal], axis=1)
    worst = 0
    for frame in range(0, len(frames), max(len(frames) // 6, 1)):
        weights = basis["frames"][frame]["weights"]
        picture = base + sum(weight * part for weight, part in zip(weights, parts))
        moved = coarse.positions + numpy.einsum("sk,skc->sc", fetch(picture, coarse.uvs), axes)
        model.cache[accessor] = moved
        shown = gltf.evaluate(model, 0, basis["frames"][frame]["time"])
        distances, _ = Surface(frames[frame], triangles).nearest(shown)
        worst = max(worst, distances.max())
    largest, stated = basis["largest_displacement"], basis["largest_error"]
    print(f"  {cases.stem(file):12} {len(parts)} basis maps, {len(frames)} frames: {1000 * worst:.2f} mm off, of "
          f"{1000 * largest:.1f} mm; the fit states {1000 * stated:.2f} mm")
    if not worst <= stated + 0.02 * largest:
        raise AssertionError("the basis maps do not give the frames")


def main():
    pleat = os.path.abspath(sys.argv[1])
    folder = os.path.join(os.path.abspath(sys.argv[2]), "maps")
    os.makedirs(folder, exist_ok=True)
    files = {cases.stem(file): file for file in cases.built_in(sys.argv[2])}
    all_cases = cases.Cases()
    all_cases.run("maps_arm", judge_frame, pleat, files["arm"], folder, 1024, ["--layer", "folds", "--frames", "18"], [])
    all_cases.run("maps_dancer", judge_frame, pleat, files["dancer"], folder, 2048,
                  ["--layer", "folds", "--garment", "leotard", "--clip", "squat", "--frames", "45"], ["--atlas", "--space", "world"])
    all_cases.run("maps_dancer_tangent", judge_frame, pleat, files["dancer"], folder, 2048,
                  ["--layer", "folds", "--garment", "tights", "--clip", "squat", "--frames", "30"], ["--atlas"])
    default = lambda name, *rest: all_cases.run(f"maps_default_{name}", judge_default, pleat, rest[0], folder, *rest[1:])
    default("arm", files["arm"], "18", "sleeve")
    default("arm_touching", files["arm"], "30", "sleeve")
    default("leotard", files["dancer"], "45", "leotard", "--clip", "squat")
    default("tights", files["dancer"], "45", "tights", "--clip", "squat")
    default("helper_tights", cases.data("mh_modern_leotard/mh_modern_leotard.glb"), "144", "helper-tights")
    default("sportsuit", cases.data("mh_salsa_sportsuit/mh_salsa_sportsuit.glb"), "100", "female_sportsuit01")
    all_cases.run("maps_green", judge_green, pleat, files["arm"], folder)
    for form in "vat", "vat-exr", "vat-packed":
        all_cases.run(f"maps_{form}_arm", judge_vat, pleat, files["arm"], folder, form, "--layer", "folds", "--frames",
                      "25-35")
    all_cases.run("maps_vat_dancer", judge_vat, pleat, files["dancer"], folder, "vat", "--layer", "folds",
                  "--frames", "60-63", "--garment", "tights")
    all_cases.run("maps_basis_arm", judge_basis, pleat, files["arm"], folder, 1024, 12, "--layer",
                  "folds", "--fps", "8")
    all_cases.end()


if __name__ == "__main__":
    main()
