#!/usr/bin/python3
"""Whatever fails while a bundle is written back, and whenever the tool is killed, one whole file is there.

write_back_test.py [COMMAND...]

The installed tool runs each command once to show which calls it makes to the kernel from the first
one on that touches the target's folder. Then each of these calls fails, in every way that is listed
for it, and the tool is killed as it enters each. What is at the target afterwards is the old file or
the new one, the exit status says which, and nothing else is left, or is gone with the next write-back.
"""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from traced import (
    NEW_SECRET,
    SECRET,
    Broken,
    bc_pki,
    find_tool,
    index_of,
    make_fixtures,
    must,
    read_trace,
    run,
    traced,
)

WORKERS = 2

# What each call fails with; EINTR, a missing lock and a file system without modes are no failure.
ERRORS = {
    "open": ("EACCES", "EMFILE"),
    "openat": ("EACCES", "EMFILE"),
    "read": ("EIO", "EINTR"),
    "write": ("ENOSPC", "EIO", "EINTR"),
    "pwrite64": ("ENOSPC",),
    "close": ("EIO",),
    "stat": ("EIO",),
    "lstat": ("EIO",),
    "fstat": ("EIO",),
    "newfstatat": ("EIO",),
    "statx": ("EIO",),
    "readlink": ("EIO",),
    "readlinkat": ("EIO",),
    "getdents64": ("EIO",),
    "flock": ("ENOLCK", "EIO"),
    "fsync": ("EIO", "ENOSPC"),
    "fdatasync": ("EIO", "ENOSPC"),
    "ftruncate": ("EIO",),
    "fchmod": ("EIO", "EPERM"),
    "fchmodat": ("EIO", "EPERM"),
    "chmod": ("EIO", "EPERM"),
    "fchown": ("EPERM", "EIO"),
    "mkdir": ("ENOSPC", "EACCES"),
    "mkdirat": ("ENOSPC", "EACCES"),
    "rmdir": ("EIO",),
    "rename": ("EBUSY", "EIO"),
    "renameat": ("EBUSY", "EIO"),
    "renameat2": ("EBUSY", "EIO", "EACCES", "EINVAL"),
    "link": ("EIO",),
    "linkat": ("EIO", "EEXIST"),
    "unlink": ("EIO", "EROFS"),
    "unlinkat": ("EIO", "EROFS"),
}
TRACED = traced(*ERRORS, "exit_group")

# What a failure must be called; any other is an IO_ERROR.
STATUSES = {"EBUSY": 5, "EEXIST": 5}
IO_ERROR = 18

# How an error says that the new file is there all the same.
DONE_ALL_THE_SAME = re.compile(rb"the command itself was carried out|holds the new content")

REMOVALS = ("unlink", "unlinkat", "rmdir")
RENAMES = ("rename", "renameat", "renameat2", "link", "linkat")


@dataclass(frozen=True)
class Command:
    """A write-back: `files` are there before it, by the names that make_fixtures gave them."""

    name: str
    files: dict
    words: tuple
    least: int  # so many faults are injected at least
    target: str = "d/pki.json"
    kind: str = "bundle"
    secret: str = SECRET
    new_secret: str = SECRET
    always: tuple = ()  # injected into every run
    in_clear: bool = False  # what was read holds keys in clear


IN_PLACE = {"d/pki.json": "pki.json"}
OUT = ("--out", "new/deep/pki.json")
OLD_FILE_SYSTEM = ("renameat2:error=EINVAL",)

