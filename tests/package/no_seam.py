"""No installed file holds a switch that only tests may have.

no_seam.py PREFIX TESTONLY_DIR MAIN_TESTONLY.cc

The names are those of the environment variables that the test-only main reads. Each must stand in
the test-only program, which shows that the search finds it, and in nothing that is installed.
"""

import pathlib
import re
import sys


def files_with(folder, name):
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    if not files:
        sys.exit(f"{folder} holds no file")
    return [path for path in files if name in path.read_bytes()], len(files)


def main():
    prefix, testonly = map(pathlib.Path, sys.argv[1:3])
    source = pathlib.Path(sys.argv[3]).read_text()
    names = sorted(set(re.findall(r'"(BCPKI_TEST\w+)"', source)))
    if not names:
        sys.exit(f"{sys.argv[3]} reads no BCPKI_TEST… variable: this test looks for nothing")

    for name in names:
        needle = name.encode()
        if not files_with(testonly, needle)[0]:
            sys.exit(f"{name} is in no program under {testonly}: this test would not see it")
        found, looked_at = files_with(prefix, needle)
        if found:
            sys.exit(f"{name} is in {', '.join(map(str, found))}")
        print(f"{name}: in none of {looked_at} installed files")


main()
