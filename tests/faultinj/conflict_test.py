#!/usr/bin/python3
"""Whatever happens to a bundle while it is written back, what somebody else did to it stays.

conflict_test.py

The installed tool is halted behind each of its calls that reads, writes or names a file. Meanwhile
the bundle is changed, replaced, removed, or something else takes its place, by somebody who keeps to
no lock. Afterwards theirs is there, or a bundle that was made from theirs, and nothing is left behind.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from halt import Halted
from traced import (
    Broken,
    bc_pki,
    environment,
    find_tool,
    index_of,
    make_fixtures,
    must,
    read_trace,
    run,
    traced,
)

WORKERS = 2
LEAST = 200
NOBODY = 65534

HALTS = ("flock", "openat", "read", "write", "fsync", "close", "renameat2")
WORDS = ("bc-pki", "rotate", "--key", "exec-ticket", "--stage", "add", "--pki", "d/pki.json")

# What it says to a change that it sees before it has read the bundle, while, and after.
NOT_FOUND, INVALID_INPUT, INVALID_CONFIG = 7, 6, 4
INVALID_STATE, CONFLICT = 5, 9


def write_over(bundle, theirs):
    bundle.write_bytes(theirs.read_bytes())


def replace(bundle, theirs):
    os.replace(theirs, bundle)


def remove(bundle, _):
    bundle.unlink()


def own_link(bundle, theirs):
    bundle.unlink()
    bundle.symlink_to(theirs)


def foreign_link(bundle, theirs):
    own_link(bundle, theirs)
    os.chown(bundle, NOBODY, NOBODY, follow_symlinks=False)


def folder(bundle, _):
    bundle.unlink()
    bundle.mkdir()


def fifo(bundle, _):
    bundle.unlink()
    os.mkfifo(bundle)


CHANGES = (write_over, replace, remove, own_link, foreign_link, folder, fifo)


def look(bundle):
    """What is there, so that it can be compared."""
    if not os.path.lexists(bundle):
        return None
    kind = os.lstat(bundle).st_mode
    return kind, os.path.realpath(bundle), bundle.read_bytes() if bundle.is_file() else None


def descends(bundle, top, generation):
    done = run(("bc-pki", "show", "--json", "--pki", bundle), top)
    shown = json.loads(done.stdout) if done.returncode == 0 else {}
    return shown.get("authenticated") and shown["generation"] == generation + 1


class Places:
    """A folder for each run, with a bundle in `d` and theirs beside it."""

    def __init__(self, fixtures):
        self.fixtures = fixtures
        self.generation = json.loads((fixtures / "added.json").read_bytes())["generation"]

    def lay_out(self, top):
        (top / "d").mkdir(parents=True)
        shutil.copy(self.fixtures / "pki.json", top / "d/pki.json")
        shutil.copy(self.fixtures / "added.json", top / "theirs.json")

    def calls(self, top):
        self.lay_out(top)
        done = run(("strace", "-qq", "-s0", "-o", "trace", "-e", traced(*HALTS), *WORDS), top)
        must(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
        calls = read_trace(top)
        inside = os.fsencode(top / "d")
        first = index_of(calls, 0, "touch of the folder", lambda call: inside in call.arguments)
        read = index_of(calls, first, "read", lambda call: call.name == "close")
        return [(call, index > read) for index, call in enumerate(calls) if index >= first]

    def check(self, top, call, has_read, change):
        self.lay_out(top)
        bundle, theirs = top / "d/pki.json", top / "theirs.json"
        options = {"cwd": top, "env": environment(), "stdin": subprocess.DEVNULL}
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with Halted(call.name, call.number, WORDS, **options) as halted:
            change(bundle, theirs)
            expected = look(bundle)
        done = halted.end()
        strays = [path for path in (top / "d").iterdir() if path.name != "pki.json"]
        must(not strays, f"left behind: {strays}")
        must(done.returncode != 0 or done.stdout, "exit 0, and it said nothing")
        if look(bundle) == expected:
            refusals = (CONFLICT, INVALID_STATE)
            early = () if has_read else (NOT_FOUND, INVALID_INPUT, INVALID_CONFIG)
            must(done.returncode in (0, *refusals, *early), f"exit {done.returncode}: {done.stderr}")
            return
        must(done.returncode == 0 and not has_read, f"theirs is gone: exit {done.returncode}: {done.stderr}")
        must(descends(bundle, top, self.generation), "what was written was not made from theirs")


def try_change(places, top, case):
    (call, has_read), change = case
    try:
        places.check(top, call, has_read, change)
    except (Broken, OSError, ValueError, RuntimeError, subprocess.SubprocessError) as error:
        return f"{change.__name__} behind {call.name} {call.number}: {error}"
    finally:
        shutil.rmtree(top, ignore_errors=True)
    return None


def main():
    find_tool()
    with tempfile.TemporaryDirectory(prefix="bcpki-conflicts-") as top, ThreadPoolExecutor(WORKERS) as pool:
        fixtures = Path(top) / "fixtures"
        fixtures.mkdir()
        make_fixtures(fixtures)
        places = Places(fixtures)
        halts = places.calls(Path(top) / "learnt")
        cases = [(halt, change) for halt in halts for change in CHANGES]
        tops = (Path(top) / str(index) for index in range(len(cases)))
        wrong = [why for why in pool.map(lambda pair: try_change(places, *pair), zip(tops, cases)) if why]
    if len(cases) < LEAST:
        wrong.append(f"{len(cases)} changes, and {LEAST} are recorded")
    print(*wrong, sep="\n")
    print(f"{len(cases) - len(wrong)} passed, {len(wrong)} failed")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
