"""Bundles with one fault each, and the check that must refuse them: formats.md section 6.

All are made from the golden plaintext bundle.
"""

import base64
import hashlib
import json
from dataclasses import dataclass

import bundle
import certificates
import der
import golden
import keys
import strict
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from remake import (
    SECRET, TIME, edited, extensions_of, fixed_key, jwk_of, pkcs8, private_key, reissued, sealed,
    signed_again, spki_of, ssh_line, text, with_extension, with_stage, without, without_extension,
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    name: str
    check: str | None  # None: it opens
    data: bytes
    secret: str | None = None


def text_cases(d):
    whole = text(d)
    yield "json", "a list on top", b"[]"
    yield "json", "a string on top", b'"better-compute-pki"'
    yield "json", "nothing but white space", b" \n"
    yield "json", "a comment", b"// pki\n" + whole
    yield "json", "two documents", whole + whole
    yield "json", "a byte over 1 MiB", whole.ljust(2**20 + 1)
    yield None, "exactly 1 MiB", whole.ljust(2**20)
    yield "json", "deep inside an unknown member", text(d | {"x": 0})[:-2] + b"[" * 40 + b"]" * 40 + b"}"
    yield "json", "a member name that is not ASCII", json.dumps(d | {"\u00e9": 1}).encode()
    yield "json", "a fraction in an unknown member", json.dumps(d | {"x": 1.5}).encode()
    yield "json", "a broken document of another format", b'{"format":"x","format":"x"}'


def head_cases(d):
    for value in ("better-compute-pki-root-key", "Better-compute-pki", 1, None, ""):
        yield "format", f"format {value!r}", edited(d, "format", to=value)
    for value in ("A.example", "a..b", "", "a\n", 1, None, ["a"]):
        yield "format", f"trust domain {value!r}", edited(d, "trustDomain", to=value)
    for value in (0, 2, "1", True, None, [1]):
        yield "version", f"version {value!r}", edited(d, "version", to=value)
    for check, name in (("format", "format"), ("format", "trustDomain"), ("version", "version")):
        yield check, f"no {name}", without(d, name)
    yield "format", "another format and version", edited(edited(d, "version", to=2), "format", to="x")


def seal_form_cases(d):
    good = sealed(d)
    for value in (None, [], "x", 1, {}):
        yield "seal-form", f"a seal {value!r}", edited(good, "seal", to=value)
    for name in good["seal"]:
        yield "seal-form", f"no {name}", without(good, "seal", name)
        for value in (None, 1, "", "!", ["x"]):
            yield "seal-form", f"{name} {value!r}", edited(good, "seal", name, to=value)
    for name in ("salt", "iv"):
        yield "seal-form", f"a {name} of a byte less", edited(
            good, "seal", name, to=lambda v: strict.write_base64url(strict.read_base64url(v)[1:])
        )
        yield "seal-form", f"a padded {name}", edited(good, "seal", name, to=lambda v: v + "=")
    yield "seal-form", "a ciphertext shorter than its tag", edited(
        good, "seal", "ciphertext", to=strict.write_base64url(bytes(15))
    )
    yield "seal-form", "kdf in lower case", edited(good, "seal", "kdf", to="hkdf-sha256")
    yield "seal-form", "a weaker cipher", edited(good, "seal", "cipher", to="A128GCM")
    yield "seal-form", "a broken seal beside keys", good | {"seal": {}, "privateKeys": {}}
    yield "seal-and-keys", "a seal beside keys of no form", good | {"privateKeys": None}


def seal_open_cases(d):
    digest = hashlib.sha256(strict.canonical(without(d, "privateKeys"))).hexdigest()
    table = d["privateKeys"]
    inside = {
        "no JSON": b"{",
        "a list": b"[]",
        "nothing": b"",
        "no keys": text({"publicSha256": digest}),
        "keys that are null": text({"privateKeys": None, "publicSha256": digest}),
        "keys in a list": text({"privateKeys": [], "publicSha256": digest}),
        "a key that is a number": text({"privateKeys": table | {"rootCa": 1}, "publicSha256": digest}),
        "an unknown member": text({"privateKeys": table, "publicSha256": digest, "x": 1}),
        "a digest that is null": text({"privateKeys": table, "publicSha256": None}),
        "a digest that is cut short": text({"privateKeys": table, "publicSha256": digest[:-2]}),
        "a digest of half bytes": text({"privateKeys": table, "publicSha256": digest[:-1]}),
        "a digest twice": b'{"publicSha256":"","publicSha256":"","privateKeys":{}}',
    }
    for name, plaintext in inside.items():
        yield "seal-open", f"sealed: {name}", sealed(d, plaintext)
    shouted = text({"privateKeys": table, "publicSha256": digest.upper()})
    yield None, "sealed: a digest in upper case", sealed(d, shouted)
    yield None, "sealed again", sealed(d)
    former = sealed(d, text({"privateKeys": table}))
    yield "former-format", "no digest, and an unknown member", former | {"x": 1}
    yield "public-digest", "an unknown member that was not sealed", sealed(d) | {"x": 1}
    yield "unknown-member", "an unknown member that was sealed", sealed(d | {"x": 1})
    yield "member-form", "a sealed organization that is none", sealed(edited(d, "organization", to=""))
    yield "key-missing", "a sealed table of no keys", sealed(edited(d, "privateKeys", to={}))
    yield "unsealed-with-secret", "not sealed, with an unknown member", d | {"x": 1}


def member_cases(d):
    for name in ("x", "", "RootCa", "rootCaNext", "servingCaNext", "servingCaPrevious", "joinSigningNext"):
        yield "unknown-member", f"member {name!r}", d | {name: d["servingCa"]}
    yield "unknown-member", "joinEncryptionPrevious", d | {"joinEncryptionPrevious": d["joinEncryption"]}
    for name in ("nodeCa", "joinEncryption", "sshCa"):
        yield "unknown-member", f"{name} with one more", edited(d, name, to=lambda v: v | {"x": 1})
        yield "unknown-member", f"{name} with a date", edited(d, name, to=lambda v: v | {"switchedAt": TIME})
    yield "unknown-member", "a JWK with its private part", edited(
        d, "execTicket", "jwk", to=lambda v: v | {"d": v["x"]}
    )
    moved = with_stage(d, "commandSigning", "Next", fixed_key(1))
    yield "unknown-member", "a Next with a date", edited(
        moved, "commandSigningNext", to=lambda v: v | {"switchedAt": TIME}
    )
    optional = {"commandSigning", "execTicket", "sshCa", "sandboxSshCa", "auditSigning"}
    for name in ("organization", "trustVersion", *(n for n in bundle.KINDS if n not in optional)):
        yield "member-missing", f"no {name}", without(d, name)
    yield "member-missing", "neither seal nor keys", without(d, "privateKeys")
    for name in ("nodeCa", "execTicket", "sshCa"):
        yield "member-missing", f"an empty {name}", edited(d, name, to={})
    for name in bundle.JWK_MEMBERS:
        yield "member-missing", f"a JWK without {name}", without(d, "joinEncryption", "jwk", name)
    former = with_stage(d, "commandSigning", "Previous", fixed_key(1))
    undated = without(former, "commandSigningPrevious", "switchedAt")
    yield "member-missing", "a Previous without its date", undated
    for stage in ("Next", "Previous"):
        staged = with_stage(d, "auditSigning", stage, fixed_key(1))
        yield "member-missing", f"a {stage} without its member", without(staged, "auditSigning")


def form_cases(d):
    for value in ("", "x" * 65, "\u00e9", "a\nb", "a\x7f", 1, None, []):
        yield "member-form", f"organization {value!r}", edited(d, "organization", to=value)
    for name in ("trustVersion", "generation"):
        for value in ("1", True, None, [], {}):
            yield "member-form", f"{name} {value!r}", edited(d, name, to=value)
    for name in ("rootCa", "joinEncryption", "sandboxSshCa"):
        for value in (None, [], "x", 1, True):
            yield "member-form", f"{name} {value!r}", edited(d, name, to=value)
    for value in (None, "x", {}, 1, [None], [1], [[]]):
        yield "member-form", f"a chain {value!r}", edited(d, "auditSigning", "chain", to=value)
    for value in (None, [], "x", 1):
        yield "member-form", f"a JWK {value!r}", edited(d, "execTicket", "jwk", to=value)
        yield "member-form", f"private keys {value!r}", edited(d, "privateKeys", to=value)
    x_text = d["execTicket"]["jwk"]["x"]
    x = strict.read_base64url(x_text)
    wrong = {
        "kty": ("RSA", "ec", "", None),
        "crv": ("P-384", "p-256", None),
        "use": ("enc", "", None),
        "alg": ("ES384", "ECDH-ES", None),
        "kid": (1, None),
        "x": ("", strict.write_base64url(x[1:]), strict.write_base64url(b"\0" + x), "!", None),
        "y": (strict.write_base64url(bytes(32)), strict.write_base64url(b"\xff" * 32), x_text),
    }
    for name, values in wrong.items():
        for value in values:
            yield "member-form", f"{name} {value!r}", edited(d, "execTicket", "jwk", name, to=value)
    for value in (None, 1, [], {}):
        yield "member-form", f"an SSH key {value!r}", edited(d, "sshCa", "publicKey", to=value)
    for value in (None, 1):
        yield "member-form", f"a private key {value!r}", edited(d, "privateKeys", "sshCa", to=value)
    former = with_stage(d, "commandSigning", "Previous", fixed_key(1))
    for value in ("2026-11-30", "2026-02-30T00:00:00Z", "", 1, None):
        wrong_date = edited(former, "commandSigningPrevious", "switchedAt", to=value)
        yield "member-form", f"a date {value!r}", wrong_date


def pem_cases(d):
    good = d["auditSigning"]["chain"][0]
    body = "".join(good.splitlines()[1:-1])
    data = base64.b64decode(body)
    begin, end = "-----BEGIN CERTIFICATE-----\n", "-----END CERTIFICATE-----\n"
    bad = {
        "CRLF": good.replace("\n", "\r\n"),
        "no last line break": good[:-1],
        "two last line breaks": good + "\n",
        "a space behind": good + " ",
        "one long line": begin + body + "\n" + end,
        "76 columns": begin + "".join(body[i : i + 76] + "\n" for i in range(0, len(body), 76)) + end,
        "another label": good.replace("CERTIFICATE", "X509 CERTIFICATE"),
        "no body": begin + end,
        "nothing": "",
        "a header": good.replace(begin, begin + "X: y\n\n"),
        "no certificate": keys.write_pem("CERTIFICATE", b"\x30\x03\x02\x01\x00"),
        "cut short": keys.write_pem("CERTIFICATE", data[:-1]),
        "a longer form of a length": keys.write_pem("CERTIFICATE", b"\x30\x83\x00" + data[2:]),
    }
    for name, pem in bad.items():
        yield "pem", f"PEM: {name}", edited(d, "auditSigning", "chain", 0, to=pem)
    yield "pem", "PEM: in a root behind a CA", edited(d, "nodeCa", "chain", 1, to=lambda pem: pem + "\n")


def chain_cases(d):
    root, audit = d["rootCa"]["chain"][0], d["auditSigning"]["chain"][0]
    for name in ("rootCa", "joinSigning", "commandSigning"):
        yield "chain-form", f"{name}: no certificate", edited(d, name, "chain", to=[])
        yield "chain-form", f"{name}: one more behind", edited(d, name, "chain", to=lambda c: [*c, audit])
    for name in ("nodeCa", "servingCa", "internalCa"):
        yield "chain-form", f"{name}: the root first", edited(d, name, "chain", to=lambda c: c[::-1])
        yield "chain-form", f"{name}: the root twice", edited(d, name, "chain", to=lambda c: [*c, root])
        yield "chain-form", f"{name}: another behind", edited(d, name, "chain", 1, to=audit)
    staged = with_stage(d, "nodeCa", "Next", fixed_key(1))
    rootless = edited(staged, "nodeCaNext", "chain", to=lambda c: c[:1])
    yield "chain-form", "nodeCaNext without the root", rootless


def profile_cases(d):
    c = certificates
    sequence = der.encode(der.SEQUENCE)
    uri = der.encode(der.SEQUENCE, der.encode(c.URI, b"spiffe://a/site/s/node/n"))
    for member in ("rootCa", "nodeCa", "joinSigning", "commandSigning"):
        for serial in (b"\0", b"\x80" + bytes(15), b"\x01" + bytes(20)):
            yield "profile", f"{member}: serial {serial.hex()}", reissued(d, member, serial=serial)
        found = extensions_of(d, member)
        for identifier in found:
            name = f"{member}: extension {identifier.hex()}"
            yield "profile", f"{name} is missing", without_extension(d, member, identifier)
            critical, value = found[identifier]
            turned = with_extension(d, member, identifier, not critical, value)
            yield "profile", f"{name} is {'not ' * critical}critical", turned
        yield "profile", f"{member}: names", with_extension(d, member, c.SUBJECT_ALT_NAME, False, uri)
        yield "profile", f"{member}: an unknown critical one", with_extension(
            d, member, der.oid("1.2.3.4"), True, sequence
        )
        unknown = with_extension(d, member, der.oid("1.2.3.4"), False, sequence)
        yield None, f"{member}: an unknown one", unknown
        second = der.encode(der.context(0), der.encode(der.INTEGER, b"\1"))
        for number, version in ((1, b""), (2, second)):
            old = reissued(d, member, version=version, extensions={})
            yield "profile", f"{member}: version {number}", old
    root_id = c.key_id(spki_of(private_key(d, "rootCa"))).hex()
    values = {
        ("rootCa", c.BASIC_CONSTRAINTS, True): ("30060101ff020100", "30030101ff", "30060101ff020102"),
        ("nodeCa", c.BASIC_CONSTRAINTS, True): ("30060101ff020101", "30030101ff", "3000"),
        ("joinSigning", c.BASIC_CONSTRAINTS, True): ("30060101ff020100", "30030101ff"),
        ("rootCa", c.KEY_USAGE, True): ("03020284", "03020186", "03020204"),
        ("commandSigning", c.KEY_USAGE, True): ("03020106", "03020780", "03020186"),
        ("auditSigning", c.KEY_USAGE, True): ("03020284", "030206c0"),
        ("nodeCa", c.EXTENDED_KEY_USAGE, False): (
            "300a06082b06010505070301",
            "301406082b0601050507030106082b06010505070302",
            "3000",
        ),
        ("internalCa", c.EXTENDED_KEY_USAGE, False): ("300a06082b06010505070301", "300a06082b06010505070302"),
        ("rootCa", c.EXTENDED_KEY_USAGE, False): ("300a06082b06010505070301",),
        ("nodeCa", c.NAME_CONSTRAINTS, True): (
            "3006a10430028200",
            "3012a11030028200300a87080000000000000000",
            "3007a105300386012e",
        ),
        ("servingCa", c.NAME_CONSTRAINTS, True): ("3006a10430028200", "3007a005300386012e"),
        ("rootCa", c.NAME_CONSTRAINTS, True): ("3007a105300386012e",),
        ("nodeCa", c.SUBJECT_KEY_ID, False): ("0414" + "11" * 20,),
        ("nodeCa", c.AUTHORITY_KEY_ID, False): ("30168014" + "11" * 20,),
        ("rootCa", c.AUTHORITY_KEY_ID, False): ("30168014" + root_id,),
    }
    for (member, identifier, critical), encodings in values.items():
        for value in map(bytes.fromhex, encodings):
            name = f"{member}: extension {identifier.hex()} is {value.hex()}"
            yield "profile", name, with_extension(d, member, identifier, critical, value)
    reversed_purposes = bytes.fromhex("301406082b0601050507030206082b06010505070301")
    yield None, "internalCa: purposes the other way round", with_extension(
        d, "internalCa", c.EXTENDED_KEY_USAGE, False, reversed_purposes
    )
    yield from subject_cases(d)
    yield from issuer_cases(d)
    yield from key_type_cases(d)


def subject_cases(d):
    domain, organization = d["trustDomain"], d["organization"]
    profile = certificates.PROFILES["joinSigning"]
    good = profile.subject(organization, domain)
    parts = der.Reader(good).enter(der.SEQUENCE)
    o, cn = parts.whole(der.SET), parts.whole(der.SET)
    printable = good.replace(b"\x0c", b"\x13", 1)
    subjects = {
        "another organization": profile.subject("other", domain),
        "another trust domain": profile.subject(organization, "other"),
        "another duty": certificates.PROFILES["auditSigning"].subject(organization, domain),
        "a CN without a trust domain that fits": profile.subject(organization, "x" * 64),
        "CN before O": der.encode(der.SEQUENCE, cn, o),
        "no O": der.encode(der.SEQUENCE, cn),
        "no CN": der.encode(der.SEQUENCE, o),
        "O twice": der.encode(der.SEQUENCE, o, o, cn),
        "another string type": printable,
        "nothing": der.encode(der.SEQUENCE),
    }
    for name, subject in subjects.items():
        yield "profile", f"subject: {name}", reissued(d, "joinSigning", subject=subject, issuer=subject)


def issuer_cases(d):
    foreign = certificates.PROFILES["rootCa"].subject("other", d["trustDomain"])
    for member in ("rootCa", "nodeCa", "auditSigning"):
        yield "profile", f"{member}: another issuer's name", reissued(d, member, issuer=foreign)


def key_type_cases(d):
    point = spki_of(fixed_key(1))[-65:]
    compressed = bytes([2 + point[-1] % 2]) + point[1:33]
    rsa_with_sha256 = bytes.fromhex("300d06092a864886f70d01010b0500")
    ecdsa_with_sha384 = bytes.fromhex("300a06082a8648ce3d040303")
    with_null = bytes.fromhex("300c06082a8648ce3d0403020500")
    others = {
        "P-384": spki_of(ec.derive_private_key(0x1000, ec.SECP384R1())),
        "Ed25519": spki_of(ed25519.Ed25519PrivateKey.from_private_bytes(bytes(32))),
        "RSA": spki_of(rsa.generate_private_key(65537, 2048)),
        "compressed": der.encode(
            der.SEQUENCE, keys.P256_ALGORITHM, der.encode(der.BIT_STRING, b"\0", compressed)
        ),
        "off the curve": keys.P256_PREFIX + bytes(64),
    }
    for name, spki in others.items():
        yield "profile", f"key: {name}", reissued(d, "auditSigning", spki=spki)
    for name, value in (("RSA", rsa_with_sha256), ("SHA-384", ecdsa_with_sha384), ("parameters", with_null)):
        inside, outside = {"algorithm": value}, {"outer_algorithm": value}
        for where, changes in {"inside": inside, "outside": outside, "both": inside | outside}.items():
            changed = reissued(d, "auditSigning", **changes)
            yield "profile", f"signature algorithm {where}: {name}", changed


def signature_cases(d):
    other = fixed_key(1)
    for member in ("nodeCa", "joinSigning", "commandSigning", "auditSigning"):
        pem = signed_again(d, member, other)
        yield "chain-signature", f"{member}: signed by another key", edited(d, member, "chain", 0, to=pem)
    own = signed_again(d, "nodeCa", private_key(d, "nodeCa"))
    yield "chain-signature", "nodeCa: signed by itself", edited(d, "nodeCa", "chain", 0, to=own)


def public_key_cases(d):
    spki = keys.read_jwk(d["execTicket"]["jwk"])
    for value in ("", "x", keys.kid(spki), d["joinEncryption"]["jwk"]["kid"]):
        yield "jwk-kid", f"kid {value!r}", edited(d, "execTicket", "jwk", "kid", to=value)
    good = d["sshCa"]["publicKey"]
    kind, blob, *_ = good.split(" ")
    raw = strict.read_base64(blob)[-32:]
    point = spki_of(fixed_key(1))[-65:]
    ecdsa = "ecdsa-sha2-nistp256"
    lines = {
        "a line break behind": good + "\n",
        "a space before": " " + good,
        "two spaces": good.replace(" ", "  ", 1),
        "a tab": good.replace(" ", "\t", 1),
        "nothing": "",
        "no key": kind,
        "an empty key": kind + " ",
        "no padding": f"{kind} {blob.rstrip('=')[:-2]}",
        "a comment that is not ASCII": f"{kind} {blob} \u00e9",
        "a comment with an escape": f"{kind} {blob} \x1b[2J",
        "a key of 31 bytes": ssh_line(kind, kind.encode(), raw[:-1]),
        "something behind the key": ssh_line(kind, kind.encode(), raw, b""),
        "another type inside": ssh_line(kind, ecdsa.encode(), raw),
        "a type in upper case": good.replace(kind, kind.upper()),
        "another curve": ssh_line(ecdsa, ecdsa.encode(), b"nistp384", point),
        "a point off the curve": ssh_line(ecdsa, ecdsa.encode(), b"nistp256", b"\4" + bytes(64)),
        "a compressed point": ssh_line(ecdsa, ecdsa.encode(), b"nistp256", b"\2" + point[1:33]),
        "an option": "restrict " + good,
    }
    for name, line in lines.items():
        yield "ssh-line", f"SSH: {name}", edited(d, "sshCa", "publicKey", to=line)
    yield None, "SSH: no comment", edited(d, "sshCa", "publicKey", to=f"{kind} {blob}")
    yield None, "SSH: a comment of some words", edited(d, "sshCa", "publicKey", to=f"{kind} {blob} a b  c")
    curve = ssh_line(ecdsa, ecdsa.encode(), b"nistp256", point)
    named = edited(d, "sshCa", "publicKey", to=curve)
    yield None, "SSH: P-256", edited(named, "privateKeys", "sshCa", to=pkcs8(fixed_key(1)))


def stage_cases(d):
    one, two = fixed_key(1), fixed_key(2)
    for base in ("nodeCa", "internalCa", "commandSigning", "auditSigning"):
        following = with_stage(d, base, "Next", one)
        yield None, f"{base} with a Next", following
        yield None, f"{base} with a Previous", with_stage(d, base, "Previous", one)
        yield "next-and-previous", f"{base} with both", with_stage(following, base, "Previous", two)
        yield "key-missing", f"{base}Next without its key", without(following, "privateKeys", base + "Next")
        table = {base + "Previous": pkcs8(one)}
        former = edited(with_stage(d, base, "Previous", one), "privateKeys", to=lambda t, m=table: t | m)
        yield "key-unknown", f"{base}Previous with its key", former
        again = with_stage(d, base, "Next", private_key(d, base))
        yield "key-shared", f"{base}Next with the same key", again
    jwk = jwk_of(one, "sig", "ES256")
    ticket = d | {"execTicketPrevious": {"jwk": jwk, "switchedAt": TIME}}
    yield None, "execTicket with a Previous", ticket
    yield "key-shared", "a ticket key that is a root's too", with_stage(ticket, "commandSigning", "Next", one)
    sealing = edited(ticket, "execTicketPrevious", "jwk", "use", to="enc")
    yield "member-form", "a ticket key for another use", sealing
    same = {"publicKey": d["sandboxSshCa"]["publicKey"], "switchedAt": TIME}
    yield "key-shared", "a former SSH CA that is the sandbox's", d | {"sshCaPrevious": same}
    joined = edited(d, "execTicket", "jwk", to=jwk_of(private_key(d, "joinEncryption"), "sig", "ES256"))
    yield "key-shared", "one JWK for two jobs", joined


def private_key_cases(d):
    for name in d["privateKeys"]:
        check = None if name == "rootCa" else "key-missing"
        yield check, f"no private key of {name}", without(d, "privateKeys", name)
    for name in ("", "x", "servingCaNext", "commandSigningNext"):
        yield "key-unknown", f"a private key {name!r}", edited(d, "privateKeys", name, to=pkcs8(fixed_key(1)))
    own = private_key(d, "auditSigning")
    good = d["privateKeys"]["auditSigning"]
    data = keys.read_pem("PRIVATE KEY", good)
    other_public = data.replace(spki_of(own)[-65:], spki_of(fixed_key(1))[-65:])
    sec1 = own.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    ).decode()
    negated = own.private_numbers().private_value.to_bytes(32, "big")
    negated = data.replace(negated, (keys.N - int.from_bytes(negated, "big")).to_bytes(32, "big"))
    bad = {
        "of another member": d["privateKeys"]["joinSigning"],
        "encrypted": pkcs8(own, serialization.BestAvailableEncryption(b"x")),
        "SEC1": sec1,
        "Ed25519": pkcs8(ed25519.Ed25519PrivateKey.from_private_bytes(bytes(32))),
        "CRLF": good.replace("\n", "\r\n"),
        "text before": "key\n" + good,
        "twice": good + good,
        "something behind": keys.write_pem("PRIVATE KEY", data + b"\0"),
        "cut short": keys.write_pem("PRIVATE KEY", data[:-1]),
        "nothing": "",
        "another public part": keys.write_pem("PRIVATE KEY", other_public),
        "n - d": keys.write_pem("PRIVATE KEY", negated),
    }
    for name, pem in bad.items():
        yield "key-mismatch", f"private key: {name}", edited(d, "privateKeys", "auditSigning", to=pem)


def layout_cases(d):
    yield None, "as it is", d
    yield None, "members in another order", dict(reversed(d.items()))
    yield None, "without what may be missing", without(without(d, "generation"), "privateKeys", "rootCa")
    yield None, "the greatest version", edited(d, "trustVersion", to=2**53 - 1)


PLAIN_CASES = (
    text_cases, head_cases, member_cases, form_cases, pem_cases, chain_cases, profile_cases, signature_cases,
    public_key_cases, stage_cases, private_key_cases, layout_cases,
)  # fmt: skip
SECRET_CASES = (seal_form_cases, seal_open_cases)


def cases():
    document = json.loads((golden.BUNDLES / "plaintext.json").read_bytes())
    for secret, makers in ((None, PLAIN_CASES), (SECRET, SECRET_CASES)):
        for make in makers:
            for check, name, made in make(document):
                yield Case(name, check, made if isinstance(made, bytes) else text(made), secret)
