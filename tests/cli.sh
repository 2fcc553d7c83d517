#!/bin/bash
# The program as its users run it: cli.sh PLEAT FOLDER [PART], a part as harness.sh has them, or `long`: cases
# named long_..., which only make test-long runs.
. "$(dirname "$0")/harness.sh"

# ---- Help -----------------------------------------------------------------------------------------------------------

test_help_overview()
{
    run
    [ "$status" = 2 ]
    grep -q 'usage: pleat COMMAND' err
    works --help
    grep -q 'usage: pleat COMMAND' out
    works help
    grep -q '  bake ' out
    works --version
    grep -qE '^pleat [0-9]+\.[0-9]+\.[0-9]+$' out
}

test_help_pages_fit_a_screen_and_have_examples()
{
    works help
    local commands
    commands=$(sed -n 's/^  \([a-z]*\) .*/\1/p' out)
    [ "$(echo "$commands" | wc -w)" -ge 3 ]
    for command in $commands; do
        works "$command" --help
        [ "$(wc -l < out)" -le 50 ] || complain "$command --help has $(wc -l < out) lines"
        [ "$(wc -L < out)" -le 100 ] || complain "$command --help has $(wc -L < out) columns"
        grep -q "^  pleat $command" out || grep -q "pleat help --completion" out || complain "$command has no example"
        cp out page
        works help "$command"
        cmp -s out page || complain "pleat help $command is another page"
        works help "$command" --all
        [ "$(wc -l < out)" -ge "$(wc -l < page)" ] || complain "pleat help $command --all says less than without"
        ! grep -q '^more options' out || complain "pleat help $command --all leaves options out"
    done
}

test_help_man_page_renders()
{
    works help --man
    mv out pleat.1
    ! grep -q '^ ' pleat.1 || complain "a line that begins with a space breaks the paragraph"
    for word in 'SH NAME' 'SH SYNOPSIS' 'SH EXIT STATUS' 'max\-memory'; do
        grep -qF -- "$word" pleat.1
    done
    if command -v man > /dev/null && command -v groff > /dev/null; then
        LC_ALL=C.UTF-8 MANWIDTH=100 man --warnings -E UTF-8 -l pleat.1 > page 2> warnings
        [ ! -s warnings ] || complain "$(cat warnings)"
        grep -q -- '--max-memory SIZE' page
    fi
}

test_help_completions_are_scripts()
{
    works help --completion bash
    mv out pleat.bash
    bash -n pleat.bash
    # shellcheck disable=SC1091
    (
        source ./pleat.bash
        COMP_WORDS=(pleat bake --sk) COMP_CWORD=2
        _pleat
        [ "${COMPREPLY[*]}" = --skin ]
        COMP_WORDS=(pleat bake --skin d) COMP_CWORD=3
        _pleat
        [ "${COMPREPLY[*]}" = dqs ]
        COMP_WORDS=(pleat b) COMP_CWORD=1
        _pleat
        [ "${COMPREPLY[*]}" = bake ]
        COMP_WORDS=(pleat info he) COMP_CWORD=2
        _pleat
        [ "${COMPREPLY[*]}" = hero.gltf ]
    )
    works help --completion zsh
    if command -v zsh > /dev/null; then
        zsh -n out
    fi
    works help --completion fish
    if command -v fish > /dev/null; then
        fish -n out
    fi
    fails 2 "one of bash|zsh|fish" help --completion csh
}

# ---- Usage ----------------------------------------------------------------------------------------------------------

test_usage_errors_say_what_is_right()
{
    fails 2 "did you mean 'bake'" bakee
    fails 2 "'pleat help' lists them" frobnicate
    fails 2 "did you mean --threads" info hero.gltf --thread 2
    fails 2 "did you mean --frames" bake hero.gltf --frame=1
    fails 2 "'pleat info --help' lists them" info hero.gltf --zzzzzz
    fails 2 "there is no option -x" info -x hero.gltf
    fails 2 "--threads needs a value after it: a whole number from 1 to 256" info hero.gltf --threads
    fails 2 "--clip needs a value" bake hero.gltf -o a.pc2 --clip --json
    fails 2 "--threads is 'two'; it takes a whole number from 1 to 256" info hero.gltf --threads two
    fails 2 "--threads is '0'" info hero.gltf --threads=0
    fails 2 "--threads is '2.5'" info hero.gltf --threads 2.5
    fails 2 "--threads is '257'" info hero.gltf -j257
    fails 2 "--threads is '1x'" info hero.gltf -j 1x
    fails 2 "--max-memory is '4Q'; it takes a size such as 512M or 4G" info hero.gltf --max-memory 4Q
    fails 2 "--max-memory is '1K'" info hero.gltf --max-memory 1K
    fails 2 "--max-memory is 'nan'" info hero.gltf --max-memory nan
    fails 2 "--json takes no value" info hero.gltf --json=yes
    fails 2 "an argument is missing; the form is: pleat info FILE" info
    fails 2 "'b.glb' is one argument too many" info hero.gltf b.glb
    fails 2 "it needs somewhere to write to: -o OUT" bake hero.gltf
    fails 2 "--skin is 'lbd'; it takes one of lbs|dqs" bake hero.gltf -o a.pc2 --skin lbd
    fails 2 "--fps is '0'; it takes a number from 0.001" bake hero.gltf -o a.pc2 --fps 0
    fails 2 "--fps is 'inf'" bake hero.gltf -o a.pc2 --fps inf
    fails 2 "--frames is '9-3'; it takes two whole numbers such as 0-120" bake hero.gltf -o a.pc2 --frames 9-3
    fails 2 "--frames is '1-'" bake hero.gltf -o a.pc2 --frames 1-
    fails 2 "--output is ''" bake hero.gltf -o ''
    fails 2 "its ending says no format" bake hero.gltf -o a.xyz
    [ ! -e a.pc2 ]
}

# ---- info -----------------------------------------------------------------------------------------------------------

test_info_prints_what_the_file_holds()
{
    works info hero.gltf
    [ ! -s err ]
    grep -q '2 meshes, 2 materials, 2 joints in 1 skin, 1 clip' out
    grep -qE '^  Bend +1\.000 +1 +3 +31' out
    grep -qE '^\+ Shirt' out
    grep -qE '^- Body' out
    grep -A1 '^joints$' out | tail -1 > listed
    works info hero.gltf --json
    [ "$(cat listed)" = "$(json '"  " + ", ".join(d["skins"][0]["joint_names"])')" ] || complain "$(cat listed)"
    [ "$(json 'd["skins"][0]["joints"]')" = 2 ]
    works info -- hero.gltf
}

test_info_json_is_for_machines()
{
    works info hero.gltf --json
    [ "$(json 'len(d["meshes"])')" = 2 ]
    [ "$(json 'd["vertices"], d["surface_vertices"], d["triangles"], d["joints"]')" = "216 216 384 2" ]
    [ "$(json '[m["mesh"] for m in d["meshes"] if m["garment"]]')" = "['Shirt']" ]
    [ "$(json 'abs(d["height"] - 1) < 1e-6')" = True ]
    [ "$(json 'd["clips"][0]["name"], d["clips"][0]["duration"], d["clips"][0]["keys"]')" = "Bend 1.0 3" ]
    [ "$(json 'd["warnings"]')" = "[]" ]
}

test_info_names_cannot_break_the_output()
{
    sed 's/"Bend"/"\\u001b[31mBe\\u0000nd\\n"/; s/"Cotton"/"\\u0007\\u009b2JCot"/' hero.gltf > odd.gltf
    works info odd.gltf
    ! grep -qP '[\x00-\x08\x0b-\x1f]' out || complain "a control character came through"
    works info odd.gltf --json
    [ "$(json 'len(d["clips"])')" = 1 ]
}