COMMANDS = (
    Command("renew-ca --ca all", IN_PLACE, ("renew-ca", "--ca", "all"), 140),
    Command(
        "renew-ca --root-key",
        {"d/pki.json": "offline.json", "root.json": "root.json"},
        ("renew-ca", "--ca", "node", "--root-key", "root.json"),
        140,
    ),
    Command(
        "renew-ca --certificate",
        {"d/pki.json": "offline.json", "node.pem": "renewed.pem"},
        ("renew-ca", "--certificate", "node.pem"),
        140,
    ),
    Command("reseal", IN_PLACE, ("reseal",), 140),
    Command(
        "reseal --new-secret-file",
        IN_PLACE | {"new.secret": "new.secret"},
        ("reseal", "--new-secret-file", "new.secret"),
        140,
        new_secret=NEW_SECRET,
    ),
    Command(
        "reseal --accept-unauthenticated",
        {"d/pki.json": "plain.json"},
        ("reseal", "--accept-unauthenticated"),
        145,
        in_clear=True,
    ),
    Command(
        "reseal --root-key",
        {"d/root.json": "root.json"},
        ("reseal", "--root-key", "d/root.json"),
        145,
        target="d/root.json",
        kind="root key",
    ),
    Command("rotate --stage add", IN_PLACE, ("rotate", "--key", "command-root", "--stage", "add"), 140),
    Command(
        "rotate --stage switch",
        {"d/pki.json": "added.json"},
        ("rotate", "--key", "command-root", "--stage", "switch", "--force"),
        140,
    ),
    Command(
        "rotate --stage drop",
        {"d/pki.json": "switched.json"},
        ("rotate", "--key", "command-root", "--stage", "drop", "--force"),
        140,
    ),
    Command("add-sandbox-ca", {"d/pki.json": "no-sandbox.json"}, ("add-sandbox-ca",), 140),
    Command(
        "reseal through a link",
        {"link/pki.json": Path("../d/pki.json")} | IN_PLACE,
        ("reseal", "--pki", "link/pki.json"),
        145,
    ),
    Command("reseal on an old file system", IN_PLACE, ("reseal",), 115, always=OLD_FILE_SYSTEM),
    Command("reseal --out", IN_PLACE, ("reseal", *OUT), 85, target=OUT[1]),
    Command(
        "rotate --out on an old file system",
        IN_PLACE,
        ("rotate", "--key", "node-ca", "--stage", "add", *OUT),
        85,
        target=OUT[1],
        always=OLD_FILE_SYSTEM,
    ),
    Command(
        "sign-ca --out",
        {"root.json": "root.json", "node.pem": "node.pem"},
        ("sign-ca", "--root-key", "root.json", "--ca-cert", "node.pem", "--out", "d/new.pem"),
        65,
        target="d/new.pem",
        kind="certificate",
    ),
)


def lay_out(command, fixtures, folder):
    for name, source in command.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(source, Path):
            path.symlink_to(source)
        else:
            shutil.copy(fixtures / source, path)
    (folder / "d").mkdir(exist_ok=True)


def start(command, folder, *faults):
    pki = () if "--pki" in command.words or command.kind != "bundle" else ("--pki", "d/pki.json")
    injected = [f"--inject={fault}" for fault in (*command.always, *faults)]
    strace = ("strace", "-qq", "-s0", "-o", "trace", "-e", TRACED, *injected)
    return run((*strace, "bc-pki", *command.words, *pki), folder, command.secret)


def touching(command, calls, folder):
    """The calls from the first one on that names the target's folder."""
    top = os.fsencode(folder / Path(command.target).parts[0])
    return calls[index_of(calls, 0, "touch of the folder", lambda call: top in call.arguments) :]


def check_order(calls):
    """What is written is synced before it gets its name, and the name before the end."""
    made = index_of(calls, 0, "new file", lambda call: b"O_EXCL" in call.arguments)
    must(b"0600" in calls[made].arguments, "a temporary file is open to others")
    on_file = calls[made].result + b","
    written = index_of(
        calls, made, "write", lambda call: call.name == "write" and call.arguments.startswith(on_file)
    )
    synced = index_of(
        calls, written, "sync of the file", lambda call: (call.name, call.arguments + b",") == ("fsync", on_file)
    )
    named = index_of(calls, synced, "rename", lambda call: call.name in RENAMES and call.result == b"0")
    index_of(calls, named, "sync of the folder", lambda call: call.name == "fsync")


