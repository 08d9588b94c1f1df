"""Bundles made again with one part changed: edited, sealed again, a certificate signed again.

The private keys of a plaintext bundle lie open, so that nothing but the change is wrong.
"""

import base64
import copy
import hashlib
import json

import certificates
import der
import keys
import strict
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SECRET = "the secret of the refusal cases, long enough"
TIME = "2026-11-30T12:00:00Z"


def copied(document, parents):
    """A copy, and the object or list inside it that is found along `parents`."""
    other = copy.deepcopy(document)
    inner = other
    for step in parents:
        inner = inner[step]
    return other, inner


def edited(document, *path, to):
    """A copy in which the value at `path` is another: `to`, or what `to` makes of it."""
    other, inner = copied(document, path[:-1])
    inner[path[-1]] = to(inner[path[-1]]) if callable(to) else to
    return other


def without(document, *path):
    other, inner = copied(document, path[:-1])
    del inner[path[-1]]
    return other


def text(document):
    return json.dumps(document).encode()


def private_key(document, member):
    return serialization.load_pem_private_key(document["privateKeys"][member].encode(), None)


def pkcs8(key, encryption=None):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        encryption or serialization.NoEncryption(),
    ).decode()


def spki_of(key):
    return key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def fixed_key(number):
    """A P-256 key that is the same in every run."""
    return ec.derive_private_key(0x1000 + number, ec.SECP256R1())


def new_key_like(value):
    """A fresh key of the kind that a member's value has."""
    if "publicKey" in value:
        return ed25519.Ed25519PrivateKey.generate()
    return ec.generate_private_key(ec.SECP256R1())


def sealed(document, plaintext=None, secret=SECRET):
    """The document sealed again; `plaintext` replaces what the seal holds."""
    public = without(document, "privateKeys")
    if plaintext is None:
        digest = hashlib.sha256(strict.canonical(public)).hexdigest()
        plaintext = text({"privateKeys": document["privateKeys"], "publicSha256": digest})
    salt, iv = bytes(range(32)), bytes(range(12))
    key = HKDF(hashes.SHA256(), 32, salt, b"better-compute/pki-bundle/v1").derive(secret.encode())
    data = strict.lp(b"better-compute-pki") + strict.lp(document["trustDomain"].encode())
    seal = {
        "kdf": "HKDF-SHA256",
        "salt": strict.write_base64url(salt),
        "cipher": "A256GCM",
        "iv": strict.write_base64url(iv),
        "ciphertext": strict.write_base64url(AESGCM(key).encrypt(iv, plaintext, data)),
    }
    return public | {"seal": seal}


def in_former_format(document, secret=SECRET):
    """The document sealed as it was before the seal covered the public half."""
    return sealed(document, text({"privateKeys": document["privateKeys"]}), secret)


def without_member(document, name):
    """A copy without a member that holds a key, and without the key."""
    return without(without(document, name), "privateKeys", name)


def encode_extension(identifier, critical, value):
    flag = der.encode(der.BOOLEAN, b"\xff") if critical else b""
    return der.encode(
        der.SEQUENCE, der.encode(der.OID, identifier), flag, der.encode(der.OCTET_STRING, value)
    )


def encode_time(moment):
    kind, form = (der.UTC_TIME, "%y%m%d%H%M%SZ")
    if moment.year >= 2050:
        kind, form = der.GENERALIZED_TIME, "%Y%m%d%H%M%SZ"
    return der.encode(kind, moment.strftime(form).encode())


def signed_again(document, member, signer, **changes):
    """The PEM of a member's certificate with some parts changed, signed by the key `signer`."""
    old = certificates.Certificate(keys.read_pem("CERTIFICATE", document[member]["chain"][0]))
    parts = {
        "version": der.encode(der.context(0), der.encode(der.INTEGER, b"\2")),
        "serial": b"\x11" * 16,
        "algorithm": certificates.ECDSA_WITH_SHA256,
        "issuer": old.issuer,
        "subject": old.subject,
        "spki": old.spki,
        "extensions": old.extensions,
        "outer_algorithm": certificates.ECDSA_WITH_SHA256,
    } | changes
    extensions = [encode_extension(name, *value) for name, value in parts["extensions"].items()]
    tagged = der.encode(der.context(3), der.encode(der.SEQUENCE, *extensions)) if extensions else b""
    tbs = der.encode(
        der.SEQUENCE,
        parts["version"],
        der.encode(der.INTEGER, parts["serial"]),
        parts["algorithm"],
        parts["issuer"],
        der.encode(der.SEQUENCE, encode_time(old.not_before), encode_time(old.not_after)),
        parts["subject"],
        parts["spki"],
        tagged,
    )
    signature = signer.sign(tbs, ec.ECDSA(hashes.SHA256()))
    whole = der.encode(
        der.SEQUENCE, tbs, parts["outer_algorithm"], der.encode(der.BIT_STRING, b"\0", signature)
    )
    return keys.write_pem("CERTIFICATE", whole)


def reissued(document, member, **changes):
    """A copy in which a member's certificate is another, signed by whom it must be signed by."""
    under_root = certificates.PROFILES[member].under_root
    signer = private_key(document, "rootCa" if under_root else member)
    other = edited(document, member, "chain", 0, to=signed_again(document, member, signer, **changes))
    if member == "rootCa":
        for name in ("nodeCa", "servingCa", "internalCa"):
            other[name]["chain"][1] = other["rootCa"]["chain"][0]
    return other


def extensions_of(document, member):
    return certificates.Certificate(keys.read_pem("CERTIFICATE", document[member]["chain"][0])).extensions


def with_extension(document, member, identifier, critical, value):
    changed = extensions_of(document, member) | {identifier: (critical, value)}
    return reissued(document, member, extensions=changed)


def without_extension(document, member, identifier):
    changed = extensions_of(document, member)
    del changed[identifier]
    return reissued(document, member, extensions=changed)


def chain_of(document, base, key):
    signer = private_key(document, "rootCa") if certificates.PROFILES[base].under_root else key
    spki = spki_of(key)
    changed = extensions_of(document, base) | {
        certificates.SUBJECT_KEY_ID: (False, der.encode(der.OCTET_STRING, certificates.key_id(spki)))
    }
    pem = signed_again(document, base, signer, spki=spki, extensions=changed)
    return [pem, *document[base]["chain"][1:]]


def with_stage(document, base, stage, key):
    """A copy with a Next or Previous of a member, for the private key `key`."""
    value = {}
    if "chain" in document[base]:
        value["chain"] = chain_of(document, base, key)
    elif "jwk" in document[base]:
        value["jwk"] = jwk_of(key, "sig", "ES256")
    else:
        value["publicKey"] = ssh_line_of(key)
    if stage == "Previous":
        return document | {base + stage: value | {"switchedAt": TIME}}
    keys_too = document["privateKeys"] | {base + stage: pkcs8(key)}
    return document | {base + stage: value, "privateKeys": keys_too}


def jwk_of(key, use, alg):
    spki = spki_of(key)
    return keys.jwk(spki) | {"kid": keys.thumbprint(spki), "use": use, "alg": alg}


def ssh_line(kind, *strings):
    return f"{kind} {base64.b64encode(b''.join(map(strict.lp, strings))).decode()}"


def ssh_line_of(key):
    raw = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return ssh_line("ssh-ed25519", b"ssh-ed25519", raw)
