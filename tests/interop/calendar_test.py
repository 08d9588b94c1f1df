#!/usr/bin/python3
"""Five years of a deployment, by a clock of the test's own: a gateway's certificate every four weeks,
CAs every year, each key replaced, the secret changed, mishaps mended.

At every step OpenSSL, GnuTLS and Go are asked which leaves hold by whose trust, and the independent
checker opens the bundle.
"""

import base64
import collections
import hashlib
import itertools
import json

import peers  # before the checker's modules, which it makes known

import bundle
import keys
import remake
from calendar_world import (
    CAS, DAY, EXPORTS, HOUR, KINDS, MINUTE, STAGES, START, UNDER_ROOT,
    World, holds, read_certificate, refused_by, time_text,
)  # fmt: skip
from judges import judges

PERIOD = 28 * DAY
PERIODS = 66  # five years and three weeks

LEAST_QUESTIONS = 3000

NEW_SECRET = "the next secret of the interop tests, 0123456789 and long enough"
PASSPHRASE = "the passphrase of a root key in PEM"
NO_FORMER_SECRET = {"BETTER_COMPUTE_SECRET_PREVIOUS": ""}

# The keys that can be replaced: what the tool calls each, its member, and how long the former one
# must stay after the switch; None: for ever.
ROTATING = {
    "command-root": ("commandSigning", DAY),
    "node-ca": ("nodeCa", DAY),
    "internal-ca": ("internalCa", 7 * DAY),
    "exec-ticket": ("execTicket", 60),
    "ssh-ca": ("sshCa", 30 * DAY),
    "sandbox-ssh-ca": ("sandboxSshCa", 30 * DAY),
    "audit": ("auditSigning", None),
}
KIND_OF = {row.member: kind for kind, row in KINDS.items()}


# ---- Every four weeks ---------------------------------------------------------------------------


def period(world, number):
    """Leaves of every kind are issued; the last ones, and the gateway's before, may have ended."""
    former = {kind: leaves[-2 if kind == "gateway" else -1 :] for kind, leaves in world.leaves.items()}
    trust = {member: world.exported(member) for member in EXPORTS}
    others = itertools.cycle(sorted(set(KIND_OF)))
    for kind, row in KINDS.items():
        leaf = world.issue(kind)
        strangers = next(m for m in itertools.islice(others, number % 4, None) if m != row.member)
        judge_new(world, leaf, trust, trust[strangers], number)
        for old in former[kind]:
            world.ask("trusted now", old, trust[row.member])
            world.ask("trusted now, when it was new", old, trust[row.member], at=old.start + HOUR)
    world.agree("period")


def judge_new(world, leaf, trust, strangers, number):
    own = trust[KINDS[leaf.kind].member]
    world.ask("its CA", leaf, own)
    world.ask("another CA", leaf, strangers, purpose="any")
    if leaf.kind != "worker":
        world.ask("below the root", leaf, trust["rootCa"], own)
        other = ({"server", "client"} - leaf.purposes or {"client"}).pop()
        world.ask("the other purpose", leaf, own, purpose=other)
    if name := KINDS[leaf.kind].name:
        world.ask("its name", leaf, own, name=name)
        world.ask("another name", leaf, own, name="evil.example.org")
    moments = ((leaf.start - 1, leaf.start), (leaf.end - 1, leaf.end + 1))[number % 2]
    for at in moments:
        world.ask("the edges of its life", leaf, own, at=at)


def not_due(world):
    """Between two of them, `--if-expiring` does nothing."""
    paths = [world.folder / "tls" / f"gateway.{end}" for end in ("crt", "key")]
    before = [path.read_bytes() for path in paths]
    flags = ("--san", KINDS["gateway"].name, "--out", world.folder / "tls", "--if-expiring", "10d")
    world.equal("not due", world.report("issue-gateway", *flags)["changed"], False)
    world.equal("not due: the files", [path.read_bytes() for path in paths], before)


# ---- Every year ---------------------------------------------------------------------------------


