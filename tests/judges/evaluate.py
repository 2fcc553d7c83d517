"""Skinned positions against a second evaluator (gltf.py): evaluate.py PLEAT FOLDER

Every clip of the built-in characters (FOLDER/characters) and of the shared ones, at times that mostly lie between keys,
by lbs and dqs; and the small files of the glTF asset generator. The bound is in parts of the figure's height.
"""
import glob
import os
import sys

import numpy

import cases
import gltf

BOUND = 1e-5
FRAMES = 6

SHARED = [
    "khr_rigged_simple/RiggedSimple.glb",
    "khr_cesium_man/CesiumMan.glb",
    "mh_arm/mh_arm_body.glb",
    "mh_arm/mh_sleeve.glb",
    "mh_arm/mh_sleeve_sub1.glb",
    "webxr_hand/webxr_hand_left_curl.glb",
    "webxr_hand/webxr_hand_left_orig.glb",
    "mh_salsa_sportsuit/mh_salsa_sportsuit.glb",
    "mh_modern_leotard/mh_modern_leotard.glb",
    "mh_fat_male_worksuit/mh_fat_male_worksuit.glb",
    "quat_knight/KnightCharacter.glb",
    "cwf_twist_cylinder/twist_cylinder_morph.glb",
    "gen_coarse_skirt_sim/coarse_skirt_sim.glb",
]

# These say that they need a later glTF, or an extension that nobody knows.
FUTURE = {"Compatibility_04.gltf", "Compatibility_05.gltf"}


def compare(pleat, file, model, clip, method, out):
    """Frames looked at and the largest distance, in parts of the height, over the frames of a coarse bake."""
    arguments = ["--skin", method, "-o", out]
    if clip is not None:
        name, start, end = model.clips()[clip]
        arguments += ["--clip", name] if name else []
        arguments += ["--fps", f"{(FRAMES - 0.7) / (end - start):.6g}" if end > start else "30"]
    cases.bake(pleat, file, *arguments)
    baked = cases.read_pc2(out)
    times = cases.read_sidecar(out[:-4] + ".json")["times"]
    worst = 0
    for frame, time in zip(baked, times):
        expected = gltf.evaluate(model, clip, time, method)
        if expected.shape != frame.shape:
            raise AssertionError(f"{len(frame)} vertices, and {len(expected)} by the second evaluator")
        worst = max(worst, numpy.linalg.norm(frame - expected, axis=1).max() / cases.height(expected))
    return len(baked), worst


def choices(model):
    """The clips that --clip can name: the first, and all with a name of their own; without clips the rest pose."""
    names = [name for name, _, _ in model.clips()]
    return [c for c, name in enumerate(names) if c == 0 or (name and names.count(name) == 1)] or [None]


def judge(pleat, file, folder):
    """The number of frames and the largest distances by lbs and dqs, over all clips; without clips the rest pose."""
    model = gltf.Gltf(file)
    out = os.path.join(folder, "x.pc2")
    worst = {"lbs": 0, "dqs": 0}
    frames = 0
    for clip in choices(model):
        for method in worst:
            count, error = compare(pleat, file, model, clip, method, out)
            worst[method] = max(worst[method], error)
        frames += count
    return frames, worst


def require(name, worst):
    for method, error in worst.items():
        if not error <= BOUND:
            raise AssertionError(f"{name}: {method} is off by {error:.2e} of the height, more than {BOUND:.0e}")


def row(name, clips, frames, worst):
    print(f"  {name:32} {clips:5} {frames:6}   {worst['lbs']:8.1e}   {worst['dqs']:8.1e}")


def judge_character(pleat, file, folder):
    frames, worst = judge(pleat, file, folder)
    row(os.path.basename(file), len(gltf.Gltf(file).clips()), frames, worst)
    require(file, worst)


def judge_shared(pleat, path, folder):
    judge_character(pleat, cases.data(path), folder)


