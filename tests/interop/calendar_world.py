"""One deployment through the years: a clock of the test's own, and what should be true at each moment.

What is expected follows from what was done and when (formats.md sections 6 and 7), never from what
the tool says.
"""

import json
import os
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

import peers  # before the checker's modules, which it makes known

import bundle
import certificates
import forge
import keys
from judges import Question, all_say


MINUTE = 60
HOUR = 60 * MINUTE
DAY = 24 * HOUR
START = int(datetime(2027, 1, 4, 12, tzinfo=timezone.utc).timestamp())

TRUST_DOMAIN = "compute.example.com"
SKEW = 60  # a certificate starts that long before it is made

CAS = {"node": "nodeCa", "serving": "servingCa", "internal": "internalCa"}
EXPORTS = {"rootCa": "root", "nodeCa": "node-ca", "servingCa": "serving-ca", "internalCa": "internal-ca"}
EXPORTS |= {"commandSigning": "command-roots"}
STAGES = ("", "Next", "Previous")

LIVES = {"rootCa": 3650 * DAY, "joinSigning": 3650 * DAY, "auditSigning": 3650 * DAY}
LIVES |= {"commandSigning": 1825 * DAY} | dict.fromkeys(CAS.values(), 365 * DAY)
UNDER_ROOT = frozenset(CAS.values())


@dataclass(frozen=True)
class Kind:
    """What the tool issues: from which CA, by which command, for how long and for what."""

    member: str
    command: tuple
    life: int
    purposes: frozenset
    name: str = ""  # the host name that it must hold for


KINDS = {
    "gateway": Kind("servingCa", ("issue-gateway",), 30 * DAY, frozenset({"server"}), "gw.example.com"),
    "internal": Kind(
        "internalCa",
        ("issue-internal", "--role", "worker"),
        7 * DAY,
        frozenset({"server", "client"}),
        "worker.example.com",
    ),
    "node": Kind(
        "nodeCa",
        ("issue-node", "--site", "site_1", "--node", "node_1", "--role", "node"),
        DAY,
        frozenset({"client"}),
    ),
    "worker": Kind("commandSigning", (), DAY, frozenset()),
}


