"""The PKI bundle and the offline root key file: formats.md section 6.

Each check below runs over the whole document before the next one starts; a refusal names its check.
"""

import hashlib
from dataclasses import dataclass

import certificates
import keys
import strict
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

KINDS = {
    "rootCa": "chain",
    "nodeCa": "chain",
    "servingCa": "chain",
    "internalCa": "chain",
    "joinSigning": "chain",
    "joinEncryption": "jwk",
    "commandSigning": "chain",
    "execTicket": "jwk",
    "sshCa": "publicKey",
    "sandboxSshCa": "publicKey",
    "auditSigning": "chain",
}
OPTIONAL = {"commandSigning", "execTicket", "sshCa", "sandboxSshCa", "auditSigning"}
ROTATING = OPTIONAL | {"nodeCa", "internalCa"}
JWK_MEMBERS = ("kty", "crv", "x", "y", "kid", "use", "alg")
JWK_USES = {"joinEncryption": ("enc", "ECDH-ES"), "execTicket": ("sig", "ES256")}

HEAD = ("format", "version", "trustDomain")
SEAL_BYTES = {"salt": 32, "iv": 12}
HELD_APART = ("seal", "privateKeys")


class Refusal(Exception):
    """A document that must not be used: its error code and, where one fired, its check."""

    def __init__(self, check, why, code="INVALID_CONFIG"):
        super().__init__(f"{code}: {check or '-'}: {why}")
        self.code, self.check = code, check


def refuse_if(condition, check, why):
    if condition:
        raise Refusal(check, why)


class checking:
    """Turns what a strict reader raises into a refusal of `check` at `place`."""

    def __init__(self, check, place):
        self.check, self.place = check, place

    def __enter__(self):
        return self

    def __exit__(self, kind, error, _):
        if kind and issubclass(kind, (ValueError, KeyError, TypeError)):
            raise Refusal(self.check, f"{self.place}: {error}") from error


def need(condition, why):
    if not condition:
        raise ValueError(why)


@dataclass
class Member:
    """One part of the document that holds a key."""

    name: str  # as it stands: nodeCaNext
    value: object
    kind: str  # of KINDS: which member of the value holds the key
    base: str  # nodeCa

    @property
    def previous(self):
        return self.name == self.base + "Previous"

    def names(self):
        return {self.kind, "switchedAt"} if self.previous else {self.kind}


