"""The systemd units: systemd takes them, and what they run does its work in the sandbox that they describe.

Their ExecStart line runs as a process with the environment, the files, the capabilities, the system calls and
the one writable folder that it would have; systemd itself need not run. Needs root, as mounts do.
"""

import os
import re
import shlex
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

BIN = Path(os.environ["BCPKI_BIN"])
UNITS = BIN.parent / "lib/systemd/system"
SERVICES = ("bc-pki-issue-gateway.service", "bc-pki-doctor.service")
TIMERS = tuple(name.replace(".service", ".timer") for name in SERVICES)

# In tenths: 0 is the least that a unit can do, 100 the most.
MOST_EXPOSURE = 20

# The only folder that the unit may write, then everything else read-only, no network, few capabilities.
SANDBOX = """
set -eu
mount --bind "$WRITABLE" "$WRITABLE"
mount -o remount,bind,ro /
exec setpriv --no-new-privs --inh-caps=-all --bounding-set="-all,$CAPABILITIES" "$@"
"""


def run(*words, status=0, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, **more)
    assert done.returncode == status, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


class Unit:
    """A unit file: its settings in their order, those of the same name in a list."""

    def __init__(self, text):
        self.settings = {}
        for line in text.splitlines():
            if match := re.match(r"(\w+)=(.*)$", line):
                self.settings.setdefault(match[1], []).append(match[2])

    def one(self, name):
        (value,) = self.settings[name]
        return value


class Machine:
    """A folder in the place of / for the paths that a unit names, and the unit as it reads there."""

    def __init__(self, top, name):
        self.top = Path(top)
        self.credentials = self.top / "credentials"
        text = (UNITS / name).read_text(encoding="utf-8")
        for path in ("/etc/better-compute", "/var/lib/prometheus"):
            text = re.sub(rf"(?<![\w/]){path}", f"{top}{path}", text)
        self.unit = Unit(text)
        self.etc = self.top / "etc/better-compute"
        (self.etc / "tls").mkdir(parents=True)
        (self.top / "var/lib/prometheus/node-exporter").mkdir(parents=True)
        self.credentials.mkdir()

    def make_pki(self):
        run(BIN / "bc-pki", "init", "--trust-domain", "compute.example.com", "--pki", self.etc / "pki.json",
            "--generate-secret", self.etc / "secret", "--offline-root", self.top / "root.json")

    def load_credentials(self):
        name, path = self.unit.one("LoadCredential").split(":")
        (self.credentials / name).write_bytes(Path(path).read_bytes())
        (self.credentials / name).chmod(0o400)

    def environment(self):
        """What Environment= and then EnvironmentFile= say."""
        settings = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
        for line in self.unit.settings["Environment"]:
            settings |= dict(word.split("=", 1) for word in shlex.split(line.replace("%d", str(self.credentials))))
        path = self.unit.one("EnvironmentFile")
        if not path.startswith("-") or Path(path[1:]).exists():
            for line in Path(path.removeprefix("-")).read_text(encoding="utf-8").splitlines():
                settings |= dict(word.split("=", 1) for word in shlex.split(line, comments=True))
        return settings

    def command(self, environment):
        """ExecStart as systemd splits it: `${NAME}` in a word is its value, `$NAME` alone the value's words."""
        words = []
        for word in shlex.split(self.unit.one("ExecStart")):
            if match := re.fullmatch(r"\$(\w+)", word):
                words += shlex.split(environment[match[1]])
            else:
                words.append(re.sub(r"\$\{(\w+)\}", lambda match: environment[match[1]], word))
        return [str(BIN / words[0]), *words[1:]]

    def start(self, status=0, prefix=()):
        for path in self.unit.settings["AssertPathIsDirectory"]:
            assert Path(path).is_dir(), path
        self.load_credentials()
        environment = self.environment()
        sandbox = environment | {
            "WRITABLE": self.unit.one("ReadWritePaths"),
            "CAPABILITIES": ",".join(
                "+" + name.removeprefix("CAP_").lower()
                for name in self.unit.one("CapabilityBoundingSet").split()
            ),
        }
        isolated = ("unshare", "--mount", "--net", "--propagation", "private", "sh", "-c", SANDBOX, "sh")
        umask = int(self.unit.one("UMask"), 8)
        return run(*isolated, *prefix, *self.command(environment), status=status, env=sandbox, cwd="/",
                   umask=umask)