def by_root_key_file(world, kinds):
    """All at once, with the root key file at hand."""
    choice = ("all",) if len(kinds) == len(CAS) else kinds
    for ca in choice:
        changed = UNDER_ROOT if ca == "all" else {CAS[ca]}
        world.write_back("renew-ca", changed, "renew-ca", "--ca", ca, "--root-key", world.root_key)


def by_encrypted_key(world, kinds):
    """With the root's key in a PEM file under a passphrase."""
    key, passphrase = encrypted_root_key(world), {"BETTER_COMPUTE_ROOT_KEY_PASSPHRASE": PASSPHRASE}
    for ca in kinds:
        command = ("renew-ca", "--ca", ca, "--root-key", key)
        wrong = {"BETTER_COMPUTE_ROOT_KEY_PASSPHRASE": PASSPHRASE + "!"}
        world.refused("a wrong passphrase", "INVALID_INPUT", *command, **wrong)
        world.write_back("renew-ca", {CAS[ca]}, *command, **passphrase)


def apart(world, kinds):
    """Signed on a machine that has no bundle, from the root key file."""
    sign_apart(world, kinds, ("--root-key", world.root_key))


def apart_by_encrypted_key(world, kinds):
    root = world.folder / "root.pem"
    root.write_text(world.anchor("rootCa").pem)
    flags = ("--root-key", encrypted_root_key(world), "--root-cert", root)
    sign_apart(world, kinds, flags, BETTER_COMPUTE_ROOT_KEY_PASSPHRASE=PASSPHRASE)


def sign_apart(world, kinds, flags, **environment):
    for kind in kinds:
        present, renewed = (world.folder / f"{kind}-{world.now}-{what}.pem" for what in ("old", "new"))
        present.write_text(world.anchor(CAS[kind]).pem)
        world.report("sign-ca", *flags, "--ca-cert", present, "--out", renewed, **environment)
        command = ("renew-ca", "--certificate")
        world.refused("what is there already", "INVALID_STATE", *command, present)
        world.write_back("renew-ca --certificate", {CAS[kind]}, *command, renewed)
        world.equal(f"{kind}: what was signed", world.anchor(CAS[kind]).pem, renewed.read_text())


def encrypted_root_key(world):
    path = world.folder / "root-key.pem"
    root = bundle.RootKey(world.secret, False).check(world.root_key.read_bytes())
    key = world.folder / "root-key.clear"
    key.write_text(root.private_keys["rootCa"])
    peers.run(
        "openssl", "pkcs8", "-topk8", "-v2", "aes-256-cbc", "-v2prf", "hmacWithSHA256", "-iter", 2000,
        "-in", key, "-out", path, "-passout", f"pass:{PASSPHRASE}",
    ).must()  # fmt: skip
    path.chmod(0o600)
    return path


def renew(world, way, kinds=tuple(CAS)):
    """Each CA gets a new certificate; the leaves on either side of it verify under both."""
    members = [CAS[kind] for kind in kinds]
    former = {member: world.anchor(member) for member in members}
    leaves = {member: [latest_leaf(world, former[member])] for member in members}
    world.refused("without the root's key", "INVALID_STATE", "renew-ca", "--ca", kinds[0])
    way(world, kinds)
    for member in members:
        world.check_begins_now(member)
        check_renewed(world, member, former[member])
        leaves[member].append(world.issue(KIND_OF[member]))
        judge_renewed(world, leaves[member], former[member], world.exported(member))


def latest_leaf(world, issuer):
    """One made now, or the last one of a CA that has ended."""
    kind = KIND_OF[issuer.member]
    return world.issue(kind) if holds(issuer, world.now) else world.leaves[kind][-1]


def check_renewed(world, member, former):
    """Nothing but the serial number and the dates is another, and the report says which they are."""
    try:
        own = read_certificate(world.anchor(member).pem)
        own.check_renewal_of(read_certificate(former.pem))
        root = read_certificate(world.anchor("rootCa").pem)
        world.equal(f"{member}: its issuer's key", own.issuer_key_id(), root.subject_key_id())
        told = {"notAfter": own.expires(), "serial": f"{own.serial:032x}"}
        reported = {name: world.renewed[member][name] for name in told}
        world.equal(f"{member}: what was reported", reported, told)
    except ValueError as error:
        world.check(f"{member}: a renewal", False, error)


