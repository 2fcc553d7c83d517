#!/bin/bash
# What the program does to files that are not its outputs: nothing. cli_files.sh PLEAT FOLDER
source "$(dirname "$0")/harness.sh"

# The character with its data in a file of its own: shared.gltf and shared.bin.
write_external()
{
    python3 - << 'END'
import base64, json
document = json.load(open("hero.gltf"))
uri = document["buffers"][0]["uri"]
open("shared.bin", "wb").write(base64.b64decode(uri.split(",")[1]))
document["buffers"][0]["uri"] = "shared.bin"
json.dump(document, open("shared.gltf", "w"))
END
}

# All files but what the cases themselves write, with their sums.
sums()
{
    find . -type f ! -name out ! -name err ! -name sums -exec sha1sum {} + | sort > "$1"
}

# The command fails with this text and changes, adds and removes no file.
keeps() # status, text, arguments...
{
    sums sums
    fails "$@"
    sums out
    cmp sums out || complain "files have changed"
}

test_files_external_buffer_is_no_output()
{
    write_external
    mkdir -p there
    cp shared.gltf there/in.gltf
    cp shared.bin there/shared.bin
    # The output's own data would be shared.bin.
    keeps 1 "would replace its own input" bake there/in.gltf --layer none -o there/shared.gltf
    keeps 1 "would replace its own input" bake there/in.gltf --layer none -o there/../there/shared.gltf
    ln -f there/shared.bin there/hard.bin
    keeps 1 "would replace its own input" bake there/in.gltf --layer none -o there/hard.gltf
}

test_files_side_files_are_no_outputs()
{
    local wrinkles=(--layer wrinkles --set wrinkles.radius=10cm -g Shirt --frames 0-1)
    works bake hero.gltf "${wrinkles[@]}" --wrinkles-out curves.wrinkles -o walk.pc2
    keeps 1 "would replace its own input" bake hero.gltf "${wrinkles[@]}" --wrinkles-out ./hero.gltf -o other.pc2
    keeps 2 "which is the same file" bake hero.gltf "${wrinkles[@]}" --wrinkles-out other.json -o other.pc2
    keeps 2 "which is the same file" bake hero.gltf "${wrinkles[@]}" --wrinkles-out ./other.pc2 -o other.pc2
    cp walk.rest.obj body.obj
    keeps 1 "body.obj" bake hero.gltf "${wrinkles[@]}" --body body.obj --wrinkles-out body.obj -o other.pc2
    keeps 2 "would replace its own input" bake hero.gltf "${wrinkles[@]}" --body walk.rest.obj -o walk.pc2
    cp walk.pc2 points.mdd
    keeps 1 "walk.pc2" bake walk.rest.obj --points walk.pc2 --layer wrinkles --wrinkles-out walk.pc2 -o x.pc2
}

test_files_maps_do_not_replace_what_they_are_made_of()
{
    mkdir -p maps
    works bake hero.gltf --layer none -o maps/mesh.glb
    keeps 1 "would replace its own input" maps maps/mesh.glb -o maps --atlas --size 32 -g Shirt --layer none
}

test_files_plot_is_no_input()
{
    cp hero.gltf plot.svg
    keeps 1 "" measure plot.svg -o plot.svg
    write_external
    cp shared.gltf plain.gltf
    mv shared.bin data.svg
    sed -i 's/shared.bin/data.svg/' plain.gltf
    keeps 1 "would replace its own input" measure plain.gltf -o data.svg
}

test_files_resume_goes_through_no_link()
{
    echo precious > precious
    ln -sf precious linked.pc2.resume
    keeps 1 "is a link" bake hero.gltf --layer none --resume -o linked.pc2
    rm linked.pc2.resume
    ln -f precious linked.pc2.resume
    keeps 1 "is a link" bake hero.gltf --layer none --resume -o linked.pc2
    rm linked.pc2.resume
    works bake hero.gltf --layer none --resume -o linked.pc2
}

test_files_outside_the_folder_are_asked_for()
{
    write_external
    mkdir -p inner
    for uri in ../shared.bin %2e%2e%2fshared.bin; do
        sed "s|shared.bin|$uri|" shared.gltf > inner/out.gltf
        fails 1 "it leads out of the file's folder" info inner/out.gltf
        works info inner/out.gltf --allow-outside
    done
    ln -sf ../shared.bin inner/shared.bin
    cp shared.gltf inner/out.gltf
    fails 1 "it leads out of the file's folder" bake inner/out.gltf --layer none -o inner/copy.glb
    works bake inner/out.gltf --layer none -o inner/copy.glb --allow-outside
}

# A number that no process has.
dead_process()
{
    local id=4194000
    while kill -0 $id 2> err; do
        id=$((id - 1))
    done
    echo $id
}

test_files_of_killed_runs_are_removed()
{
    mkdir -p left
    touch left/.pleat-$(dead_process)-0.tmp left/.pleat-$$-0.tmp left/.pleat-notes.tmp
    works bake hero.gltf --layer none -o left/a.pc2
    [ "$(ls -A left | grep -c tmp)" = 2 ] || complain "left: $(ls -A left)"
    [ -e left/.pleat-$$-0.tmp ] # its process is there
}

run_cases test_
