#!/bin/bash
# install.sh CMAKE BUILD README-EXAMPLE FOLDER VERSION: installs into an empty prefix, looks at what the libraries show and need,
# and builds the README's example and examples/*.c against that prefix alone, by pkg-config and by find_package.
set -eu
cmake=$1
build=$2
readme=$3
folder=$4
version=$5
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
"$cmake" --install "$build" --prefix "$folder/first" > installed.txt
mv first prefix # nothing may know where it was installed to
libdir=$(dirname "$(find "$folder/prefix" -name libpleat.a)")
! grep -rlI "$source" prefix || { echo "these name the source folder"; exit 1; }
python3 "$here/symbols.py" prefix "$libdir"

needs()
{
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' '
}
for needed in $(needs "$libdir/libpleat-core.so"); do
    case $needed in
    libc.so.* | libm.so.* | ld-linux*) ;;
    *) echo "the core needs $needed"; exit 1 ;;
    esac
done
case $version in
0.*) soname=${version%.*} ;;
*) soname=${version%%.*} ;;
esac
for name in pleat pleat-core; do
    readelf -d "$libdir/lib$name.so" | grep -q "SONAME.*\[lib$name\.so\.$soname\]"
    [ -e "$libdir/lib$name.so.$version" ]
done

export PKG_CONFIG_PATH=$libdir/pkgconfig LD_LIBRARY_PATH=$libdir
[ "$(pkg-config --modversion pleat)" = "$version" ]
[ "$(pkg-config --modversion pleat-core)" = "$version" ]
programs=("$readme" "$source"/examples/*.c)
for program in "${programs[@]}"; do
    # shellcheck disable=SC2046 # lists of words
    cc -std=c17 "$program" -o "$(basename "$program" .c)" $(pkg-config --cflags --libs pleat) -lm
done
# shellcheck disable=SC2046
cc -std=c17 "$here/core.c" -o core $(pkg-config --cflags --libs pleat-core)
# shellcheck disable=SC2046
cc -std=c17 "$source/examples/vertex_folds.c" -o vertex_folds_static -Wl,-Bstatic -L"$libdir" $(pkg-config --cflags pleat) \
    -lpleat -Wl,-Bdynamic $(pkg-config --static --libs-only-l pleat | sed 's/-lpleat //') -lm

list=$(IFS=';'; echo "${programs[*]}")
generator=()
command -v ninja > /dev/null && generator=(-G Ninja)
"$cmake" -S "$here" -B host "${generator[@]}" -DCMAKE_PREFIX_PATH="$folder/prefix" -DPROGRAMS="$list" -DWANTED="${version%.*}" \
    > host.txt
"$cmake" --build host >> host.txt || { tail -20 host.txt; exit 1; }

./core
for program in ./vertex_folds ./vertex_folds_static host/vertex_folds host/vertex_folds-static; do
    rm -f drawn.svg
    "$program" drawn.svg > /dev/null
    [ -s drawn.svg ] || { echo "$program draws nothing"; exit 1; }
done
python3 "$here/../cli_model.py" write hero.gltf
for name in $(grep -oE '"[A-Za-z0-9_]+\.(glb|gltf)"' "$readme" | tr -d '"' | sort -u); do
    [ "$name" = hero.gltf ] || prefix/bin/pleat bake hero.gltf --layer none -o "$name" > /dev/null
done
example=$(basename "$readme" .c)
for program in "./$example" "host/$example" "host/$example-static"; do
    "$program" > "said-$(basename "$program")"
    cmp "said-$(basename "$program")" "said-$example"
done
echo "the prefix is enough"