class Document:
    """What the two files have in common; `check` runs every check in its order."""

    def __init__(self, secret, allow_unauthenticated):
        secret = (secret or "").removesuffix("\n")
        self.secret = secret.encode() or None
        self.allow_unauthenticated = allow_unauthenticated
        self.authenticated = False
        self.private_keys = None

    def check(self, data):
        self.check_text(data)
        self.check_seal()
        self.open_seal()
        self.check_public_half()
        if self.private_keys is not None:
            self.check_private_keys()
        return self

    def check_text(self, data):
        with checking("json", "the document"):
            self.document = strict.read_json(data)
            need(isinstance(self.document, dict), "no object on top")
        document = self.document
        domain = document.get("trustDomain")
        refuse_if(document.get("format") != self.FORMAT, "format", "another format")
        is_domain = isinstance(domain, str) and strict.is_trust_domain(domain)
        refuse_if(not is_domain, "format", "no trust domain")
        version = document.get("version")
        refuse_if(type(version) is not int or version != 1, "version", "another version")
        self.trust_domain = domain

    def check_seal(self):
        document = self.document
        if "seal" in document:
            with checking("seal-form", "/seal"):
                self.seal = self.read_seal(document["seal"])
        both = all(name in document for name in HELD_APART)
        refuse_if(both, "seal-and-keys", "a seal and private keys together")
        unsealed = self.secret and "seal" not in document and not self.allow_unauthenticated
        refuse_if(unsealed, "unsealed-with-secret", "not sealed although there is a secret")

    @staticmethod
    def read_seal(seal):
        need(isinstance(seal, dict) and all(isinstance(v, str) for v in seal.values()), "no seal")
        need(set(seal) == {"kdf", "salt", "cipher", "iv", "ciphertext"}, "other members")
        need((seal["kdf"], seal["cipher"]) == ("HKDF-SHA256", "A256GCM"), "another algorithm")
        parts = {name: strict.read_base64url(seal[name]) for name in ("salt", "iv", "ciphertext")}
        need(all(len(parts[name]) == size for name, size in SEAL_BYTES.items()), "another length")
        need(len(parts["ciphertext"]) >= 16, "shorter than its tag")
        return parts

    def open_seal(self):
        if "seal" not in self.document:
            self.private_keys = self.document.get("privateKeys")
            return
        if not self.secret:
            return
        with checking("seal-open", "/seal"):
            sealed = self.read_sealed()
        digest = sealed.get("publicSha256")
        if digest is None:
            refuse_if(not self.allow_unauthenticated, "former-format", "sealed in the former format")
        else:
            changed = strict.read_hex(digest) != self.public_digest()
            refuse_if(changed, "public-digest", "the public half is not what was sealed")
        self.authenticated = digest is not None
        self.private_keys = sealed["privateKeys"]

    def read_sealed(self):
        info = b"better-compute/pki-bundle/v1"
        key = HKDF(hashes.SHA256(), 32, self.seal["salt"], info).derive(self.secret)
        data = strict.lp(self.FORMAT.encode()) + strict.lp(self.trust_domain.encode())
        try:
            text = AESGCM(key).decrypt(self.seal["iv"], self.seal["ciphertext"], data)
        except InvalidTag as error:
            raise ValueError("another secret, or a changed seal") from error
        sealed = strict.read_json(text)
        need(isinstance(sealed, dict) and set(sealed) <= {"privateKeys", "publicSha256"}, "another form")
        need(is_key_table(sealed["privateKeys"]), "no private keys")
        if "publicSha256" in sealed:
            need(len(strict.read_hex(sealed["publicSha256"])) == 32, "no digest")
        return sealed

    def public_half(self):
        return {name: value for name, value in self.document.items() if name not in HELD_APART}

    def public_digest(self):
        return hashlib.sha256(strict.canonical(self.public_half())).digest()

    def in_clear(self):
        """The opened document as it would stand without a seal."""
        return self.public_half() | {"privateKeys": self.private_keys}

    def check_public_half(self):
        self.members = self.find_members()
        self.check_unknown()
        self.check_missing()
        self.check_forms()
        self.check_pems()
        self.check_chain_forms()
        self.check_profiles()
        self.check_chain_signatures()
        self.check_jwk_kids()
        self.check_ssh_lines()
        self.check_next_and_previous()
        self.check_shared_keys()

    def check_unknown(self):
        known = {*self.SCALARS, *HELD_APART, *self.own_names()}
        refuse_if(set(self.document) - known, "unknown-member", "an unknown member")
        for member in self.members:
            if member.value is self.document or not isinstance(member.value, dict):
                continue
            refuse_if(set(member.value) - member.names(), "unknown-member", member.name)
            jwk = member.value.get("jwk")
            unknown = isinstance(jwk, dict) and set(jwk) - set(JWK_MEMBERS)
            refuse_if(unknown, "unknown-member", f"{member.name}/jwk")

    def check_missing(self):
        keyless = not any(name in self.document for name in HELD_APART)
        refuse_if(keyless, "member-missing", "neither a seal nor private keys")
        present = {member.name for member in self.members}
        for name in self.REQUIRED:
            refuse_if(name not in self.document, "member-missing", name)
        for member in self.members:
            refuse_if(member.base not in present, "member-missing", member.base)
            if not isinstance(member.value, dict):
                continue
            refuse_if(not member.names() <= set(member.value), "member-missing", f"inside {member.name}")
            jwk = member.value.get("jwk")
            incomplete = isinstance(jwk, dict) and not set(JWK_MEMBERS) <= set(jwk)
            refuse_if(incomplete, "member-missing", f"{member.name}/jwk")

    def check_forms(self):
        with checking("member-form", "the document"):
            self.check_scalar_forms()
            if "privateKeys" in self.document:
                need(is_key_table(self.document["privateKeys"]), "no private keys")
        for member in self.members:
            with checking("member-form", member.name):
                need(isinstance(member.value, dict), "no object")
                if "switchedAt" in member.names():
                    strict.read_time(member.value["switchedAt"])
                self.check_key_form(member, member.value[member.kind])

    @staticmethod
    def check_key_form(member, value):
        if member.kind == "chain":
            need(isinstance(value, list) and all(isinstance(pem, str) for pem in value), "no list of PEMs")
        elif member.kind == "publicKey":
            need(isinstance(value, str), "no string")
        else:
            need(isinstance(value, dict) and all(isinstance(v, str) for v in value.values()), "no JWK")
            need((value["kty"], value["crv"]) == ("EC", "P-256"), "another kind of key")
            need((value["use"], value["alg"]) == JWK_USES[member.base], "another use")
            keys.read_jwk(value)

    def of_kind(self, kind):
        return [member for member in self.members if member.kind == kind]

    def check_pems(self):
        self.chains = {}
        for member in self.of_kind("chain"):
            with checking("pem", member.name):
                self.chains[member.name] = [
                    certificates.Certificate(keys.read_pem("CERTIFICATE", pem))
                    for pem in member.value["chain"]
                ]

    def check_chain_forms(self):
        for member in self.of_kind("chain"):
            chain = self.chains[member.name]
            under_root = certificates.PROFILES[member.base].under_root
            refuse_if(len(chain) != 1 + under_root, "chain-form", f"{member.name}: its length")
            foreign = under_root and chain[1].der != self.chains["rootCa"][0].der
            refuse_if(foreign, "chain-form", f"{member.name}: another root")

    def check_profiles(self):
        root = self.chains["rootCa"][0]
        for member in self.of_kind("chain"):
            profile = certificates.PROFILES[member.base]
            with checking("profile", member.name):
                self.chains[member.name][0].check_profile(
                    profile, self.organization(), self.trust_domain, root
                )

    def check_chain_signatures(self):
        for member in self.of_kind("chain"):
            chain = self.chains[member.name]
            refuse_if(not chain[0].signed_by(chain[-1]), "chain-signature", member.name)

    def check_jwk_kids(self):
        for member in self.of_kind("jwk"):
            jwk = member.value["jwk"]
            wrong = jwk["kid"] != keys.thumbprint(keys.read_jwk(jwk))
            refuse_if(wrong, "jwk-kid", member.name)

    def check_ssh_lines(self):
        for member in self.of_kind("publicKey"):
            with checking("ssh-line", member.name):
                keys.read_ssh_line(member.value["publicKey"])

    def check_next_and_previous(self):
        for base in ROTATING:
            both = all(base + stage in self.document for stage in ("Next", "Previous"))
            refuse_if(both, "next-and-previous", base)

    def spki(self, member):
        if member.kind == "chain":
            return self.chains[member.name][0].spki
        if member.kind == "jwk":
            return keys.read_jwk(member.value["jwk"])
        return keys.read_ssh_line(member.value["publicKey"])

    def check_shared_keys(self):
        seen = {}
        for member in self.members:
            other = seen.setdefault(self.spki(member), member.name)
            refuse_if(other != member.name, "key-shared", f"{other} and {member.name}")

    def check_private_keys(self):
        expected = {member.name: self.spki(member) for member in self.members if not member.previous}
        missing = set(expected) - set(self.private_keys) - self.KEYS_THAT_MAY_MISS
        refuse_if(missing, "key-missing", ", ".join(sorted(missing)))
        unknown = set(self.private_keys) - set(expected)
        refuse_if(unknown, "key-unknown", ", ".join(sorted(unknown)))
        for name, pem in self.private_keys.items():
            with checking("key-mismatch", name):
                need(keys.read_pkcs8(keys.read_pem("PRIVATE KEY", pem)) == expected[name], "another key")


