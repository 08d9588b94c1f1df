#!/usr/bin/python3
"""Every certificate that bc-pki makes, judged by OpenSSL, GnuTLS and Go: good ones pass for what they
are for, and each CA refuses the work of the others."""

import itertools
import time
from dataclasses import dataclass

import forge
import peers
from judges import Question, all_say, judges

CAS = {"node": "node-ca", "serving": "serving-ca", "internal": "internal-ca"}
MEMBERS = {"node": "nodeCa", "serving": "servingCa", "internal": "internalCa"}
SELF_SIGNED = {"rootCa": True, "joinSigning": False, "commandSigning": True, "auditSigning": False}

HOUR = 3600
DAY = 24 * HOUR
STATEMENT = "urn:bc:tpm-ak:000b:" + "5a" * 32

# A request that asks for much; only its key may come back.
GREEDY_REQUEST = (
    "-subj", "/O=evil/OU=bc-role:site/CN=evil.example.org",
    "-addext", "subjectAltName=DNS:evil.example.org,URI:spiffe://evil/site/s/node/n",
    "-addext", "basicConstraints=critical,CA:TRUE",
    "-addext", "extendedKeyUsage=serverAuth,clientAuth,codeSigning",
)  # fmt: skip


@dataclass(frozen=True)
class Leaf:
    label: str
    kind: str  # of CAS
    pem: str
    purposes: frozenset
    names: tuple  # host names that it must hold for
    longest: int  # seconds
    dns_names: tuple = ()
    uris: tuple = ()
    subject_part: str = ""


def make_request(folder):
    key, csr = folder / "request.key", folder / "request.csr"
    peers.run(
        "openssl", "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-keyout", key, "-out", csr, *GREEDY_REQUEST,
    ).must()  # fmt: skip
    return key, csr


def public_key_of(*command):
    return peers.run(*command).must().stdout


def check_key_files(tally, label, certificate, key):
    of_certificate = public_key_of("openssl", "x509", "-in", certificate, "-noout", "-pubkey")
    tally.equal(f"{label}: its key", of_certificate, public_key_of("openssl", "pkey", "-in", key, "-pubout"))


def check_chain_file(tally, label, path, ca):
    """The leaf of a file that must hold it and, behind it, its CA alone."""
    pems = peers.certificates_in(path.read_text())
    tally.equal(f"{label}: what stands behind the leaf", pems[1:], [ca])
    return pems[0]


class Issuing:
    """A deployment that issues leaves; each is checked against the files that came with it."""

    def __init__(self, tally, deployment):
        self.tally, self.deployment = tally, deployment
        self.cas = {kind: deployment.export(what)[0] for kind, what in CAS.items()}
        self.key, self.csr = make_request(deployment.folder)

    def gateway(self, label, names, *flags, days=30):
        purposes, unit = frozenset({"server"}), "OU=bc-role:gateway"
        command = ("issue-gateway", *flags)
        return self._host_leaf(command, label, names, "serving", purposes, days, unit)

    def internal(self, label, role, names, *flags, days=7):
        purposes, unit = frozenset({"server", "client"}), f"OU=bc-role:{role}"
        command = ("issue-internal", "--role", role, *flags)
        return self._host_leaf(command, label, names, "internal", purposes, days, unit)

    def node(self, label, role, node, *flags, hours=24, statements=()):
        out = self.deployment.folder / f"{label}.crt"
        arguments = ("--csr", self.csr, "--site", "site_1", "--node", node, "--role", role, "--out", out)
        claims = itertools.chain.from_iterable(("--statement", urn) for urn in statements)
        self.deployment.pki("issue-node", *arguments, *flags, *claims).must()
        pem = self._read_back(label, out, self.key, "node")
        uris, unit = (agent_id(self.deployment, node), *statements), f"OU=bc-role:{role}"
        return Leaf(label, "node", pem, frozenset({"client"}), (), hours * HOUR, (), uris, unit)

    def _host_leaf(self, command, label, names, kind, purposes, days, unit):
        out = self.deployment.folder / "hosts"
        self.deployment.pki(*command, "--san", ",".join(names), "--out", out, "--name", label).must()
        given, made = "--csr" in command, out / f"{label}.key"
        self.tally.equal(f"{label}: a key file", made.exists(), not given)
        pem = self._read_back(label, out / f"{label}.crt", self.key if given else made, kind)
        folded = tuple(name.lower() for name in names)
        hosts = tuple(name.replace("*", "one") for name in folded)
        return Leaf(label, kind, pem, purposes, hosts, days * DAY, folded, (), unit)

    def _read_back(self, label, certificate, key, kind):
        check_key_files(self.tally, label, certificate, key)
        return check_chain_file(self.tally, label, certificate, self.cas[kind])


