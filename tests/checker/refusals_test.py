#!/usr/bin/python3
"""The checker refuses each fault of refusals.py by its own check, and takes what has none."""

import sys

import bundle
import refusals


def refused_by(case):
    try:
        bundle.open_bundle(case.data, case.secret)
    except bundle.Refusal as refusal:
        return refusal.check
    return None


def main():
    passed = failed = 0
    for case in refusals.cases():
        found = refused_by(case)
        passed, failed = passed + (found == case.check), failed + (found != case.check)
        if found != case.check:
            print(f"{case.name}: refused by {found}, expected {case.check}", file=sys.stderr)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
