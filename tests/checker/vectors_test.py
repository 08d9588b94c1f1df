#!/usr/bin/python3
"""Replays the golden vectors with the checker."""

import base64
import json
import sys

import bundle
import golden
import keys
import quorum
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


def entry_of(case):
    return case["subject"], case["kind"], strict.read_hex(case["payloadSha256"])


def check_tree(case):
    scope = quorum.Scope(case["batchId"], [entry_of(entry) for entry in case["entries"]])
    found = {"root": scope.root.hex(), "size": len(scope.leaves), "leaves": []}
    for index, hash in enumerate(scope.leaves):
        siblings = scope.siblings(index)
        entry = next(e for e in scope.entries if quorum.leaf(scope.batch_id, *e) == hash)
        if not quorum.proves(scope.batch_id, entry, index, siblings, len(scope.leaves), scope.root):
            raise ValueError("a proof of ours does not hold")
        subject, kind, payload = entry
        names = {"subject": subject, "kind": kind, "payloadSha256": payload.hex()}
        proof = {"index": index, "hash": hash.hex(), "siblings": [s.hex() for s in siblings]}
        found["leaves"].append(names | proof)
    return found, {name: case[name] for name in found}


def check_refused_proof(case):
    siblings = [strict.read_hex(sibling) for sibling in case["siblings"]]
    root = strict.read_hex(case["root"])
    proof = case["index"], siblings, case["size"], root
    return quorum.proves(case["batchId"], entry_of(case), *proof), False


def check_set(case):
    value = quorum.read_set(case["set"])
    parts = [*quorum.set_parts(value, case["epoch"]), case["trustDomain"].encode()]
    found = {
        "input": quorum.set_input(value).hex(),
        "sha256": quorum.digest(value).hex(),
        "signingInput": keys.signature_input("approver-set", parts).hex(),
        "required": [r | {"approvals": quorum.required(value, r["size"])} for r in case["required"]],
    }
    return found, {name: case[name] for name in found}


def check_refused_set(case):
    text = json.dumps(case["set"])
    return takes(lambda t: quorum.read_set(strict.read_json(t.encode())), text)[0], False


def verdict(result):
    return {"reason": result} if isinstance(result, str) else {"approvedBy": result}


def check_change(case):
    held, following = case["held"] or {"set": None, "epoch": 0}, case["next"]
    if held["set"] is not None:
        quorum.read_set(held["set"], held=True)
    result = quorum.judge_change(
        held["set"],
        held["epoch"],
        case["pin"] and strict.read_hex(case["pin"]),
        following["set"],
        following["epoch"],
        following["signatures"],
        case["trustDomain"],
    )
    return {"take": not isinstance(result, str)} | verdict(result), case["expect"]


def check_approval(case):
    approval, now = case["approval"], strict.read_time(case["now"])
    value, batch_id = quorum.read_set(case["set"]), approval["batchId"]
    result = quorum.judge_approval(approval, batch_id, value, case["trustDomain"], now)
    return verdict(result), case["expect"]


def check_scope_file(case):
    document, scope = quorum.read_scope_file(json.dumps(case["file"]).encode())
    return [document["size"], scope.root.hex()], [len(scope.leaves), case["file"]["root"]]


def check_signature_file(case):
    document = quorum.read_signature_file(json.dumps(case["file"]).encode())
    scope, _ = quorum.read_scope_file((golden.FOLDER / "scope-file.json").read_bytes())
    approvers = json.loads((golden.FOLDER / "approver-keys.json").read_text(encoding="utf-8"))
    spki = public_key_of(approvers["alice"])
    parts = [*quorum.approval_parts(document), scope["trustDomain"].encode()]
    sig = strict.read_base64url(document["signature"]["sig"])
    found = keys.kid(spki), keys.verify_purpose_signature(spki, sig, "batch-approval", parts)
    return [*found, document["scopeRoot"]], [document["signature"]["kid"], True, scope["root"]]


def public_key_of(approver):
    return keys.read_pkcs8(keys.read_pem("PRIVATE KEY", approver["pkcs8"]))


def check_approver_key(case):
    return keys.kid(public_key_of(case)), case["kid"]


def flat_names(document):
    return [case | {"name": name} for name, cases in document.items() for case in cases]


# For each file, or part of one: where its cases are, what checks one, and every member that a case may have.
FILES = {
    "primitives": (lambda d: d["cases"], check_primitive, "id kind value valid ms"),
    "keys": (lambda d: d["keys"], check_key, "spki pin kid jwk"),
    "signatures": (lambda d: d["cases"], check_signature, "id purpose parts input spki sig valid why"),
    "identifiers": (flat_names, check_name, "id name value valid"),
    "batch-scope": (lambda d: d["trees"], check_tree, "id note batchId entries root size leaves"),
    "batch-scope (refused)": (
        lambda d: d["refusedProofs"],
        check_refused_proof,
        "id batchId subject kind payloadSha256 index siblings size root why",
    ),
    "approver-set": (
        lambda d: d["sets"],
        check_set,
        "id set input sha256 epoch trustDomain signingInput required",
    ),
    "approver-set (refused)": (lambda d: d["refusedSets"], check_refused_set, "id why set"),
    "approver-set-change": (
        lambda d: d["cases"],
        check_change,
        "id why held pin trustDomain next expect",
    ),
    "batch-approval": (
        lambda d: d["cases"],
        check_approval,
        "id why set trustDomain now approval expect",
    ),
    "scope-file": (lambda d: [{"file": d}], check_scope_file, "file"),
    "signature-file": (lambda d: [{"file": d}], check_signature_file, "file"),
    "approver-keys": (lambda d: list(d.values()), check_approver_key, "pkcs8 kid"),
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
        name = file.partition(" ")[0]
        document = json.loads((golden.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
        document.pop("description", None)
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