@dataclass
class Judge:
    """What a run may leave in its folder."""

    command: Command
    fixtures: Path
    generation: int = 0
    renamed_at: int = 0
    calls: list = field(default_factory=list)

    def former(self):
        source = self.command.files.get(self.command.target)
        return (self.fixtures / source).read_bytes() if source else None

    def state(self, folder):
        """`old` or `new`; nothing between."""
        target = folder / self.command.target
        if not os.path.lexists(target):
            must(self.former() is None, "the file is gone")
            return "old"
        if target.read_bytes() == self.former():
            return "old"
        self.check_new(folder)
        return "new"

    def check_new(self, folder):
        target, secret = self.command.target, self.command.new_secret
        if self.command.kind == "certificate":
            done = run(("openssl", "x509", "-noout", "-in", target), folder)
            must(done.returncode == 0, f"no certificate: {done.stderr}")
        elif self.command.kind == "root key":
            words = ("sign-ca", "--root-key", target, "--ca-cert", self.fixtures / "node.pem", "--out", "x.pem")
            bc_pki(*words, folder=folder, secret=secret)
        else:
            shown = json.loads(bc_pki("show", "--json", "--pki", target, folder=folder, secret=secret))
            must(shown["authenticated"], "it is not authenticated")
            must(shown["generation"] == self.generation + 1, f"generation {shown['generation']}")
        if self.command.kind != "certificate":
            must(stat.S_IMODE((folder / target).stat().st_mode) == 0o600, "another mode")

    def strays(self, folder):
        """What neither was there before nor is the target; folders of the target's own count where they are empty."""
        expected = {folder / name for name in (*self.command.files, self.command.target, "trace", "x.pem")}
        return [path for path in folder.rglob("*") if path not in expected and self.is_stray(path)]

    def is_stray(self, path):
        return not path.is_dir() or (path.name != "d" and not any(path.iterdir()))

    def check_inputs(self, folder):
        for name, source in self.command.files.items():
            if name != self.command.target and not isinstance(source, Path):
                must((folder / name).read_bytes() == (self.fixtures / source).read_bytes(), f"{name} was changed")

    def check_failed(self, done, folder, call, error):
        state = self.state(folder)
        self.check_inputs(folder)
        must(b"(INJECTED)" in (folder / "trace").read_bytes(), "no fault was injected")
        for path in self.strays(folder):
            must(call.name in REMOVALS, f"{path.name} is left behind")
            must(path.name.encode() in done.stderr, f"{path.name} is left behind and not named")
        if done.returncode == 0:
            must(state == "new", "exit 0, and the file is the old one")
            must(not done.stderr.count(b"bc-pki: IO_ERROR"), "exit 0, and an error")
            return
        must(done.returncode == STATUSES.get(error, IO_ERROR), f"exit {done.returncode}: {done.stderr}")
        must(re.search(rb"^bc-pki: [A-Z_]+: [^\n]+\n\Z", done.stderr, re.M), f"it said {done.stderr}")
        if state == "new":
            must(DONE_ALL_THE_SAME.search(done.stderr), f"the new file is there, and it said {done.stderr}")

    def check_killed(self, done, folder):
        must(done.returncode == -9, f"it was not killed: exit {done.returncode}")
        state = self.state(folder)
        self.check_inputs(folder)
        strays = [path for path in self.strays(folder) if not path.is_dir()]
        must(len(strays) <= 1, f"left behind: {strays}")
        if strays:
            self.check_temporary(strays[0])
            self.check_next(folder, state)

    def check_temporary(self, path):
        start_of_name = f".{Path(self.command.target).name}.bcpki-"
        must(path.name.startswith(start_of_name), f"left behind: {path.name}")
        must(path.stat().st_mode & 0o077 == 0 or self.command.kind == "certificate", "it is open to others")
        content = path.read_bytes()
        if not self.command.in_clear or content != self.former():
            must(b"PRIVATE KEY" not in content and b"privateKeys" not in content, "keys in clear are left behind")

    def check_next(self, folder, state):
        """The same command again does what it would have done, and the next write-back tidies up."""
        command = self.command
        if command.kind == "certificate":
            return
        if state == "old" and self.former() is None:
            must(start(command, folder).returncode == 0, "it does not go through again")
            state = "new"
        secret = command.new_secret if state == "new" else command.secret
        what = "--root-key" if command.kind == "root key" else "--pki"
        words = ("reseal", what, command.target, "--accept-unauthenticated")
        bc_pki(*words, folder=folder, secret=secret)
        must(not self.strays(folder), f"still left behind: {self.strays(folder)}")

    def check_stuck(self, done, folder):
        """Where the former file cannot come back, it is kept, and the error names it."""
        must(self.state(folder) == "new", "it came back all the same")
        must(done.returncode == IO_ERROR, f"exit {done.returncode}: {done.stderr}")
        must(DONE_ALL_THE_SAME.search(done.stderr), f"the new file is there, and it said {done.stderr}")
        strays = self.strays(folder)
        must([path.read_bytes() for path in strays] == [self.former()], "the former file is lost")
        must(strays[0].name.encode() in done.stderr, "the former file is not named")
        self.check_next(folder, "new")