test_bad_files_are_named()
{
    fails 1 "nowhere.glb" info nowhere.glb
    fails 1 "out.txt" info out.txt
    : > empty.glb
    fails 1 "empty.glb" info empty.glb
    head -c 300 /dev/urandom > noise.glb
    fails 1 "noise.glb" info noise.glb
    head -c 900 hero.gltf > cut.gltf
    fails 1 "cut.gltf" info cut.gltf
    mkdir -p empty_folder
    fails 1 "empty_folder" info empty_folder
    fails 1 "cut.gltf" bake cut.gltf -o cut.pc2
    [ ! -e cut.pc2 ]
}

test_memory_has_a_fence()
{
    python3 -c "
import sys
d = open('hero.gltf').read()
open('fat.gltf', 'w').write(d[:-1] + ', \"extras\": [' + '[],' * 200000 + '0]}')"
    works info fat.gltf
    fails 1 "--max-memory" info fat.gltf --max-memory 2M
}

test_a_closed_output_is_an_error()
{
    status=0
    "$pleat" info hero.gltf > /dev/full 2> err || status=$?
    [ "$status" = 1 ]
    grep -q 'could not be written' err
}

# ---- bake -----------------------------------------------------------------------------------------------------------

test_bake_agrees_with_skinning_done_elsewhere()
{
    works bake hero.gltf --layer none -o points.pc2 --fps 24
    [ ! -s err ]
    grep -q "baked 25 frames of clip 'Bend'" out
    works bake hero.gltf -q --frames 0-2 -o quiet.pc2
    [ ! -s out ] && [ ! -s err ]
    python3 "$here/cli_model.py" points points.pc2 24
}

test_bake_lays_shape_and_ranges_beside_a_cache()
{
    works bake hero.gltf --layer none -o beside.pc2 -o beside.mdd --frames 3-7
    for name in beside.pc2 beside.mdd beside.rest.obj beside.json; do
        [ -s $name ] || complain "no $name"
    done
    [ "$(grep -c '^v ' beside.rest.obj)" = 216 ]
    [ "$(grep -c '^f ' beside.rest.obj)" = 384 ]
    python3 - << 'END'
import json
d = json.load(open("beside.json"))
text = json.dumps(d)
assert "Body" in text and "Shirt" in text, text
assert d["fps"] == 30, d
END
}

test_bake_is_the_same_for_any_threads()
{
    for threads in 1 2 4; do
        mkdir -p threads$threads
        works bake hero.gltf --layer none -j $threads --skin dqs -o threads$threads/a.pc2 -o threads$threads/a.mdd -o threads$threads/a.glb \
            -o threads$threads/a.ply
    done
    [ "$(ls threads1 | wc -l)" -gt 30 ]
    diff -r threads1 threads2
    diff -r threads1 threads4
}

test_bake_writes_every_kind_of_file()
{
    mkdir -p kinds
    works bake hero.gltf --layer none --frames 0-2 -o kinds/a.glb -o kinds/b.gltf -o kinds/c.pc2 -o kinds/d.mdd -o kinds/e.obj \
        -o kinds/f.ply -o kinds/meshes/ --json
    [ "$(json 'd["frames"], d["vertices"], d["triangles"], d["clip"], len(d["outputs"])')" = "3 216 384 Bend 7" ]
    [ "$(json 'd["memory"]["allocated_peak"] > 0 and d["seconds"]["frame_worst"] >= d["seconds"]["frame_median"]')" = True ]
    for name in a.glb b.gltf c.pc2 d.mdd e_0000.obj e_0002.obj f_0000.ply f_0002.ply meshes/hero_0000.obj; do
        [ -s kinds/$name ] || complain "no kinds/$name: $(ls kinds kinds/meshes)"
    done
    ! ls -A kinds kinds/meshes | grep -q '^\.pleat' || complain "a temporary file stayed"
    # What was written is read again, with the same counts.
    works info kinds/a.glb --json
    [ "$(json 'd["vertices"], d["joints"], d["clips"][0]["name"]')" = "216 2 Bend" ]
    grep -q kept kinds/b.gltf # extras of a material
}

test_bake_reads_what_it_wrote()
{
    mkdir -p round
    works bake hero.gltf --layer none --frames 0-4 -o round/c.pc2 -o round/d.mdd -o round/e.obj -o round/meshes/
    works info round/meshes --json
    [ "$(json 'd["vertices"], d["triangles"], d["clips"][0]["point_frames"]')" = "216 384 5" ]
    works bake round/meshes -o round/meshes.pc2
    works bake 'round/e_%04d.obj' -o round/pattern.pc2
    cmp round/meshes.pc2 round/pattern.pc2
    works bake round/c.rest.obj --points round/c.pc2 -o round/again.pc2
    cmp round/c.pc2 round/again.pc2
    works bake round/c.rest.obj --points round/d.mdd -o round/again2.pc2
    cmp round/c.pc2 round/again2.pc2
    works bake round/c.rest.obj --points 'round/e_%04d.obj' -o round/again3.pc2
    cmp round/c.pc2 round/again3.pc2
    works bake round/c.rest.obj --points round/meshes -o round/again4.pc2
    cmp round/c.pc2 round/again4.pc2
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' > round/small.obj
    fails 1 "vertices; there should be 3" bake round/small.obj --points round/meshes -o round/again5.pc2
    fails 2 "would replace its own input" bake round/c.rest.obj --points 'round/e_%04d.obj' -o round/e.obj
    fails 2 "would replace its own input" bake round/meshes -o round/meshes
    fails 2 "would replace its own input" bake 'round/e_%04d.obj' -o round/e.obj
    fails 2 "would replace its own input" bake round/c.rest.obj --points round/c.pc2 -o round/c.pc2
}

test_bake_chooses_garments_by_name()
{
    works bake hero.gltf --layer none --garment 'SH?RT' --frames 0 -o shirt.pc2 --json
    [ "$(json 'd["vertices"]')" = 108 ]
    [ "$(stat -c %s shirt.pc2)" = $((32 + 108 * 12)) ]
    works bake hero.gltf --layer none -g 'Cot*' --frames 0 -o cotton.pc2 # the material
    cmp shirt.pc2 cotton.pc2
    works bake hero.gltf --layer none -g shirt -g body --frames 0 -o both.pc2
    works bake hero.gltf --layer none --frames 0 -o all.pc2
    cmp both.pc2 all.pc2
    fails 1 "'Body', 'Skin', 'Shirt', 'Cotton'" bake hero.gltf --garment trousers -o none.pc2
    [ ! -e none.pc2 ]
}

test_bake_chooses_clips_and_frames()
{
    works bake hero.gltf --layer none --clip 'b*' -o clip.pc2
    fails 1 "no clip is named 'Run'; it has 'Bend'" bake hero.gltf --clip Run -o none.pc2
    fails 1 "--frames ends at 31; the clip has frames 0-30" bake hero.gltf --frames 0-31 -o none.pc2
    sed 's/"animations": *\[/&{"name":"Bow","samplers":[],"channels":[]},/' hero.gltf > two.gltf
    works bake two.gltf --layer none --clip 'b*' --frames 0-0 -o two.pc2
    grep -qF "'b*' fits 2 clips; the first of them is taken, 'Bow'" err
    works bake hero.gltf --layer none --frames 30-30 -o last.pc2
    cmp <(tail -c $((216 * 12)) clip.pc2) <(tail -c $((216 * 12)) last.pc2)
    sed 's/"animations"/"extras"/' hero.gltf > still.gltf
    works bake still.gltf --layer none -o still.pc2
    grep -q 'baked the rest pose' out
    [ ! -e none.pc2 ]
}

test_bake_writes_stretch_as_attributes()
{
    works bake hero.gltf --layer none --stretch most --stretch-color tension -o most.gltf
    grep -q '_COMPRESSION_DIRECTION' most.gltf
    grep -q 'COLOR_0' most.gltf
    works bake hero.gltf --layer none --frames 2-4 --stretch 3 -o frame.gltf
    grep -q '_STRETCH_DIRECTION' frame.gltf
    ! grep -q 'COLOR_0' frame.gltf
    works bake hero.gltf --layer none -o plain.gltf
    ! grep -q '_COMPRESSION' plain.gltf
    fails 2 "--stretch is frame 5; frames 2-4 are baked" bake hero.gltf --frames 2-4 --stretch 5 -o a.glb
    fails 2 "it takes the number of a frame, or most" bake hero.gltf --stretch worst -o a.glb
    fails 2 "they need an output .glb or .gltf" bake hero.gltf --stretch most -o a.pc2
    fails 2 "go with --stretch" bake hero.gltf --stretch-color area -o a.glb
    [ ! -e a.glb ]
}

