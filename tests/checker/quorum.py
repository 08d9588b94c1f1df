"""Batch scopes, approver sets and approvals: formats.md sections 4 and 5.

Readers return the value and raise ValueError for anything else; judges return a reason, or what holds.
"""

import base64
import hashlib
from dataclasses import dataclass, field

import keys
import strict

MAX_LEAVES = 50_000
MAX_ENTRIES = 100_000
MAX_SIGNATURES = 256
MAX_APPROVERS = 64
MAX_SCOPE_BYTES = 64 * 2**20
MAX_PAYLOAD, MAX_PAYLOADS = 64 * 2**10, 8 * 2**20
REMOVAL = {"approvers": [], "threshold": 0, "tiers": [], "unbatchedDestructivePerHour": 0}


def sha256(data):
    return hashlib.sha256(data).digest()


def u64(number):
    return number.to_bytes(8, "big")


# ---- The tree --------------------------------------------------------------------------------------


def leaf(batch_id, subject, kind, payload_sha256):
    parts = (batch_id.encode(), subject.encode(), kind.encode(), payload_sha256)
    return sha256(b"\0" + b"".join(map(strict.lp, parts)))


def inner(left, right):
    return sha256(b"\1" + left + right)


def levels(leaves):
    """The leaves, then each level above them."""
    yield leaves
    while len(leaves) > 1:
        pairs = [inner(*leaves[i : i + 2]) for i in range(0, len(leaves) - 1, 2)]
        leaves = pairs + leaves[len(leaves) - len(leaves) % 2 :]
        yield leaves


@dataclass
class Scope:
    """The tree of one batch; an entry is (subject, kind, payload digest or b"")."""

    batch_id: str
    entries: list
    levels: list = field(init=False)

    def __post_init__(self):
        for subject, kind, digest in self.entries:
            if not (strict.is_subject(subject) and strict.is_kind(kind) and len(digest) in (0, 32)):
                raise ValueError("not an entry")
        if not strict.is_id(self.batch_id):
            raise ValueError("not a batch id")
        leaves = sorted({leaf(self.batch_id, *entry) for entry in self.entries})
        if not 1 <= len(leaves) <= MAX_LEAVES:
            raise ValueError("no leaves, or too many")
        self.levels = list(levels(leaves))

    @property
    def leaves(self):
        return self.levels[0]

    @property
    def root(self):
        return self.levels[-1][0]

    def siblings(self, index):
        return [
            level[(index >> height) ^ 1]
            for height, level in enumerate(self.levels)
            if (index >> height) ^ 1 < len(level)
        ]


def proves(batch_id, entry, index, siblings, size, root):
    if index >= size:
        return False
    node, last, left = leaf(batch_id, *entry), size - 1, list(siblings)
    while last:
        if index % 2 or index < last:
            if not left or len(left[0]) != 32:
                return False
            sibling = left.pop(0)
            node = inner(sibling, node) if index % 2 else inner(node, sibling)
        index, last = index // 2, last // 2
    return not left and node == root


# ---- Approver sets ---------------------------------------------------------------------------------


def _members(value, required, optional=()):
    if not isinstance(value, dict) or not set(required) <= set(value) <= {*required, *optional}:
        raise ValueError("members that are missing or unknown")
    return value


def _u32(value):
    if type(value) is not int or not 0 <= value < 2**32:
        raise ValueError("not 32 bits")
    return value


def _check_approver(approver):
    _members(approver, ("kid", "spki"), ("name",))
    spki = keys.read_p256_spki(strict.read_base64(approver["spki"]))
    name = approver.get("name", "x")
    if approver["kid"] != keys.kid(spki) or not strict.is_organization(name):  # the same characters
        raise ValueError("another kid, or a bad name")


def _check_tiers(tiers, threshold):
    size, needed = 0, 1
    for tier in tiers:
        _members(tier, ("maxScopeSize", "threshold"))
        if _u32(tier["maxScopeSize"]) <= size or not needed <= _u32(tier["threshold"]) <= threshold:
            raise ValueError("tiers that do not ascend")
        size, needed = tier["maxScopeSize"], tier["threshold"]


def read_set(value, held=False):
    """A valid set or the removal; one that is held may have a threshold of 0."""
    _members(value, REMOVAL)
    threshold, approvers = _u32(value["threshold"]), value["approvers"]
    _u32(value["unbatchedDestructivePerHour"])
    if not approvers:
        if value != REMOVAL:
            raise ValueError("not the removal")
        return value
    for approver in approvers:
        _check_approver(approver)
    if len(approvers) > MAX_APPROVERS or len({a["kid"] for a in approvers}) < len(approvers):
        raise ValueError("too many keys, or one twice")
    if not (1 <= threshold <= len(approvers) or (held and threshold == 0)):
        raise ValueError("a threshold that nobody can reach")
    _check_tiers(value["tiers"], threshold)
    return value


def set_input(value):
    approvers = sorted(value["approvers"], key=lambda a: a["kid"].encode())
    pairs = [(a["kid"].encode(), base64.b64decode(a["spki"])) for a in approvers]
    tiers = [strict.u32(t["maxScopeSize"]) + strict.u32(t["threshold"]) for t in value["tiers"]]
    return b"".join(
        [
            strict.u32(len(pairs)),
            *(strict.lp(kid) + strict.lp(spki) for kid, spki in pairs),
            strict.u32(value["threshold"]),
            strict.u32(len(tiers)),
            *tiers,
            strict.u32(value["unbatchedDestructivePerHour"]),
        ]
    )


def digest(value):
    return sha256(set_input(value))


