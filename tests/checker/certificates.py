"""Certificates and the profiles that a bundle's members must have: formats.md section 7."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timezone

import der
import keys
import strict

ECDSA_WITH_SHA256 = der.encode(der.SEQUENCE, der.encode(der.OID, der.oid("1.2.840.10045.4.3.2")))
ORGANIZATION, COMMON_NAME = der.oid("2.5.4.10"), der.oid("2.5.4.3")
BASIC_CONSTRAINTS, KEY_USAGE, EXTENDED_KEY_USAGE = map(der.oid, ("2.5.29.19", "2.5.29.15", "2.5.29.37"))
SUBJECT_ALT_NAME, NAME_CONSTRAINTS = map(der.oid, ("2.5.29.17", "2.5.29.30"))
SUBJECT_KEY_ID, AUTHORITY_KEY_ID = map(der.oid, ("2.5.29.14", "2.5.29.35"))
SERVER_AUTH, CLIENT_AUTH = map(der.oid, ("1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"))

# The extensions that a profile speaks of. No other one may be critical; those two are compared
# whatever order they list their parts in.
CRITICAL = {BASIC_CONSTRAINTS, KEY_USAGE, NAME_CONSTRAINTS}
NOT_CRITICAL = {EXTENDED_KEY_USAGE, SUBJECT_ALT_NAME, SUBJECT_KEY_ID, AUTHORITY_KEY_ID}
LISTS = {EXTENDED_KEY_USAGE, NAME_CONSTRAINTS}

DNS, URI, IP = (der.context(number, constructed=False) for number in (2, 6, 7))


@dataclass(frozen=True)
class Profile:
    """What one kind of certificate holds; `path_length` is None for what is no CA."""

    name: str
    path_length: int | None
    key_usage: bytes
    purposes: tuple = ()
    excluded: tuple = ()
    under_root: bool = False

    def subject(self, organization, trust_domain):
        common_name = f"{trust_domain} {self.name}"
        if len(common_name) > 64:
            common_name = self.name
        pairs = (ORGANIZATION, organization), (COMMON_NAME, common_name)
        return der.encode(
            der.SEQUENCE,
            *(
                der.encode(
                    der.SET,
                    der.encode(
                        der.SEQUENCE,
                        der.encode(der.OID, kind),
                        der.encode(der.UTF8_STRING, value.encode()),
                    ),
                )
                for kind, value in pairs
            ),
        )

    def extensions(self, spki, root_spki):
        """The value of each extension that the profile asks for."""
        constraints = ()
        if self.path_length is not None:
            ca = der.encode(der.BOOLEAN, b"\xff")
            constraints = ca, der.encode(der.INTEGER, bytes([self.path_length]))
        values = {
            BASIC_CONSTRAINTS: der.encode(der.SEQUENCE, *constraints),
            KEY_USAGE: der.encode(der.BIT_STRING, self.key_usage),
            SUBJECT_KEY_ID: der.encode(der.OCTET_STRING, key_id(spki)),
        }
        if self.purposes:
            values[EXTENDED_KEY_USAGE] = der.encode(
                der.SEQUENCE, *(der.encode(der.OID, purpose) for purpose in self.purposes)
            )
        if self.excluded:
            subtrees = (der.encode(der.SEQUENCE, der.encode(*name)) for name in self.excluded)
            values[NAME_CONSTRAINTS] = der.encode(der.SEQUENCE, der.encode(der.context(1), *subtrees))
        if self.under_root:
            issuer_id = der.encode(der.context(0, constructed=False), key_id(root_spki))
            values[AUTHORITY_KEY_ID] = der.encode(der.SEQUENCE, issuer_id)
        return values


# A KeyUsage is its unused bits and the bits: keyCertSign and cRLSign, digitalSignature, both signs.
CA_USAGE, SIGN_USAGE, COMMAND_USAGE = b"\x01\x06", b"\x07\x80", b"\x02\x84"
EVERY_HOST = ((URI, b"."),)
EVERY_NAME = ((DNS, b""), (IP, bytes(8)), (IP, bytes(32)))

PROFILES = {
    "rootCa": Profile("root CA", 1, CA_USAGE),
    "nodeCa": Profile("node CA", 0, CA_USAGE, (CLIENT_AUTH,), EVERY_NAME, under_root=True),
    "servingCa": Profile("gateway serving CA", 0, CA_USAGE, (SERVER_AUTH,), EVERY_HOST, under_root=True),
    "internalCa": Profile(
        "internal CA", 0, CA_USAGE, (SERVER_AUTH, CLIENT_AUTH), EVERY_HOST, under_root=True
    ),
    "joinSigning": Profile("JoinService signing", None, SIGN_USAGE),
    "commandSigning": Profile("command-signing root", 0, COMMAND_USAGE),
    "auditSigning": Profile("audit signing", None, SIGN_USAGE),
}


def key_id(spki):
    """RFC 5280 section 4.2.1.2, method 1, of a P-256 SPKI."""
    return hashlib.sha1(spki[-65:]).digest()


def _sorted_parts(element):
    """The element with the parts of every sequence in it in ascending order."""
    tag, content, whole = der.Reader(element).element()
    if tag & 0x20 == 0:
        return whole
    inside, parts = der.Reader(content), []
    while inside.data:
        parts.append(_sorted_parts(inside.element()[2]))
    return der.encode(tag, *sorted(parts))


def _comparable(identifier, value):
    return _sorted_parts(value) if identifier in LISTS else value


def _read_time(reader):
    tag, content, _ = reader.element()
    text = content.decode("ascii")
    if tag == der.UTC_TIME:
        text = ("20" if text < "50" else "19") + text
    elif tag != der.GENERALIZED_TIME:
        raise ValueError("no time")
    if len(text) != 15 or not text[:14].isdigit():
        raise ValueError("a time that is not DER")
    return datetime.strptime(text, "%Y%m%d%H%M%SZ").replace(tzinfo=timezone.utc)


class Certificate:
    """The parts of one DER certificate; raises ValueError for anything else."""

    def __init__(self, data):
        self.der = data
        outside = der.Reader(data)
        certificate = outside.enter(der.SEQUENCE)
        outside.end()
        self.tbs = certificate.whole(der.SEQUENCE)
        self.algorithm = certificate.whole(der.SEQUENCE)
        self.signature = certificate.bits()
        certificate.end()

        tbs = der.Reader(self.tbs).enter(der.SEQUENCE)
        self.version = 1
        if tbs.peek() == der.context(0):
            version = tbs.enter(der.context(0))
            self.version = version.integer() + 1
            version.end()
        self.serial = tbs.integer()
        self.tbs_algorithm = tbs.whole(der.SEQUENCE)
        self.issuer = tbs.whole(der.SEQUENCE)
        validity = tbs.enter(der.SEQUENCE)
        self.not_before, self.not_after = _read_time(validity), _read_time(validity)
        validity.end()
        self.subject = tbs.whole(der.SEQUENCE)
        self.spki = tbs.whole(der.SEQUENCE)
        self.extensions, self.extensions_der = {}, tbs.data
        if tbs.peek() == der.context(3):
            self._read_extensions(tbs.enter(der.context(3)))
        tbs.end()

    def _read_extensions(self, tagged):
        extensions = tagged.enter(der.SEQUENCE)
        tagged.end()
        while extensions.data:
            extension = extensions.enter(der.SEQUENCE)
            identifier = extension.take(der.OID)
            critical = extension.peek() == der.BOOLEAN
            if critical and extension.take(der.BOOLEAN) != b"\xff":
                raise ValueError("a BOOLEAN that is not DER")
            if identifier in self.extensions:
                raise ValueError("an extension twice")
            self.extensions[identifier] = (critical, extension.take(der.OCTET_STRING))
            extension.end()

    def digest(self):
        return hashlib.sha256(self.der).hexdigest()

    def expires(self):
        return self.not_after.strftime("%Y-%m-%dT%H:%M:%SZ")

    def organization(self):
        """The first O of the subject; raises ValueError where that is not a valid one."""
        attribute = der.Reader(self.subject).enter(der.SEQUENCE).enter(der.SET).enter(der.SEQUENCE)
        if attribute.take(der.OID) != ORGANIZATION:
            raise ValueError("a subject that does not start with O")
        name = attribute.take(der.UTF8_STRING).decode("ascii")
        if not strict.is_organization(name):
            raise ValueError("no organization")
        return name

    def signed_by(self, issuer):
        return keys.verify_der_signature(issuer.spki, self.signature, self.tbs)

    def subject_key_id(self):
        _, value = self.extensions[SUBJECT_KEY_ID]
        return der.Reader(value).take(der.OCTET_STRING)

    def issuer_key_id(self):
        """Raises ValueError where the issuer is named by anything besides."""
        _, value = self.extensions[AUTHORITY_KEY_ID]
        named = der.Reader(value).enter(der.SEQUENCE)
        identifier = named.take(der.context(0, constructed=False))
        named.end()
        return identifier

    def check_renewal_of(self, former):
        """Raises ValueError where more than the serial number, the dates and the signature differ
        from the former certificate, or the serial number does not."""
        for part in ("version", "algorithm", "tbs_algorithm", "issuer", "subject", "spki", "extensions_der"):
            if getattr(self, part) != getattr(former, part):
                raise ValueError(f"another {part} than before")
        if self.serial == former.serial:
            raise ValueError("the serial number of the former certificate")

    def check_profile(self, profile, organization, trust_domain, root):
        """Raises ValueError where the certificate is not of the profile."""
        keys.read_p256_spki(self.spki)
        if self.version != 3 or {self.algorithm, self.tbs_algorithm} != {ECDSA_WITH_SHA256}:
            raise ValueError("not X.509 v3 with ecdsa-with-SHA256")
        if not 0 < self.serial < 2**159:
            raise ValueError("a serial that is not positive or passes 20 octets")
        if self.subject != profile.subject(organization, trust_domain):
            raise ValueError("another subject")
        if self.issuer != (root.subject if profile.under_root else self.subject):
            raise ValueError("another issuer")
        wanted = {
            identifier: (identifier in CRITICAL, _comparable(identifier, value))
            for identifier, value in profile.extensions(self.spki, root.spki).items()
        }
        found = {
            identifier: (critical, _comparable(identifier, value))
            for identifier, (critical, value) in self.extensions.items()
            if critical or identifier in CRITICAL | NOT_CRITICAL
        }
        if found != wanted:
            raise ValueError("extensions that are not the profile's")
