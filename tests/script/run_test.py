#!/usr/bin/python3
"""The script runner does what README.md says: good scripts pass, and each false line is caught."""

import contextlib
import os
import sys
import tempfile
from pathlib import Path

import run

FILES = """
-- a.txt --
one
two
-- folder/b.json --
{"text": "x", "number": 1, "yes": true, "list": [{"inner": "y"}], "none": null}
-- fail.sh --
echo out; echo err >&2; exit 4
"""

GOOD = {
    "programs": "true\n! false\nexit 4 sh fail.sh\nexec cp a.txt c.txt\nexists c.txt",
    "comments": "# nothing\n\n  # nothing\ntrue",
    "output": "exit 4 sh fail.sh\nstdout ^out$\nstderr err\n! stdout err\n! stderr ^out\nstdout '^o u?t|out'",
    "later lines": "cat a.txt\nstdout ^two$\nstderr-empty\n! stdout-empty",
    "empty output": "true\nstdout-empty\nstderr-empty",
    "quotes": "printf '%s|' 'a b' \"c d\" e\\ f\nstdout '^a b\\|c d\\|e f\\|$'",
    "variables": "env X=a\\ b\nprintf '%s|' $X ${X}c '$X'\nstdout '^a b\\|a bc\\|a b\\|$'",
    "unset": "env X=1\nprintenv X\nunset X\n! printenv X",
    "work": "pwd\nstdout ^$WORK$\nsh -c 'test -d \"$HOME\" && test -z \"`ls -A $HOME`\"'",
    "clean environment": "printenv\nstdout ^TZ=UTC$\nstdout ^LC_ALL=C.UTF-8$\n! stdout STRAY",
    "tools first": "tool\nstdout ^here$\ntestonly\nstdout ^there$",
    "no secret": "env S=hidden\necho shown\nno-secret S",
    "json": "json folder/b.json text x\njson folder/b.json number 1\njson folder/b.json yes true\n"
    "json folder/b.json list.0.inner y\n! json folder/b.json text z\n! json folder/b.json absent\n"
    "json folder/b.json none null\ncat folder/b.json\njson stdout list.0.inner",
    "cmp": "cp a.txt c.txt\ncmp a.txt c.txt\ncat a.txt\ncmp stdout a.txt\n! cmp a.txt fail.sh",
    "exists": "exists a.txt folder\n! exists x y\nsymlink nowhere link\nexists link",
    "modes": "chmod 0640 a.txt\nmode 0640 a.txt\n! mode 0600 a.txt\nsh -c 'umask'\nstdout ^0022$",
    "links": "hardlink a.txt c.txt\nchmod 0600 c.txt\nmode 0600 a.txt\nsymlink a.txt d.txt\ncmp a.txt d.txt",
    "fifo": "fifo f\ntest -p f",
    "folders": "mkdir d/e\ncount-files d 1\ncount-files d/e 0\ncount-files . 4",
    "stdin": "stdin a.txt\ncat\nstdout two\ncat\nstdout-empty",
    "stdin from output": "echo x\nstdin stdout\ncat\nstdout ^x$",
    "sizes": "write-size big 5000\nstat -c %s big\nstdout ^5000$",
    "another user": "as-user id -u\nstdout ^65534$\nexit 3 as-user sh -c 'exit 3'\n! as-user touch mine\n"
    "mkdir theirs\nchown-user theirs\nas-user touch theirs/mine\nchmod 0600 a.txt\n! as-user cat a.txt",
    "small file system": "tmpfs 64k small\n! dd if=/dev/zero of=small/x bs=1k count=100\nstderr 'No space'",
    "read-only": "mkdir fixed\nwrite-size fixed/x 1\nro fixed\n! touch fixed/y\nstderr 'Read-only'\n"
    "exists fixed/x",
}  # fmt: skip

BAD = {
    "nothing": "",
    "only comments": "# nothing",
    "a program fails": "false",
    "a program does not fail": "! true",
    "another status": "exit 3 sh fail.sh",
    "no such program": "no-such-program",
    "a failure that is no program": "! no-such-program",
    "a pattern that is not there": "echo a\nstdout b",
    "a pattern that is there": "echo a\n! stdout a",
    "output": "echo a\nstdout-empty",
    "a shown secret": "env S=hidden\necho hidden\nno-secret S",
    "a secret that is not set": "true\nno-secret S",
    "a variable that is not set": "echo $NOT_SET",
    "another value": "json folder/b.json number 2",
    "a number as text": "json folder/b.json text 1",
    "a member that is not there": "json folder/b.json absent x",
    "no JSON": "json a.txt x y",
    "other bytes": "cmp a.txt fail.sh",
    "a missing file": "exists a.txt x",
    "one file that is there": "! exists a.txt x",
    "a mode": "mode 0600 a.txt",
    "a count": "count-files . 17",
    "a negated action": "! mkdir d",
    "too few words": "cmp a.txt",
    "too many words": "stdout-empty x",
    "an open quote": "echo 'a",
    "no command behind a prefix": "exit 3",
    "a folder that is there": "mkdir folder",
}


def outcome(text):
    """None, or how the script failed."""
    with tempfile.TemporaryDirectory(prefix="bcpki-run-test-") as top:
        script = run.Script(Path(top))
        with contextlib.closing(script):
            try:
                script.run(text + FILES)
            except run.Failed as failure:
                return str(failure)
    return None


def make_tool(folder, name, answer):
    folder.mkdir()
    tool = folder / name
    tool.write_text(f"#!/bin/sh\necho {answer}\n")
    tool.chmod(0o755)
    return str(folder)


def main():
    os.umask(0o022)
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["BCPKI_BIN"] = make_tool(Path(folder) / "bin", "tool", "here")
        os.environ["BCPKI_TESTONLY_BIN"] = make_tool(Path(folder) / "testonly", "testonly", "there")
        os.environ["STRAY"] = "1"
        failures += [f"{name}: {why}" for name, text in GOOD.items() if (why := outcome(text))]
        failures += [f"{name}: not caught" for name, text in BAD.items() if not outcome(text)]
    why = outcome("true\n\nexit 4 sh fail.sh\nstdout absent")
    if not all(part in why for part in ("line 4: stdout absent", "--- stdout\nout\n", "--- stderr\nerr\n")):
        failures.append(f"what a failure says: {why}")
    print("\n".join(failures), file=sys.stderr)
    count = len(GOOD) + len(BAD) + 1
    print(f"{count - len(failures)} passed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
