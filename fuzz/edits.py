"""Random edits of valid files: what is changed makes sense to somebody, so that most get past the first look."""
import json
import random
import re
import struct

NUMBERS = [0, 1, -1, 2, 3, 0.5, 255, 65535, 2**31 - 1, 2**31, 2**32 - 1, 1e-6, 1e-30, 1e-45, 1e4, 1e9, 1e11, 1e19, 1e38,
           -1e38, 1e308]
FLOATS = [0.0, -0.0, 1.0, -1.0, 1e-6, 1e-12, 1e-38, 1e-45, 1e3, 1e9, 1e11, 1e13, 1e19, 3e38, -3e38, float("nan"), float("inf"),
          -float("inf")]
WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
CODE = {5120: "b", 5121: "B", 5122: "h", 5123: "H", 5125: "I", 5126: "f"}


def split_glb(data):
    length = struct.unpack_from("<I", data, 12)[0]
    root = json.loads(data[20:20 + length])
    return root, bytearray(data[28 + length:])


def join_glb(root, blob):
    blob = bytes(blob) + b"\0" * (-len(blob) % 4)
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    return (struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(blob)) + struct.pack("<I4s", len(text), b"JSON") + text +
            struct.pack("<I4s", len(blob), b"BIN\0") + blob)


def places(value, path=()):
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield from places(inner, path + (key,))


def owner_of(root, path):
    for key in path[:-1]:
        root = root[key]
    return root


def edit_json(root, rng):
    path = rng.choice(list(places(root)))
    owner, key = owner_of(root, path), path[-1]
    value = owner[key]
    kind = rng.random()
    if isinstance(value, (int, float)) and not isinstance(value, bool) and kind < 0.8:
        owner[key] = rng.choice(NUMBERS) if kind < 0.4 else value + rng.choice([-1, 1]) if kind < 0.6 else value * rng.choice(
            [-1, 0.1, 10, 1e6])
    elif kind < 0.3:
        del owner[key]
    elif kind < 0.6 and isinstance(owner, list):
        owner.insert(rng.randrange(len(owner) + 1), json.loads(json.dumps(value)))
    elif kind < 0.7 and isinstance(value, list):
        rng.shuffle(value)
    elif kind < 0.8:
        owner[key] = rng.choice([None, True, "", "x", [], {}, -1, 1.5])
    else:
        other = rng.choice(list(places(root)))
        owner[key] = json.loads(json.dumps(owner_of(root, other)[other[-1]]))


def accessor_of(root, rng, uses):
    """A random accessor that one of these uses has: its index, or None."""
    found = []
    for mesh in root.get("meshes", []):
        for primitive in mesh.get("primitives", []):
            found += [(name.rstrip("0123"), index) for name, index in primitive.get("attributes", {}).items()]
            found.append(("indices", primitive.get("indices")))
            found += [("targets", index) for target in primitive.get("targets", []) for index in target.values()]
    found += [("binds", skin.get("inverseBindMatrices")) for skin in root.get("skins", [])]
    for animation in root.get("animations", []):
        for sampler in animation.get("samplers", []):
            found += [("times", sampler.get("input")), ("values", sampler.get("output"))]
    found = [index for use, index in found if use in uses and isinstance(index, int)]
    return rng.choice(found) if found else None


class Rows:
    """The rows of an accessor in its blob."""

    def __init__(self, root, blob, index):
        accessor = root["accessors"][index]
        view = root["bufferViews"][accessor["bufferView"]]
        self.blob, self.code = blob, CODE[accessor["componentType"]]
        self.width, self.count = WIDTH[accessor["type"]], int(accessor["count"])
        self.size = struct.calcsize("<" + self.code) * self.width
        self.start = int(view.get("byteOffset", 0)) + int(accessor.get("byteOffset", 0))
        self.stride = int(view.get("byteStride", self.size))
        self.format = "<%d%s" % (self.width, self.code)

    def get(self, i):
        return list(struct.unpack_from(self.format, self.blob, self.start + i * self.stride))

    def put(self, i, row):
        struct.pack_into(self.format, self.blob, self.start + i * self.stride, *row)


def edit_rows(rows, rng):
    kind = rng.randrange(8)
    some = [rng.randrange(rows.count) for _ in range(rng.choice([1, 1, 2, 5, 20]))]
    real = rows.code == "f"
    if kind == 0 and real:
        for i in some:
            row = rows.get(i)
            row[rng.randrange(rows.width)] = rng.choice(FLOATS)
            rows.put(i, row)
    elif kind == 1:  # one becomes another: points and lines
        for i in some:
            rows.put(i, rows.get(rng.randrange(rows.count)))
    elif kind == 2 and real:  # all of one scale
        scale = rng.choice([0.0, -1.0, 1e-6, 1e-3, 10.0, 1e4, 1e9, 1e13])
        axis = rng.randrange(rows.width + 1)
        for i in range(rows.count):
            rows.put(i, [x * scale if axis in (k, rows.width) else x for k, x in enumerate(rows.get(i))])
    elif kind == 3 and real:  # noise
        size = rng.choice([1e-7, 1e-3, 0.1, 2.0])
        for i in range(rows.count):
            rows.put(i, [x + rng.uniform(-size, size) for x in rows.get(i)])
    elif kind == 4:  # a run of equal rows
        first = rng.randrange(rows.count)
        for i in range(first, min(first + rng.randrange(1, 40), rows.count)):
            rows.put(i, rows.get(first))
    elif kind == 5:
        order = list(range(rows.count))
        rng.shuffle(order)
        old = [rows.get(i) for i in range(rows.count)]
        for i in range(rows.count):
            rows.put(i, old[order[i]])
    elif kind == 6 and real:
        for i in some:
            rows.put(i, [rng.choice(FLOATS)] * rows.width)
    else:
        at = rows.start + rng.randrange(max(rows.count * rows.size, 1))
        rows.blob[at] ^= 1 << rng.randrange(8)


