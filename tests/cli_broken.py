"""Runs the program on broken files: cli_broken.py PLEAT FOLDER COUNT [SEED].

Each file is the small character of cli_model.py with something changed: numbers and kinds in the JSON, keys removed or
doubled, bytes of a GLB flipped or cut. The program must end within 5 seconds, with 0 or 1, without more than 1 GiB of
memory; a failure is one line that names the file, and leaves no output.
"""
import base64
import copy
import json
import os
import random
import resource
import struct
import subprocess
import sys

import cli_model

ODD = [-1, 0, 1, 2, 3, 255, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 1e308, -1e308, 0.5, 1e-320, None, True,
       "", "x", "POSITION", "data:,", "../hero.gltf", [], {}, [0], [[]], {"a": 0}]


def places(value, path=()):
    """Every place in a document, as a list of keys."""
    yield path
    if isinstance(value, dict):
        for key in value:
            yield from places(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from places(value[index], path + (index,))


def change(document, rng):
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        all_places = [p for p in places(document) if p]
        path = rng.choice(all_places)
        owner = document
        for key in path[:-1]:
            owner = owner[key]
        kind = rng.randrange(5)
        if kind == 0:
            del owner[path[-1]]
        elif kind == 1 and isinstance(owner, list):
            owner.extend(copy.deepcopy(owner))
        elif kind == 2:
            source = document
            for key in rng.choice(all_places):
                try:
                    source = source[key]
                except (KeyError, IndexError, TypeError):
                    break
            owner[path[-1]] = copy.deepcopy(source)
        else:
            owner[path[-1]] = copy.deepcopy(rng.choice(ODD))
    return document


def to_glb(document):
    document = copy.deepcopy(document)
    blob = base64.b64decode(document["buffers"][0].pop("uri").split(",", 1)[1])
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    blob += b"\0" * (-len(blob) % 4)
    size = 12 + 8 + len(text) + 8 + len(blob)
    return (struct.pack("<4sII", b"glTF", 2, size) + struct.pack("<I4s", len(text), b"JSON") + text
            + struct.pack("<I4s", len(blob), b"BIN\0") + blob)


def broken_glb(glb, rng):
    data = bytearray(glb)
    for _ in range(rng.choice([1, 2, 8, 64])):
        kind = rng.randrange(4)
        at = rng.randrange(len(data)) if rng.random() < 0.7 else rng.randrange(32)
        at = min(at, len(data) - 1)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at:at + 4] = struct.pack("<I", rng.choice([0, 1, 0x7fffffff, 0x7fc00000, 0x7f800000, 0xffffffff]))
        elif kind == 2:
            del data[at:at + rng.randrange(1, 9)]
        else:
            del data[rng.randrange(len(data)):]
        if not data:
            data = bytearray(b"g")
    return bytes(data)


def main():
    pleat, folder, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    cli_model.write("good.gltf")
    with open("good.gltf") as file:
        good = json.load(file)
    glb = to_glb(good)
    rng = random.Random(int(sys.argv[4]) if len(sys.argv) > 4 else 20)
    statuses = {0: 0, 1: 0}
    for i in range(count):
        name = "broken.gltf" if i % 2 else "broken.glb"
        with open(name, "wb") as file:
            file.write(json.dumps(change(copy.deepcopy(good), rng)).encode() if i % 2 else broken_glb(glb, rng))
        command = [pleat, "info", name] if i % 4 < 2 else [pleat, "bake", name, "-o", "out.glb", "-o", "out.pc2",
                                                            "--frames", "0"]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=5)
        error = [line for line in done.stderr.decode(errors="replace").splitlines()
                 if "warning: " not in line and ": no folds on " not in line]
        outputs = [entry for entry in os.listdir(".") if entry.startswith(("out", ".pleat"))]
        right = done.returncode in statuses
        if done.returncode == 1:
            right = len(error) == 1 and name in error[0] and not outputs and not done.stdout
        if not right:
            print("case %d, %s: status %d, files %s, said: %s" % (i, command, done.returncode, outputs, error))
            return 1
        statuses[done.returncode] += 1
        for entry in outputs:
            os.remove(entry)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    print("%d broken files: %d refused, %d harmless, at most %d MiB" % (count, statuses[1], statuses[0], peak >> 20))
    # A test that no file fails, or that every file fails, would test little.
    return 0 if statuses[0] > count // 50 and statuses[1] > count // 4 and peak < 1 << 30 else 1


if __name__ == "__main__":
    sys.exit(main())
