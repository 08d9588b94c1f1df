"""Each test that tests/faults.md names is there: the file, and in it the case or function.

faults_test.py ROOT
"""

import pathlib
import re
import sys

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
    broken += [f"{row}: no test is named" for row, cell in rows if not FILE.search(cell)]
    print(*broken, f"{len(rows)} rows, {len(found)} tests, {len(broken)} missing", sep="\n")
    return bool(broken) or not rows


sys.exit(main())