def time_text(at):
    return datetime.fromtimestamp(at, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


@dataclass(frozen=True)
class Anchor:
    """A certificate of the bundle: of which member and which of its keys, and when it holds."""

    member: str
    key: str  # its pin
    pem: str
    start: int
    end: int


@dataclass(frozen=True)
class Leaf:
    label: str
    kind: str
    issuer: Anchor
    pem: str
    start: int
    end: int

    @property
    def purposes(self):
        return KINDS[self.kind].purposes


def holds(certificate, at):
    return certificate.start <= at <= certificate.end


def verdict(leaf, purpose, at, trusted, beside=()):
    """Whether who trusts `trusted` must take the leaf, with `beside` at hand."""
    if not holds(leaf, at) or purpose not in leaf.purposes | {"any"}:
        return False
    issuers = [c for c in (*trusted, *beside) if c.key == leaf.issuer.key and holds(c, at)]
    root_holds = any(c.member == "rootCa" and holds(c, at) for c in trusted)
    return any(c in trusted or root_holds for c in issuers)


def read_certificate(pem):
    return certificates.Certificate(keys.read_pem("CERTIFICATE", pem))


def life_of(certificate):
    return tuple(int(moment.timestamp()) for moment in (certificate.not_before, certificate.not_after))


def anchor_of(member, pem):
    certificate = read_certificate(pem)
    return Anchor(member, keys.pin(certificate.spki), pem, *life_of(certificate))


def refused_by(data, secret):
    """The check by which the checker refuses a bundle, None where it opens it."""
    try:
        bundle.open_bundle(data, secret)
    except bundle.Refusal as refusal:
        return refusal.check
    return None


class World:
    """The deployment, at the moment `now`. `questions` wait for the judges, each once; `renewed` is
    what the last renewal of each CA reported; `rotations` holds what a test keeps of each key's."""

    def __init__(self, tally, folder):
        self.tally, self.folder, self.now = tally, folder, START
        self.path, self.root_key = folder / "pki.json", folder / "root.json"
        self.secret, self.former_secret = peers.SECRET, None
        self.generation = self.trust_version = 1
        self.commands, self.questions, self.leaves = 0, {}, {kind: [] for kind in KINDS}
        self.renewed, self.rotations = {}, {}
        self.csr = folder / "node.csr"
        peers.run(
            "openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-keyout", folder / "node.key", "-out", self.csr, "-subj", "/CN=anything",
        ).must()  # fmt: skip
        self.report("init", "--trust-domain", TRUST_DOMAIN, "--offline-root", self.root_key)
        self.opened = self.read()
        for member in LIVES:
            self.check_begins_now(member)
        self.agree("init")

    # ---- What is said about it ----

    def check(self, label, condition, why=""):
        self.tally.check(f"{time_text(self.now)}: {label}", condition, why)

    def equal(self, label, found, expected):
        self.tally.equal(f"{time_text(self.now)}: {label}", found, expected)

    def ask(self, label, leaf, trusted, beside=(), purpose=None, at=None, name=""):
        """A question for the judges, with the answer that the calendar gives."""
        purpose = purpose or min(leaf.purposes, default="any")
        at = at or self.now
        named = name in ("", KINDS[leaf.kind].name)
        answers = all_say(named and verdict(leaf, purpose, at, trusted, beside))
        # Of several certificates of one CA in a chain, GnuTLS looks at the first.
        answers["gnutls"] = named and verdict(leaf, purpose, at, trusted, beside[:1])
        label = f"{time_text(self.now)}: {label}: {leaf.label} as {purpose} at {time_text(at)}"
        anchors, behind = (tuple(c.pem for c in some) for some in (trusted, beside))
        asked = (leaf.pem, anchors, behind, purpose, at, name)
        question = Question(label, leaf.pem, anchors, purpose, at, answers, behind, name)
        self.questions.setdefault(asked, question)

    # ---- The tool ----

    def pki(self, command, *arguments, **environment):
        """Runs the tool at the world's moment, with chance of a seed: every run is the same."""
        self.commands += 1
        given = {"BCPKI_TEST_NOW": time_text(self.now), "BCPKI_TEST_SEED": f"calendar {self.commands}"}
        given["BETTER_COMPUTE_SECRET"] = self.secret
        if self.former_secret:
            given["BETTER_COMPUTE_SECRET_PREVIOUS"] = self.former_secret
        if command != "sign-ca":
            given["BETTER_COMPUTE_PKI"] = str(self.path)
        tool = Path(os.environ["BCPKI_TESTONLY_BIN"]) / "bc-pki-testonly"
        return peers.run(tool, command, *arguments, "--json", **given | environment)

    def report(self, *command, **environment):
        return json.loads(self.pki(*command, **environment).must().stdout)

    def refused(self, label, code, *command, **environment):
        """The command fails with `code`, and the bundle stays as it was."""
        before, result = self.path.read_bytes(), self.pki(*command, **environment)
        found = result.status and json.loads(result.stderr)["error"]["code"]
        self.equal(label, (found, self.path.read_bytes() == before), (code, True))

    def read(self):
        """The bundle, as the checker opens it."""
        return bundle.open_bundle(self.path.read_bytes(), self.secret)

    def anchor(self, member, stage=""):
        return anchor_of(member, self.opened.document[member + stage]["chain"][0])

    def anchors(self, member):
        """The certificates in use, next and former, each where there is one."""
        return tuple(self.anchor(member, s) for s in STAGES if member + s in self.opened.document)

    def exported(self, member):
        """The same, as `export` prints them."""
        anchors = self.anchors(member)
        text = self.report("export", EXPORTS[member])["text"]
        self.equal(f"export {EXPORTS[member]}", peers.certificates_in(text), [c.pem for c in anchors])
        return anchors

    # ---- What a step may change ----

    def write_back(self, label, changed, *command, trust=0, added=None, moved=None, **environment):
        """Runs a command that may change the members `changed` alone, then makes the key of `added`
        and moves that of the first of `moved` to the second. Returns the bundle before it."""
        before = self.opened
        report = self.report(*command, **environment)
        self.renewed |= {CAS[renewed["ca"]]: renewed for renewed in report.get("renewed", ())}
        self.opened = self.read()
        self.generation, self.trust_version = self.generation + 1, self.trust_version + trust
        halves = [half.public_half() for half in (before, self.opened)]
        for half in halves:
            for name in {*changed, "generation", "trustVersion"} & set(half):
                del half[name]
        self.equal(f"{label}: what stays", halves[1], halves[0])
        self.equal(f"{label}: the generation", report["generation"], self.generation)
        former, present = before.document["seal"], self.opened.document["seal"]
        fresh = all(former[part] != present[part] for part in ("salt", "iv", "ciphertext"))
        self.check(f"{label}: a fresh seal", fresh)
        self.check_private_keys(label, before.private_keys, added, moved)
        self.agree(label)
        return before

    def check_private_keys(self, label, before, added, moved):
        expected, present = dict(before), self.opened.private_keys
        if moved:
            expected[moved[1]] = expected.pop(moved[0])
        if added:
            expected[added] = present.get(added)
            self.check(f"{label}: a new key", present.get(added) not in before.values())
        self.check(f"{label}: private keys", present == expected and "rootCa" not in present, list(present))

    def agree(self, label):
        """`show` and the checker find the same, which is what the calendar says; another secret
        opens the bundle for neither."""
        shown, pins = self.report("show"), self.opened.pins()
        self.equal(f"{label}: pins", {name: shown.get(name) for name in pins}, pins)
        rotating = {name for name in shown if name.startswith("commandSigning")}
        self.equal(f"{label}: command roots", rotating, {n for n in pins if n.startswith("commandSigning")})
        numbers = (pins["authenticated"], pins["generation"], pins["trustVersion"])
        self.equal(f"{label}: numbers", numbers, (True, self.generation, self.trust_version))
        wrong = {"BETTER_COMPUTE_SECRET": peers.OTHER_SECRET, "BETTER_COMPUTE_SECRET_PREVIOUS": ""}
        self.equal(f"{label}: another secret", peers.refused_by(self.pki("show", **wrong)), "seal-open")
        refused = refused_by(self.path.read_bytes(), peers.OTHER_SECRET)
        self.equal(f"{label}: another secret, to the checker", refused, "seal-open")

    def check_begins_now(self, member, stage=""):
        """The member's certificate was made at this moment and lives as long as its kind."""
        own, start = self.anchor(member, stage), self.now - SKEW
        end = start + LIVES[member]
        if member in UNDER_ROOT:
            end = min(end, self.anchor("rootCa").end)
        self.equal(f"{member}{stage}: its life", (own.start, own.end), (start, end))

    # ---- Leaves ----

    def issue(self, kind):
        """A leaf of `kind` made now, with the file that it should come in."""
        if kind == "worker":
            return self.sign_worker()
        row, out = KINDS[kind], self.folder / "tls"
        flags = ("--san", row.name, "--name", kind, "--out", out)
        if kind == "node":
            flags = ("--csr", self.csr, "--out", out / "node.crt")
        self.report(*row.command, *flags)
        pem, *behind = peers.certificates_in((out / f"{kind}.crt").read_text())
        self.equal(f"{kind}: what stands behind the leaf", behind, [self.anchor(row.member).pem])
        return self.keep(kind, pem)

    def sign_worker(self):
        """What the command root in use signs for a worker, made by another program."""
        issuer = forge.Issuer.of(self.opened.in_clear(), "commandSigning")
        start = datetime.fromtimestamp(self.now - SKEW, timezone.utc).replace(tzinfo=None)
        return self.keep("worker", forge.sign(issuer, start=start).pem)

    def keep(self, kind, pem):
        certificate, issuer = read_certificate(pem), self.anchor(KINDS[kind].member)
        start = max(self.now - SKEW, issuer.start)
        end = min(start + KINDS[kind].life, issuer.end)
        self.equal(f"{kind}: its life", life_of(certificate), (start, end))
        issuer_id = read_certificate(issuer.pem).subject_key_id()
        self.equal(f"{kind}: its issuer's key", certificate.issuer_key_id(), issuer_id)
        leaf = Leaf(f"{kind} of {time_text(self.now)}", kind, issuer, pem, start, end)
        self.leaves[kind].append(leaf)
        return leaf
