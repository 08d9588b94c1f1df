"""What the interop tests share: running the installed tools and the peer programs, and counting.

BCPKI_BIN names the folder of the installed `bc-pki`, BCPKI_TESTONLY_BIN that of the tool with a clock
of the test's. Every command runs in a clean environment. A program that is missing makes a test fail;
none is ever skipped.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import traceback
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKER = HERE.parent / "checker" / "bcpki_checker.py"
sys.path.append(str(CHECKER.parent))  # its modules can be imported behind this one
SECRET = "a secret of the interop tests, 0123456789 and long enough"
OTHER_SECRET = "another secret of the interop tests, 0123456789"

SECONDS_PER_COMMAND = 120

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----\n.*?-----END CERTIFICATE-----\n", re.S)


@dataclass(frozen=True)
class Result:
    command: tuple
    status: int
    stdout: str
    stderr: str

    def must(self):
        """Itself, where the command succeeded."""
        if self.status:
            raise AssertionError(f"{self.describe()}")
        return self

    def describe(self):
        return f"{' '.join(self.command)}: exit {self.status}\n{self.stdout}{self.stderr}".rstrip()


def run(*command, stdin="", **environment):
    """Runs a command with `environment` above the clean one."""
    command = tuple(map(str, command))
    done = subprocess.run(
        command,
        input=stdin,
        env=clean_environment() | environment,
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS_PER_COMMAND,
        check=False,
    )
    return Result(command, done.returncode, done.stdout, done.stderr)


def clean_environment():
    return {
        "PATH": os.environ["PATH"],
        "HOME": tempfile.gettempdir(),
        "TZ": "UTC",
        "LC_ALL": "C.UTF-8",
        "OPENSSL_CONF": os.devnull,
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def bc_pki(*arguments, **environment):
    return run(Path(os.environ["BCPKI_BIN"]) / "bc-pki", *arguments, **environment)


def checker(*arguments):
    return run("/usr/bin/python3", CHECKER, *arguments)


def refused_by(result):
    """The check of a clean `INVALID_CONFIG` of a command with --json, None where it succeeded; anything
    else is told in words."""
    if result.status == 0:
        return None
    try:
        error = json.loads(result.stderr)["error"]
        clean = (result.status, result.stdout, error["code"]) == (4, "", "INVALID_CONFIG")
        return error["details"]["check"] if clean else result.describe()
    except (ValueError, KeyError):
        return result.describe()


def certificates_in(text):
    """The PEM blocks of a text, each with its line break."""
    return _CERTIFICATE.findall(text)


class Deployment:
    """One PKI that `bc-pki init` made in `folder`."""

    def __init__(self, folder, *flags, trust_domain="compute.example.com", secret=SECRET):
        self.folder = Path(folder)
        self.folder.mkdir()
        self.path = self.folder / "pki.json"
        self.trust_domain = trust_domain
        self.environment = {"BETTER_COMPUTE_SECRET": secret} if secret else {}
        self.secret_file = None
        if secret:
            self.secret_file = self.folder / "secret"
            self.secret_file.write_text(secret, encoding="utf-8")
        self.made = self.pki("init", "--trust-domain", trust_domain, *flags, "--json").must()

    def pki(self, command, *arguments):
        return bc_pki(command, "--pki", self.path, *arguments, **self.environment)

    def export(self, what, *flags):
        return certificates_in(self.pki("export", what, *flags).must().stdout)

    def document(self):
        return json.loads(self.path.read_text(encoding="utf-8"))

    def pins(self):
        return json.loads(self.pki("show", "--json").must().stdout)

    def checker_arguments(self):
        secret = ("--secret-file", self.secret_file) if self.secret_file else ()
        return ("pins", self.path, *secret)


class Tally:
    """Counts what was checked and says what went wrong."""

    def __init__(self):
        self.passed = self.failed = 0

    def check(self, label, condition, why=""):
        if condition:
            self.passed += 1
        else:
            self.failed += 1
            print(f"FAILED {label}: {why}", file=sys.stderr)

    def equal(self, label, found, expected):
        self.check(label, found == expected, f"found {found!r}, expected {expected!r}")


def main(*tests):
    """Runs each test with a tally and a fresh folder, prints the counts and exits."""
    tally = Tally()
    for test in tests:
        with tempfile.TemporaryDirectory(prefix="bcpki-interop-") as folder:
            try:
                test(tally, Path(folder))
            except Exception:  # a test that breaks off must not hide the others
                tally.check(test.__name__, False, traceback.format_exc())
    print(f"{tally.passed} passed, {tally.failed} failed")
    sys.exit(1 if tally.failed or not tally.passed else 0)
