"""Judges a bake that keeps its input, from rest shapes as OBJ: keep.py INPUT.rest.obj OUTPUT.rest.obj [TIMES]

Every vertex of the input must be a vertex of the output (1e-5 of the height), the output's surface must lie on the
input's (0.2 % of the height), it must have no more than TIMES (6) as many triangles, and no T-junctions: an edge that
had two triangles has two. Prints the figures; exit status 1 where one does not hold."""
import sys
import numpy as np


def read(path):
    v, f = [], []
    for line in open(path):
        if line.startswith("v "):
            v.append([float(x) for x in line.split()[1:4]])
        elif line.startswith("f "):
            f.append([int(x.split("/")[0]) - 1 for x in line.split()[1:4]])
    return np.array(v), np.array(f, dtype=int).reshape(-1, 3)


def to_triangle(p, a, b, c):
    """Distances of points p[i] to triangles a[i] b[i] c[i] (Ericson, Real-Time Collision Detection, 5.1.5)."""
    ab, ac, ap = b - a, c - a, p - a
    dot = lambda x, y: np.einsum("ij,ij->i", x, y)
    d1, d2 = dot(ab, ap), dot(ac, ap)
    d3, d4 = dot(ab, p - b), dot(ac, p - b)
    d5, d6 = dot(ab, p - c), dot(ac, p - c)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    with np.errstate(divide="ignore", invalid="ignore"):
        t_ab, t_ac = d1 / (d1 - d3), d2 / (d2 - d6)
        t_bc = (d4 - d3) / ((d4 - d3) + (d5 - d6))
        s = va + vb + vc
        v, w = vb / s, vc / s
        q = a + ab * v[:, None] + ac * w[:, None]
        q = np.where(((va <= 0) & (d4 - d3 >= 0) & (d5 - d6 >= 0))[:, None], b + (c - b) * t_bc[:, None], q)
        q = np.where(((vb <= 0) & (d2 >= 0) & (d6 <= 0))[:, None], a + ac * t_ac[:, None], q)
        q = np.where(((d6 >= 0) & (d5 <= d6))[:, None], c, q)
        q = np.where(((vc <= 0) & (d1 >= 0) & (d3 <= 0))[:, None], a + ab * t_ab[:, None], q)
        q = np.where(((d3 >= 0) & (d4 <= d3))[:, None], b, q)
        q = np.where(((d1 <= 0) & (d2 <= 0))[:, None], a, q)
    return np.linalg.norm(p - q, axis=1)


def distances(points, v, f, reach):
    """To the surface; at most about reach."""
    a, b, c = v[f[:, 0]], v[f[:, 1]], v[f[:, 2]]
    low, high = np.minimum(np.minimum(a, b), c) - reach, np.maximum(np.maximum(a, b), c) + reach
    out = np.full(len(points), reach)
    order = np.argsort(points[:, 0])
    xs = points[order, 0]
    for t in range(len(f)):
        i = order[np.searchsorted(xs, low[t, 0]):np.searchsorted(xs, high[t, 0], "right")]
        i = i[np.all((points[i] >= low[t]) & (points[i] <= high[t]), axis=1)]
        if len(i):
            n = len(i)
            d = to_triangle(points[i], np.repeat(a[t:t + 1], n, 0), np.repeat(b[t:t + 1], n, 0),
                            np.repeat(c[t:t + 1], n, 0))
            out[i] = np.fmin(out[i], d)
    return out


def welded(v, f):
    _, index = np.unique(np.round(v, 7), axis=0, return_inverse=True)
    return index.reshape(-1)[f]


def borders(v, f):
    """Length of all edges that have one triangle only: a T-junction makes some."""
    w = welded(v, f)
    w = w[(w[:, 0] != w[:, 1]) & (w[:, 1] != w[:, 2]) & (w[:, 2] != w[:, 0])]
    e = np.sort(np.concatenate([w[:, [0, 1]], w[:, [1, 2]], w[:, [2, 0]]]), axis=1)
    e, count = np.unique(e, axis=0, return_counts=True)
    first = np.zeros((w.max() + 1, 3))
    first[welded(v, np.arange(len(v)))] = v
    e = e[count == 1]
    return np.linalg.norm(first[e[:, 0]] - first[e[:, 1]], axis=1).sum()


def judge(before, after, times):
    v, f = read(before)
    w, g = read(after)
    used = np.unique(f)
    height = np.ptp(v[used], axis=0).max()
    keys = {tuple(k) for k in np.round(w / (1e-6 * height)).astype(np.int64)}
    found = 0
    for p in np.round(v[used] / (1e-6 * height)).astype(np.int64):
        near = any((p[0] + x, p[1] + y, p[2] + z) in keys for x in (0, -1, 1) for y in (0, -1, 1) for z in (0, -1, 1))
        found += near
    off = distances(w[np.unique(g)], v, f, 0.02 * height).max() / height
    seams = abs(borders(w, g) - borders(v, f)) / height
    good = found == len(used) and off <= 0.002 and len(g) <= times * len(f) and seams < 1e-3
    print("%s: %d of %d vertices kept, %.3f %% off, %d -> %d triangles (%.2f x), borders changed by %.4f heights" %
          ("good" if good else "BAD", found, len(used), 100 * off, len(f), len(g), len(g) / len(f), seams))
    return good


if __name__ == "__main__":
    sys.exit(0 if judge(sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 6) else 1)