def faults_of(judge):
    """Each fault: what it is called, what strace is told, and the judgement on what comes of it."""
    injected = {fault.split(":")[0] for fault in judge.command.always}
    renames = [index for index, call in enumerate(judge.calls) if call.name == "renameat2"]
    for index, call in enumerate(judge.calls):
        if call.name in injected:
            continue
        for error in ERRORS.get(call.name, ()):
            yield (
                f"{call.name} {call.number} fails with {error}",
                (f"{call.name}:error={error}:when={call.number}",),
                lambda done, folder, call=call, error=error: judge.check_failed(done, folder, call, error),
            )
        yield (
            f"killed at {call.name} {call.number}",
            (f"{call.name}:signal=SIGKILL:when={call.number}",),
            judge.check_killed,
        )
        if judge.former() and len(renames) == 1 and index > renames[0] and call.name in ("fsync", "read", "openat"):
            back = judge.calls[renames[0]].number + 1
            yield (
                f"{call.name} {call.number} fails, and so does the way back",
                (f"{call.name}:error=EIO:when={call.number}", f"renameat2:error=EIO:when={back}"),
                judge.check_stuck,
            )


def learn(command, fixtures, folder):
    folder.mkdir()
    lay_out(command, fixtures, folder)
    judge = Judge(command, fixtures)
    if command.kind == "bundle":
        judge.generation = json.loads((fixtures / command.files["d/pki.json"]).read_bytes())["generation"]
    done = start(command, folder)
    must(done.returncode == 0, f"exit {done.returncode}: {done.stderr}")
    must(judge.state(folder) == "new", "nothing was changed")
    must(not judge.strays(folder), f"left behind: {judge.strays(folder)}")
    judge.calls = touching(command, read_trace(folder), folder)
    check_order(judge.calls)
    return judge


def try_fault(judge, folder, fault):
    """What is wrong with the outcome, or nothing."""
    title, injected, check = fault
    folder.mkdir()
    try:
        lay_out(judge.command, judge.fixtures, folder)
        check(start(judge.command, folder, *injected), folder)
    except (Broken, OSError, ValueError, subprocess.SubprocessError) as error:
        return f"{judge.command.name}: {title}: {error}"
    finally:
        shutil.rmtree(folder)
    return None


def try_command(command, fixtures, top, pool):
    try:
        judge = learn(command, fixtures, top / "learnt")
    except Broken as broken:
        return 0, [f"{command.name}: {broken}"]
    finally:
        shutil.rmtree(top / "learnt")
    faults = list(faults_of(judge))
    folders = (top / str(index) for index in range(len(faults)))
    wrong = [why for why in pool.map(lambda pair: try_fault(judge, *pair), zip(folders, faults)) if why]
    if len(faults) < command.least:
        wrong.append(f"{command.name}: {len(faults)} faults, and {command.least} are recorded")
    print(f"{command.name}: {len(faults)} faults, {len(wrong)} of them wrong", flush=True)
    return len(faults), wrong


def main():
    find_tool()
    chosen = [command for command in COMMANDS if command.name in (sys.argv[1:] or [command.name])]
    count, wrong = 0, []
    with tempfile.TemporaryDirectory(prefix="bcpki-faults-") as top, ThreadPoolExecutor(WORKERS) as pool:
        fixtures = Path(top) / "fixtures"
        fixtures.mkdir()
        make_fixtures(fixtures)
        for command in chosen:
            injected, broken = try_command(command, fixtures, Path(top), pool)
            count += injected
            wrong += broken
    print(*wrong, sep="\n")
    print(f"{count - len(wrong)} passed, {len(wrong)} failed")
    return bool(wrong) or not count


if __name__ == "__main__":
    sys.exit(main())
