"""What wrinkles do to baked cloth, measured with numpy on the caches alone: wrinkles.py PLEAT FOLDER quick|long

Lengths of lines across the cloth (rest coordinates constant, cut through the refined triangles), compression as singular
values of deformation gradients, changes over time, and the text file of curves.
"""
import filecmp
import os
import subprocess
import sys

import numpy

import cases
from measure import Cache, stretches


def bake(pleat, source, target, *options):
    command = [pleat, "bake", "-q", source, "-o", target, *map(str, options)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode} of {' '.join(command)}: {done.stderr.strip()}")
    return target


def line_lengths(cache, frame, axis, along, at):
    """Length of the line where the rest coordinate `axis` has the value `at`: now, and at rest."""
    rest, now, triangles = cache.rest, cache.frames[frame], cache.triangles
    value = rest[:, axis] - at
    value = numpy.where(numpy.abs(value) < 1e-9, 1e-9, value)
    total = numpy.zeros(2)
    corners = value[triangles]
    for triangle in triangles[(corners.min(1) < 0) & (corners.max(1) > 0)]:
        points = []
        for k in range(3):
            a, b = triangle[k], triangle[(k + 1) % 3]
            if value[a] * value[b] < 0:
                t = value[a] / (value[a] - value[b])
                points.append((now[a] + t * (now[b] - now[a]), rest[a] + t * (rest[b] - rest[a])))
        if len(points) == 2:
            total += [numpy.linalg.norm(points[0][0] - points[1][0]), abs(points[0][1] - points[1][1])[along]]
    return total


def border_length(cache, frame, axis, least):
    """The same along a border: its edges where the rest coordinate is above `least` (corners are rounded when refined)."""
    edges = numpy.sort(numpy.vstack([cache.triangles[:, [k, (k + 1) % 3]] for k in range(3)]), axis=1)
    edges, count = numpy.unique(edges, axis=0, return_counts=True)
    edges = edges[(count == 1) & (cache.rest[edges][:, :, axis] > least).all(1)]
    both = (points[edges] for points in (cache.frames[frame], cache.rest))
    return [numpy.linalg.norm(ends[:, 0] - ends[:, 1], axis=1).sum() for ends in both]


def compression(cache, frame):
    """L2 norm of what is lost: the root of the mean of (1 - smallest stretch)^2 where that is below 1."""
    area, values = stretches(cache.rest, cache.triangles, cache.frames[frame][None])
    lost = numpy.maximum(1 - values[0, :, 1], 0)
    return numpy.sqrt((area * lost**2).sum() / area.sum())


def rectangle_figures(cache, frame):
    now, rest = border_length(cache, frame, 2, 0.49)
    front = 1 - now / rest
    across = [line_lengths(cache, frame, 2, 0, z) for z in (0.1, 0.2, 0.3, 0.4, 0.45)]
    across = [1 - now / rest for now, rest in across]
    along = [line_lengths(cache, frame, 0, 2, x) for x in numpy.linspace(-0.45, 0.45, 19)]
    along = [1 - now / rest for now, rest in along]
    return front, across, along, compression(cache, frame)


def limit(what, value, most):
    print(f"  {what}: {value:.4f} (at most {most})")
    if not value <= most:
        raise AssertionError(f"{what} is {value:.5f}; it may be {most}")


def judge_rectangle(pleat, folder, fabric, *options):
    source = os.path.join(folder, "characters", "rectangle.glb")
    plain = Cache(bake(pleat, source, os.path.join(folder, "wrinkles_plain.pc2"), "--layer", "none"))
    front, _, along, before = rectangle_figures(plain, -1)
    print(f"rectangle without wrinkles: front {front:.3f}, along {max(along):.3f}, compression {before:.4f}")
    path = os.path.join(folder, f"wrinkles_{fabric}.pc2")
    look = ["--layer", "wrinkles", "--set", f"wrinkles.fabric={fabric}"]
    wrinkled = Cache(bake(pleat, source, path, *look, *options))
    front, across, shrunk, after = rectangle_figures(wrinkled, -1)
    print(f"rectangle of {fabric}, {len(wrinkled.rest)} vertices; lines inside: {numpy.round(across, 3)}")
    limit("length error along the compressed side", abs(front), 0.02)
    limit("shrinkage along wrinkles", max(shrunk) - max(along), 0.05)
    limit("compression left", after / before, 0.8)