def required(value, size):
    tiers = [t["threshold"] for t in value["tiers"] if t["maxScopeSize"] >= size]
    return max(tiers[0] if tiers else value["threshold"], 1)


# ---- Signatures ------------------------------------------------------------------------------------


def count(value, purpose, parts, trust_domain, signatures):
    """The kids of the set that signed, sorted."""
    if not strict.is_trust_domain(trust_domain):
        return []
    known = {a["kid"]: base64.b64decode(a["spki"]) for a in value["approvers"]}
    message = [*parts, trust_domain.encode()]
    return sorted(
        {
            s["kid"]
            for s in signatures
            if s["kid"] in known
            and keys.verify_purpose_signature(
                known[s["kid"]], strict.read_base64url(s["sig"]), purpose, message
            )
        }
    )


def set_parts(value, epoch):
    return [u64(epoch), digest(value)]


def approval_parts(approval):
    return [
        approval["batchId"].encode(),
        strict.read_hex(approval["scopeRoot"]),
        strict.u32(approval["scopeSize"]),
        u64(strict.read_time(approval["notAfter"])),
    ]


def _is_malformed(approval):
    try:
        end = strict.read_time(approval["notAfter"])
    except (KeyError, ValueError):
        return True
    return (
        len(strict.read_hex(approval["scopeRoot"])) != 32
        or not 1 <= approval["scopeSize"] <= MAX_LEAVES
        or end < 0
        or end % 1000 != 0
        or len(approval["signatures"]) > MAX_SIGNATURES
    )


def judge_approval(approval, batch_id, value, trust_domain, now):
    if approval is None:
        return "no-approval"
    if approval["batchId"] != batch_id:
        return "other-batch"
    if _is_malformed(approval):
        return "malformed-approval"
    if now > strict.read_time(approval["notAfter"]):
        return "expired"
    parts = approval_parts(approval)
    approved = count(value, "batch-approval", parts, trust_domain, approval["signatures"])
    return approved if len(approved) >= required(value, approval["scopeSize"]) else "too-few-approvals"


def judge_change(held, held_epoch, pin, following, epoch, signatures, trust_domain):
    """`held` is None where there was never a set."""
    try:
        read_set(following)
    except ValueError:
        return "malformed-set"
    if not (epoch or following == REMOVAL) or epoch > strict.MAX_INTEGER:
        return "malformed-set"
    if held is not None and epoch == held_epoch and digest(held) == digest(following):
        return []
    if held is None or not held["approvers"]:
        if held_epoch and epoch <= held_epoch:
            return "stale-epoch"
        return "pin-mismatch" if pin not in (None, digest(following)) else []
    if epoch <= held_epoch:
        return "stale-epoch"
    if not strict.is_trust_domain(trust_domain):
        return "no-trust-domain"
    if not held["threshold"]:
        return "no-threshold"
    signed = count(held, "approver-set", set_parts(following, epoch), trust_domain, signatures)
    return signed if len(signed) >= held["threshold"] else "approver-set-unsigned"


# ---- Files -----------------------------------------------------------------------------------------


def _head(document, name, members, optional=()):
    _members(document, ("format", "version", *members), optional)
    if document["format"] != f"better-compute-{name}" or document["version"] != 1:
        raise ValueError(f"not a {name} file")


def _whole_seconds(text):
    if "." in text:
        raise ValueError("a fraction of a second")
    return strict.read_time(text)


def _read_leaf(value):
    _members(value, ("subject", "kind"), ("payloadSha256", "payload"))
    bound = strict.read_hex(value["payloadSha256"]) if "payloadSha256" in value else b""
    if "payloadSha256" in value and len(bound) != 32:
        raise ValueError("not a digest")
    if "payload" in value:
        payload = strict.read_base64(_members(value["payload"], ("typeUrl", "value"))["value"])
        if len(payload) > MAX_PAYLOAD or (bound and bound != sha256(payload)):
            raise ValueError("a payload that is too large, or another one")
        bound = sha256(payload)
    return value["subject"], value["kind"], bound


def read_scope_file(data):
    document = strict.read_json(data, MAX_SCOPE_BYTES)
    words = ("reason", "createdBy", "createdByAgent", "delegationId", "createdAt")
    _head(document, "batch-scope", "batchId trustDomain notAfter root size leaves".split(), words)
    _whole_seconds(document["notAfter"])
    if not strict.is_trust_domain(document["trustDomain"]) or len(document["leaves"]) > MAX_ENTRIES:
        raise ValueError("no trust domain, or too many leaves")
    entries = [_read_leaf(value) for value in document["leaves"]]
    scope = Scope(document["batchId"], entries)
    payloads = {
        entry: strict.read_base64(value["payload"]["value"])
        for entry, value in zip(entries, document["leaves"])
        if "payload" in value
    }
    if sum(map(len, payloads.values())) > MAX_PAYLOADS:
        raise ValueError("payloads that are too large together")
    if (scope.root, len(scope.leaves)) != (strict.read_hex(document["root"]), document["size"]):
        raise ValueError("the leaves are not what the root says")
    return document, scope


def read_signature_file(data):
    document = strict.read_json(data)
    terms = "batchId scopeRoot scopeSize notAfter trustDomain".split()
    _head(document, "batch-signature", [*terms, "signature"])
    _members(document["signature"], ("kid", "sig"))
    if not strict.is_id(document["batchId"]) or not strict.is_trust_domain(document["trustDomain"]):
        raise ValueError("no batch id, or no trust domain")
    if _whole_seconds(document["notAfter"]) < 0 or _is_malformed(document | {"signatures": []}):
        raise ValueError("terms that nobody signs")
    return document
