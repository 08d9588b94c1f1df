#!/usr/bin/python3
"""The seal covers every value in the file: whoever changes one without the secret gets no reader to
take it. `bc-pki show` must refuse each change with INVALID_CONFIG and print nothing else."""

import copy
import json

import peers

INVALID_CONFIG = 4


def leaves(value, path=()):
    """Every string, number and boolean with its path."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    else:
        yield path, value


def containers(value, path=()):
    """Every member and element with its path."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from containers(inner, (*path, key))


def parent(document, path):
    for key in path[:-1]:
        document = document[key]
    return document


def other_character(character):
    """One of the same kind, so that only the value is another and not its alphabet."""
    for alphabet in ("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz", "0123456789"):
        if character in alphabet:
            return alphabet[(alphabet.index(character) + 1) % len(alphabet)]
    return "A"


def changed_values(value):
    """The value with one small change, in several ways."""
    if isinstance(value, bool):
        yield "negated", not value
    elif isinstance(value, int):
        yield "plus one", value + 1
    else:
        size = len(value)
        places = {0, 1, size // 4, size // 2, 3 * size // 4, size - 2, size - 1}
        for place in sorted(places & set(range(size))):
            yield f"character {place}", value[:place] + other_character(value[place]) + value[place + 1 :]
        yield "one more character", value + "A"
        yield "one character less", value[:-1]


def name(path):
    return "/" + "/".join(map(str, path))


def changed_documents(document):
    for path, value in leaves(document):
        for how, changed in changed_values(value):
            other = copy.deepcopy(document)
            parent(other, path)[path[-1]] = changed
            yield f"{name(path)}: {how}", other
    for path in containers(document):
        other = copy.deepcopy(document)
        del parent(other, path)[path[-1]]
        yield f"{name(path)}: removed", other


def check_refused(tally, label, path, **environment):
    shown = peers.bc_pki("show", "--pki", path, BETTER_COMPUTE_SECRET=peers.SECRET, **environment)
    tally.equal(f"{label}: exit status", shown.status, INVALID_CONFIG)
    tally.check(f"{label}: the error", "INVALID_CONFIG" in shown.stderr, shown.stderr)
    tally.equal(f"{label}: output", shown.stdout, "")
    tally.equal(f"{label}: lines of the error", len(shown.stderr.splitlines()), 1)


def test_every_value(tally, folder):
    deployment = peers.Deployment(folder / "sealed")
    path = folder / "changed.json"
    path.touch(mode=0o600)
    path.write_text(json.dumps(deployment.document(), indent=3))
    shown = peers.bc_pki("show", "--pki", path, BETTER_COMPUTE_SECRET=peers.SECRET)
    tally.equal("only the layout changed", shown.status, 0)
    for label, changed in changed_documents(deployment.document()):
        path.write_text(json.dumps(changed))
        check_refused(tally, label, path)


def test_unauthenticated_readers(tally, folder):
    """The variable that lets a former format in lets no changed bundle in."""
    deployment = peers.Deployment(folder / "sealed")
    path = folder / "changed.json"
    path.touch(mode=0o600)
    for value_path, value in leaves(deployment.document()):
        _, changed = next(iter(changed_values(value)))
        other = deployment.document()
        parent(other, value_path)[value_path[-1]] = changed
        path.write_text(json.dumps(other))
        check_refused(tally, name(value_path), path, BETTER_COMPUTE_PKI_ALLOW_UNAUTHENTICATED="1")


if __name__ == "__main__":
    peers.main(test_every_value, test_unauthenticated_readers)
