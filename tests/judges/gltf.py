"""A second evaluator of glTF, written from the specification alone: reads a file, samples a clip, skins.

Nothing here is shared with pleat: numpy in double precision, matrices and quaternions of its own. It reads what the
test data holds: GLB and glTF with external or embedded buffers, interleaved and sparse accessors, normalised integers.
"""
import base64
import json
import os
import struct
import urllib.parse

import numpy

COMPONENTS = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
LARGEST = {5120: 127, 5121: 255, 5122: 32767, 5123: 65535}


class Gltf:
    def __init__(self, path):
        self.folder = os.path.dirname(path)
        with open(path, "rb") as file:
            raw = file.read()
        self.binary = None
        if raw[:4] == b"glTF":
            length = struct.unpack_from("<I", raw, 12)[0]
            self.json = json.loads(raw[20 : 20 + length])
            if len(raw) > 20 + length:
                size = struct.unpack_from("<I", raw, 20 + length)[0]
                self.binary = raw[28 + length : 28 + length + size]
        else:
            self.json = json.loads(raw)
        self.buffers = {}
        self.cache = {}

    def list(self, name):
        return self.json.get(name, [])

    def buffer(self, index):
        if index not in self.buffers:
            uri = self.list("buffers")[index].get("uri")
            if uri is None:
                self.buffers[index] = self.binary
            elif uri.startswith("data:"):
                self.buffers[index] = base64.b64decode(uri.split(",", 1)[1])
            else:
                with open(os.path.join(self.folder, urllib.parse.unquote(uri)), "rb") as file:
                    self.buffers[index] = file.read()
        return self.buffers[index]

    def rows(self, view, offset, component, width, count):
        """count rows of width numbers out of a buffer view."""
        view = self.list("bufferViews")[view]
        kind = numpy.dtype(COMPONENTS[component])
        stride = view.get("byteStride", kind.itemsize * width)
        start = view.get("byteOffset", 0) + offset
        data = self.buffer(view["buffer"])
        return numpy.ndarray((count, width), kind, data, start, (stride, kind.itemsize)).astype(float)

    def accessor(self, index):
        """All values of an accessor as floats, #count by #width."""
        if index in self.cache:
            return self.cache[index]
        a = self.list("accessors")[index]
        component, width, count = a["componentType"], WIDTHS[a["type"]], a["count"]
        if "bufferView" in a:
            values = self.rows(a["bufferView"], a.get("byteOffset", 0), component, width, count)
        else:
            values = numpy.zeros((count, width))
        if "sparse" in a:
            s = a["sparse"]
            where = self.rows(s["indices"]["bufferView"], s["indices"].get("byteOffset", 0),
                              s["indices"]["componentType"], 1, s["count"])
            values[where[:, 0].astype(int)] = self.rows(s["values"]["bufferView"], s["values"].get("byteOffset", 0),
                                                        component, width, s["count"])
        if a.get("normalized"):
            values = numpy.maximum(values / LARGEST[component], -1)
        self.cache[index] = values
        return values

    def clips(self):
        """Of each animation its name and its first and last second."""
        found = []
        for animation in self.list("animations"):
            times = [self.accessor(sampler["input"]) for sampler in animation["samplers"]]
            found.append((animation.get("name", ""), min(t.min() for t in times), max(t.max() for t in times)))
        return found

    def mesh_nodes(self):
        """Nodes with a mesh, depth first from the roots of the default scene."""
        scenes = self.list("scenes")
        if scenes:
            roots = scenes[self.json.get("scene", 0)].get("nodes", [])
        else:
            children = {c for node in self.list("nodes") for c in node.get("children", [])}
            roots = [n for n in range(len(self.list("nodes"))) if n not in children]
        found, open_nodes = [], list(reversed(roots))
        while open_nodes:
            n = open_nodes.pop()
            node = self.list("nodes")[n]
            if "mesh" in node:
                found.append(n)
            open_nodes.extend(reversed(node.get("children", [])))
        return found


# ---- Poses ----------------------------------------------------------------------------------------------------------


def unit(q):
    return q / numpy.linalg.norm(q)


def slerp(a, b, t):
    a, b = unit(a), unit(b)
    cosine = a @ b
    if cosine < 0:
        b, cosine = -b, -cosine
    angle = numpy.arccos(min(cosine, 1.0))
    if angle < 1e-6:
        return unit(a + (b - a) * t)
    return (numpy.sin((1 - t) * angle) * a + numpy.sin(t * angle) * b) / numpy.sin(angle)


