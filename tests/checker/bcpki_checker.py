#!/usr/bin/python3
"""An independent reader of PKI bundles, written from formats.md.

It uses Python's standard library and python3-cryptography and shares no code with the library that
it checks.

    bcpki_checker.py pins FILE [--secret-file F] [--root-key FILE] [--allow-unauthenticated]

prints the pins that `bc-pki show --json` prints. A refusal is one line `CODE: check: why` on
stderr, with exit status 1.
"""

import argparse
import json
import sys
from pathlib import Path

import bundle


def parse_arguments():
    parser = argparse.ArgumentParser(description="check a PKI bundle and print its pins")
    commands = parser.add_subparsers(required=True)
    pins = commands.add_parser("pins")
    pins.add_argument("file", type=Path)
    pins.add_argument("--secret-file", type=Path)
    pins.add_argument("--root-key", type=Path)
    pins.add_argument("--allow-unauthenticated", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    secret = arguments.secret_file and arguments.secret_file.read_bytes().decode()
    try:
        opened = bundle.open_bundle(arguments.file.read_bytes(), secret, arguments.allow_unauthenticated)
        if arguments.root_key:
            bundle.open_root_key(
                arguments.root_key.read_bytes(), opened, secret, arguments.allow_unauthenticated
            )
    except bundle.Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    print(json.dumps(opened.pins(), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