def places_on(coarse, points):
    """For each point the corners of a coarse triangle near it at rest, and its barycentric coordinates there."""
    corners = coarse.rest[coarse.triangles]
    middles = corners.mean(1)
    best, share = numpy.zeros(len(points), int), numpy.zeros((len(points), 3))
    for begin in range(0, len(points), 2000):
        some = points[begin : begin + 2000]
        away = ((some[:, None] - middles[None]) ** 2).sum(2)
        near = numpy.argpartition(away, min(12, len(middles) - 1), axis=1)[:, :12]
        a, u, v = (corners[near][:, :, 0], corners[near][:, :, 1], corners[near][:, :, 2])
        u, v, way = u - a, v - a, some[:, None] - a
        uu, uv, vv, wu, wv = ((x * y).sum(2) for x, y in ((u, u), (u, v), (v, v), (way, u), (way, v)))
        area = numpy.maximum(uu * vv - uv * uv, 1e-30)
        second, third = (vv * wu - uv * wv) / area, (uu * wv - uv * wu) / area
        weights = numpy.maximum(numpy.stack([1 - second - third, second, third], 2), 0)
        weights /= weights.sum(2, keepdims=True)
        gap = ((weights[..., None] * corners[near]).sum(2) - some[:, None]) ** 2
        least = gap.sum(2).argmin(1)
        rows = numpy.arange(len(some))
        best[begin : begin + 2000], share[begin : begin + 2000] = near[rows, least], weights[rows, least]
    return coarse.triangles[best], share


def largest_change(plain, wrinkled):
    """The farthest that any point goes between two frames, seen from its place on the cloth without wrinkles."""
    corners, share = places_on(plain, wrinkled.rest)
    before, most = None, 0
    for f in range(len(plain.frames)):
        offset = wrinkled.frames[f] - (plain.frames[f][corners] * share[..., None]).sum(1)
        most = most if before is None else max(most, numpy.linalg.norm(offset - before, axis=1).max())
        before = offset
    return most


def judge_density(pleat, folder, name, fabric, *options):
    """Ten times as many samples make the largest change between two at most 0.4 of what it was, over a whole clip."""
    source = os.path.join(folder, "characters", name + ".glb")
    steps = {}
    for fps in (30, 300):
        paths = [os.path.join(folder, f"wrinkles_{which}.pc2") for which in ("plain", "density")]
        look = ["--set", f"wrinkles.fabric={fabric}", "--set", "wrinkles.detail=2"]
        bake(pleat, source, paths[0], "--layer", "none", "--fps", fps, *options)
        bake(pleat, source, paths[1], "--layer", "wrinkles", "--fps", fps, *look, *options)
        steps[fps] = largest_change(*map(Cache, paths))
        for path in paths:
            os.remove(path)
    print(f"{name}: largest change {1e3 * steps[30]:.2f} mm at 30 a second, {1e3 * steps[300]:.2f} mm at 300")
    limit("largest change, 300 against 30 a second", steps[300] / steps[30], 0.4)


def flatten(source, target):
    """The same curves with depths that are as good as none: cloth on the same mesh."""
    with open(source, encoding="utf-8") as lines, open(target, "w", encoding="utf-8") as file:
        for line in lines:
            words = line.split()
            if len(words) == 7 and words[0].isdigit():
                words[5] = repr(1e-5 * float(words[5]))
            file.write(" ".join(words) + "\n")


