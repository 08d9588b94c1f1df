"""OpenSSL, GnuTLS and Go's crypto/x509, asked the same questions about certificates."""

import functools
import hashlib
import json
import os
import re
import subprocess
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import peers

NAMES = ("openssl", "gnutls", "go")

# How each judge names what a certificate is wanted for; GnuTLS takes no purpose for "any".
PURPOSES = {
    "server": ("sslserver", "1.3.6.1.5.5.7.3.1", "serverAuth"),
    "client": ("sslclient", "1.3.6.1.5.5.7.3.2", "clientAuth"),
    "any": ("any", None, "any"),
}

# How each program ends when it judged: the exit status and what it then prints. Whatever ends in another
# way, such as a crash or a file that cannot be read, gave no verdict.
VERDICTS = {
    "openssl": {
        True: (0, re.compile(r"^\S+: OK$", re.M)),
        False: (2, re.compile(r"^error \d+ at \d+ depth lookup: .*\nerror \S+: verification failed$", re.M)),
    },
    "gnutls": {
        True: (0, re.compile(r"^Chain verification output: Verified\. The certificate is trusted", re.M)),
        False: (1, re.compile(r"^Chain verification output: Not verified\. The certificate is NOT", re.M)),
    },
}
FAKETIME_LIBRARY = str(next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1")))


@dataclass(frozen=True)
class Question:
    """May `leaf` be used for `purpose` at the Unix time `at`, by who trusts `anchors` alone?

    `expected` holds what each judge must say; one that it does not name is not asked.
    """

    label: str
    leaf: str
    anchors: tuple
    purpose: str
    at: int
    expected: dict
    intermediates: tuple = ()
    dns_name: str = ""


def all_say(answer):
    return dict.fromkeys(NAMES, answer)


@functools.cache
def judges():
    """The judges; Go's is built the first time."""
    return Judges()


class Judges:
    def __init__(self):
        self._scratch = tempfile.TemporaryDirectory(prefix="bcpki-judges-")
        self.folder = Path(self._scratch.name)
        self.go_judge = self.folder / "gojudge"
        environment = peers.clean_environment() | {
            "GOCACHE": os.environ.get("GOCACHE", str(self.folder / "go-cache")),
            "GOPATH": str(self.folder / "go-path"),
            "GOPROXY": "off",
            "GOFLAGS": "-mod=mod",
        }
        subprocess.run(
            ("go", "build", "-trimpath", "-o", self.go_judge, "."),
            cwd=peers.HERE / "gojudge",
            env=environment,
            check=True,
        )

    def ask(self, tally, questions):
        questions = list(questions)
        go_answers = self.ask_go(questions)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            verdicts = list(pool.map(self._verdicts, questions, go_answers))
        for question, answers in zip(questions, verdicts, strict=True):
            for judge, expected in question.expected.items():
                verified, why = answers[judge]
                label = f"{question.label} [{judge}]"
                tally.check(label, verified == expected, why or "taken, although it must be refused")

    def _verdicts(self, question, go_answer):
        ways = {
            "openssl": self.ask_openssl,
            "gnutls": self.ask_gnutls,
            "go": lambda _: _go_verdict(go_answer),
        }
        return {judge: ways[judge](question) for judge in question.expected}

    def facts(self, pems):
        """What Go reads in each certificate, parsed strictly."""
        questions = [Question("facts", pem, (), "any", 0, {}) for pem in pems]
        answers = self.ask_go(questions)
        for answer in answers:
            if not answer["facts"]:
                raise AssertionError(f"Go cannot parse a certificate: {answer['error']}")
        return [answer["facts"] for answer in answers]

    def ask_go(self, questions):
        asked = [
            {
                "leaf": question.leaf,
                "intermediates": question.intermediates,
                "roots": question.anchors,
                "dnsName": question.dns_name,
                "keyUsages": [PURPOSES[question.purpose][2]],
                "at": question.at,
            }
            for question in questions
        ]
        return json.loads(peers.run(self.go_judge, stdin=json.dumps(asked)).must().stdout)

    def write(self, *pems):
        """A file that holds these and is called after them, so that many may be asked at once."""
        text = "".join(pems)
        path = self.folder / (hashlib.sha256(text.encode()).hexdigest() + ".pem")
        if not path.exists():
            own = Path(f"{path}.{threading.get_ident()}")
            own.write_text(text)
            own.replace(path)
        return path

    def ask_openssl(self, question):
        command = ["openssl", "verify", "-x509_strict", "-check_ss_sig", "-partial_chain"]
        command += ["-attime", question.at, "-purpose", PURPOSES[question.purpose][0]]
        command += ["-trusted", self.write(*question.anchors)]
        if question.intermediates:
            command += ["-untrusted", self.write(*question.intermediates)]
        if question.dns_name:
            command += ["-verify_hostname", question.dns_name]
        return _verdict("openssl", peers.run(*command, self.write(question.leaf)))

    def ask_gnutls(self, question):
        # Without a `@` before it, the moment stands still: the program takes no part of a second.
        moment = datetime.fromtimestamp(question.at, timezone.utc).strftime("%Y-%m-%d %H:%M:%S")
        command = ["certtool", "--verify", "--verify-profile=medium"]
        command += ["--load-ca-certificate", self.write(*question.anchors)]
        command += ["--infile", self.write(question.leaf, *question.intermediates)]
        if purpose := PURPOSES[question.purpose][1]:
            command.append(f"--verify-purpose={purpose}")
        if question.dns_name:
            command.append(f"--verify-hostname={question.dns_name}")
        # Not by the program `faketime`: it takes names by its process number, which come back among thousands.
        return _verdict("gnutls", peers.run(*command, LD_PRELOAD=FAKETIME_LIBRARY, FAKETIME=moment))


def _verdict(judge, result):
    """Whether the judge took the certificate, and why not."""
    for taken, (status, words) in VERDICTS[judge].items():
        if result.status == status and words.search(result.stdout + result.stderr):
            return taken, "" if taken else result.describe()
    raise AssertionError(f"no verdict: {result.describe()}")


def _go_verdict(answer):
    verified, error = answer["verified"], answer["error"]
    judged = error == "" if verified else error.startswith("x509: ")
    if not judged:
        raise AssertionError(f"no verdict: {answer}")
    return verified, error