test_bake_looks()
{
    works bake --print-look
    grep -q '"method": "lbs"' out
    mv out plain.json
    works bake --look plain.json --set skin.method=dqs --print-look
    mv out dqs.json
    grep -q '"method": "dqs"' dqs.json
    works bake hero.gltf --layer none --look dqs.json -o look.pc2
    works bake hero.gltf --layer none --skin dqs -o skin.pc2
    cmp look.pc2 skin.pc2
    works bake hero.gltf --layer none -o lbs.pc2
    ! cmp -s look.pc2 lbs.pc2
    works bake hero.gltf --layer volume --set volume.front=20% -o all.pc2
    works bake hero.gltf --layer volume --set 'volume[hips,Che*].front=20%' -o some.pc2
    cmp all.pc2 some.pc2
    works bake hero.gltf --layer volume -o other.pc2
    ! cmp -s all.pc2 other.pc2
    works bake --set 'volume[hips,Che*].front=20%' --set 'volume.target=0,0 1,0.1' --print-look
    grep -q '"volume\[hips,Che\*\]": {' out
    grep -q '"target": "0,0 1,0.1"' out
    mv out joints.json
    works bake hero.gltf --layer volume --look joints.json --set volume.target= -o read.pc2
    cmp all.pc2 read.pc2
    works bake --look "$here/../examples/belly.json" --print-look
    grep -q '"volume\[\*thigh\]": {' out
    works bake --look "$here/../examples/sleeve.json" --print-look
    grep -A4 '"folds\[\*forearm\*\]": {' out | grep -q '"curve": "0,0 .* 999,0"'
    fails 2 "volume.breath is one for all joints" bake hero.gltf --layer volume --set 'volume[Hips].breath=1%' -o a.pc2
    fails 2 "there are no volume without --layer volume" bake hero.gltf --set 'volume[Hips].front=1%' -o a.pc2
    fails 1 "volume: front_curve" bake hero.gltf --layer volume --set volume.front_curve=0,1,2 -o a.pc2
    fails 2 "--set: skin.method is 'xxx'; it can be one of lbs|dqs" bake hero.gltf -o a.pc2 --set skin.method=xxx
    fails 2 "the look has: skin" bake hero.gltf -o a.pc2 --set fold.width=2cm
    fails 2 "section.key=value" bake hero.gltf -o a.pc2 --set width
    echo '{"skin": {"metod": 1}}' > bad.json
    fails 1 "bad.json: there is no key skin.metod" bake hero.gltf -o a.pc2 --look bad.json
    fails 1 "absent.json" bake hero.gltf -o a.pc2 --look absent.json
    [ ! -e a.pc2 ]
}

test_bake_takes_a_drawn_profile()
{
    mkdir -p drawn
    echo '<svg><polyline points="0,9 7,0 10,9"/></svg>' > drawn/fold.svg
    echo '{"folds": {"profile": "curve", "curve": "@fold.svg"}}' > drawn/look.json
    works bake --look drawn/look.json --print-look
    grep -q '"curve": "0,0 699,999 999,0"' out
    works bake hero.gltf --look drawn/look.json -o drawn/looked.pc2
    works bake hero.gltf --set folds.profile=curve --set folds.curve=@drawn/fold.svg -o drawn/set.pc2
    works bake hero.gltf --set folds.profile=curve --set 'folds.curve=0,0 699,999 999,0' -o drawn/text.pc2
    cmp drawn/looked.pc2 drawn/set.pc2
    cmp drawn/looked.pc2 drawn/text.pc2
    works bake hero.gltf -o drawn/round.pc2
    ! cmp -s drawn/looked.pc2 drawn/round.pc2
    fails 1 "folds: curve: profile point 1" bake hero.gltf --set folds.profile=curve --set 'folds.curve=0,0 1,-1' -o a.pc2
    # A curve that no profile takes is told.
    works bake hero.gltf --set folds.curve=@drawn/fold.svg -o drawn/unused.pc2
    cmp drawn/unused.pc2 drawn/round.pc2
    grep -q 'warning: folds.curve changes nothing without profile=curve beside it' err
    works bake hero.gltf --set 'folds[x*].curve=@drawn/fold.svg' --print-look
    grep -q 'warning: folds\[x\*\].curve changes nothing' err
    works bake hero.gltf --set folds.curve=@drawn/fold.svg --set 'folds[*].profile=curve' -o drawn/joint.pc2
    [ ! -s err ] || complain "$(cat err)"
    fails 2 "drawn/absent.svg" bake hero.gltf --set folds.curve=@drawn/absent.svg -o a.pc2
    fails 2 "no polyline, polygon or path" bake hero.gltf --set folds.curve=@hero.gltf -o a.pc2
}

test_bake_topology_by_frame()
{
    works bake hero.gltf --layer wrinkles --topology frame --frames 0-2 -o by.obj -o by.ply
    [ "$(grep -c '^g ' by_0002.obj)" = "$(grep -c '^g ' by_0000.obj)" ] && [ -s by_0002.ply ]
    fails 2 "-o a.glb needs one mesh for all frames" bake hero.gltf --layer wrinkles --topology frame -o by.obj -o a.glb
    fails 2 "-o a.pc2 needs one mesh for all frames" bake hero.gltf --layer wrinkles --topology frame -o a.pc2
    fails 2 "add --layer wrinkles" bake hero.gltf --topology frame -o a.obj
    fails 2 "leave one of them out" bake hero.gltf --layer wrinkles --topology frame --resume -o a.obj
    fails 2 "topology" bake hero.gltf --layer wrinkles --topology none -o a.obj
}

test_bake_wrinkles_and_their_curves()
{
    # A few frames of coarse wrinkles show all of it.
    local options=(--layer wrinkles --frames 12-16 --set wrinkles.fabric=leather --set wrinkles.detail=2)
    works bake hero.gltf "${options[@]}" -o traced.pc2 --wrinkles-out curves.txt --json
    [ "$(json 'd["layers"][0]["largest"]["wrinkles"] >= 10')" = True ] || complain "$(cat out)"
    [ "$(json '[(l["layer"], l["node"]) for l in d["layers"]]')" = "[('wrinkles', 'Shirt')]" ] || complain "$(cat out)"
    [ "$(head -n 1 curves.txt)" = "pleat-wrinkles 1" ]
    grep -q "^surface [0-9]* vertices .* name Shirt" curves.txt
    works bake hero.gltf "${options[@]}" --wrinkles curves.txt -o again.pc2
    cmp traced.pc2 again.pc2
    grep -q '^  wrinkles of Shirt: up to [0-9]* at a time, up to [0-9.]* mm high$' out
    works bake hero.gltf "${options[@]}" --body Body -o body.pc2
    works bake hero.gltf "${options[@]}" --body hero.gltf -o same.pc2
    ! cmp -s traced.pc2 body.pc2
    sed 's/^surface \([0-9]*\) vertices [0-9]*/surface \1 vertices 5/' curves.txt > other.txt
    fails 1 "on a surface of 5 vertices" bake hero.gltf --layer wrinkles --wrinkles other.txt -o a.pc2
    echo "pleat-wrinkles 9" > bad.txt
    fails 1 "bad.txt:1: version 9" bake hero.gltf --layer wrinkles --wrinkles bad.txt -o a.pc2
    fails 1 "absent.txt" bake hero.gltf --layer wrinkles --wrinkles absent.txt -o a.pc2
    fails 1 "--body 'nobody' fits no mesh" bake hero.gltf --layer wrinkles --body nobody -o a.pc2
    fails 2 "--wrinkles is of no use without --layer wrinkles" bake hero.gltf --wrinkles curves.txt -o a.pc2
    fails 2 "--body is of no use without --layer wrinkles" bake hero.gltf --body Body -o a.pc2
    fails 2 "nothing to write without --layer wrinkles" bake hero.gltf --wrinkles-out b.txt -o a.pc2
    [ ! -e a.pc2 ] && [ ! -e b.txt ]
}