def judge_renewed(world, leaves, former, present):
    """Whoever has the former certificate, the present one or both takes what either of them issued,
    while they hold: above, below the root, and where the former one came with the leaf."""
    root = (world.anchor("rootCa"),)
    trusts = {
        "the former CA": ((former,), ()),
        "the renewed CA": (present, ()),
        "both": ((former, *present), ()),
        "the renewed CA, the former beside": (present, (former,)),
        "the former CA, the renewed beside": ((former,), present),
        "the root, the former beside": (root, (former,)),
        "the root, the renewed beside": (root, present),
        "the root, both beside": (root, (*present, former)),
        "the root, both beside, the former first": (root, (former, *present)),
        "the root alone": (root, ()),
    }
    before_it = present[0].start - 1
    for leaf, (label, (trusted, beside)) in itertools.product(leaves, trusts.items()):
        world.ask(label, leaf, trusted, beside)
        world.ask(f"{label}, before it was renewed", leaf, trusted, beside, at=before_it)


def forgotten_ca(world):
    """The internal CA has ended, since nobody renewed it. Everything else goes on."""
    flags = ("--role", "worker", "--san", "a.example", "--out", world.folder / "tls")
    world.refused("a CA that has ended", "INVALID_STATE", "issue-internal", *flags)
    world.agree("with a CA that has ended")
    for kind in ("internal", "gateway"):
        leaf, trusted = world.leaves[kind][-1], world.exported(KINDS[kind].member)
        world.ask("with a CA that has ended", leaf, trusted)
        world.ask("with a former CA that has ended", leaf, (leaf.issuer, *trusted))
    ends = [world.leaves["internal"][-1].end, world.anchor("internalCa").end]
    world.equal("the last leaf of a CA that has ended", *ends)


# ---- Keys that are replaced ---------------------------------------------------------------------