def agent_id(deployment, node):
    return f"spiffe://{deployment.trust_domain}/site/site_1/node/{node}"


def one_of_each(issuing):
    return (
        issuing.gateway("gateway", ("gw.eu-1.example.com", "gw2.example.com")),
        issuing.internal("internal", "internal", ("internal.example.com", "localhost")),
        issuing.node("node", "node", "node_1"),
    )


def every_form(issuing):
    csr = ("--csr", issuing.csr)
    return (
        *one_of_each(issuing),
        issuing.gateway("gateway-days", ("gw.example.com",), "--days", 1, days=1),
        issuing.gateway("gateway-wildcard", ("*.gw.example.com",)),
        issuing.gateway("gateway-upper", ("GW.Example.COM",)),
        issuing.gateway("gateway-long-name", (".".join(["a" * 60] * 2),)),
        issuing.gateway("gateway-csr", ("gw.example.com",), *csr),
        issuing.internal("internal-gateway", "gateway", ("gateway.internal.example.com", "localhost")),
        issuing.internal("internal-worker", "worker", ("worker.internal.example.com", "localhost")),
        issuing.internal("internal-days", "worker", ("worker.example.com",), "--days", 1, days=1),
        issuing.internal("internal-wildcard", "worker", ("*.worker.example.com",)),
        issuing.internal("internal-csr", "worker", ("worker.example.com",), *csr),
        issuing.node("node-site", "site", "agent_1"),
        issuing.node("node-ramdisk", "ramdisk", "node_2", hours=2),
        issuing.node("node-tenant", "node-tenant", "node_3"),
        issuing.node("node-statement", "node", "node_4", statements=(STATEMENT,)),
        issuing.node("node-dotted", "node", "node.example.com"),
        issuing.node("node-hours", "node", "node_5", "--hours", 1, hours=1),
    )


def purpose_questions(leaf, cas, root, now):
    """Its own CA, trusted alone or below the root, takes it for its purposes and no other."""
    own = cas[leaf.kind]
    for purpose in ("server", "client"):
        expected = all_say(purpose in leaf.purposes)
        label = f"{leaf.label} as {purpose}"
        yield Question(label, leaf.pem, (own,), purpose, now, expected)
        yield Question(f"{label} below the root", leaf.pem, (root,), purpose, now, expected, (own,))


def foreign_questions(leaf, cas, root, now):
    """The other CAs refuse it, and so does the root where only their certificates lie beside it."""
    refused = all_say(False)
    others = tuple(pem for kind, pem in cas.items() if kind != leaf.kind)
    for purpose, other in itertools.product(("server", "client", "any"), others):
        label = f"{leaf.label} as {purpose} by another CA"
        yield Question(label, leaf.pem, (other,), purpose, now, refused)
    label = f"{leaf.label} below the root without its CA"
    yield Question(label, leaf.pem, (root,), "any", now, refused, others)


def time_questions(leaf, facts, cas, issued):
    """It holds from a minute before it was made to its end, and not a second more."""
    purpose = min(leaf.purposes)
    moments = {
        "its first second": (facts["notBefore"], True),
        "a clock that is a minute slow": (issued - 60, True),
        "its last but one second": (facts["notAfter"] - 1, True),
        "a second before its start": (facts["notBefore"] - 1, False),
        "a second after its end": (facts["notAfter"] + 1, False),
    }
    for moment, (at, answer) in moments.items():
        label = f"{leaf.label} at {moment}"
        yield Question(label, leaf.pem, (cas[leaf.kind],), purpose, at, all_say(answer))


