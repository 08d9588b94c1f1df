"""The Prometheus rules: promtool takes them, each alert fires when it should and not before, and they speak of
metrics that the doctor writes."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

BIN = Path(os.environ["BCPKI_BIN"])
RULES = BIN.parent / "share/bcpki/prometheus/bc-pki.rules.yml"
TESTS = Path(__file__).parent / "bc-pki.rules.test.yml"


def run(*words, **more):
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, **more)
    assert done.returncode == 0, f"{words}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def names(text):
    return set(re.findall(r"\bbc_pki_\w+", text))


class AlertsTest(unittest.TestCase):
    def metrics(self, folder):
        """What the doctor writes of a bundle that has a finding, and of a file."""
        pki = Path(folder) / "pki.json"
        init = ("init", "--trust-domain", "compute.example.com", "--pki", pki, "--generate-secret", f"{folder}/secret")
        run(BIN / "bc-pki", *init, env={})
        secret = {"BETTER_COMPUTE_SECRET_FILE": f"{folder}/secret"}
        run(BIN / "bc-pki", "issue-gateway", "--san", "gw", "--pki", pki, "--out", folder, env=secret)
        return run(BIN / "bc-pki", "doctor", "--pki", pki, "--files", f"{folder}/*", "--format", "prometheus", env=secret)

    def test_promtool_takes_the_rules(self):
        self.assertIn("SUCCESS", run("promtool", "check", "rules", RULES))

    def test_each_alert_fires_in_its_time(self):
        with tempfile.TemporaryDirectory() as folder:
            for path in (RULES, TESTS):
                shutil.copy(path, folder)
            self.assertIn("SUCCESS", run("promtool", "test", "rules", TESTS.name, cwd=folder))

    def test_each_alert_is_seen_to_fire_and_not_to_fire(self):
        alerts = re.findall(r"- alert: (\w+)$", RULES.read_text(encoding="utf-8"), re.M)
        asked = re.findall(
            r"alertname: (\w+)\n +eval_time: \w+\n +exp_alerts:( \[\])?", TESTS.read_text(encoding="utf-8"))
        self.assertGreater(len(alerts), 10)
        self.assertEqual({name for name, silent in asked if silent}, set(alerts))
        self.assertEqual({name for name, silent in asked if not silent}, set(alerts))

    def test_every_metric_is_known(self):
        with tempfile.TemporaryDirectory() as folder:
            written = self.metrics(folder)
        run("promtool", "check", "metrics", input=written)
        self.assertEqual(names(RULES.read_text(encoding="utf-8")), names(written))
        self.assertLessEqual(names(TESTS.read_text(encoding="utf-8")), names(written))


if __name__ == "__main__":
    unittest.main()
