#!/usr/bin/python3
"""Runs one script of the tools' behaviour. README.md beside this file says what a script may hold."""

import json
import os
import re
import shlex
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

SECONDS_PER_PROGRAM = 120
NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups")
SECTION = re.compile(r"^-- (\S+) --\n", re.M)
VARIABLE = re.compile(r"\$(?:\{([A-Z_][A-Z0-9_]*)\}|([A-Z_][A-Z0-9_]*))")


class Failed(Exception):
    """What a line of a script found to be otherwise than it says."""


def must(condition, why):
    if not condition:
        raise Failed(why)


BUILTINS = {}


def builtin(least, most=None):
    """Registers a method as the command of its name, with the number of words that it takes.

    A method that returns a bool says whether something holds, and `!` turns it round; one that
    returns None does something.
    """

    def register(method):
        name = method.__name__.removeprefix("do_").replace("_", "-")
        BUILTINS[name] = (method, least, most or least)
        return method

    return register


class Script:
    """One run: a fresh folder, an environment, and what the last program printed."""

    def __init__(self, top):
        self.work, home = top / "work", top / "home"
        for folder in (top, self.work, home):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o755)
        tools = [os.environ[name] for name in ("BCPKI_BIN", "BCPKI_TESTONLY_BIN") if name in os.environ]
        self.environment = {name: value for name, value in os.environ.items() if name.startswith("BCPKI_")}
        self.environment |= {
            "PATH": ":".join([*tools, os.environ["PATH"]]),
            "HOME": str(home),
            "WORK": str(self.work),
            "TZ": "UTC",
            "LC_ALL": "C.UTF-8",
        }
        self.printed = {"stdout": "", "stderr": ""}
        self.stdin = None
        self.mounts = []

    def run(self, text):
        """Runs every line and returns how many there were; raises Failed with the line's number."""
        script, *sections = SECTION.split(text)
        for name, content in zip(sections[::2], sections[1::2], strict=True):
            path = self.path(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
        count = 0
        for number, line in enumerate(script.splitlines(), 1):
            if line.strip() and not line.lstrip().startswith("#"):
                self.run_line(number, line)
                count += 1
        must(count, "a script without a command")
        return count

    def run_line(self, number, line):
        try:
            self.run_words([self.expand(word) for word in shlex.split(line)])
        except (Failed, OSError, ValueError, subprocess.SubprocessError) as error:
            printed = "".join(f"--- {name}\n{text}" for name, text in self.printed.items() if text)
            raise Failed(f"line {number}: {line.strip()}\n{error}\n{printed}") from error

    def expand(self, word):
        def value(match):
            name = match[1] or match[2]
            must(name in self.environment, f"${name} is not set")
            return self.environment[name]

        return VARIABLE.sub(value, word)

    def run_words(self, words):
        negated, status, prefix = False, None, ()
        while words and words[0] in ("!", "exit", "as-user"):
            match words.pop(0):
                case "!":
                    negated = True
                case "exit":
                    status = int(words.pop(0))
                case "as-user":
                    prefix = AS_NOBODY
        must(words, "no command")
        if words[0] not in BUILTINS or status is not None or prefix:
            words = words[1:] if words[0] == "exec" else words
            self.run_program([*prefix, *words], negated, status)
            return
        method, least, most = BUILTINS[words[0]]
        must(least <= len(words) - 1 <= most, "another number of words")
        holds = method(self, *words[1:])
        must(holds is not None or not negated, "`!` means nothing before this command")
        must(holds is not negated, "it holds" if negated else "it does not hold")

    def run_program(self, words, negated, status):
        stdin, self.stdin = self.stdin, None
        done = subprocess.run(
            words,
            cwd=self.work,
            env=self.environment,
            input=stdin or b"",
            capture_output=True,
            timeout=SECONDS_PER_PROGRAM,
            check=False,
        )
        for name, octets in (("stdout", done.stdout), ("stderr", done.stderr)):
            self.printed[name] = octets.decode("utf-8", "backslashreplace")
        if status is not None:
            must(done.returncode == status, f"exit {done.returncode}, expected {status}")
        else:
            must((done.returncode != 0) == negated, f"exit {done.returncode}")

    def path(self, name):
        return self.work / name

    def content(self, name):
        """What the last program printed, where `name` says so, or a file's bytes."""
        return self.printed[name].encode() if name in self.printed else self.path(name).read_bytes()

    def close(self):
        for folder in reversed(self.mounts):
            subprocess.run(("umount", folder), check=True)

    # --- about what the last program printed ---

    @builtin(1)
    def do_stdout(self, pattern):
        return re.search(pattern, self.printed["stdout"], re.M) is not None

    @builtin(1)
    def do_stderr(self, pattern):
        return re.search(pattern, self.printed["stderr"], re.M) is not None

    @builtin(0)
    def do_stdout_empty(self):
        return not self.printed["stdout"]

    @builtin(0)
    def do_stderr_empty(self):
        return not self.printed["stderr"]

    @builtin(1)
    def do_no_secret(self, name):
        secret = self.environment.get(name, "").strip()
        must(secret, f"${name} is not set")
        return not any(secret in text for text in self.printed.values())

    @builtin(2, 3)
    def do_json(self, source, path, expected=None):
        value = json.loads(self.content(source))
        for step in path.split("."):
            try:
                value = value[int(step)] if isinstance(value, list) else value[step]
            except (KeyError, IndexError):
                return False
        if expected is None:
            return True
        return value == expected if isinstance(value, str) else value == json.loads(expected)

    # --- about files ---

    @builtin(2)
    def do_cmp(self, one, other):
        return self.content(one) == self.content(other)

    @builtin(1, 20)
    def do_exists(self, *names):
        there = [os.path.lexists(self.path(name)) for name in names]
        must(len(set(there)) == 1, "some are there and some are not")
        return there[0]

    @builtin(2)
    def do_mode(self, mode, name):
        return stat.S_IMODE(self.path(name).stat().st_mode) == int(mode, 8)

    @builtin(2)
    def do_count_files(self, folder, number):
        return len(list(self.path(folder).iterdir())) == int(number)

    # --- making files ---

    @builtin(2)
    def do_cp(self, source, target):
        self.path(target).write_bytes(self.content(source))

    @builtin(1)
    def do_mkdir(self, name):
        self.path(name).mkdir(parents=True)

    @builtin(2)
    def do_symlink(self, target, link):
        self.path(link).symlink_to(target)

    @builtin(2)
    def do_hardlink(self, target, link):
        self.path(link).hardlink_to(self.path(target))

    @builtin(1)
    def do_fifo(self, name):
        os.mkfifo(self.path(name))

    @builtin(2)
    def do_chmod(self, mode, name):
        self.path(name).chmod(int(mode, 8))

    @builtin(1)
    def do_chown_user(self, name):
        os.chown(self.path(name), NOBODY, NOBODY)

    @builtin(2)
    def do_write_size(self, name, size):
        self.path(name).write_bytes(bytes(int(size)))

    @builtin(2)
    def do_tmpfs(self, size, name):
        self.mount(name, "-t", "tmpfs", "-o", f"size={size},mode=0755", "tmpfs")

    @builtin(1)
    def do_ro(self, name):
        self.mount(name, "--bind", self.path(name))
        subprocess.run(("mount", "-o", "remount,bind,ro", self.path(name)), check=True)

    def mount(self, name, *how):
        self.path(name).mkdir(parents=True, exist_ok=True)
        subprocess.run(("mount", *how, self.path(name)), check=True)
        self.mounts.append(self.path(name))

    # --- what the next programs get ---

    @builtin(1)
    def do_stdin(self, name):
        self.stdin = self.content(name)

    @builtin(1)
    def do_env(self, setting):
        name, is_set, value = setting.partition("=")
        must(is_set, "NAME=VALUE is missing")
        self.environment[name] = value

    @builtin(1)
    def do_unset(self, name):
        self.environment.pop(name, None)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: run.py SCRIPT")
    os.umask(0o022)
    path = Path(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="bcpki-script-") as top:
        script = Script(Path(top))
        try:
            count = script.run(path.read_text(encoding="utf-8"))
        except Failed as failure:
            sys.exit(f"{path.name}: {failure}")
        finally:
            script.close()
    print(f"{path.name}: {count} lines hold")


if __name__ == "__main__":
    main()