class Rotation:
    """One key's replacement: what was trusted and what was issued at each of its stages."""

    def __init__(self, world, key):
        self.world, self.key = world, key
        self.member, self.outlives = ROTATING[key]
        self.moments, self.trusted, self.leaves = [], [], []
        self.note()

    def note(self):
        self.check_export()
        if self.member in KIND_OF:
            self.moments.append(self.world.now)
            self.trusted.append(self.world.exported(self.member))
            self.leaves.append(self.world.issue(KIND_OF[self.member]))

    def step(self, stage, *flags, **how):
        changed = {self.member + suffix for suffix in STAGES}
        command = ("rotate", "--key", self.key, "--stage", stage, *flags)
        before = self.world.write_back(f"{self.key}, {stage}", changed, *command, **how)
        return before.document, self.world.opened.document

    def refused(self, stage, *flags):
        label, command = f"{self.key}, {stage} too early", ("rotate", "--key", self.key, "--stage", stage)
        self.world.refused(label, "INVALID_STATE", *command, *flags)

    @property
    def moves_trust(self):
        return int(self.key == "command-root")

    def check_document(self, label, **expected):
        """What the member and its stages hold; None: nothing."""
        document = self.world.opened.document
        found = {suffix: document.get(self.member + suffix) for suffix in STAGES}
        wanted = dict(zip(STAGES, map(expected.get, ("current", "next", "previous")), strict=True))
        self.world.equal(f"{self.key}, {label}: the members", found, wanted)

    def check_status(self, stage, **expected):
        status = self.world.report("rotate", "--key", self.key, "--stage", "status")
        found = {name: status.get(name) for name in ("stage", "switchedAt", "dropAt")}
        times = {name: expected.get(name) for name in ("switchedAt", "dropAt")}
        self.world.equal(f"{self.key}: its status", found, {"stage": stage} | times)

    def add(self):
        world, root_key = self.world, ()
        if self.member in UNDER_ROOT:
            self.refused("add")
            root_key = ("--root-key", world.root_key)
        before, after = self.step("add", *root_key, trust=self.moves_trust, added=self.member + "Next")
        following = after[self.member + "Next"]
        self.check_document("add", current=before[self.member], next=following)
        if "chain" in following:
            world.check_begins_now(self.member, "Next")
        self.check_status("added")
        self.refused("add", *root_key)
        self.refused("drop")
        self.note()

    def switch(self):
        world, force = self.world, ()
        if self.key == "command-root":
            self.refused("switch")
            force = ("--force",)
        moved = (self.member + "Next", self.member)
        before, after = self.step("switch", *force, moved=moved)
        self.switched_at = world.now
        former = before[self.member] | {"switchedAt": time_text(world.now)}
        self.check_document("switch", current=before[moved[0]], previous=former)
        drop_at = self.outlives and time_text(world.now + self.outlives)
        self.check_status("switched", switchedAt=time_text(world.now), dropAt=drop_at)
        self.refused("switch", *force)
        self.refused("drop")
        self.note()

    def drop(self):
        world, force = self.world, ()
        if self.outlives is None:
            self.refused("drop")
            force = ("--force",)
        elif world.now == self.switched_at + self.outlives:
            world.now -= 1
            self.refused("drop")
            world.now += 1
        before, _ = self.step("drop", *force, trust=self.moves_trust)
        self.check_document("drop", current=before[self.member])
        self.check_status("settled")
        self.note()
        self.judge()

    def judge(self):
        """Each leaf by the trust of each stage, when it was new and when the stage began."""
        world, root = self.world, (self.world.anchor("rootCa"),)
        stages = zip(("before", "added", "switched", "dropped"), self.moments, self.trusted)
        for leaf, (stage, moment, trusted) in itertools.product(self.leaves, stages):
            for at in {leaf.start + 30 * MINUTE, moment}:
                world.ask(f"{self.key}, {stage}", leaf, trusted, at=at)
        for leaf in self.leaves if self.member in UNDER_ROOT else ():
            at = leaf.start + 30 * MINUTE
            world.ask(f"{self.key}, below the root", leaf, root, self.trusted[-1], at=at)
            world.ask(f"{self.key}, below the root with its CA", leaf, root, (leaf.issuer,), at=at)

    def check_export(self):
        """What other software reads: keys in use, next and former."""
        document = self.world.opened.document
        held = [document[self.member + s] for s in STAGES if self.member + s in document]
        ways = {"execTicket": self.check_jwks, "auditSigning": self.check_audit_keys}
        ways |= {"sshCa": self.check_ssh_lines, "sandboxSshCa": self.check_ssh_lines}
        if self.member in ways:
            ways[self.member](held)

    def exported(self, what):
        return self.world.report("export", what)["text"]

    def check_jwks(self, held):
        found = json.loads(self.exported("exec-jwks"))
        self.world.equal("export exec-jwks", found, {"keys": [value["jwk"] for value in held]})

    def check_audit_keys(self, held):
        pems = [keys.write_pem("PUBLIC KEY", read_certificate(value["chain"][0]).spki) for value in held]
        self.world.equal("export audit-key", self.exported("audit-key"), "".join(pems))

    def check_ssh_lines(self, held):
        """Also as ssh-keygen reads them."""
        lines, path = [value["publicKey"] for value in held], self.world.folder / "ssh-ca.pub"
        path.write_text(self.exported(self.key))
        self.world.equal(f"export {self.key}", path.read_text(), "".join(f"{line}\n" for line in lines))
        printed = peers.run("ssh-keygen", "-l", "-f", path).must().stdout.splitlines()
        self.world.equal(f"{self.key} to ssh-keygen", printed, [fingerprint(line) for line in lines])


def fingerprint(line):
    """What `ssh-keygen -l` prints of an Ed25519 key."""
    _, text, comment = line.split(" ", 2)
    digest = base64.b64encode(hashlib.sha256(base64.b64decode(text)).digest()).decode().rstrip("=")
    return f"256 SHA256:{digest} {comment} (ED25519)"