def name_questions(leaf, cas, now):
    purpose = min(leaf.purposes)
    for name in (*leaf.names, "stranger.example.org", "evil.example.org"):
        label, expected = f"{leaf.label} for {name}", all_say(name in leaf.names)
        yield Question(label, leaf.pem, (cas[leaf.kind],), purpose, now, expected, dns_name=name)


def check_serial(tally, label, facts):
    tally.check(f"{label}: a positive serial", facts["serialPositive"], facts)
    tally.check(f"{label}: a serial of at most 20 octets", 1 <= facts["serialOctets"] <= 20, facts)
    tally.check(f"{label}: a minimal serial", facts["serialMinimal"], facts)


def check_leaf_facts(tally, leaf, facts, ca, root):
    check_serial(tally, leaf.label, facts)
    starts_in_time = facts["notBefore"] >= ca["notBefore"]
    tally.check(f"{leaf.label}: starts no earlier than its CA", starts_in_time, (facts, ca))
    ends_in_time = facts["notAfter"] <= ca["notAfter"] <= root["notAfter"]
    tally.check(f"{leaf.label}: ends no later than its issuers", ends_in_time, (facts, ca, root))
    tally.equal(f"{leaf.label}: its life", facts["notAfter"] - facts["notBefore"], leaf.longest)
    tally.equal(f"{leaf.label}: its issuer's key", facts["authorityKeyId"], ca["subjectKeyId"])
    tally.equal(f"{leaf.label}: its DNS names", tuple(facts["dnsNames"] or ()), leaf.dns_names)
    tally.equal(f"{leaf.label}: its URIs", tuple(facts["uris"] or ()), leaf.uris)
    tally.check(f"{leaf.label}: no CA", not facts["isCa"], facts)
    tally.check(f"{leaf.label}: its role", leaf.subject_part in facts["subject"], facts)
    tally.check(f"{leaf.label}: nothing of the request", "evil" not in facts["subject"], facts)


def check_cas(tally, deployment, cas, root, now):
    """The root takes each CA, from the CA's first second on; what `export` prints is the bundle's."""
    document = deployment.document()
    tally.equal("export root", [root], document["rootCa"]["chain"])
    root_facts = judges().facts([root])[0]
    check_serial(tally, "rootCa", root_facts)
    for kind, pem in cas.items():
        facts = judges().facts([pem])[0]
        check_serial(tally, MEMBERS[kind], facts)
        tally.equal(f"export {CAS[kind]}", [pem, root], document[MEMBERS[kind]]["chain"])
        with_root = deployment.export(CAS[kind], "--with-root")
        tally.equal(f"export {CAS[kind]} --with-root", with_root, [pem, root])
        tally.check(f"{kind} CA: starts with the root", facts["notBefore"] >= root_facts["notBefore"], facts)
        tally.check(f"{kind} CA: ends with the root", facts["notAfter"] <= root_facts["notAfter"], facts)
        moments = {"now": now, "its first second": facts["notBefore"]}
        judges().ask(
            tally,
            [
                Question(f"{kind} CA at {moment}", pem, (root,), "any", at, all_say(True))
                for moment, at in moments.items()
            ],
        )


def check_self_signed(tally, deployment, now):
    """Each is its own anchor. GnuTLS takes no anchor that is no CA, and should not."""
    document = deployment.document()
    for member, is_ca in SELF_SIGNED.items():
        pems = document[member]["chain"]
        tally.equal(f"{member}: one certificate", len(pems), 1)
        facts = judges().facts(pems)[0]
        check_serial(tally, member, facts)
        tally.equal(f"{member}: a CA", facts["isCa"], is_ca)
        expected = all_say(True) | {"gnutls": is_ca}
        judges().ask(tally, [Question(member, pems[0], tuple(pems), "any", now, expected)])