def edit_triangles(root, blob, rng):
    """Doubled and turned around, or some of them dropped, doubled, welded."""
    index = accessor_of(root, rng, ("indices",))
    rows = Rows(root, blob, index)
    numbers = [rows.get(i)[0] for i in range(rows.count)]
    triangles = [numbers[i:i + 3] for i in range(0, len(numbers) - 2, 3)]
    kind = rng.randrange(5)
    if kind == 0:
        triangles += [[a, c, b] for a, b, c in triangles]
    elif kind == 1:
        triangles = [t for t in triangles if rng.random() < rng.choice([0.2, 0.5, 0.9])]
    elif kind == 2:
        triangles += [rng.choice(triangles) for _ in range(rng.randrange(1, 30))]
    elif kind == 3:
        triangles = [[t[0], t[1], t[1]] if rng.random() < 0.2 else t for t in triangles]
    else:
        top = max(numbers) if numbers else 0
        triangles += [[rng.randint(0, top) for _ in range(3)] for _ in range(rng.randrange(1, 40))]
    flat = [i for t in triangles for i in t]
    blob.extend(b"\0" * (-len(blob) % 4))
    data = struct.pack("<%dI" % len(flat), *flat)
    root["bufferViews"].append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
    blob.extend(data)
    root["accessors"][index] = {"bufferView": len(root["bufferViews"]) - 1, "componentType": 5125, "type": "SCALAR",
                                "count": len(flat)}
    root["buffers"][0]["byteLength"] = len(blob)


USES = [("POSITION",), ("POSITION",), ("WEIGHTS_", "JOINTS_"), ("values", "times"), ("binds",), ("targets",), ("TEXCOORD_",),
        ("indices",)]


def edit_glb(data, rng):
    root, blob = split_glb(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = rng.random()
        try:
            if kind < 0.25:
                edit_json(root, rng)
            elif kind < 0.45:
                edit_triangles(root, blob, rng)
            else:
                index = accessor_of(root, rng, rng.choice(USES))
                if index is not None:
                    edit_rows(Rows(root, blob, index), rng)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, struct.error):
            pass  # an edit before has made nonsense of it already
    data = join_glb(root, blob)
    return edit_bytes(data, rng) if rng.random() < 0.03 else data


def edit_bytes(data, rng):
    data = bytearray(data)
    for _ in range(rng.choice([1, 2, 8])):
        at = rng.randrange(len(data)) if data else 0
        kind = rng.randrange(4)
        if kind == 0 and data:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1 and len(data) >= at + 4:
            struct.pack_into(rng.choice(["<f", ">f"]), data, at, rng.choice(FLOATS))
        elif kind == 2 and len(data) >= at + 4:
            struct.pack_into(rng.choice(["<I", ">I"]), data, at, rng.choice([0, 1, 255, 2**31 - 1, 2**31, 2**32 - 1]))
        elif kind == 3 and rng.random() < 0.3:
            del data[at:at + rng.choice([1, 4, 100, len(data)])]
    return bytes(data)


def edit_text(data, rng):
    text = data.decode("utf-8", "replace")
    for _ in range(rng.choice([1, 1, 2, 4])):
        kind = rng.random()
        lines = text.split("\n")
        if kind < 0.5:
            numbers = list(re.finditer(r"-?\d+\.?\d*(?:e-?\d+)?", text))
            if numbers:
                hit = rng.choice(numbers)
                value = rng.choice(NUMBERS + ["nan", "inf", "-", "", "1e400", "0x1p3"])
                text = text[:hit.start()] + str(value) + text[hit.end():]
        elif kind < 0.65:
            lines.pop(rng.randrange(len(lines)))
            text = "\n".join(lines)
        elif kind < 0.8:
            lines.insert(rng.randrange(len(lines)), rng.choice(lines))
            text = "\n".join(lines)
        elif kind < 0.9:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(['"', "{", "]", " ", "\0", "e", "/", "é", "-", "9" * 30]) + text[at + rng.randrange(3):]
        else:
            text = text[:rng.randrange(len(text) + 1)]
    return text.encode("utf-8", "replace")


def edit(path, data, rng):
    """data: of a file with this path."""
    if path.endswith(".glb"):
        return edit_glb(data, rng)
    if path.endswith((".obj", ".ply", ".json", ".svg", ".wrinkles", ".gltf")):
        return edit_text(data, rng)
    return edit_bytes(data, rng)