def sample(gltf, sampler, path, time, width):
    times = gltf.accessor(sampler["input"])[:, 0]
    kind = sampler.get("interpolation", "LINEAR")
    values = gltf.accessor(sampler["output"])
    values = values.reshape(len(times), 3, width) if kind == "CUBICSPLINE" else values.reshape(len(times), 1, width)
    middle = 1 if kind == "CUBICSPLINE" else 0
    after = int(numpy.searchsorted(times, time, side="right"))
    if after == 0:
        value = values[0, middle]
    elif after == len(times) or kind == "STEP":
        value = values[after - 1, middle]
    else:
        span = times[after] - times[after - 1]
        t = (time - times[after - 1]) / span
        a, b = values[after - 1], values[after]
        if kind == "CUBICSPLINE":
            value = ((2 * t**3 - 3 * t**2 + 1) * a[1] + span * (t**3 - 2 * t**2 + t) * a[2]
                     + (-2 * t**3 + 3 * t**2) * b[1] + span * (t**3 - t**2) * b[0])
        elif path == "rotation":
            value = slerp(a[0], b[0], t)
        else:
            value = a[0] + (b[0] - a[0]) * t
    return unit(value) if path == "rotation" else value


def rotation_matrix(q):
    x, y, z, w = q
    return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
                        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
                        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def target_count(gltf, mesh):
    return max((len(p.get("targets", [])) for p in gltf.list("meshes")[mesh]["primitives"]), default=0)


class Pose:
    """World matrices of all nodes and morph weights, at a time of a clip (None: the rest pose)."""

    def __init__(self, gltf, clip, time):
        nodes = gltf.list("nodes")
        changed = [{} for _ in nodes]
        for channel in gltf.list("animations")[clip]["channels"] if clip is not None else []:
            target = channel["target"]
            if "node" not in target:
                continue
            node, path = target["node"], target["path"]
            width = {"translation": 3, "rotation": 4, "scale": 3}.get(path)
            if width is None:
                width = target_count(gltf, nodes[node]["mesh"])
            sampler = gltf.list("animations")[clip]["samplers"][channel["sampler"]]
            changed[node][path] = sample(gltf, sampler, path, time, width)
        parents = {c: n for n, node in enumerate(nodes) for c in node.get("children", [])}
        self.weights = [c.get("weights") for c in changed]
        self.locals = [self.local(node, change) for node, change in zip(nodes, changed)]
        self.worlds = [None] * len(nodes)
        for n in range(len(nodes)):
            self.world(n, parents)

    @staticmethod
    def local(node, change):
        if "matrix" in node and not any(path in change for path in ("translation", "rotation", "scale")):
            return numpy.array(node["matrix"], float).reshape(4, 4).T
        m = numpy.eye(4)
        rotation = unit(numpy.array(change.get("rotation", node.get("rotation", [0, 0, 0, 1])), float))
        m[:3, :3] = rotation_matrix(rotation) * numpy.array(change.get("scale", node.get("scale", [1, 1, 1])))
        m[:3, 3] = change.get("translation", node.get("translation", [0, 0, 0]))
        return m

    def world(self, n, parents):
        if self.worlds[n] is None:
            parent = parents.get(n)
            self.worlds[n] = self.locals[n] if parent is None else self.world(parent, parents) @ self.locals[n]
        return self.worlds[n]


# ---- Skinning -------------------------------------------------------------------------------------------------------


def linear_blend(points, joints, weights, matrices):
    blended = numpy.einsum("vi,vijk->vjk", weights, matrices[joints])
    return numpy.einsum("vjk,vk->vj", blended[:, :3, :3], points) + blended[:, :3, 3]


def quaternion(m):
    """Of a rotation matrix, by the largest of the four squares (Shepperd's method)."""
    squares = [m[0, 0], m[1, 1], m[2, 2], numpy.trace(m)]
    k = int(numpy.argmax(squares))
    q = numpy.zeros(4)
    if k == 3:
        q[:] = m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1 + squares[3]
    else:
        i, j, l = k, (k + 1) % 3, (k + 2) % 3
        q[i], q[j], q[l] = 1 + m[i, i] - m[j, j] - m[l, l], m[j, i] + m[i, j], m[l, i] + m[i, l]
        q[3] = m[l, j] - m[j, l]
    return unit(q)


