#!/bin/bash
# compare.sh NATIVE PROGRAM.wasm FOLDER: both print the same.
set -eu
"$1" > "$3/native.txt"
node --no-warnings "$(dirname "$0")/run.mjs" "$2" > "$3/wasm.txt"
cat "$3/wasm.txt"
diff "$3/native.txt" "$3/wasm.txt"
echo "the same on this machine and in WebAssembly"
