"""What the judges written in Python share: cases that the tally counts, point caches, runs of the program."""
import glob
import json
import os
import subprocess
import sys

import numpy


class Skip(Exception):
    """A case that cannot run here, with the reason."""


class Cases:
    """Runs cases one after the other and prints a line for each, in the form that tools/tally.awk counts. With the last
    argument `quick` those of every day, with `long` those that only make test-long runs."""

    def __init__(self):
        self.failed = 0
        self.which = sys.argv[-1] if sys.argv[-1] in ("quick", "long") else None

    def run(self, name, function, *arguments, long=False):
        if self.which and (self.which == "long") != long:
            return
        try:
            function(*arguments)
            print(f"[       OK ] {name}", flush=True)
        except Skip as skip:
            print(f"skipped: {skip}")
            print(f"[  SKIPPED ] {name}", flush=True)
        except Exception as error:
            print(f"{type(error).__name__}: {error}")
            print(f"[  FAILED  ] {name}", flush=True)
            self.failed += 1

    def end(self):
        sys.stdout.flush()
        sys.exit(1 if self.failed else 0)


def data(*path):
    """A file of the shared test data."""
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.environ.get("PLEAT_DATA") or os.path.join(here, "..", "..", "..", "shared", "data")
    file = os.path.normpath(os.path.join(root, *path))
    if not os.path.exists(file):
        raise Skip(f"no {os.path.join(*path)} in the shared data")
    return file


def built_in(folder):
    """The files of the built-in characters."""
    files = sorted(glob.glob(os.path.join(folder, "characters", "*.glb")))
    if not files:
        raise FileNotFoundError(f"no built-in characters in {folder}; the test judge_characters writes them")
    return files


def quietly(operator, **arguments):
    """Runs one of Blender's operators without its lines on stdout."""
    sys.stdout.flush()
    kept, silence = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    try:
        operator(**arguments)
    finally:
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)
        os.close(silence)


def stem(path):
    return os.path.splitext(os.path.basename(path))[0]


def bake(pleat, file, *arguments):
    """The report of pleat bake, of skinning alone unless the arguments name a layer."""
    layer = [] if "--layer" in arguments else ["--layer", "none"]
    command = [pleat, "bake", file, "--json", *layer, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit {done.returncode} of {' '.join(command)}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def clip_file(path, clip):
    """The file that an output with {clip} in its name gives a clip."""
    return path.replace("{clip}", "".join("_" if c in '/\\:*?"<>|%{}' or c < " " else c for c in clip))


def read_pc2(path):
    """The frames of a PC2 file, #frames by #points by 3."""
    with open(path, "rb") as file:
        head = file.read(32)
        if head[:12] != b"POINTCACHE2\0":
            raise ValueError(f"{path} is no PC2 file")
        points, samples = numpy.frombuffer(head, "<i4", 1, 16)[0], numpy.frombuffer(head, "<i4", 1, 28)[0]
        return numpy.frombuffer(file.read(), "<f4").reshape(samples, points, 3).astype(float)


def read_sidecar(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def height(points):
    """Of a figure, along +Y; of something flat, its largest extent."""
    extent = points.max(axis=0) - points.min(axis=0)
    return extent[1] if extent[1] > 0.05 * extent.max() else max(extent.max(), 1e-30)
