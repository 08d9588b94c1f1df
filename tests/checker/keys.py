"""Keys, their names and signatures with a purpose: formats.md sections 2, 3 and 6."""

import base64
import hashlib
import textwrap

import der
import strict
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils

P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551

P256_PREFIX = bytes.fromhex("3059301306072a8648ce3d020106082a8648ce3d03010703420004")
ED25519_PREFIX = bytes.fromhex("302a300506032b6570032100")
P256_ALGORITHM = bytes.fromhex("301306072a8648ce3d020106082a8648ce3d030107")
ED25519_ALGORITHM = bytes.fromhex("300506032b6570")
P256_CURVE = bytes.fromhex("06082a8648ce3d030107")


def spki_of_point(point):
    """The SPKI of a P-256 point, 64 bytes x and y; raises ValueError where it is not on the curve."""
    if len(point) != 64:
        raise ValueError("not a P-256 point")
    x, y = int.from_bytes(point[:32], "big"), int.from_bytes(point[32:], "big")
    if x >= P or y >= P or (y * y - x * x * x + 3 * x - B) % P:
        raise ValueError("not on the curve")
    return P256_PREFIX + point


def read_p256_spki(spki):
    if spki_of_point(spki[len(P256_PREFIX) :]) != spki:
        raise ValueError("not the one encoding of a P-256 key")
    return spki


def coordinates(spki):
    return spki[-64:-32], spki[-32:]


def pin(spki):
    return "sha256/" + base64.b64encode(hashlib.sha256(spki).digest()).decode()


def kid(spki):
    return strict.write_base64url(hashlib.sha256(spki).digest())


def jwk(spki):
    x, y = map(strict.write_base64url, coordinates(spki))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y}


def thumbprint(spki):
    return strict.write_base64url(hashlib.sha256(strict.canonical(jwk(spki))).digest())


def read_jwk(members):
    """The SPKI of a JWK's coordinates."""
    x, y = (strict.read_base64url(members[name]) for name in "xy")
    if len(x) != 32:
        raise ValueError("a coordinate that is not 32 bytes")
    return spki_of_point(x + y)


def _scalar_spki(scalar):
    number = int.from_bytes(scalar, "big")
    if len(scalar) != 32 or not 0 < number < N:
        raise ValueError("not a private key of P-256")
    public = ec.derive_private_key(number, ec.SECP256R1()).public_key()
    return public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)


def _read_p256(octets):
    key = der.Reader(octets).enter(der.SEQUENCE)
    if key.integer() != 1:
        raise ValueError("not an ECPrivateKey")
    spki = _scalar_spki(key.take(der.OCTET_STRING))
    if key.peek() == der.context(0) and key.take(der.context(0)) != P256_CURVE:
        raise ValueError("not the named curve")
    if key.peek() == der.context(1):
        public = key.enter(der.context(1))
        if public.bits() != spki[-65:]:
            raise ValueError("the public part of another key")
        public.end()
    key.end()
    return spki


def _read_ed25519(octets):
    inner = der.Reader(octets)
    seed = inner.take(der.OCTET_STRING)
    inner.end()
    public = ed25519.Ed25519PrivateKey.from_private_bytes(seed).public_key()
    return ED25519_PREFIX + public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def read_pkcs8(data):
    """The SPKI of the public key that belongs to a private key."""
    outer = der.Reader(data)
    info = outer.enter(der.SEQUENCE)
    outer.end()
    if info.integer() not in (0, 1):
        raise ValueError("not a PrivateKeyInfo")
    algorithm = info.whole(der.SEQUENCE)
    readers = {P256_ALGORITHM: _read_p256, ED25519_ALGORITHM: _read_ed25519}
    if algorithm not in readers:
        raise ValueError("another algorithm")
    spki = readers[algorithm](info.take(der.OCTET_STRING))
    if info.peek() == der.context(0):
        info.take(der.context(0))
    if info.peek() == der.context(1, constructed=False):
        unused_and_public = info.take(der.context(1, constructed=False))
        if not spki.endswith(unused_and_public[1:]) or unused_and_public[0]:
            raise ValueError("the public part of another key")
    info.end()
    return spki


def write_pem(label, data):
    lines = textwrap.wrap(base64.b64encode(data).decode(), 64)
    return "\n".join([f"-----BEGIN {label}-----", *lines, f"-----END {label}-----", ""])


def read_pem(label, text):
    """The bytes of a text that is exactly what `write_pem` writes."""
    body = text.removeprefix(f"-----BEGIN {label}-----\n").removesuffix(f"\n-----END {label}-----\n")
    data = strict.read_base64(body.replace("\n", ""))
    if not data or write_pem(label, data) != text:
        raise ValueError(f"not one PEM {label}")
    return data


def _ssh_strings(blob):
    while blob:
        size = int.from_bytes(blob[:4], "big")
        if len(blob) < 4 + size:
            raise ValueError("a key blob that is cut short")
        yield blob[4 : 4 + size]
        blob = blob[4 + size :]


def read_ssh_line(line):
    """The SPKI of `type SP base64 [SP comment]`."""
    if not all(" " <= c <= "~" for c in line):
        raise ValueError("not one line of printable ASCII")
    kind, text = line.split(" ")[:2]
    match kind, list(_ssh_strings(strict.read_base64(text))):
        case "ssh-ed25519", [b"ssh-ed25519", key] if len(key) == 32:
            return ED25519_PREFIX + key
        case "ecdsa-sha2-nistp256", [b"ecdsa-sha2-nistp256", b"nistp256", point] if point[:1] == b"\4":
            return spki_of_point(point[1:])
    raise ValueError("a key type that is not taken")


def _public_key(spki):
    return serialization.load_der_public_key(spki)


def verify_der_signature(spki, signature, message):
    try:
        _public_key(spki).verify(signature, message, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature:
        return False
    return True


def signature_input(purpose, parts):
    """What is signed; the last of `parts` is the trust domain."""
    head = b"better-compute/sig/v1\0" + strict.lp(purpose.encode()) + strict.u32(len(parts))
    return head + b"".join(map(strict.lp, parts))


def verify_purpose_signature(spki, signature, purpose, parts):
    if len(signature) != 64:
        return False
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if not (0 < r < N and 0 < s < N):
        return False
    as_der = utils.encode_dss_signature(r, s)
    return verify_der_signature(read_p256_spki(spki), as_der, signature_input(purpose, parts))
