#!/usr/bin/python3
"""Replays the golden vectors with the checker."""

import base64
import json
import sys

import bundle
import golden
import keys
import strict

READERS = {
    "base64url": strict.read_base64url,
    "base64": strict.read_base64,
    "hex": strict.read_hex,
    "time": strict.read_time,
    "json": lambda text: strict.read_json(text.encode()),
}
NAMES = {
    "trustDomain": strict.is_trust_domain,
    "spiffeId": strict.is_spiffe_id,
    "statement": strict.is_statement,
    "tpmAk": strict.is_tpm_ak_statement,
    "dnsName": strict.is_dns_name,
    "role": strict.is_role_unit,
    "kind": strict.is_kind,
    "subject": strict.is_subject,
    "id": strict.is_id,
}


def takes(reader, text):
    try:
        return True, reader(text)
    except ValueError:
        return False, None


def check_primitive(case):
    valid, value = takes(READERS[case["kind"]], case["value"])
    return (valid, value if "ms" in case else None), (case["valid"], case.get("ms"))


def check_key(case):
    spki = keys.read_p256_spki(base64.b64decode(case["spki"], validate=True))
    names = {"pin": keys.pin(spki), "kid": keys.kid(spki)}
    names["jwk"] = keys.jwk(spki) | {"kid": keys.thumbprint(spki)}
    back = keys.read_jwk(case["jwk"])
    return names | {"spki": base64.b64encode(back).decode()}, case


def check_signature(case):
    parts = [bytes.fromhex(part) for part in case["parts"]]
    spki, signature = base64.b64decode(case["spki"]), bytes.fromhex(case["sig"])
    found = {
        "input": keys.signature_input(case["purpose"], parts).hex(),
        "valid": keys.verify_purpose_signature(spki, signature, case["purpose"], parts),
    }
    return found, {name: case[name] for name in found}


def check_name(case):
    return NAMES[case["name"]](case["value"]), case["valid"]


def read_bundle_file(name):
    return (golden.BUNDLES / name).read_bytes()


def check_bundle(case):
    options = {"secret": case["secret"], "allow_unauthenticated": case["allowUnauthenticated"]}
    data = read_bundle_file(case["file"])
    try:
        if "rootKeyOf" in case:
            opened = bundle.open_bundle(read_bundle_file(case["rootKeyOf"]))
            bundle.open_root_key(data, opened, **options)
            return {"rootKey": True}, case["expect"]
        return {"pins": bundle.open_bundle(data, **options).pins()}, case["expect"]
    except bundle.Refusal as refusal:
        return {"error": refusal.code, "check": refusal.check}, case["expect"]


def flat_names(document):
    return [case | {"name": name} for name, cases in document.items() for case in cases]


# For each file: where its cases are, what checks one, and every member that a case may have.
FILES = {
    "primitives": (lambda d: d["cases"], check_primitive, "id kind value valid ms"),
    "keys": (lambda d: d["keys"], check_key, "spki pin kid jwk"),
    "signatures": (lambda d: d["cases"], check_signature, "id purpose parts input spki sig valid why"),
    "identifiers": (flat_names, check_name, "id name value valid"),
    "bundle": (
        lambda d: d["cases"],
        check_bundle,
        "id file secret allowUnauthenticated rootKeyOf why expect",
    ),
}


def check_case(label, case, check, members):
    try:
        if unknown := set(case) - set(members.split()):
            raise ValueError(f"members that this test does not read: {sorted(unknown)}")
        found, expected = check(case)
        problem = None if found == expected else f"found {found}, expected {expected}"
    except Exception as error:  # one broken case must not hide the others
        problem = f"{type(error).__name__}: {error}"
    if problem:
        print(f"{label}: {problem}", file=sys.stderr)
    return not problem


def unread_bundle_files(cases):
    named = {case[member] for case in cases for member in ("file", "rootKeyOf") if member in case}
    return sorted({path.name for path in golden.BUNDLES.iterdir()} - named)


def main():
    passed = failed = 0
    for file, (find_cases, check, members) in FILES.items():
        document = json.loads((golden.FOLDER / f"{file}.json").read_text(encoding="utf-8"))
        document.pop("description")
        cases = find_cases(document)
        results = [
            check_case(case.get("id", f"{file} {number}"), case, check, members)
            for number, case in enumerate(cases)
        ]
        if not results:
            print(f"{file}: no cases", file=sys.stderr)
            results = [False]
        if file == "bundle":
            for name in unread_bundle_files(cases):
                print(f"bundle/{name}: no case names it", file=sys.stderr)
                results.append(False)
        passed += sum(results)
        failed += len(results) - sum(results)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