def judge_trembling(pleat, folder):
    """The same for a coarse simulation that trembles: triangles go through each other, and the field swings."""
    source = cases.data("gen_coarse_skirt_sim", "coarse_skirt_sim.glb")
    curves, flat = (os.path.join(folder, f"trembling_{which}.wrinkles") for which in ("deep", "flat"))
    path, steps = os.path.join(folder, "trembling.pc2"), {}
    for fps in (30, 300):
        look = ["--layer", "wrinkles", "-g", "*", "--set", "wrinkles.detail=2", "--fps", fps]
        look += ["--frames", f"{fps * 9 // 10}-{fps * 6 // 5}"]
        offset = cases.read_pc2(bake(pleat, source, path, *look, "--wrinkles-out", curves))
        flatten(curves, flat)
        offset -= cases.read_pc2(bake(pleat, source, path, *look, "--wrinkles", flat))
        steps[fps] = max(numpy.linalg.norm(after - before, axis=1).max() for before, after in zip(offset, offset[1:]))
    print(f"trembling: largest change {1e3 * steps[30]:.2f} mm at 30 a second, {1e3 * steps[300]:.2f} mm at 300")
    limit("largest change, 300 against 30 a second", steps[300] / steps[30], 0.4)


def write_sequence(folder, name, frames, columns, rows):
    """An OBJ a frame of a grid; gives the path that pleat takes."""
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    for index, points in enumerate(frames):
        with open(os.path.join(path, f"{name}_{index:03}.obj"), "w", encoding="utf-8") as file:
            for point in points:
                file.write("v %.7f %.7f %.7f\n" % tuple(point))
            for j in range(rows):
                for i in range(columns):
                    a = j * (columns + 1) + i + 1
                    file.write(f"f {a} {a + 1} {a + columns + 2} {a + columns + 1}\n")
    return os.path.join(path, f"{name}_%03d.obj")


def judge_hold(pleat, folder):
    """Cloth that is pushed together for a second and then held: so are its wrinkles, once all has settled."""
    x, z = (c.ravel() for c in numpy.meshgrid(numpy.linspace(0, 0.6, 13), numpy.linspace(0, 0.6, 13)))
    pushed = [1 - 0.3 * min(f / 30, 1) for f in range(80)]
    frames = [numpy.stack([x * s, 0 * x, z], 1) for s in pushed]
    source = write_sequence(folder, "held", frames, 12, 12)
    frames = cases.read_pc2(bake(pleat, source, os.path.join(folder, "held.pc2"), "--layer", "wrinkles", "-g", "*"))
    limit("change over the last half second of a held pose, mm", 1e3 * numpy.abs(frames[65:] - frames[-1]).max(), 0.02)
    if numpy.abs(frames[-1][:, 1]).max() < 1e-3:
        raise AssertionError("the held cloth has no wrinkles")


def judge_text(pleat, folder):
    """Curves written, read and applied again give the same bytes; and any number of threads does."""
    source = os.path.join(folder, "characters", "towel.glb")
    curves = os.path.join(folder, "towel.wrinkles")
    traced = bake(pleat, source, os.path.join(folder, "towel_traced.pc2"), "--layer", "wrinkles", "--wrinkles-out",
                  curves, "-j", 1)
    again = bake(pleat, source, os.path.join(folder, "towel_again.pc2"), "--layer", "wrinkles", "--wrinkles", curves,
                 "-j", 2)
    if not filecmp.cmp(traced, again, shallow=False):
        raise AssertionError("the curves of a file give another cache than tracing")
    print("towel: traced with one thread and from the file with two, the same bytes")


def read_wrinkles(path):
    """Frames and ids of each surface of a wrinkle file."""
    surfaces = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = line.split("#")[0].split()
            if words and words[0] == "surface":
                surfaces.append({})
            elif words and words[0] == "frame":
                frame = surfaces[-1].setdefault(int(words[1]), [])
            elif words and words[0] == "wrinkle":
                frame.append(int(words[1]))
    return surfaces


