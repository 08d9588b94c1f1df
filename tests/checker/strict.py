"""Encodings, times, names and JSON, read strictly: formats.md sections 1, 4 and 7.

Readers return the value and raise ValueError for anything else; `is_*` answer yes or no.
"""

import base64
import json
import re
from datetime import datetime, timedelta, timezone

MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 32
MAX_BUNDLE_BYTES = 2**20

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})"
    r"(?:\.([0-9]{1,3}))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))"
)
_TPM_DIGEST_BYTES = {
    "0004": 20, "000b": 32, "000c": 48, "000d": 64,
    "0012": 32, "0027": 32, "0028": 48, "0029": 64,
}  # fmt: skip
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"


def u32(number):
    return number.to_bytes(4, "big")


def lp(data):
    """A byte string behind its length."""
    return u32(len(data)) + data


def write_base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def read_base64url(text):
    if not re.fullmatch(r"[A-Za-z0-9_-]*", text):
        raise ValueError("not base64url")
    data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if write_base64url(data) != text:
        raise ValueError("not the base64url of any bytes")
    return data


def read_base64(text):
    data = base64.b64decode(text.encode("ascii"), validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("not the base64 of any bytes")
    return data


def read_hex(text):
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})*", text):
        raise ValueError("not hex")
    return bytes.fromhex(text)


def read_time(text):
    """RFC 3339 to milliseconds since the Unix epoch."""
    match = _TIME.fullmatch(text)
    if not match:
        raise ValueError("not an RFC 3339 time")
    fields, (fraction, sign, hours, minutes) = match.groups()[:6], match.groups()[6:]
    moment = datetime(*map(int, fields), tzinfo=timezone.utc)
    if sign:
        if int(hours) > 23 or int(minutes) > 59:
            raise ValueError("not an offset")
        offset = timedelta(hours=int(hours), minutes=int(minutes))
        moment += offset if sign == "-" else -offset
    whole = (moment - _EPOCH) // timedelta(milliseconds=1)
    return whole + int((fraction or "0").ljust(3, "0"))


def _integer(literal):
    if literal.startswith("-") or len(literal) > 16 or int(literal) > MAX_INTEGER:
        raise ValueError("a number that is no integer from 0 to 2^53-1")
    return int(literal)


def _refuse_number(literal):
    raise ValueError(f"{literal} is no integer")


def _object(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a duplicate member")
    if not all(name.isascii() for name in members):
        raise ValueError("a member name that is not ASCII")
    return members


def _check_value(value, depth):
    if depth > MAX_DEPTH:
        raise ValueError("nested too deep")
    if isinstance(value, str):
        value.encode("utf-8")  # an escaped lone surrogate has no UTF-8
    elif isinstance(value, dict):
        for member in value.values():
            _check_value(member, depth + 1)
    elif isinstance(value, list):
        for element in value:
            _check_value(element, depth + 1)


def read_json(data, max_bytes=MAX_BUNDLE_BYTES):
    """Any JSON value; what must be an object on top is the caller's to check."""
    if len(data) > max_bytes:
        raise ValueError("too long")
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_refuse_number,
            parse_constant=_refuse_number,
        )
    except RecursionError as error:
        raise ValueError("nested too deep") from error
    _check_value(value, 1)
    return value


def canonical(value):
    """RFC 8785 of values that `read_json` returns."""

    def sort(item):
        if isinstance(item, dict):
            return {name: sort(item[name]) for name in sorted(item, key=lambda n: n.encode("utf-16-be"))}
        return [sort(element) for element in item] if isinstance(item, list) else item

    return json.dumps(sort(value), ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def is_trust_domain(text):
    return len(text) <= 255 and bool(re.fullmatch(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*", text))


def is_id(text):
    return bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}", text))


def is_spiffe_id(text):
    match = re.fullmatch(r"spiffe://([^/]*)/site/([^/]*)/node/([^/]*)", text)
    return (
        bool(match)
        and len(text.encode()) <= 2048
        and is_trust_domain(match[1])
        and is_id(match[2])
        and is_id(match[3])
    )


def is_statement(text):
    return len(text) <= 512 and bool(re.fullmatch(r"urn:bc:[a-z][a-z0-9-]*:[!-~]+", text))


def is_tpm_ak_statement(text):
    match = re.fullmatch(r"urn:bc:tpm-ak:([0-9a-f]{4}):([0-9a-f]*)", text)
    return bool(match) and len(match[2]) == 2 * _TPM_DIGEST_BYTES.get(match[1], -1)


def is_dns_name(text):
    """Whether a certificate may carry the name, once its ASCII upper case is folded."""
    if not text.isascii() or not 1 <= len(text) <= 253:
        return False
    match = re.fullmatch(rf"(?:\*\.)?((?:{_LABEL}\.)*({_LABEL}))", text.lower())
    return bool(match) and not match[2].isdigit()


def is_role_unit(text):
    return bool(re.fullmatch(r"bc-role:[a-z][a-z0-9-]{0,31}", text))


def is_kind(text):
    return len(text) <= 64 and bool(re.fullmatch(r"[a-z][A-Za-z0-9]*(?:\.[a-z][A-Za-z0-9]*)+", text))


def is_subject(text):
    return bool(re.fullmatch(r"[!-~]{1,512}", text))


def is_organization(text):
    return bool(re.fullmatch(r"[ -~]{1,64}", text))