def rotate(world, key, stage):
    if stage == "add":
        world.rotations[key] = Rotation(world, key)
    getattr(world.rotations[key], stage)()


# ---- The secret, and bundles of other times -----------------------------------------------------


def change_secret(world):
    """The former secret goes on opening what is not rolled out yet, where it is named as such."""
    former, copy, file = world.secret, world.folder / "former.json", world.folder / "new-secret"
    copy.write_bytes(world.path.read_bytes())
    copy.chmod(0o600)
    file.write_text(NEW_SECRET)
    file.chmod(0o600)
    command = ("reseal", "--new-secret-file", file)
    world.secret, world.former_secret = NEW_SECRET, former  # what opens it afterwards
    world.write_back("a new secret", (), *command, BETTER_COMPUTE_SECRET=former, **NO_FORMER_SECRET)
    alone = {"BETTER_COMPUTE_SECRET": former} | NO_FORMER_SECRET
    world.equal("the former secret", peers.refused_by(world.pki("show", **alone)), "seal-open")
    world.equal("the former secret, to the checker", refused_by(world.path.read_bytes(), former), "seal-open")
    there = {"BETTER_COMPUTE_PKI": str(copy)}
    world.equal("a copy", peers.refused_by(world.pki("show", **there, **NO_FORMER_SECRET)), "seal-open")
    read = world.pki("show", **there)
    world.equal("a copy, by both secrets", (read.status, "previous" in read.stderr.lower()), (0, True))
    world.report("reseal", **there)
    resealed = bundle.open_bundle(copy.read_bytes(), NEW_SECRET)
    world.equal("a copy that was sealed again", resealed.public_digest(), world.opened.public_digest())


def change_root_secret(world):
    """The root key file is under the former secret until it is sealed again."""
    command = ("renew-ca", "--ca", "node", "--root-key", world.root_key)
    world.refused("the root key file", "INVALID_CONFIG", *command, **NO_FORMER_SECRET)
    former = world.folder / "former-secret"
    former.write_text(world.former_secret)
    former.chmod(0o600)
    before = world.root_key.read_bytes()
    world.report("reseal", "--root-key", world.root_key, "--root-secret-file", former, **NO_FORMER_SECRET)
    bundle.open_root_key(world.root_key.read_bytes(), world.opened, NEW_SECRET)
    former, present = (json.loads(data) for data in (before, world.root_key.read_bytes()))
    world.check("the root key file: a fresh seal", former.pop("seal") != present.pop("seal"))
    world.equal("the root key file: its public half", present, former)
    world.former_secret = None
    world.agree("without the former secret")


def replaced(world, document):
    """What another program wrote lies where the bundle was."""
    world.path.write_bytes(remake.text(document))


def former_format(world):
    """Another program writes the former format; nothing but `reseal` vouches for it, and only when
    it is told to."""
    replaced(world, remake.in_former_format(world.opened.in_clear(), world.secret))
    world.equal("the former format", peers.refused_by(world.pki("show")), "former-format")
    flags = ("--ca", "all", "--root-key", world.root_key)
    refused = world.pki("renew-ca", *flags)
    world.check("the former format is not written back", refused.status in (4, 5), refused.describe())
    before = world.path.read_bytes()
    stopped = world.pki("reseal")
    pins = json.loads(stopped.stdout)
    world.equal("reseal stops", (stopped.status, pins["authenticated"]), (5, False))
    own = {name: value for name, value in world.opened.pins().items() if name != "authenticated"}
    world.equal("reseal stops: the pins", {name: pins.get(name) for name in own}, own)
    world.equal("reseal stops: the bundle", world.path.read_bytes(), before)
    world.write_back("reseal", (), "reseal", "--accept-unauthenticated")


def without_sandbox_ca(world):
    """A bundle of the time before sandboxes gets its sandbox SSH CA."""
    member = "sandboxSshCa"
    world.refused("a second sandbox CA", "INVALID_STATE", "add-sandbox-ca")
    older = remake.without_member(world.opened.in_clear(), member)
    replaced(world, remake.sealed(older, secret=world.secret))
    world.opened = world.read()
    world.refused("no sandbox CA", "NOT_FOUND", "export", "sandbox-ssh-ca")
    world.write_back("add-sandbox-ca", {member}, "add-sandbox-ca", added=member)
    line = world.opened.document[member]["publicKey"]
    world.equal("add-sandbox-ca: the comment", line.split(" ", 2)[2], "compute.example.com sandbox ssh ca")


