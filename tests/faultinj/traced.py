"""What tests of faults share: files to start from, the installed tool, and what strace saw of it."""

import json
import os
import re
import subprocess
from dataclasses import dataclass

SECONDS_PER_PROGRAM = 60

SECRET = "correct-horse-battery-staple-0123456789"
NEW_SECRET = "another-horse-battery-staple-9876543210"

CALL = re.compile(rb"^(\w+)\((.*)\) += (-?\d+|\?)", re.M)


class Broken(Exception):
    """What a run left behind or said, where it is otherwise than it must be."""


def must(condition, why):
    if not condition:
        raise Broken(why)


@dataclass(frozen=True)
class Call:
    name: str
    number: int  # which one of that name, from 1
    arguments: bytes
    result: bytes


def environment(secret=SECRET):
    clean = {name: os.environ[name] for name in ("PATH", "LC_ALL", "TZ") if name in os.environ}
    return clean | ({"BETTER_COMPUTE_SECRET": secret} if secret else {})


def run(words, folder, secret=SECRET):
    return subprocess.run(
        words,
        cwd=folder,
        env=environment(secret),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=SECONDS_PER_PROGRAM,
        check=False,
    )


def bc_pki(*words, folder, secret=SECRET):
    done = run(("bc-pki", *words), folder, secret)
    must(done.returncode == 0, f"{words}: exit {done.returncode}: {done.stderr}")
    return done.stdout


def make_fixtures(folder):
    """The files that commands start from, all of them made by the tool."""

    def make(*words, secret=SECRET):
        return bc_pki(*words, folder=folder, secret=secret)

    domain = ("--trust-domain", "compute.example.com")
    rotation = ("rotate", "--key", "command-root", "--stage")
    make("init", *domain, "--pki", "pki.json")
    make("init", *domain, "--pki", "offline.json", "--offline-root", "root.json")
    (folder / "node.pem").write_bytes(make("export", "node-ca", "--pki", "offline.json"))
    make("sign-ca", "--root-key", "root.json", "--ca-cert", "node.pem", "--out", "renewed.pem")
    make(*rotation, "add", "--pki", "pki.json", "--out", "added.json")
    make(*rotation, "switch", "--force", "--pki", "added.json", "--out", "switched.json")
    make("init", *domain, "--pki", "plain.json", "--plaintext", secret=None)
    bundle = json.loads((folder / "plain.json").read_bytes())
    del bundle["sandboxSshCa"], bundle["privateKeys"]["sandboxSshCa"]
    (folder / "no-sandbox.json").write_text(json.dumps(bundle))
    (folder / "no-sandbox.json").chmod(0o600)
    make("reseal", "--accept-unauthenticated", "--pki", "no-sandbox.json")
    (folder / "new.secret").write_text(NEW_SECRET)
    (folder / "new.secret").chmod(0o600)


def read_trace(folder):
    """The calls in their order."""
    text = (folder / "trace").read_bytes()
    counts, calls = {}, []
    for match in CALL.finditer(text):
        name = match[1].decode()
        counts[name] = counts.get(name, 0) + 1
        calls.append(Call(name, counts[name], match[2], match[3]))
    return calls


def traced(*names):
    """The calls of these names that the machine has at all, as strace is told."""
    return "trace=" + ",".join(f"?{name}" for name in names)


def index_of(calls, start_at, what, condition):
    for index in range(start_at, len(calls)):
        if condition(calls[index]):
            return index
    raise Broken(f"no {what} behind call {start_at}")


def find_tool():
    os.umask(0o022)
    os.environ["PATH"] = os.environ["BCPKI_BIN"] + ":" + os.environ["PATH"]