def allowed_calls(group):
    """The system calls of a set of systemd's, with those of the sets in it."""
    calls = set()
    for line in run("systemd-analyze", "syscall-filter", group).splitlines()[1:]:
        name = line.strip()
        if name.startswith("@"):
            calls |= allowed_calls(name)
        elif name and not name.startswith("#"):
            calls.add(name)
    return calls


class UnitsTest(unittest.TestCase):
    def machine(self, name):
        folder = tempfile.TemporaryDirectory(prefix="bcpki-units-")
        self.addCleanup(folder.cleanup)
        return Machine(folder.name, name)

    def gateway(self):
        machine = self.machine("bc-pki-issue-gateway.service")
        machine.make_pki()
        (machine.etc / "issue-gateway.env").write_text("BC_PKI_GATEWAY_NAMES=gw.example.com,gw2.example.com\n")
        return machine

    def doctor(self):
        machine = self.machine("bc-pki-doctor.service")
        machine.make_pki()
        return machine

    def metrics(self, machine):
        path = machine.top / "var/lib/prometheus/node-exporter/bc-pki.prom"
        self.assertEqual(path.stat().st_mode & 0o777, 0o644)
        return path.read_text(encoding="utf-8")

    def test_systemd_takes_every_unit_without_a_word(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in UNITS.iterdir():
                text = path.read_text(encoding="utf-8")
                text = text.replace("ExecStart=bc-pki ", f"ExecStart={BIN}/bc-pki ")
                (Path(folder) / path.name).write_text(text, encoding="utf-8")
            for name in (*SERVICES, *TIMERS):
                done = subprocess.run(("systemd-analyze", "verify", "--man=no", Path(folder) / name),
                                      capture_output=True, text=True)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""), name)
        self.assertEqual({path.name for path in UNITS.iterdir()}, {*SERVICES, *TIMERS})

    def test_systemd_calls_them_little_exposed(self):
        for name in SERVICES:
            run("systemd-analyze", "security", "--offline=yes", f"--threshold={MOST_EXPOSURE}", UNITS / name)

    def test_timers_catch_up_and_do_not_all_come_at_once(self):
        for name, calendar in zip(TIMERS, ("weekly", "daily"), strict=True):
            timer = Unit((UNITS / name).read_text(encoding="utf-8"))
            self.assertEqual(timer.one("OnCalendar"), calendar)
            self.assertEqual(timer.one("Persistent"), "yes")
            self.assertIn("RandomizedDelaySec", timer.settings)

    def test_the_gateway_gets_a_certificate_once(self):
        machine = self.gateway()
        self.assertRegex(machine.start(), r"(?m)^changed +yes$")
        certificate, key = machine.etc / "tls/gateway.crt", machine.etc / "tls/gateway.key"
        self.assertEqual(key.stat().st_mode & 0o777, 0o600)
        shown = run("openssl", "x509", "-in", certificate, "-noout", "-ext", "subjectAltName")
        self.assertIn("DNS:gw.example.com, DNS:gw2.example.com", shown)
        before = certificate.read_bytes(), key.read_bytes()
        self.assertRegex(machine.start(), r"(?m)^changed +no$")
        self.assertEqual((certificate.read_bytes(), key.read_bytes()), before)

    def test_settings_win_over_the_defaults(self):
        machine = self.gateway()
        with (machine.etc / "issue-gateway.env").open("a") as file:
            file.write("# a comment\nBC_PKI_GATEWAY_DAYS=11\nBC_PKI_GATEWAY_STEM=edge\n")
        machine.start()
        seconds = 11 * 24 * 3600
        run("openssl", "x509", "-in", machine.etc / "tls/edge.crt", "-noout", "-checkend", str(seconds - 600))
        run("openssl", "x509", "-in", machine.etc / "tls/edge.crt", "-noout", "-checkend", str(seconds), status=1)

    def test_a_file_of_the_gateway_s_user_stays_that_user_s(self):
        machine = self.gateway()
        machine.start()
        for path in (machine.etc / "tls").iterdir():
            os.chown(path, 65534, 65534)
        (machine.etc / "issue-gateway.env").write_text("BC_PKI_GATEWAY_NAMES=other.example.com\n")
        self.assertRegex(machine.start(), r"(?m)^changed +yes$")
        owners = {path.name: path.stat().st_uid for path in (machine.etc / "tls").iterdir()}
        self.assertEqual(owners, {"gateway.crt": 65534, "gateway.key": 65534})

    def test_without_names_or_a_secret_nothing_is_issued(self):
        machine = self.gateway()
        (machine.etc / "issue-gateway.env").write_text("BC_PKI_GATEWAY_NAMES=\n")
        machine.start(status=2)
        (machine.etc / "issue-gateway.env").write_text("BC_PKI_GATEWAY_NAMES=gw.example.com\n")
        (machine.etc / "secret").write_text("another-horse-battery-staple-9876543210\n")
        machine.start(status=4)
        self.assertEqual(list((machine.etc / "tls").iterdir()), [])

    def test_the_doctor_writes_metrics_and_looks_at_the_gateway_s_files(self):
        machine = self.doctor()
        run(BIN / "bc-pki", "issue-gateway", "--san", "gw.example.com", "--out", machine.etc / "tls",
            "--pki", machine.etc / "pki.json", env={"BETTER_COMPUTE_SECRET_FILE": str(machine.etc / "secret")})
        start = int(time.time())
        machine.start()
        metrics = self.metrics(machine)
        ran = int(re.search(r"^bc_pki_doctor_last_run_seconds (\d+)$", metrics, re.M)[1])
        self.assertTrue(start <= ran <= time.time())
        self.assertIn("\nbc_pki_bundle_authenticated 1\n", metrics)
        self.assertRegex(metrics, r'file_certificate_not_after_seconds\{path="/.*/tls/gateway.crt",position="1"\} ')
        self.assertNotRegex(metrics, "(?m)^bc_pki_findings")

    def test_what_the_doctor_finds_is_no_failure_of_the_unit(self):
        machine = self.doctor()
        machine.start()
        (machine.etc / "pki.json").write_text("{}")
        machine.start(status=5)
        self.assertEqual(machine.unit.one("SuccessExitStatus"), "5")
        self.assertIn('\nbc_pki_findings{severity="error",id="pki.unreadable"} 1\n', self.metrics(machine))

    def test_the_doctor_s_flags_are_words(self):
        machine = self.doctor()
        (machine.etc / "doctor.env").write_text(
            f"BC_PKI_DOCTOR_FLAGS=\"--warn-days 3650 --files '{machine.etc}/a b/*'\"\n")
        machine.start()
        metrics = self.metrics(machine)
        self.assertIn('\nbc_pki_findings{severity="warning",id="file.no-match"} 1\n', metrics)
        self.assertIn('\nbc_pki_findings{severity="warning",id="pki.ca-expiring"} 7\n', metrics)

    def test_they_call_nothing_that_the_filter_forbids(self):
        for machine in (self.gateway(), self.doctor()):
            allowed = allowed_calls(machine.unit.one("SystemCallFilter"))
            self.assertGreater(len(allowed), 100)
            trace = Path(machine.unit.one("ReadWritePaths")) / "trace"
            machine.start(prefix=("strace", "-f", "-o", str(trace)))
            called = set(re.findall(r"^\d+ +(\w+)\(", trace.read_text(encoding="utf-8"), re.M))
            self.assertGreater(len(called), 10)
            self.assertEqual(called - allowed, set())


if __name__ == "__main__":
    unittest.main()