def judge_lives(pleat, folder):
    """Wrinkles of the skirt live ten frames and more, and there are as many of them at any frame rate."""
    source = os.path.join(folder, "characters", "skirt.glb")
    means = {}
    for fps in (30, 60):
        path = os.path.join(folder, f"skirt_{fps}.wrinkles")
        bake(pleat, source, os.path.join(folder, "skirt.pc2"), "--layer", "wrinkles", "-g", "skirt", "--fps", fps,
             "--wrinkles-out", path)
        frames = read_wrinkles(path)[0]
        lives = {}
        for ids in frames.values():
            for wrinkle in ids:
                lives[wrinkle] = lives.get(wrinkle, 0) + 1
        means[fps] = sum(map(len, frames.values())) / (fps * 5.3 + 1)
        print(f"skirt at {fps} a second: {means[fps]:.1f} wrinkles a frame, {len(lives)} in all")
        if fps == 30:
            limit("frames that a wrinkle lives, 10 over the mean", 10 / numpy.mean(list(lives.values())), 1)
    limit("wrinkles at 60 against 30 a second", abs(means[60] / means[30] - 1), 0.05)


def gains(pleat, folder, name, frames, columns, rows):
    """The farthest that wrinkles move any vertex of a sequence."""
    source = write_sequence(folder, name, frames, columns, rows)
    common = ["-g", "*", "--refine", "loop", "--level", 2]
    path = os.path.join(folder, name + ".pc2")
    plain = cases.read_pc2(bake(pleat, source, path, "--layer", "none", *common))
    wrinkled = cases.read_pc2(bake(pleat, source, path, "--layer", "wrinkles", *common))
    return numpy.linalg.norm(wrinkled[:, : plain.shape[1]] - plain, axis=2).max()


def judge_flag(pleat, folder):
    """Cloth that is not compressed gains nothing: a flag that waves (bent over arcs, each column at its arc length), the
    same with a simulation's tremble of 2 % of an edge, and a sheet that is rolled up aslant."""
    fine = numpy.linspace(0, 1, 24 * 200 + 1)
    sheet = numpy.array([(i / 24, 0.05 * j, 0) for j in range(13) for i in range(25)])
    random = numpy.random.default_rng(1)
    frames, trembling, rolled = [sheet], [sheet], [sheet]
    for frame in range(30):
        turn = 0.7 * numpy.sin(2 * numpy.pi * (1.3 * fine - frame / 25.0)) * fine
        x, z = (numpy.concatenate([[0], numpy.cumsum(f(turn[1:]) * numpy.diff(fine))]) for f in (numpy.cos, numpy.sin))
        frames.append(numpy.array([(x[200 * i], 0.05 * j, z[200 * i]) for j in range(13) for i in range(25)]))
        trembling.append(frames[-1] + 0.02 / 24 * random.standard_normal(sheet.shape))
        radius, u, v = 3.0 / (frame + 1), sheet @ (0.866, 0.5, 0), sheet @ (-0.5, 0.866, 0)
        rolled.append(numpy.stack([radius * numpy.sin(u / radius), v, radius - radius * numpy.cos(u / radius)], 1))
    for name, sequence in (("flag", frames), ("trembling flag", trembling), ("rolled sheet", rolled)):
        moved = gains(pleat, folder, name.replace(" ", "_"), sequence, 24, 12)
        limit(f"what a {name} that is not compressed gains, mm", 1e3 * moved, 0.1)


def main():
    pleat, folder, which = sys.argv[1:]
    if which == "quick":
        judge_rectangle(pleat, folder, "leather", "--fps", 15)
        judge_text(pleat, folder)
        judge_flag(pleat, folder)
    else:
        # Fine cloth has many vertices: of silk the last frames must do.
        judge_rectangle(pleat, folder, "silk", "--frames", "74-75")
        judge_rectangle(pleat, folder, "cotton", "--fps", 10)
        judge_hold(pleat, folder)
        judge_density(pleat, folder, "rectangle", "leather")
        judge_density(pleat, folder, "towel", "cotton")
        judge_density(pleat, folder, "shirt", "cotton", "-g", "shirt")
        try:
            judge_trembling(pleat, folder)
        except cases.Skip as why:
            print(f"skipped: {why}")
        judge_lives(pleat, folder)


if __name__ == "__main__":
    main()
