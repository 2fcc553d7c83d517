#!/bin/bash
# Runs the example of the README: readme.sh PLEAT EXAMPLE SOURCE FOLDER. Files that it names are made for it.
set -eu
pleat=$(realpath "$1")
example=$(realpath "$2")
source=$(realpath "$3")
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$4"
mkdir -p "$4"
cd "$4"
python3 "$here/cli_model.py" write hero.gltf
for name in $(grep -oE '"[A-Za-z0-9_]+\.(glb|gltf)"' "$source" | tr -d '"' | sort -u); do
    [ "$name" = hero.gltf ] || "$pleat" bake hero.gltf --layer none -o "$name" > /dev/null
done
"$example" > out
[ -s out ] || { echo "the example prints nothing"; exit 1; }
cat out
# Every file that the example wrote is the one that the program writes.
"$pleat" bake hero.glb -o program.glb > /dev/null
cmp out.glb program.glb
[ "$("$pleat" info program.glb --json | grep -c '"morph_targets": [1-9]')" -gt 0 ] || { echo "no folds in it"; exit 1; }
