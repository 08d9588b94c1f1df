#!/usr/bin/python3
"""An independent reader of PKI bundles, written from formats.md.

It uses Python's standard library and python3-cryptography and shares no code with the library that
it checks.

    bcpki_checker.py pins FILE [--secret-file F] [--root-key FILE] [--allow-unauthenticated]

prints the pins that `bc-pki show --json` prints.

    bcpki_checker.py private-key FILE MEMBER [--secret-file F]

prints a private key of a bundle, or of a root key file (`rootCa`), in PEM.

    bcpki_checker.py write FILE --out OUT [--secret-file F] [--without MEMBER]...
                     [--next MEMBER]... [--previous MEMBER]... [--former | --plaintext]

writes what FILE holds to OUT: without some of its members, with a next or former key of others,
sealed, sealed in the former format, or in clear. OUT has mode 0600.

A refusal is one line `CODE: check: why` on stderr, with exit status 1.
"""

import argparse
import json
import os
import sys
from pathlib import Path

import bundle
import remake


def add_file(command):
    command.add_argument("file", type=Path)
    command.add_argument("--secret-file", type=Path)
    command.add_argument("--allow-unauthenticated", action="store_true")


def parse_arguments():
    parser = argparse.ArgumentParser(description="check a PKI bundle, print its pins or write it again")
    commands = parser.add_subparsers(required=True)
    pins = commands.add_parser("pins")
    pins.set_defaults(run=print_pins)
    add_file(pins)
    pins.add_argument("--root-key", type=Path)
    private_key = commands.add_parser("private-key")
    private_key.set_defaults(run=print_private_key)
    add_file(private_key)
    private_key.add_argument("member")
    write = commands.add_parser("write")
    write.set_defaults(run=write_again)
    add_file(write)
    write.add_argument("--out", type=Path, required=True)
    for change in ("--without", "--next", "--previous"):
        write.add_argument(change, metavar="MEMBER", action="append", default=[])
    form = write.add_mutually_exclusive_group()
    form.add_argument("--former", action="store_true")
    form.add_argument("--plaintext", action="store_true")
    return parser.parse_args()


def secret_of(arguments):
    return arguments.secret_file and arguments.secret_file.read_bytes().decode()


def open_file(arguments):
    return bundle.open_bundle(
        arguments.file.read_bytes(), secret_of(arguments), arguments.allow_unauthenticated
    )


def print_pins(arguments):
    opened = open_file(arguments)
    if arguments.root_key:
        bundle.open_root_key(
            arguments.root_key.read_bytes(), opened, secret_of(arguments), arguments.allow_unauthenticated
        )
    print(json.dumps(opened.pins(), indent=2))


def print_private_key(arguments):
    data, secret = arguments.file.read_bytes(), secret_of(arguments)
    kind = bundle.RootKey if bundle.RootKey.FORMAT.encode() + b'"' in data else bundle.Bundle
    opened = kind(secret, arguments.allow_unauthenticated).check(data)
    print(opened.private_keys[arguments.member], end="")


def write_again(arguments):
    document = open_file(arguments).in_clear()
    for name in arguments.without:
        document = remake.without_member(document, name)
    for stage, names in (("Next", arguments.next), ("Previous", arguments.previous)):
        for name in names:
            document = remake.with_stage(document, name, stage, remake.new_key_like(document[name]))
    if not arguments.plaintext:
        seal = remake.in_former_format if arguments.former else remake.sealed
        document = seal(document, secret=secret_of(arguments).removesuffix("\n"))
    with open(os.open(arguments.out, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as out:
        out.write(remake.text(document))


def main():
    arguments = parse_arguments()
    try:
        arguments.run(arguments)
    except bundle.Refusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