def check_deployment(tally, deployment, forms):
    """Its CAs and the leaves that `forms` has it issue, judged for all that they are and are not for."""
    issuing, root = Issuing(tally, deployment), deployment.export("root")[0]
    cas, leaves = issuing.cas, forms(issuing)
    issued = now = int(time.time())
    check_cas(tally, deployment, cas, root, now)
    check_self_signed(tally, deployment, now)
    root_facts, *ca_facts = judges().facts([root, *cas.values()])
    ca_facts = dict(zip(cas, ca_facts, strict=True))
    for leaf, facts in zip(leaves, judges().facts(leaf.pem for leaf in leaves), strict=True):
        check_leaf_facts(tally, leaf, facts, ca_facts[leaf.kind], root_facts)
        judges().ask(tally, purpose_questions(leaf, cas, root, now))
        judges().ask(tally, foreign_questions(leaf, cas, root, now))
        judges().ask(tally, time_questions(leaf, facts, cas, issued))
        judges().ask(tally, name_questions(leaf, cas, now))


def test_sealed_deployment(tally, folder):
    check_deployment(tally, peers.Deployment(folder / "sealed"), every_form)


def test_other_forms(tally, folder):
    """A root kept apart, another organization and a name too long for a CN change no verdict."""
    forms = {
        "offline": (("--offline-root", folder / "root.json"), "compute.example.com"),
        "organization": (("--organization", "Example & Sons, Ltd."), "compute.example.com"),
        "long": ((), "compute." + "a" * 60 + ".example"),
    }
    for name, (flags, domain) in forms.items():
        deployment = peers.Deployment(folder / name, *flags, trust_domain=domain)
        check_deployment(tally, deployment, one_of_each)


def test_forged_leaves(tally, folder):
    """A CA whose key is misused is still held to its duty by its own certificate.

    The root is trusted here: GnuTLS does not look at the purposes of the anchor itself.
    """
    deployment = peers.Deployment(folder / "plain", "--plaintext", secret=None)
    document, now = deployment.document(), int(time.time())
    refused, by_go_and_gnutls = all_say(False), {"gnutls": False, "go": False}
    spiffe, gateway = forge.uri(agent_id(deployment, "node_1")), forge.dns("gw.example.com")
    forgeries = {
        "an honest node leaf": ("nodeCa", [spiffe], "client", all_say(True)),
        "an honest serving leaf": ("servingCa", [gateway], "server", all_say(True)),
        "a node leaf with a DNS name": ("nodeCa", [spiffe, gateway], "client", refused),
        "a node leaf with an IPv4 address": ("nodeCa", [forge.ip("10.0.0.1")], "client", refused),
        "a node leaf with an IPv6 address": ("nodeCa", [forge.ip("fe80::1")], "client", refused),
        "a server of the node CA": ("nodeCa", [spiffe], "server", refused),
        "a client of the serving CA": ("servingCa", [gateway], "client", refused),
        "a node of the serving CA": ("servingCa", [spiffe], "server", by_go_and_gnutls),
        "a node of the internal CA": ("internalCa", [spiffe], "client", by_go_and_gnutls),
        "a leaf of the JoinService key": ("joinSigning", [spiffe], "client", refused),
        "a leaf of the audit key": ("auditSigning", [spiffe], "client", refused),
        "a worker of the command root": ("commandSigning", [], "any", all_say(True)),
    }
    questions = []
    for label, (member, names, purpose, expected) in forgeries.items():
        purposes = () if purpose == "any" else (purpose,)
        leaf = forge.sign(forge.Issuer.of(document, member), names, purposes)
        *behind, anchor = document[member]["chain"]
        questions.append(Question(label, leaf.pem, (anchor,), purpose, now, expected, tuple(behind)))
    for member in (*MEMBERS.values(), "commandSigning"):
        below = forge.sign(forge.Issuer.of(document, member), ca=True)
        leaf, anchors = forge.sign(below), (document[member]["chain"][0],)
        label = f"a CA below {member}"
        questions.append(Question(label, leaf.pem, anchors, "any", now, refused, (below.pem,)))
    judges().ask(tally, questions)


if __name__ == "__main__":
    peers.main(test_sealed_deployment, test_other_forms, test_forged_leaves)