def judge_baked(pleat, file, folder, *arguments):
    """Every clip in the GLB of a bake, played as a viewer with linear skinning does, against the PC2 of the same bake:
    within the error that the report states, in metres."""
    out = os.path.join(folder, "baked_{clip}")
    model_file = os.path.join(folder, "baked.glb")
    report = cases.bake(pleat, file, "-o", out + ".pc2", "-o", model_file, *arguments)
    stated = max(morph["largest_error"] for morph in report["morphs"])
    model = gltf.Gltf(model_file)
    names = [name for name, _, _ in model.clips()]
    worst, height = 0, 0
    for clip in report["clips"]:
        cache = cases.clip_file(out, clip["name"])
        baked = cases.read_pc2(cache + ".pc2")
        times = cases.read_sidecar(cache + ".json")["times"]
        if len(baked) != clip["frames"]:
            raise AssertionError(f"{len(baked)} frames of {clip}")
        for f in numpy.linspace(0, len(baked) - 1, FRAMES).round().astype(int):
            shown = gltf.evaluate(model, names.index(clip["name"]), times[f])
            worst = max(worst, numpy.linalg.norm(baked[f] - shown, axis=1).max())
        height = max(height, cases.height(baked[0]))
        os.remove(cache + ".pc2")
    targets = max(morph["targets"] for morph in report["morphs"])
    clips = len(report["clips"])
    print(f"  {cases.stem(file)} as GLB, {targets} targets, {clips} clips: {worst:.1e} m, stated {stated:.1e} m")
    if not worst <= stated + BOUND * height:
        raise AssertionError(f"the GLB is off by {worst:.2e} m; the bake states {stated:.2e} m")
    if arguments.count("--clip") + arguments.count("--frames") == 0 and clips != len(names):
        raise AssertionError(f"{clips} of {len(names)} clips were baked")


def judge_baked_shared(pleat, path, folder, *arguments):
    judge_baked(pleat, cases.data(path), folder, *arguments)


def judge_generated(pleat, folder):
    """Files of one feature each: how a clip is sampled, which accessors there are, odd skins, mirrored nodes."""
    root = cases.data("edge_gltf_asset_generator", "Output", "Positive")
    seen = 0
    for kind in sorted(os.listdir(root)):
        files = sorted(glob.glob(os.path.join(root, kind, "*.gltf")))
        files = [file for file in files if os.path.basename(file) not in FUTURE]
        all_frames, all_clips, all_worst = 0, 0, {"lbs": 0, "dqs": 0}
        for file in files:
            frames, worst = judge(pleat, file, folder)
            require(os.path.basename(file), worst)
            all_frames += frames
            all_clips += len(gltf.Gltf(file).clips())
            all_worst = {method: max(worst[method], all_worst[method]) for method in worst}
        row(f"{kind} ({len(files)} files)", all_clips, all_frames, all_worst)
        seen += len(files)
    if seen < 90:
        raise AssertionError(f"only {seen} files in {root}")


def main():
    pleat = os.path.abspath(sys.argv[1])
    folder = os.path.join(sys.argv[2], "evaluate")
    os.makedirs(folder, exist_ok=True)
    all_cases = cases.Cases()
    print("  largest distance in parts of the height, at most", BOUND)
    print(f"  {'file':32} {'clips':>5} {'frames':>6}   {'lbs':>8}   {'dqs':>8}")
    for file in cases.built_in(sys.argv[2]):
        all_cases.run("evaluate_" + cases.stem(file), judge_character, pleat, file, folder,
                      long=cases.stem(file) in ("skirt", "shirt"))
    for path in SHARED:
        all_cases.run("evaluate_" + cases.stem(path), judge_shared, pleat, path, folder,
                      long=not path.startswith(("khr", "webxr")))
    built_in = {cases.stem(file): file for file in cases.built_in(sys.argv[2])}
    dancer = built_in["dancer"]
    salsa, knight = "mh_salsa_sportsuit/mh_salsa_sportsuit.glb", "quat_knight/KnightCharacter.glb"
    all_cases.run("evaluate_baked_dancer", judge_baked, pleat, dancer, folder, "--skin", "dqs", "--frames", "40-80",
                  long=True)
    all_cases.run("evaluate_baked_dancer_8", judge_baked, pleat, dancer, folder, "--skin", "dqs", "--targets", "8",
                  "--no-normals", "--clip", "twist", "--fps", "10")
    all_cases.run("evaluate_baked_folds", judge_baked, pleat, built_in["arm"], folder, "--layer", "folds",
                  "--fps", "5")
    all_cases.run("evaluate_baked_knight", judge_baked_shared, pleat, knight, folder, "--skin", "dqs",
                  long=True)
    all_cases.run("evaluate_baked_salsa", judge_baked_shared, pleat, salsa, folder, "--skin", "dqs",
                  "--frames", "100-140", long=True)
    all_cases.run("evaluate_generated_files", judge_generated, pleat, folder)
    all_cases.end()


main()
