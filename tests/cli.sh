#!/bin/bash
# The program as its users run it: cli.sh PLEAT FOLDER. Each function named test_... is a case; one fails with the first
# command of it that does.
set -u
pleat=$(realpath "$1")
folder=$2
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder" || exit 1
python3 "$here/cli_model.py" write hero.gltf || exit 1

# Runs the program: status in $status, its streams in the files out and err.
run()
{
    status=0
    "$pleat" "$@" > out 2> err || status=$?
}

# The program ends with a status, and says a text in one line on stderr.
fails() # status, text, arguments...
{
    local expected=$1 text=$2
    shift 2
    run "$@"
    [ "$status" = "$expected" ] || complain "exit $status, not $expected: pleat $*"
    [ "$(wc -l < err)" = 1 ] || complain "not one line of error: pleat $*"
    grep -qF -- "$text" err || complain "it does not say '$text': pleat $*"
    [ ! -s out ] || complain "a failure printed a result: pleat $*"
}

works()
{
    run "$@"
    [ "$status" = 0 ] || complain "exit $status: pleat $*"
}

complain()
{
    echo "$1" >&2
    sed 's/^/  stderr: /' err >&2
    return 1
}

# A value of the JSON in out.
json() # python expression of d
{
    python3 -c "import json; d = json.load(open('out')); print($1)"
}

# ---- Help -----------------------------------------------------------------------------------------------------------

test_help_overview()
{
    run
    [ "$status" = 2 ]
    grep -q 'usage: pleat COMMAND' err
    works --help
    grep -q 'usage: pleat COMMAND' out
    works help
    works --version
    grep -qE '^pleat [0-9]+\.[0-9]+\.[0-9]+$' out
}

test_help_pages_fit_a_screen_and_have_examples()
{
    works help
    local commands
    commands=$(sed -n 's/^  \([a-z]*\) .*/\1/p' out)
    [ "$(echo "$commands" | wc -w)" -ge 2 ]
    for command in $commands; do
        works "$command" --help
        [ "$(wc -l < out)" -le 50 ] || complain "$command --help has $(wc -l < out) lines"
        [ "$(wc -L < out)" -le 100 ] || complain "$command --help has $(wc -L < out) columns"
        grep -q "^  pleat $command" out || grep -q "pleat help --completion" out || complain "$command has no example"
        cp out page
        works help "$command"
        cmp -s out page || complain "pleat help $command is another page"
    done
}

test_help_man_page_renders()
{
    works help --man
    mv out pleat.1
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
    fails 2 "'pleat help' lists them" frobnicate
    fails 2 "did you mean --threads" info hero.gltf --thread 2
    fails 2 "'pleat info --help' lists them" info hero.gltf --zzzzzz
    fails 2 "there is no option -x" info -x hero.gltf
    fails 2 "--threads needs a value after it: a whole number from 1 to 256" info hero.gltf --threads
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

# ---- The runner -----------------------------------------------------------------------------------------------------

failed=0
for name in $(declare -F | sed -n 's/^declare -f \(test_.*\)/\1/p'); do
    output=$(set -e; "$name" 2>&1) # not inside of the if: there, set -e would mean nothing
    if [ $? = 0 ]; then
        echo "[       OK ] $name"
    else
        echo "$output"
        echo "[  FAILED  ] $name"
        failed=1
    fi
done
exit $failed