def product(a, b):
    """Of quaternions x y z w, row by row."""
    ax, ay, az, aw = numpy.moveaxis(a, -1, 0)
    bx, by, bz, bw = numpy.moveaxis(b, -1, 0)
    return numpy.stack([aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
                        aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz], axis=-1)


CONJUGATE = numpy.array([-1, -1, -1, 1])


def dual_blend(points, joints, weights, matrices):
    """Dual quaternions after Kavan et al. 2008, in two phases: stretches are blended linearly and come first, the rigid
    rest of each matrix is blended as dual quaternions, with signs after the joint of the largest weight."""
    reals, duals, stretches = [], [], []
    for m in matrices:
        left, _, right = numpy.linalg.svd(m[:3, :3])
        rotation = left @ right
        if numpy.linalg.det(rotation) < 0:
            rotation = -rotation
        real = quaternion(rotation)
        reals.append(real)
        duals.append(0.5 * product(numpy.append(m[:3, 3], 0), real))
        stretches.append(rotation.T @ m[:3, :3])
    reals, duals, stretches = map(numpy.array, (reals, duals, stretches))
    stretched = numpy.einsum("vi,vijk,vk->vj", weights, stretches[joints], points)
    rows = numpy.arange(len(points))
    pivot = reals[joints[rows, numpy.argmax(weights, axis=1)]]
    signed = weights * numpy.where(numpy.einsum("vij,vj->vi", reals[joints], pivot) < 0, -1, 1)
    real = numpy.einsum("vi,vij->vj", signed, reals[joints])
    dual = numpy.einsum("vi,vij->vj", signed, duals[joints])
    length = numpy.linalg.norm(real, axis=1, keepdims=True)
    real, dual = real / length, dual / length
    turned = product(product(real, numpy.pad(stretched, ((0, 0), (0, 1)))), real * CONJUGATE)
    return turned[:, :3] + 2 * product(dual, real * CONJUGATE)[:, :3]


def influences(gltf, primitive):
    """Joints and weights of all sets, #V by 4 times the sets; the weights of a vertex made to sum to 1."""
    attributes = primitive["attributes"]
    joints, weights = [], []
    for k in range(8):
        if f"JOINTS_{k}" in attributes and f"WEIGHTS_{k}" in attributes:
            joints.append(gltf.accessor(attributes[f"JOINTS_{k}"]).astype(int))
            weights.append(gltf.accessor(attributes[f"WEIGHTS_{k}"]))
    if not joints:
        return None, None
    weights = numpy.concatenate(weights, axis=1)
    return numpy.concatenate(joints, axis=1), weights / weights.sum(axis=1, keepdims=True)


def evaluate(gltf, clip, time, method="lbs"):
    """World positions of all vertices: nodes in scene order, primitives in file order."""
    pose = Pose(gltf, clip, time)
    parts = []
    for n in gltf.mesh_nodes():
        node = gltf.list("nodes")[n]
        mesh = gltf.list("meshes")[node["mesh"]]
        morph = next((w for w in (pose.weights[n], node.get("weights"), mesh.get("weights")) if w is not None), [])
        for primitive in mesh["primitives"]:
            points = gltf.accessor(primitive["attributes"]["POSITION"]).copy()
            for weight, target in zip(morph, primitive.get("targets", [])):
                if weight != 0 and "POSITION" in target:
                    points += weight * gltf.accessor(target["POSITION"])
            joints, weights = influences(gltf, primitive) if "skin" in node else (None, None)
            if joints is None:
                world = pose.worlds[n]
                parts.append(points @ world[:3, :3].T + world[:3, 3])
                continue
            skin = gltf.list("skins")[node["skin"]]
            matrices = numpy.array([pose.worlds[j] for j in skin["joints"]])
            if "inverseBindMatrices" in skin:
                binds = gltf.accessor(skin["inverseBindMatrices"])[: len(matrices)]
                matrices = matrices @ binds.reshape(-1, 4, 4).transpose(0, 2, 1)
            blend = dual_blend if method == "dqs" else linear_blend
            parts.append(blend(points, joints, weights, matrices))
    return numpy.concatenate(parts)
