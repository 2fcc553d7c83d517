#!/bin/bash
# A host's own layer in all of the program: example_own_layer.sh EXAMPLE FOLDER.
. "$(dirname "$0")/harness.sh"

test_own_layer_is_in_looks_and_help()
{
    works bake --print-look
    [ "$(json 'd["wave"]["height"], d["folds"]["detail"]')" = '10mm 4' ] || complain "$(json 'd["wave"]')"
    works bake --print-look --layer wave --set wave.height=2cm
    [ "$(json 'd["wave"]["height"]')" = 20mm ]
    works bake --help
    tr -d '\n' < out | grep -q -- '--layer NAME .*folds|.*|wave|none'
    works help --layers
    grep -q '^| wave | a wave runs through the cloth |$' out
    works help --json
    [ "$(json '[f["unit"] for l in d["layers"] if l["name"] == "wave" for f in l["figures"]]')" = "['m']" ]
    works help --completion bash
    grep -q ' wave none' out
    fails 2 "from 0mm to 1000mm" bake hero.gltf --layer wave --set wave.height=2m -o a.pc2
    fails 2 "did you mean height" bake hero.gltf --layer wave --set wave.heigth=2cm -o a.pc2
    fails 2 "there are no wave without --layer wave" bake hero.gltf --set wave.height=2cm -o a.pc2
}

# The closed form: along the normal by no more than the height, and somewhere by nearly all of it; nothing without it.
test_own_layer_bakes()
{
    works bake hero.gltf --layer none -o plain.pc2
    works bake hero.gltf --layer wave --set wave.height=0 -o flat.pc2
    cmp plain.pc2 flat.pc2
    works bake hero.gltf --layer wave --set wave.height=2cm -o wave.pc2 -o wave.glb --json
    [ "$(json '[(l["layer"], 0.019 < l["largest"]["highest"] <= 0.02, l["mean"]["highest"] <= 0.02, l["units"]["highest"]) for l in d["layers"]]')" = \
        "[('wave', True, True, 'm')]" ] || complain "$(json 'd["layers"]')"
    [ "$(json 'd["morphs"][0]["targets"] >= 1')" = True ]
    python3 - << 'END'
import struct
def points(name):
    data = open(name + ".pc2", "rb").read()
    count, frames = struct.unpack_from("<i8xi", data, 16)
    return [struct.unpack_from("<3f", data, 32 + 12 * i) for i in range(count * frames)]
moves = [sum((a - b) ** 2 for a, b in zip(p, q)) ** 0.5 for p, q in zip(points("plain"), points("wave"))]
assert 0.0195 < max(moves) < 0.020001, max(moves)
END
    works bake hero.gltf --layer wave --layer folds -o both.pc2
    grep -q 'wave of Shirt: at most highest 0.00[0-9]* m\|wave of Shirt: at most highest 0.01 m' out || complain "$(cat out)"
}

run_cases test_