def is_key_table(value):
    return isinstance(value, dict) and all(isinstance(pem, str) for pem in value.values())


class Bundle(Document):
    FORMAT = "better-compute-pki"
    SCALARS = (*HEAD, "organization", "trustVersion", "generation")
    REQUIRED = ("organization", "trustVersion", *(name for name in KINDS if name not in OPTIONAL))
    KEYS_THAT_MAY_MISS = {"rootCa"}

    def own_names(self):
        stages = {base + stage for base in ROTATING for stage in ("Next", "Previous")}
        return {*KINDS, *stages}

    def find_members(self):
        return [
            Member(name, value, KINDS[base], base)
            for name, value in self.document.items()
            if name in self.own_names()
            for base in [name.removesuffix("Next").removesuffix("Previous")]
        ]

    def check_scalar_forms(self):
        document = self.document
        organization = document["organization"]
        need(isinstance(organization, str) and strict.is_organization(organization), "no organization")
        for name in ("trustVersion", "generation"):
            need(type(document.get(name, 0)) is int, f"{name} is no integer")

    def organization(self):
        return self.document["organization"]

    def pins(self):
        """What `show --json` prints."""
        document, chains = self.document, self.chains
        pins = {
            "trustDomain": self.trust_domain,
            "authenticated": self.authenticated,
            "servingCaSpkiPin": keys.pin(chains["servingCa"][0].spki),
            "joinSigningKeyPin": keys.pin(chains["joinSigning"][0].spki),
            "joinEncryptionKeyPin": keys.pin(keys.read_jwk(document["joinEncryption"]["jwk"])),
            "joinEncryptionJwk": document["joinEncryption"]["jwk"],
            "trustVersion": document["trustVersion"],
            "publicSha256": self.public_digest().hex(),
            "expires": {
                field: chains[member][0].expires()
                for field, member in (
                    ("root", "rootCa"),
                    ("node", "nodeCa"),
                    ("serving", "servingCa"),
                    ("internal", "internalCa"),
                    ("commandSigning", "commandSigning"),
                )
                if member in chains
            },
            "certificates": [one.digest() for chain in chains.values() for one in chain],
        }
        optional = {
            "auditSigningKeyPin": ("auditSigning", lambda: keys.pin(chains["auditSigning"][0].spki)),
            "execTicketKeyId": ("execTicket", lambda: document["execTicket"]["jwk"]["kid"]),
            "sshCaPublicKey": ("sshCa", lambda: document["sshCa"]["publicKey"]),
            "sandboxSshCaPublicKey": ("sandboxSshCa", lambda: document["sandboxSshCa"]["publicKey"]),
            "generation": ("generation", lambda: document["generation"]),
            **{
                f"commandSigning{stage}RootSha256": (name, lambda name=name: chains[name][0].digest())
                for stage in ("", "Next", "Previous")
                for name in [f"commandSigning{stage}"]
            },
        }
        return pins | {field: read() for field, (member, read) in optional.items() if member in document}


