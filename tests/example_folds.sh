#!/bin/bash
# The embedding example on characters of its users: example_folds.sh EXAMPLE PLEAT SOURCE FOLDER.
set -eu
example=$(realpath "$1")
pleat=$(realpath "$2")
source=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$4"
mkdir -p "$4"
cd "$4"
[ "$(wc -l < "$source")" -le 40 ] || { echo "the example has more than 40 lines"; exit 1; }
python3 "$here/cli_model.py" write hero.gltf
"$pleat" bake hero.gltf --layer none --refine loop --level 1 --skin dqs --error 0m --encode plain -o fine.glb > /dev/null
for character in "hero.gltf Shirt" "fine.glb Shirt"; do
    "$example" $character > out || { echo "$character: it fails"; exit 1; }
    # At rest nothing rises, later something does, and every equation is solved.
    awk -v character="$character" '
        { for (i = 1; i < NF; ++i) { value[$i] = $(i + 1) }
          if (NR == 1 && value["raised"] != 0) { print character ": folds at rest"; bad = 1 }
          most = value["raised"] > most ? value["raised"] : most
          worst = value["residual"] > worst ? value["residual"] : worst }
        END { print character ": " NR " frames, up to " most " raised, residual " worst
              exit bad || NR != 9 || most == 0 || worst > 1e-6 }' out
done
for wrong in "" "absent.glb Shirt" "hero.gltf nobody"; do
    if "$example" $wrong > out 2> err; then
        echo "'$wrong' works"
        exit 1
    fi
    [ -s err ] || { echo "'$wrong': no message"; exit 1; }
done
