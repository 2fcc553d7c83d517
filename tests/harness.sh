# What the tests of the program as its users run it share: source it with $1 the program and $2 a folder to work in. It
# makes the folder anew, enters it and puts a small character there, hero.gltf. A case is a function named test_...; it
# fails with the first command of it that does. run_cases PREFIX runs those whose names begin with it; run_cases PREFIX I/N
# every N-th of them, beginning with the I-th, so that parts run side by side; run_cases PREFIX WORD those with a word.
set -u
pleat=$(realpath "$1")
folder=$2
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
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

skip() # reason
{
    echo "skipped: $1"
    exit 77
}

# A value of the JSON in out.
json() # python expression of d
{
    python3 -c "import json; d = json.load(open('out')); print($1)"
}

choose_cases() # prefix, part
{
    local part=${2:-1/1}
    declare -F | sed -n "s/^declare -f \($1.*\)/\1/p" |
        case $part in
        */*) awk -v first="${part%/*}" -v parts="${part#*/}" '(NR - first) % parts == 0' ;;
        *) grep -- "$part" ;;
        esac
}

run_cases() # prefix, part
{
    local failed=0 name output
    for name in $(choose_cases "$@"); do
        output=$(set -e; "$name" 2>&1) # not inside of an if: there, set -e would mean nothing
        case $? in
        0) echo "[       OK ] $name" ;;
        77)
            echo "$output"
            echo "[  SKIPPED ] $name"
            ;;
        *)
            echo "$output"
            echo "[  FAILED  ] $name"
            failed=1
            ;;
        esac
    done
    return $failed
}
