#!/usr/bin/python3
"""bc-pki refuses each fault of the checker's refusals.py by the same check, and takes what has none."""

import peers  # before the checker's modules, which it makes known

import refusals


def test_refusals(tally, folder):
    path = folder / "pki.json"
    path.touch(mode=0o600)
    for case in refusals.cases():
        path.write_bytes(case.data)
        environment = {"BETTER_COMPUTE_SECRET": case.secret} if case.secret else {}
        shown = peers.bc_pki("show", "--pki", path, "--json", **environment)
        tally.equal(case.name, peers.refused_by(shown), case.check)


if __name__ == "__main__":
    peers.main(test_refusals)
