"""What a shared library shows is what its public headers declare: symbols.py PREFIX LIBDIR"""
import glob
import os
import re
import subprocess
import sys


def declared(path):
    """Functions and data that a header declares outside of any braces but PLEAT_BEGIN's."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"\\\n", " ", text)
    text = re.sub(r"^\s*#[^\n]*", "", text, flags=re.M)
    flat = text
    while True:  # bodies of structs, enums, inline functions
        flat, count = re.subn(r"\{[^{}]*\}", "<>", flat)
        if not count:
            break
    names = set()
    for statement in flat.split(";"):
        if "typedef" in statement or "static" in statement:
            continue
        found = re.search(r"\b(pleat_\w+)\s*\(", statement)
        if found:
            names.add(found.group(1))
        elif "extern" in statement:
            names.add(re.findall(r"\bpleat_\w+", statement.split("[")[0])[-1])
    return names


def shown(path):
    out = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in out.splitlines()}


def main():
    prefix, libdir = sys.argv[1:]
    headers = glob.glob(os.path.join(prefix, "include/pleat/**/*.h"), recursive=True)
    public = set().union(*(declared(path) for path in headers))
    whole = shown(os.path.join(libdir, "libpleat.so"))
    core = shown(os.path.join(libdir, "libpleat-core.so"))
    faults = [f"{name} is shown, and no header declares it" for name in sorted((whole | core) - public)]
    faults += [f"{name} is declared, and no library has it" for name in sorted(public - whole)]
    faults += [f"{name} is in the core, and not in the whole" for name in sorted(core - whole)]
    print(f"{len(public)} declared in {len(headers)} headers, {len(whole)} shown, {len(core)} of them by the core")
    print("\n".join(faults))
    sys.exit(1 if faults or len(core) < 100 else 0)


if __name__ == "__main__":
    main()
