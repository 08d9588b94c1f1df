#!/usr/bin/python3
"""Halts a program at one of its calls to the kernel, does something meanwhile, and lets it go on.

halt.py CALL NUMBER COMMAND [--inject=FAULT...] PROGRAM ARGS...

COMMAND is a shell's. It runs when the program has made its NUMBERth CALL and has not gone on yet; the
exit status is the program's. A FAULT is one of strace's, for as long as the program runs. Whoever needs
more than one halted program uses `Halted`.
"""

import os
import signal
import subprocess
import sys

from traced import traced


class Halted:
    """A program that stands still behind its `number`th `call`, from the beginning of a `with` block to its end."""

    def __init__(self, call, number, words, *faults, **options):
        reader, self.writer = os.pipe()
        self.trace = os.fdopen(reader, "rb")
        names = sorted({call, *(fault.split(":")[0] for fault in faults)})
        injected = [f"--inject={fault}" for fault in (f"{call}:signal=SIGSTOP:when={number}", *faults)]
        strace = ("strace", "-f", "-q", "-s0", "-o", f"/dev/fd/{self.writer}", "-e", traced(*names), *injected)
        self.program = subprocess.Popen((*strace, *words), pass_fds=(self.writer,), **options)
        os.close(self.writer)

    def __enter__(self):
        for line in self.trace:
            if b"--- stopped by SIGSTOP ---" in line:
                self.pid = int(line.split()[0])
                return self
        raise RuntimeError(f"it ended without that call: exit {self.program.wait()}")

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGCONT)

    def end(self):
        """Its exit status, stdout and stderr, once the block has ended."""
        self.trace.read()
        self.trace.close()
        out, err = self.program.communicate()
        return subprocess.CompletedProcess(self.program.args, self.program.returncode, out, err)


def main():
    call, number, command, *words = sys.argv[1:]
    faults = []
    while words[0].startswith("--inject="):
        faults.append(words.pop(0).removeprefix("--inject="))
    with Halted(call, int(number), words, *faults) as halted:
        subprocess.run(("sh", "-c", command), check=True, stdout=subprocess.DEVNULL)
    return halted.end().returncode


if __name__ == "__main__":
    sys.exit(main())
