"""Certificates that nobody should take, made with the keys of a plaintext bundle."""

import datetime
import ipaddress
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

OTHER_USAGES = dict.fromkeys(
    (
        "content_commitment", "key_encipherment", "data_encipherment",
        "key_agreement", "crl_sign", "encipher_only", "decipher_only",
    ),
    False,
)  # fmt: skip
PURPOSES = {"server": ExtendedKeyUsageOID.SERVER_AUTH, "client": ExtendedKeyUsageOID.CLIENT_AUTH}


def dns(name):
    return x509.DNSName(name)


def ip(address):
    return x509.IPAddress(ipaddress.ip_address(address))


def uri(text):
    return x509.UniformResourceIdentifier(text)


@dataclass(frozen=True)
class Issuer:
    pem: str
    key: object

    @staticmethod
    def of(document, member):
        """A member of a plaintext bundle."""
        key = serialization.load_pem_private_key(document["privateKeys"][member].encode(), None)
        return Issuer(document[member]["chain"][0], key)


def sign(issuer, names=(), purposes=(), ca=False, start=None):
    """What `issuer` signs, whatever it may sign; lives for a day from `start` or the issuer's own."""
    issuer_certificate = x509.load_pem_x509_certificate(issuer.pem.encode())
    key = ec.generate_private_key(ec.SECP256R1())
    extensions = [
        (x509.BasicConstraints(ca=ca, path_length=0 if ca else None), True),
        (x509.KeyUsage(digital_signature=not ca, key_cert_sign=ca, **OTHER_USAGES), True),
        (x509.SubjectKeyIdentifier.from_public_key(key.public_key()), False),
        (x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.key.public_key()), False),
    ]
    if purposes:
        extensions.append((x509.ExtendedKeyUsage([PURPOSES[p] for p in purposes]), False))
    if names:
        extensions.append((x509.SubjectAlternativeName(names), False))
    start = start or issuer_certificate.not_valid_before
    builder = x509.CertificateBuilder(
        issuer_name=issuer_certificate.subject,
        subject_name=x509.Name([x509.NameAttribute(NameOID.ORGANIZATION_NAME, "forged")]),
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=start,
        not_valid_after=start + datetime.timedelta(hours=24),
    )
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    signed = builder.sign(issuer.key, hashes.SHA256())
    return Issuer(signed.public_bytes(serialization.Encoding.PEM).decode(), key)