test_bake_takes_a_painted_mask()
{
    mkdir painted
    # The hero with texture coordinates: u is x, v is y, from the numbers of the positions.
    python3 - << 'END'
import json, struct, zlib
d = json.load(open("hero.gltf"))
for mesh in d["meshes"]:
    attributes = mesh["primitives"][0]["attributes"]
    place = d["accessors"][attributes["POSITION"]]
    d["bufferViews"].append(dict(d["bufferViews"][place["bufferView"]], byteStride=12))
    attributes["TEXCOORD_0"] = len(d["accessors"])
    d["accessors"].append({"bufferView": len(d["bufferViews"]) - 1, "componentType": 5126, "count": place["count"], "type": "VEC2"})
json.dump(d, open("painted/hero.gltf", "w"))
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
for name, tones in ("white", [255] * 4), ("black", [0] * 4), ("half", [255, 255, 0, 0]):
    rows = b"".join(b"\0" + bytes(tones) for _ in range(4))
    open("painted/" + name + ".png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 4, 4, 8, 0, 0, 0, 0)) +
                                                chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
END
    local painted=painted/hero.gltf options=(--frames 10-18)
    works bake $painted "${options[@]}" -o painted/folds.pc2
    works bake $painted "${options[@]}" --mask painted/white.png -o painted/white.pc2
    cmp painted/folds.pc2 painted/white.pc2
    works bake $painted "${options[@]}" --mask painted/black.png -o painted/black.pc2
    works bake $painted "${options[@]}" --set folds.strength=0 -o painted/flat.pc2
    cmp painted/black.pc2 painted/flat.pc2
    ! cmp -s painted/folds.pc2 painted/black.pc2
    works bake $painted "${options[@]}" --mask painted/half.png -o painted/half.pc2
    ! cmp -s painted/folds.pc2 painted/half.pc2
    ! cmp -s painted/black.pc2 painted/half.pc2
    fails 1 "has no texture coordinates for the mask" bake hero.gltf --mask painted/white.png -o a.pc2
    fails 1 "has no colours for the mask" bake hero.gltf --mask color -o a.pc2
    fails 1 "painted/absent.png" bake $painted --mask painted/absent.png -o a.pc2
    # In a look the picture lies beside the file; --set and --mask come after it.
    echo '{"mask": {"image": "@half.png"}}' > painted/look.json
    works bake $painted "${options[@]}" --look painted/look.json -o painted/looked.pc2
    cmp painted/half.pc2 painted/looked.pc2
    works bake $painted "${options[@]}" --look painted/look.json --set mask.image=@painted/black.png -o painted/set.pc2
    cmp painted/black.pc2 painted/set.pc2
    works bake $painted "${options[@]}" --look painted/look.json --mask painted/white.png -o painted/over.pc2
    cmp painted/folds.pc2 painted/over.pc2
    works bake --look painted/look.json --print-look
    grep -q '"image": "@painted/half.png"' out
    fails 1 "has no colours for the mask" bake hero.gltf --set mask.image=color -o a.pc2
    fails 2 "would replace its own input" bake $painted --look painted/look.json -o painted/look.pc2
    fails 2 "mask.image is 'half.png'; it can be color, or a picture: @FILE.png" bake $painted --set mask.image=half.png -o a.pc2
    fails 1 "not a PNG" bake $painted --mask hero.gltf -o a.pc2
}

test_bake_of_a_part_of_a_clip_folds_nothing_beside_it()
{
    # Viewers hold the last weights: beside the frames that were baked they show what skinning does.
    works bake hero.gltf --refine loop --frames 10-18 -o part.glb
    works bake hero.gltf --refine loop --frames 10-18 --set folds.strength=0 -o flat.glb
    local frame
    for frame in 0 8 14 20 30; do
        works bake part.glb --layer none --frames $frame -o part.pc2
        works bake flat.glb --layer none --frames $frame -o flat.pc2
        if [ $frame = 14 ]; then ! cmp -s part.pc2 flat.pc2; else cmp part.pc2 flat.pc2; fi
    done
}

test_bake_folds_a_pose_without_a_clip()
{
    # The second joint bent by 60 degrees, and no animation: any joint may bend any way.
    python3 - << 'END'
import json, math
d = json.load(open("hero.gltf"))
del d["animations"]
json.dump(d, open("rest.gltf", "w"))
d["nodes"][d["skins"][0]["joints"][1]]["rotation"] = [0, 0, math.sin(math.pi / 6), math.cos(math.pi / 6)]
json.dump(d, open("posed.gltf", "w"))
END
    works bake posed.gltf -o posed.pc2 --json
    [ "$(json 'd["frames"], d["layers"][0]["largest"]["rings"] >= 1, d["layers"][0]["largest"]["raised"] > 0')" = "1 True True" ]
    [ "$(json 'd["layers"][0]["largest"]["tau"] < 1e-6')" = True ]
    # In the pose that it was bound in nothing is compressed: plain skinning on the same mesh.
    works bake rest.gltf --refine loop -o rest.pc2 --json
    [ "$(json 'd["layers"][0]["largest"]["rings"] >= 1, d["layers"][0]["largest"]["raised"]')" = "True 0.0" ]
    works bake rest.gltf --refine loop --set folds.strength=0 -o flat.pc2
    # Which by default needs no triangles at all.
    works bake rest.gltf --set folds.strength=0 -o keep.pc2 --json
    works bake rest.gltf --layer none -o bare.pc2
    cmp keep.pc2 bare.pc2
    cmp rest.pc2 flat.pc2
}

test_bake_fits_targets_to_a_small_character()
{
    python3 - << 'END'
import json
d = json.load(open("hero.gltf"))
d["nodes"][d["skins"][0]["joints"][0]]["scale"] = [0.01] * 3
json.dump(d, open("small.gltf", "w"))
END
    # A centimetre high: 1.5 mm would be more than its folds, unless it is asked for.
    works bake small.gltf --frames 0-15 -o small.glb --json
    [ "$(json 'all(m["largest_error"] <= 1e-5 for m in d["morphs"]) and len(d["morphs"]) > 0')" = True ] || complain "$(cat out)"
    works bake small.gltf --frames 0-15 --error 0.1mm -o small.glb --json
    [ "$(json 'max(m["largest_error"] for m in d["morphs"]) > 1e-5')" = True ] || complain "$(cat out)"
    # An error that cannot be kept is said, with what would do, and nothing is written.
    rm -f small.glb
    fails 1 'morph targets; more of them' bake small.gltf --frames 0-15 --error 0.00001mm --targets 2 -o small.glb
    [ ! -e small.glb ]
}

test_bake_folds_by_joint()
{
    local joint
    joint=$(python3 -c "import json; d = json.load(open('hero.gltf')); print(d['nodes'][d['skins'][0]['joints'][1]]['name'])")
    echo "{\"folds[$joint]\": {\"width\": \"9cm\"}}" > elbow.json
    works bake hero.gltf --look elbow.json -o own.pc2
    [ ! -s err ]
    works bake hero.gltf --set folds.width=9cm -o all.pc2
    cmp own.pc2 all.pc2
    works bake --look elbow.json --print-look
    grep -q "\"folds\[$joint\]\"" out
    fails 2 "folds.seed is one for all joints" bake hero.gltf --set "folds[$joint].seed=3" -o a.pc2
    fails 2 "did you mean width" bake hero.gltf --set "folds[$joint].widht=3cm" -o a.pc2
    works bake hero.gltf --set "folds[${joint}x].width=9cm" -o other.pc2
    grep -q "no joint is named '${joint}x'; did you mean '$joint'?" err
}

test_pages_are_what_the_program_says()
{
    "$here/../tools/pages" --check "$pleat" "$here"/../docs/look.md "$here"/../docs/layers.md > says || complain "$(cat says)"
    grep -q '^    skin.method=' "$here/../docs/look.md"
    grep -q '^### ' "$here/../docs/layers.md"
}

test_help_table_of_layers_is_json()
{
    works help --json
    [ "$(json 'len(d["layers"]) >= 3 and all(l["summary"] and l["figures"] for l in d["layers"])')" = True ]
    [ "$(json '[s["name"] for s in d["skins"]][:2]')" = "['lbs', 'dqs']" ]
    [ "$(json '[p["value"] for l in d["layers"] for p in l["parameters"] if l["name"] + "." + p["key"] == "folds.bend"]')" = \
        "['10deg']" ]
    [ "$(json '[p["by_joint"] for l in d["layers"] if l["name"] == "folds" for p in l["parameters"] if p["key"] in ("width", "seed")]')" = \
        "[True, False]" ]
}

test_bake_layers_act_on_garments()
{
    works bake hero.gltf --layer folds -o folds.pc2 -o folds.glb --json
    cp folds.pc2 first.pc2
    [ "$(json '[(l["layer"], l["node"]) for l in d["layers"]]')" = "[('folds', 'Shirt')]" ] || complain "$(cat out)"
    [ "$(json 'd["layers"][0]["largest"]["rings"] >= 1 and d["layers"][0]["largest"]["highest"] > 0')" = True ]
    # The body passes through as plain skinning gives it; the shirt is finer, and higher somewhere.
    works bake hero.gltf --layer none -o plain.pc2
    python3 - << 'END'
import struct
def frames(name):
    data = open(name + ".pc2", "rb").read()
    count, frame_count = struct.unpack_from("<i8xi", data, 16)
    return count, frame_count, data[32:]
plain, folds = frames("plain"), frames("folds")
assert plain[1] == folds[1] and folds[0] > plain[0], (plain[:2], folds[:2])
for f in range(plain[1]):
    a = plain[2][12 * plain[0] * f:][:12 * 108]
    b = folds[2][12 * folds[0] * f:][:12 * 108]
    assert a == b, f
END
    works bake hero.gltf --layer folds --garment shirt -o alone.pc2 --json
    [ "$(json 'd["parts"]')" = 1 ]
    works bake hero.gltf --layer folds --set folds.strength=0 -o flat.glb --json
    [ "$(json 'd["layers"][0]["largest"]["highest"]')" = 0.0 ]
    works bake hero.gltf --layer none --refine loop --level 1 --frames 0-2 -o fine.glb --json
    [ "$(json 'd["triangles"]')" = $((192 + 4 * 192)) ] || complain "$(json 'd["triangles"]')"
    for threads in 1 3; do
        works bake hero.gltf -j $threads --layer folds -o folds$threads.pc2
        cmp first.pc2 folds$threads.pc2
    done
    fails 2 "--layer is 'fold'; it takes one of" bake hero.gltf --layer fold -o a.pc2
    fails 2 "--layer folds stands twice" bake hero.gltf --layer folds --layer folds -o a.pc2
    fails 2 "there are no volume without --layer volume" bake hero.gltf --set volume.strength=50% -o a.pc2
    fails 2 "there are no folds without --layer folds" bake hero.gltf --layer none --set folds.width=2cm -o a.pc2
    fails 2 "--layer none stands alone" bake hero.gltf --layer folds --layer none -o a.pc2
    fails 2 "folds.width" bake hero.gltf --layer folds --set folds.width=2km -o a.pc2
    for seed in -1 4294967296; do
        fails 2 "folds.seed is '$seed'; it can be a whole number from 0 to 4294967295" \
            bake hero.gltf --set folds.seed=$seed -o a.pc2
    done
    sed 's/"animations"/"extras"/; s/"skin":/"extra":/g' hero.gltf > stiff.gltf
    fails 1 "nothing in it looks like cloth" bake stiff.gltf --layer folds -o a.pc2
    [ ! -e a.pc2 ]
}

test_bake_folds_without_being_asked()
{
    works bake hero.gltf --layer folds -o asked.pc2
    works bake hero.gltf -o unasked.pc2
    [ ! -s err ]
    grep -q '^  folds of Shirt: [0-9]* around 1 joint, [0-9.]* mm wide, up to [0-9.]* mm high$' out
    cmp asked.pc2 unasked.pc2
    # Cloth that lies on itself more than once is said to, once.
    python3 - << 'END'
import json
d = json.load(open("hero.gltf"))
skin = d["meshes"][1]["primitives"][0]
d["meshes"][1]["primitives"] += [skin, skin]
json.dump(d, open("thick.gltf", "w"))
END
    works bake thick.gltf -g shirt --frames 0-3 -o thick.pc2
    [ "$(grep -c 'Shirt: 100 % of its edges belong to three or more triangles' err)" = 1 ]
    # What no joint moves stays as it is, with a word about it; unless folds were meant.
    sed 's/"skin":/"extra":/g' hero.gltf > stiff.gltf
    works bake stiff.gltf -o stiff.pc2
    [ "$(cat err)" = "pleat bake: no folds on stiff.gltf: nothing looks like cloth; --garment can name it" ]
    works bake stiff.gltf -o named.pc2 -g shirt
    [ "$(cat err)" = "pleat bake: no folds on stiff.gltf: joints move no garment" ]
    works bake stiff.gltf -o none.pc2 --layer none
    [ ! -s err ]
    cmp stiff.pc2 none.pc2
    fails 1 "nothing in it looks like cloth" bake stiff.gltf --set folds.width=2cm -o a.pc2
    works bake asked.rest.obj --points asked.pc2 -o again.pc2
    [ "$(cat err)" = "pleat bake: no folds on asked.rest.obj: its points are given, not moved by joints" ]
    cmp asked.pc2 again.pc2
}

test_bake_outputs_appear_together_or_not_at_all()
{
    mkdir -p together/sub
    echo old > together/a.pc2
    fails 1 "nowhere" bake hero.gltf -o together/a.pc2 -o together/nowhere/b.mdd
    [ "$(cat together/a.pc2)" = old ]
    # A folder where a file should be is found at the last moment.
    mkdir -p together/c.rest.obj
    run bake hero.gltf --layer none -o together/a.pc2 -o together/c.mdd
    [ "$status" = 1 ] || complain "a folder was no hindrance"
    [ "$(cat together/a.pc2)" = old ]
    [ ! -e together/c.mdd ] && [ ! -e together/a.json ]
    # A disk that is full: here, a file that may not grow.
    status=0
    (ulimit -f 8 && "$pleat" bake hero.gltf --layer none -o together/a.pc2 -o together/new/ > out 2> err) || status=$?
    [ "$status" = 1 ] || complain "exit $status on a full disk"
    grep -q 'together/.*: cannot write it: File too large' err || complain "the full disk was not named"
    [ "$(cat together/a.pc2)" = old ]
    [ ! -e together/new ] || complain "the folder made for nothing stayed"
    [ -z "$(find together -name '.pleat*')" ] || complain "a temporary file stayed"
}

test_bake_resumes_after_a_kill()
{
    mkdir -p resume
    local options=(--fps 240 --layer folds --set folds.detail=2 --targets 8)
    works bake hero.gltf "${options[@]}" -o resume/whole.pc2 -o resume/whole.glb
    for try in 1 2 3; do
        "$pleat" bake hero.gltf "${options[@]}" --resume -o resume/again.pc2 -o resume/again.glb > out 2> err &
        local id=$!
        for _ in $(seq 400); do
            [ -e resume/again.pc2.resume ] && [ "$(stat -c %s resume/again.pc2.resume)" -gt $((try * 500000)) ] && break
            sleep 0.01
        done
        kill -KILL $id 2> /dev/null || true
        wait $id 2> /dev/null || true
        [ -e resume/again.pc2.resume ] || complain "no spool stayed"
        [ ! -e resume/again.pc2 ] || complain "it was done before it could be killed"
    done
    # Another input, or other options: refused, and the spool stays.
    fails 1 "again.pc2.resume is from a bake of another input, with other options" \
        bake hero.gltf "${options[@]}" --set folds.width=9cm --resume -o resume/again.pc2
    sed 's/"translation": \[0, 0.5, 0\]/"translation": [0, 0.4, 0]/' hero.gltf > resume/other.gltf
    fails 1 "from a bake of another input" bake resume/other.gltf "${options[@]}" --resume -o resume/again.pc2
    # A damaged frame is computed again.
    printf damage | dd of=resume/again.pc2.resume bs=1 seek=400000 conv=notrunc 2> /dev/null
    works bake hero.gltf "${options[@]}" --resume -o resume/again.pc2 -o resume/again.glb --json
    [ "$(json 'd["resumed"]')" -ge 1 ] || complain "it began anew"
    cmp resume/whole.pc2 resume/again.pc2
    cmp resume/whole.glb resume/again.glb
    [ ! -e resume/again.pc2.resume ] || complain "the spool stayed"
    echo nonsense, and more of it, longer than a header > resume/again.pc2.resume
    fails 1 "again.pc2.resume is not what a bake left behind" bake hero.gltf "${options[@]}" --resume -o resume/again.pc2
    rm -f resume/again.pc2.resume resume/.pleat*
}

test_bake_takes_every_clip()
{
    mkdir -p clips
    python3 "$here/cli_model.py" clips clips/in.gltf
    local options=(--layer folds --refine loop --set folds.detail=2 --targets 24)
    works bake clips/in.gltf "${options[@]}" -o clips/all.glb -o clips/first.pc2 -o 'clips/{clip}.pc2' --json
    [ "$(json '[c["name"] + str(c["frames"]) for c in d["clips"]]')" = "['Bend31', 'Nod16', 'nod31']" ]
    [ "$(json 'd["frames"]')" = 78 ]
    [ "$(json 'len(d["morphs"])')" = 1 ]
    json 'd["warnings"]' | grep -q "first.pc2 holds the first clip alone, 'Bend'"
    # Names that are one in some file systems get a number; nothing is written for the prop.
    cmp clips/Bend.pc2 clips/first.pc2
    [ -e clips/Nod_1.pc2 ] && [ -e clips/nod_2.pc2 ] && [ -e clips/nod_2.json ] && [ ! -e clips/Prop.pc2 ]
    works info clips/all.glb --json
    [ "$(json '[c["channels"] for c in d["clips"]]')" = '[2, 2, 2, 1]' ]
    # By name or pattern; frames are of one clip, and so is what only a cache holds.
    works bake clips/in.gltf "${options[@]}" --clip '?od' -o clips/two.glb --json
    [ "$(json '[c["name"] for c in d["clips"]]')" = "['Nod', 'nod']" ]
    works bake clips/in.gltf "${options[@]}" --frames 0-2 -o clips/one.glb
    grep -q "only the clip 'Bend' was baked; the other 3 play" err
    works bake clips/in.gltf --layer none -o clips/one.pc2
    grep -q "baked 31 frames of clip 'Bend'" out
    fails 1 "no clip is named 'Run'; it has 'Bend', 'Nod'" bake clips/in.gltf --clip Run -o clips/one.glb
}

long_bake_resumes_between_clips()
{
    mkdir -p clips
    python3 "$here/cli_model.py" clips clips/in.gltf
    local options=(--layer folds --refine loop --set folds.detail=2 --targets 8)
    works bake clips/in.gltf "${options[@]}" -o clips/whole.glb -o 'clips/whole_{clip}.pc2'
    # Stopped within the second clip: by a damaged frame, and by one that is cut.
    for damage in cut damaged; do
        "$pleat" bake clips/in.gltf "${options[@]}" --resume -o clips/again.glb -o 'clips/again_{clip}.pc2' > out 2> err &
        local id=$!
        for _ in $(seq 400); do
            [ -e clips/again.glb.resume ] && [ "$(stat -c %s clips/again.glb.resume)" -gt 700000 ] && break
            sleep 0.01
        done
        kill -KILL $id 2> /dev/null || true
        wait $id 2> /dev/null || true
        [ -e clips/again.glb.resume ] || complain "no spool stayed"
        local size
        size=$(stat -c %s clips/again.glb.resume)
        if [ "$damage" = cut ]; then
            truncate -s $((size * 2 / 3)) clips/again.glb.resume
        else
            printf damage | dd of=clips/again.glb.resume bs=1 seek=$((size / 2)) conv=notrunc 2> /dev/null
        fi
        fails 1 "from a bake of another input" bake clips/in.gltf "${options[@]}" --resume --clip Bend -o clips/again.glb
        works bake clips/in.gltf "${options[@]}" --resume -o clips/again.glb -o 'clips/again_{clip}.pc2' --json
        [ "$(json 'd["resumed"]')" -ge 1 ] || complain "it began anew"
        for file in .glb _Bend.pc2 _Nod_1.pc2 _nod_2.pc2; do
            cmp "clips/whole$file" "clips/again$file"
        done
        rm -f clips/again*
    done
}

test_bake_refuses_to_write_over_its_input()
{
    cp hero.gltf own.gltf
    fails 2 "would replace its own input" bake own.gltf -o own.gltf
    fails 2 "would replace its own input" bake own.gltf -o ./../"$(basename "$PWD")"/own.gltf
    ln -sf own.gltf link.gltf
    fails 2 "would replace its own input" bake own.gltf -o link.gltf
    fails 2 "would write the same file" bake own.gltf -o twice.pc2 -o ./twice.pc2
    fails 2 "would write the same file" bake own.gltf -o twice.pc2 -o twice.rest.obj
    cmp hero.gltf own.gltf
    [ ! -e twice.pc2 ]
}

test_bake_leaves_nothing_behind_when_it_is_stopped()
{
    for signal in INT TERM; do
        mkdir -p stopped$signal
        # In the background of a script the interrupt is ignored unless it is asked for again.
        (trap - INT; exec "$pleat" bake hero.gltf --layer none --fps 5000 -o stopped$signal/a.obj > out 2> err) &
        local id=$!
        for _ in $(seq 100); do
            [ -n "$(find stopped$signal -name '.pleat*' -print -quit)" ] && break
            sleep 0.05
        done
        kill -$signal $id
        status=0
        wait $id || status=$?
        [ "$status" -gt 128 ] || complain "it ended with $status, not by the signal"
        [ -z "$(ls -A stopped$signal)" ] || complain "left behind: $(ls -A stopped$signal | head -3)"
    done
}

test_bake_writes_gltf_that_the_validator_accepts()
{
    [ -d "$here/node_modules/gltf-validator" ] || skip "no gltf-validator in tests/node_modules"
    mkdir -p valid
    works bake hero.gltf --layer none -o valid/lbs.glb -o valid/lbs.gltf
    works bake hero.gltf --layer none --skin dqs -o valid/dqs.glb -o valid/dqs.gltf
    works bake hero.gltf --layer none --skin dqs --no-normals --targets 2 --frames 3-9 -o valid/few.glb
    works bake hero.gltf --layer none -o valid/c.pc2
    works bake valid/c.rest.obj --points valid/c.pc2 -o valid/points.glb
    works info valid/dqs.glb --json
    [ "$(json 'max(m["morph_targets"] for m in d["meshes"]) > 0')" = True ]
    node "$here/validate.mjs" valid/lbs.glb=hero.gltf valid/lbs.gltf=hero.gltf valid/dqs.glb=hero.gltf valid/dqs.gltf=hero.gltf \
        valid/few.glb=hero.gltf valid/points.glb
}

test_bake_of_a_dancer_is_the_same_for_any_threads()
{
    local dancer=${PLEAT_DATA:-$here/../../shared/data}/mh_salsa_sportsuit/mh_salsa_sportsuit.glb
    [ -r "$dancer" ] || skip "no mh_salsa_sportsuit in the shared data"
    for threads in 1 2 4; do
        mkdir -p dancer$threads
        works bake "$dancer" --layer none -j $threads --skin dqs --frames 100-120 -o dancer$threads/a.pc2 -o dancer$threads/a.glb
    done
    diff -r dancer1 dancer2
    diff -r dancer1 dancer4
}

long_bake_of_shared_characters_is_valid_gltf()
{
    local data=${PLEAT_DATA:-$here/../../shared/data} pairs=""
    [ -r "$data/README.md" ] || skip "no shared data"
    [ -d "$here/node_modules/gltf-validator" ] || skip "no gltf-validator in tests/node_modules"
    mkdir -p shared
    for file in "$data"/{khr,mh,webxr,quat,gen,cwf}_*/*.glb; do
        works bake "$file" --layer none --skin dqs --fps 1 --quiet -o "shared/$(basename "$file")"
        pairs="$pairs shared/$(basename "$file")=$file"
    done
    [ "$(echo "$pairs" | wc -w)" -ge 10 ]
    # shellcheck disable=SC2086
    node "$here/validate.mjs" $pairs
}

test_broken_files_do_no_harm()
{
    python3 "$here/cli_broken.py" "$pleat" broken 120
}

long_broken_files_do_no_harm()
{
    python3 "$here/cli_broken.py" "$pleat" broken 1000 7
}

# ---- Pictures -------------------------------------------------------------------------------------------------------

# Without a driver there is nothing to see.
can_draw()
{
    run render hero.gltf -o probe.png --size 16x16
    ! grep -q 'libegl1' err || skip "no graphics driver"
}

png_size()
{
    python3 -c "import struct; print('%dx%d' % struct.unpack('>II', open('$1', 'rb').read(24)[16:]))"
}

test_render_picture()
{
    can_draw
    works render hero.gltf -o a.png --size 160x120 --frame 15
    grep -q 'a.png: 160 x 120, 1 frame, 384 triangles' out
    [ "$(png_size a.png)" = 160x120 ]
    LP_NUM_THREADS=1 works render hero.gltf -o b.png --size 160x120 --frame 15 --threads 1
    cmp a.png b.png
    works render hero.gltf -o b.png --size 160x120 --frame 16
    ! cmp -s a.png b.png
    works render hero.gltf -o c.png --size 160x120 --frame 15 --json
    [ "$(json 'd["width"], d["height"], d["frames"], d["first_frame"], d["triangles"]')" = "160 120 1 15 384" ]
}

test_render_overlays_differ()
{
    can_draw
    works render hero.gltf -o plain.png --size 160x120 --frame 15
    for overlay in strain tensor curves wire vertices; do
        works render hero.gltf -o "$overlay.png" --size 160x120 --frame 15 --overlay "$overlay"
        ! cmp -s plain.png "$overlay.png" || complain "--overlay $overlay shows nothing"
    done
}

test_render_two_files_and_sheets()
{
    can_draw
    for compare in side split; do
        works render hero.gltf hero.gltf -o "$compare.png" --size 320x120 --compare $compare
        [ "$(png_size $compare.png)" = 320x120 ]
    done
    works render hero.gltf -o sheet.png --size 300x200 --sheet 3x2 --orbit 90 --elevation 30
    grep -q '6 frames' out
    [ "$(png_size sheet.png)" = 300x200 ]
}

test_render_focus()
{
    can_draw
    joint=$(python3 -c "import json; d = json.load(open('hero.gltf')); print(d['nodes'][d['skins'][0]['joints'][1]]['name'])")
    works render hero.gltf -o far.png --size 160x120
    works render hero.gltf -o near.png --size 160x120 --focus "$joint" --radius 5cm
    ! cmp -s far.png near.png
    fails 1 "no joint is named 'knee'; there are" render hero.gltf -o x.png --focus knee
    [ ! -e x.png ]
}

test_render_film()
{
    can_draw
    works render hero.gltf -o film.mp4 --size 64x48 --frames 3-8
    frames=$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width,height -of csv=p=0 film.mp4)
    [ "$frames" = 64,48,6 ]
}

test_render_layers()
{
    "$pleat" render hero.gltf -o plain.png --size 64x48 > out 2> err || skip "$(cat err)"
    works render hero.gltf -o folded.png --size 64x48 --layer folds --set folds.width=8cm
    ! cmp -s plain.png folded.png
    # One file, without and with folds, is the same picture as two files.
    works render hero.gltf -o one.png --size 64x48 --layer folds --compare side
    works render hero.gltf hero.gltf -o two.png --size 64x48 --layer folds
    cmp one.png two.png
    fails 2 "--compare needs a second file, or a --layer" render hero.gltf -o x.png --compare side
}

test_render_usage()
{
    fails 2 "Give -o" render hero.gltf
    fails 2 "ends in .png" render hero.gltf -o x.jpg
    fails 2 "--size is '12'" render hero.gltf -o x.png --size 12
    fails 2 "--size is '9000x10'" render hero.gltf -o x.png --size 9000x10
    fails 2 "even" render hero.gltf -o x.mp4 --size 63x48
    fails 2 "--sheet is '0x2'" render hero.gltf -o x.png --sheet 0x2
    fails 2 "--frame makes a picture" render hero.gltf -o x.mp4 --frame 3
    fails 2 "strain|tensor" render hero.gltf -o x.png --overlay stress
    fails 1 "there is no frame 31; the clip's frames are 0 to 30" render hero.gltf -o x.png --frame 31
    fails 1 "there is no frame 40" render hero.gltf -o x.mp4 --frames 2-40
    fails 1 "no clip is named 'Jump'" render hero.gltf -o x.png --clip Jump
    fails 1 "nowhere.glb" render hero.gltf nowhere.glb -o x.png
    [ -z "$(ls -A . | grep -E '^x\.|^\.pleat')" ]
}

# ---- Measure --------------------------------------------------------------------------------------------------------

test_measure_table_and_plots()
{
    works bake hero.gltf --layer none -o m.glb -o m.pc2 -o m.mdd --skin dqs
    works measure hero.gltf
    grep -q "^file .*hero.gltf, clip 'Bend', frames 0-30 at 30 a second: Shirt, 192 triangles" out
    works measure hero.gltf m.glb -o m.svg -o m.png
    grep -q "before *after *change" out
    grep -q "^wrote m.svg" out
    grep -q "of the triangles" out
    python3 -c "import xml.dom.minidom; xml.dom.minidom.parse('m.svg')"
    [ "$(png_size m.png)" = 1200x700 ]
    mv m.png m1.png
    works measure hero.gltf m.glb -o m.png --threads 3
    cmp m.png m1.png
    # On a finer mesh numbers of triangles and vertices would mean nothing.
    works bake hero.gltf --refine loop --level 1 --layer none --frames 0-9 -o fine.glb
    works measure hero.gltf fine.glb --frames 0-9
    grep -q "under 0.9, of the area" out
    ! grep -q -e "of the triangles" -e "crossing triangles" -e "vertices inside" out
    # What was not measured is not drawn.
    grep -q "self-intersections" m.svg
    works measure hero.gltf m.glb -o m.svg --no-crossings --no-body
    ! grep -q -e "self-intersections" -e "inside the body" m.svg
}

test_measure_json()
{
    works bake hero.gltf --layer none -o m.glb -o m.pc2 -o m.mdd --skin dqs
    works measure hero.gltf m.glb --json --line side=0.11,0,0/0.11,1,0 --line axis=#0/#107
    [ "$(json "len(d['before']['frames']), len(d['after']['frames']), d['frame_count']")" = "31 31 31" ]
    [ "$(json "[line['name'] for line in d['after']['lines']]")" = "['side', 'axis']" ]
    [ "$(json "abs(d['before']['lines'][0]['rest_lengths'][0] - 1) < 1e-6")" = True ]
    cp out whole.json
    # Any kind of file with the same motion says the same; targets are off by a tenth of a millimetre.
    for after in m.pc2 m.mdd; do
        works measure hero.gltf $after --json --line side=0.11,0,0/0.11,1,0
        [ "$(json "abs(d['after']['total']['compression_l2'] - \
            json.load(open('whole.json'))['after']['total']['compression_l2']) < 1e-3")" = True ]
    done
    # A part of the clip, baked by itself, finds its frames.
    works bake hero.gltf --layer none -o part.pc2 --frames 10-20
    works measure hero.gltf part.pc2 --json
    [ "$(json "d['first_frame'], d['frame_count'], d['after']['total']['jump'] < 1e-6")" = "10 11 True" ]
    works measure part.rest.obj --points part.pc2 --json
    [ "$(json "d['frame_count']")" = 11 ]
}

test_measure_usage()
{
    works bake hero.gltf --layer none -o m.pc2
    fails 2 "an argument is missing" measure
    fails 2 "ends in .svg or .png" measure hero.gltf -o x.jpg
    fails 2 "more --points than files" measure hero.gltf --points a.pc2 --points b.pc2
    fails 2 "exclude each other" measure hero.gltf --body Body --no-body
    fails 2 "it must be like" measure hero.gltf --line 0,0,0/1,1,1
    fails 2 "is no joint" measure hero.gltf --line a=0,0/0,1,0
    fails 2 "is no vertex" measure hero.gltf --line a=#0/#100000
    fails 1 "meet at" measure hero.gltf --line a=0,0,0/0,0,0
    fails 1 "there are 'Body', 'Shirt'" measure hero.gltf --garment Hat
    fails 1 "there are frames 0-30" measure hero.gltf --frames 5-99
    fails 1 "no clip is named 'Jump'" measure hero.gltf --clip Jump
    rm m.rest.obj
    fails 1 "the mesh of m.pc2" measure hero.gltf m.pc2
    echo '{}' > m.json
    fails 1 'a list "meshes"' measure hero.gltf m.pc2
    [ ! -e x.jpg ]
}

# ---- maps -----------------------------------------------------------------------------------------------------------

test_maps_writes_pictures_and_says_what_they_are()
{
    works maps hero.gltf -o m --layer none --refine loop --level 2 --garment Shirt --size 64 --frames 3-4 --map height --map normal \
        --map vector --mask-joints '*' --coarse --normal-bits 16 --json
    [ "$(json "d['files'], d['frames'], d['textures']")" = "11 2 1" ]
    [ "$(ls m | wc -l)" = 11 ]
    cp m/maps.json out
    [ "$(json "[f['height'] for f in d['maps'][0]['frames']]")" = "['Shirt_height_0003.png', 'Shirt_height_0004.png']" ]
    [ "$(json "d['maps'][0]['frames'][1]['height_error']['worst'] > 0")" = True ]
    [ "$(json "d['maps'][0]['height']['low'] < d['maps'][0]['height']['high']")" = True ]
    [ "$(json "d['maps'][0]['vector']['space'], d['maps'][0]['size'], d['conventions']['green']")" = "tangent 64 up (OpenGL)" ]
    [ "$(json "all(__import__('os').path.exists('m/' + v) for f in d['maps'][0]['frames'] for v in f.values() if isinstance(v, str))")" = True ]
    # PNG: 64 x 64, 16 bits, grey and colour.
    [ "$(xxd -s 16 -l 10 -p m/Shirt_height_0003.png)" = 00000040000000401000 ]
    [ "$(xxd -s 16 -l 10 -p m/Shirt_normal_0003.png)" = 00000040000000401002 ]
}

# Where nothing is asked for, the map that it names holds the surface, and vectors are there only if they are needed.
test_maps_choose_what_holds_the_surface()
{
    works maps hero.gltf -o a --layer none --refine loop --level 2 --garment Shirt --frames 3
    cp a/maps.json out
    [ "$(json "d['maps'][0]['displace_by'] in ('height', 'vector')")" = True ]
    [ "$(json "d['maps'][0]['frames'][0][d['maps'][0]['displace_by'] + '_error']['worst'] <= 0.02")" = True ]
    [ "$(json "('vector' in d['maps'][0]['frames'][0]) == (d['maps'][0]['displace_by'] == 'vector')")" = True ]
    [ "$(json "d['maps'][0]['displace_by'] == 'vector' or d['maps'][0]['frames'][0]['height_error']['worst'] <= 0.02")" = True ]
    works maps hero.gltf -o b --layer none --refine loop --level 2 --garment Shirt --frames 3 --size 64 --map height
    [ ! -e b/Shirt_vector.png ]
    works maps hero.gltf -o c --layer none --refine loop --level 2 --garment Shirt --frames 3 --size 64 --map vector
    [ ! -e c/Shirt_height.png ]
}

test_maps_are_the_same_for_any_threads()
{
    works maps hero.gltf -o one --layer none --refine loop --level 3 --garment Shirt --size 100 --frames 5 --atlas -j 1
    works maps hero.gltf -o four --layer none --refine loop --level 3 --garment Shirt --size 100 --frames 5 --atlas -j 4
    diff -r one four
    [ -e one/mesh.glb ]
}

test_maps_of_a_clip()
{
    works maps hero.gltf -o v --layer none --skin dqs --garment Shirt --map vat --json
    [ "$(json "d['frames']")" = 31 ]
    cp v/pleat-remap_info.json out
    [ "$(json "d['os-remap']['Frames'], d['pleat']['height'], list(d['animations'].values())[0]['endFrame']")" = "31 31 30" ]
    [ "$(echo v/*)" = "v/pleat-remap_info.json v/pleat.glb v/pleat_vat.png v/pleat_vnrm.png" ]
    works maps hero.gltf -o p --layer none --skin dqs --garment Shirt --map vat-packed
    cp p/pleat-remap_info.json out
    [ "$(json "d['pleat']['height'], d['pleat']['normal']")" = "62 pleat_vat.exr" ]
    [ ! -e p/pleat_vnrm.exr ]
    works maps hero.gltf -o b --layer none --skin dqs --refine loop --level 1 --garment Shirt --map vector --basis 4 --size 32
    cp b/maps.json out
    [ "$(json "len(d['maps'][0]['basis']['frames']), len(d['maps'][0]['basis']['maps']) <= 4")" = "31 True" ]
}

test_maps_of_stretch()
{
    works maps hero.gltf -o s --layer none --garment Shirt --size 64 --map stretch --frames 2-3
    cp s/maps.json out
    [ "$(json "[f['stretch'] for f in d['maps'][0]['frames']]")" = "['Shirt_stretch_0002.png', 'Shirt_stretch_0003.png']" ]
    [ "$(json "d['maps'][0]['stretch']['convention'], d['maps'][0]['stretch']['strength']")" = "tension 0.5" ]
    [ "$(ls s | wc -l)" = 4 ] # with maps.json, and mesh.glb, whose coordinates are new
    works maps hero.gltf -o most --layer none --garment Shirt --size 64 --map stretch --most --stretch-color tensor \
        --stretch-strength 0.2
    cp most/maps.json out
    [ "$(json "d['maps'][0]['stretch']['strain'], d['maps'][0]['stretch']['strain_mixed']")" = \
        "Shirt_strain.png Shirt_strain_mixed.png" ]
    fails 2 "--most goes with --map stretch" maps hero.gltf -o x --most
    fails 2 "do not go together" maps hero.gltf -o x --map stretch --basis 4
}

test_maps_usage()
{
    fails 2 "it needs a folder" maps hero.gltf
    fails 2 "it is no folder" maps hero.gltf -o hero.gltf
    fails 1 "could not be made" maps hero.gltf -o no/where
    fails 2 "--size is '8'" maps hero.gltf -o x --size 8
    fails 2 "one of height|vector|normal|stretch|vat|vat-exr|vat-packed" maps hero.gltf -o x --map depth
    fails 1 "fits no joint" maps hero.gltf -o x --layer none --garment Shirt --size 32 --mask-joints nothing
    fails 1 "--frames ends at 99" maps hero.gltf -o x --frames 99
    [ ! -e x ] # a folder that was made for nothing is gone
}

case ${3:-} in
long) run_cases long_ ;;
*) run_cases test_ "${3:-1/1}" ;;
esac
