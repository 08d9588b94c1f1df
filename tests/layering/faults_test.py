"""Each test that tests/faults.md names is there: the file, and in it the case or function.

faults_test.py ROOT
"""

import pathlib
import re
import sys

# The rows that are due, each as often as its letter says.
DUE = (
    "A1 A3 A5 A7 A9 B1 B3 C1 C3 C5 D1 D3 D5 D7 E2 E4 E10 E12 E14 F1 F3 F5 F7 G2 G4 G6 G8 H1 H3 H5 I1 I3 I5"
    " J1 J3 J5 J7 J9 J11 K2 K4 K6 K8 K10 K12 K14 L2 L4 L6 N1 N3 N5"
).split()
ROW = re.compile(r"^\| ([A-Z]\d+) \|[^|]*\|([^|]*)\|", re.M)
FILE = re.compile(r"`([\w/]+\.\w+)`(?: \(([^)]*)\))?")
CASE = re.compile(r'"([^"]+)"|`([\w-]+)`')


def missing(tests, file, cases):
    path = tests / file
    if not path.is_file():
        yield f"there is no {file}"
        return
    text = path.read_text(encoding="utf-8")
    for title, word in CASE.findall(cases or ""):
        if title and f'TEST_CASE("{title}")' not in text:
            yield f'{file} has no case "{title}"'
        if word and word not in text:
            yield f"{file} has no {word}"


def main():
    tests = pathlib.Path(sys.argv[1]) / "tests"
    rows = ROW.findall((tests / "faults.md").read_text(encoding="utf-8"))
    found = [(row, *named) for row, cell in rows for named in FILE.findall(cell)]
    broken = [f"{row}: {what}" for row, *named in found for what in missing(tests, *named)]
    named_rows = [row for row, _ in rows]
    broken += [f"{row}: stands {named_rows.count(row)} times" for row in DUE if named_rows.count(row) != 1]
    broken += [f"{row}: no test is named" for row, cell in rows if not FILE.search(cell)]
    print(*broken, f"{len(rows)} rows, {len(found)} tests, {len(broken)} missing", sep="\n")
    return bool(broken) or not rows


sys.exit(main())