class RootKey(Document):
    FORMAT = "better-compute-pki-root-key"
    SCALARS = HEAD
    REQUIRED = ("chain",)
    KEYS_THAT_MAY_MISS = frozenset()

    def own_names(self):
        return {"chain"}

    def find_members(self):
        return [Member("rootCa", self.document, "chain", "rootCa")]

    def check_scalar_forms(self):
        """The head was checked already, and there is no other."""

    def organization(self):
        return self.chains["rootCa"][0].organization()


def open_bundle(data, secret=None, allow_unauthenticated=False):
    """Checks a bundle; `secret` is the text that an operator gave."""
    return Bundle(secret, allow_unauthenticated).check(data)


def open_root_key(data, bundle, secret=None, allow_unauthenticated=False):
    """Checks the root key file of `bundle`'s root, an opened bundle."""
    root_key = RootKey(secret, allow_unauthenticated).check(data)
    if root_key.private_keys is None:
        raise Refusal(None, "the root key is sealed and there is no secret", code="MISSING_ENV")
    ours, theirs = bundle.chains["rootCa"][0], root_key.chains["rootCa"][0]
    foreign = bundle.trust_domain != root_key.trust_domain or ours.spki != theirs.spki
    refuse_if(foreign, "root-key", "the key of another root")
    return root_key