def after(world):
    """Whatever was done, the last leaves hold or have ended as before."""
    for kind, row in KINDS.items():
        trusted = world.exported(row.member)
        for leaf in world.leaves[kind][-2:]:
            world.ask("after it", leaf, trusted)


# ---- The calendar -------------------------------------------------------------------------------

# What happens besides the periods: the days and hours since the start, and what is done.
EVENTS = [
    (14, 0, not_due),
    (60, 0, former_format),
    (100, 0, without_sandbox_ca),
    (336, 1, renew, by_root_key_file),
    (400, 0, rotate, "command-root", "add"),
    (428, 0, rotate, "command-root", "switch"),
    (429, 0, rotate, "command-root", "drop"),
    (500, 0, rotate, "exec-ticket", "add"),
    (501, 0, rotate, "exec-ticket", "switch"),
    (501, 1 / 60, rotate, "exec-ticket", "drop"),
    (560, 0, rotate, "ssh-ca", "add"),
    (588, 0, rotate, "ssh-ca", "switch"),
    (618, 0, rotate, "ssh-ca", "drop"),
    (672, 1, renew, apart, ("node", "serving")),
    (701, 2, forgotten_ca),
    (702, 0, renew, by_root_key_file, ("internal",)),
    (800, 0, change_secret),
    (802, 0, change_root_secret),
    (900, 0, rotate, "sandbox-ssh-ca", "add"),
    (901, 0, rotate, "sandbox-ssh-ca", "switch"),
    (931, 0, rotate, "sandbox-ssh-ca", "drop"),
    (950, 0, rotate, "audit", "add"),
    (960, 0, rotate, "audit", "switch"),
    (1008, 1, renew, by_encrypted_key),
    (1330, 0, rotate, "node-ca", "add"),
    (1344, 1, renew, apart_by_encrypted_key),  # while the next node CA is published
    (1350, 0, rotate, "node-ca", "switch"),
    (1351, 0, rotate, "node-ca", "drop"),
    (1400, 0, rotate, "command-root", "add"),
    (1428, 0, rotate, "command-root", "switch"),
    (1430, 0, rotate, "command-root", "drop"),
    (1500, 0, rotate, "audit", "drop"),
    (1660, 0, rotate, "internal-ca", "add"),
    (1678, 0, rotate, "internal-ca", "switch"),
    (1680, 1, renew, by_root_key_file),  # while the former internal CA is trusted
    (1685, 0, rotate, "internal-ca", "drop"),
]


def pins_of_machines(world):
    names = ("servingCaSpkiPin", "joinSigningKeyPin", "joinEncryptionKeyPin", "joinEncryptionJwk")
    return {name: world.opened.pins()[name] for name in names}


def test_five_years(tally, folder):
    world = World(tally, folder)
    pinned = pins_of_machines(world)
    periods = [(number * PERIOD // DAY, 0, period, number) for number in range(PERIODS + 1)]
    for day, hours, do, *arguments in sorted(periods + EVENTS, key=lambda row: row[:2]):
        world.now = START + day * DAY + round(hours * HOUR)
        do(world, *arguments)
        if do is not period:
            after(world)
    world.equal("what machines pinned on the first day", pins_of_machines(world), pinned)
    questions = list(world.questions.values())
    world.check("as many questions as there were", len(questions) >= LEAST_QUESTIONS, len(questions))
    judges().ask(tally, questions)
    expected = collections.Counter(itertools.chain(*(q.expected.values() for q in questions)))
    print(f"{world.commands} commands, {len(questions)} questions to three judges:")
    print(f"{expected[True]} times taken, {expected[False]} times refused")


if __name__ == "__main__":
    peers.main(test_five_years)
