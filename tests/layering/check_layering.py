"""The map of the house in executable form: who may see whom (CONTRIBUTING.md, "The map").

check_layering.py ROOT              fails on each broken rule
check_layering.py --self-test ROOT  breaks each rule in a copy of ROOT and sees it noticed
"""

import pathlib
import re
import shutil
import sys
import tempfile

# A folder of the library sees itself and what stands in an earlier row; folders of one row do not
# see each other.
ROWS = (
    ("base",),
    ("format", "crypto"),
    ("pki",),
    ("quorum",),
    ("credential",),
    ("wire",),
    ("trust",),
    ("attest",),
    ("tpm", "store"),
    ("join",),
    ("http", "doctor"),
)
RANK = {folder: rank for rank, row in enumerate(ROWS) for folder in row}

# The folder whose values a public header speaks of. A header that is missing here is an error.
PUBLIC = {
    "bytes.h": "base",
    "encoding.h": "base",
    "error.h": "base",
    "rng.h": "base",
    "secret.h": "base",
    "time.h": "base",
    "draft.h": "crypto",
    "key.h": "crypto",
    "process.h": "crypto",
    "signer.h": "crypto",
    "bundle.h": "pki",
    "certificate.h": "pki",
    "identifier.h": "pki",
    "root_authority.h": "pki",
    "rotation.h": "pki",
    "upkeep.h": "pki",
    "doctor.h": "doctor",
    "approver_set.h": "quorum",
    "batch_approval.h": "quorum",
    "batch_scope.h": "quorum",
    "scope_file.h": "quorum",
}

STANDARD = set(
    """algorithm any array atomic bit bitset cassert cctype cerrno cfenv cfloat charconv chrono
    cinttypes climits clocale cmath codecvt compare complex concepts condition_variable coroutine
    csetjmp csignal cstdarg cstddef cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque
    exception execution filesystem forward_list fstream functional future initializer_list iomanip
    ios iosfwd iostream istream iterator latch limits list locale map memory memory_resource mutex
    new numbers numeric optional ostream queue random ranges ratio regex scoped_allocator semaphore
    set shared_mutex span sstream stack stdexcept stop_token streambuf string string_view
    system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set utility
    valarray variant vector version""".split()
)

# Headers that cost seconds: one .cc of ours sees each (tests and fuzzers apart).
HEAVY = {
    "nlohmann": r"^nlohmann/",
    "CLI11": r"^CLI/",
    "httplib": r"^httplib\.h$",
    "toml++": r"^toml(\+\+)?/|^toml\+\+\.h",
    "simdjson": r"^simdjson",
    "protobuf messages": r"\.pb\.h$",
}

# Whose headers only some folders see.
RESERVED = {
    "OpenSSL": (r"^openssl/", ("libbcpki/src/crypto/",)),
    "libsodium": (r"^sodium", ("libbcpki/src/base/", "libbcpki/src/crypto/")),
}

# What g++ 12 or the clang of an older Debian does not have, and where time comes from.
BANNED_HEADERS = {"format", "expected", "source_location", "print", "generator"}
BANNED_WORDS = re.compile(
    r"std::(views|ranges::views|ranges::subrange|source_location|expected|move_only_function)\b"
)

# Catch2's main costs more than any test: the tests link the one that Debian has compiled.
CATCH_MAIN = re.compile(r"\bCATCH_CONFIG_(MAIN|RUNNER)\b")
CLOCK = re.compile(
    r"_clock::now|\bclock_gettime\b|\bgettimeofday\b|\bstd::time\(|\btime\((nullptr|NULL|0)\)"
)
CLOCK_READER = "tools/common/env.cc"

# Certificates, serial numbers and dates are bytes of our own: OpenSSL's take a `long` of seconds or an
# integer of the machine's own order, and C's calendar depends on zone, language and the size of time_t.
FOREIGN_DATES = re.compile(
    r"\b(X509\w*_\w+|ASN1_\w+|time_t|mktime|timegm|(local|gm)time(_[rs])?|str[fp]time|setlocale)\b"
)

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
CODE = ("libbcpki", "tools", "tests", "fuzz", "bench", "examples")


class Tree:
    """Every C++ file of ours with its lines."""

    def __init__(self, root):
        self.root = root
        self.files = {
            path.relative_to(root).as_posix(): path.read_text(encoding="utf-8").splitlines()
            for top in CODE
            for path in sorted((root / top).rglob("*"))
            if path.suffix in (".h", ".cc")
        }

    def includes(self, name):
        """Yields (line number, quoted name or None, angled name or None)."""
        for number, line in enumerate(self.files[name], 1):
            if match := INCLUDE.match(line):
                yield number, match.group(1), match.group(2)


def library_folder(name):
    match = re.match(r"libbcpki/src/(\w+)/", name)
    return match.group(1) if match else None


def sees(folder, other):
    return folder == other or RANK[other] < RANK[folder]


def check_library(tree, name, report):
    """A folder of the library sees public headers and folders before it, by their full names."""
    folder = library_folder(name)
    if folder not in RANK:
        return report(1, "unknown-folder", f"{folder} has no row in the map")
    for line, quoted, _ in tree.includes(name):
        if not quoted:
            continue
        top, _, rest = quoted.partition("/")
        if top == "bcpki":
            if f"libbcpki/include/{quoted}" not in tree.files:
                report(line, "unknown-header", quoted)
            elif rest in PUBLIC and RANK[PUBLIC[rest]] > RANK[folder]:
                report(line, "library-order", f"{folder} sees {quoted}, which is {PUBLIC[rest]}'s")
        elif f"libbcpki/src/{quoted}" not in tree.files:
            report(line, "unknown-header", quoted)
        elif not sees(folder, top):
            report(line, "library-order", f"{folder} sees {top}")


def check_public(tree, name, report):
    """Public headers see the standard library and each other."""
    own = name.removeprefix("libbcpki/include/bcpki/")
    if own not in PUBLIC:
        return report(1, "unknown-folder", f"{own} has no folder in the map")
    for line, quoted, angled in tree.includes(name):
        other = (quoted or "").removeprefix("bcpki/")
        if angled and angled not in STANDARD:
            report(line, "public-std", f"<{angled}> in a public header")
        elif quoted and (not quoted.startswith("bcpki/") or other not in PUBLIC):
            report(line, "public-own", f"{quoted} in a public header")
        elif quoted and RANK[PUBLIC[other]] > RANK[PUBLIC[own]]:
            report(line, "library-order", f"{PUBLIC[own]}'s header sees {PUBLIC[other]}'s")


def check_tools(tree, name, report):
    """Tools see public headers, tools/common and themselves."""
    folder = name.split("/")[1]
    for line, quoted, _ in tree.includes(name):
        if not quoted:
            continue
        if quoted.startswith("bcpki/"):
            if f"libbcpki/include/{quoted}" not in tree.files:
                report(line, "tools-public", f"{quoted} is no public header")
        elif f"tools/{quoted}" not in tree.files:
            report(line, "tools-public", f"{quoted} is no file of tools/")
        elif quoted.split("/")[0] not in (folder, "common"):
            report(line, "tools-own", f"{folder} sees another tool's {quoted}")


def check_example(tree, name, report):
    """Examples see what is installed."""
    for line, quoted, _ in tree.includes(name):
        if quoted and f"libbcpki/include/{quoted}" not in tree.files:
            report(line, "example-public", f"{quoted} is no public header")


def check_words(tree, name, report):
    for number, line in enumerate(tree.files[name], 1):
        code = line.partition("//")[0]
        if match := BANNED_WORDS.search(code):
            report(number, "banned", match.group(0))
        if match := CATCH_MAIN.search(code):
            report(number, "catch-main", f"{match.group(0)}; tests link Catch2WithMain")
        if name.startswith(("libbcpki/", "tools/")) and name != CLOCK_READER:
            if match := CLOCK.search(code):
                report(number, "clock", f"{match.group(0)}; only {CLOCK_READER} reads the clock")
        if name.startswith(("libbcpki/", "tools/")):
            if match := FOREIGN_DATES.search(code):
                report(number, "foreign-dates", f"{match.group(0)}; time.h and format/ are ours")
    for number, _, angled in tree.includes(name):
        if angled in BANNED_HEADERS:
            report(number, "banned", f"<{angled}>")


def check_reserved(tree, name, report):
    for line, _, angled in tree.includes(name):
        for whose, (pattern, folders) in RESERVED.items():
            if re.search(pattern, angled or "") and not name.startswith(folders):
                report(line, "reserved", f"only {', '.join(folders)} sees {whose}")


def check_heavy(tree, names, report):
    """Each heavy header is seen by one .cc and by no header."""
    for what, pattern in HEAVY.items():
        seen = {
            name: line
            for name in names
            for line, quoted, angled in tree.includes(name)
            if re.search(pattern, quoted or angled)
        }
        sources = [name for name in seen if name.endswith(".cc")]
        for name, line in seen.items():
            if name.endswith(".h"):
                report(name, line, "heavy", f"{what} in a header")
            elif len(sources) > 1:
                report(name, line, "heavy", f"{what} is seen by {' and '.join(sources)}")


def broken_rules(root):
    tree = Tree(root)
    found = []

    def report(name, line, rule, what):
        found.append((f"{name}:{line}: {rule}: {what}", rule, name))

    product = [name for name in tree.files if name.startswith(("libbcpki/", "tools/"))]
    if not product:
        sys.exit(f"{root} holds no source: nothing was checked")
    for name in tree.files:
        own = lambda line, rule, what, name=name: report(name, line, rule, what)
        check_words(tree, name, own)
        if name.startswith("examples/"):
            check_example(tree, name, own)
    for name in product:
        own = lambda line, rule, what, name=name: report(name, line, rule, what)
        check_reserved(tree, name, own)
        if name.startswith("libbcpki/include/"):
            check_public(tree, name, own)
        elif name.startswith("libbcpki/src/"):
            check_library(tree, name, own)
        else:
            check_tools(tree, name, own)
    check_heavy(tree, product, report)
    return found, len(tree.files)


# One violation of each kind: the rule, the file it is put in, and the lines.
VIOLATIONS = (
    ("library-order", "libbcpki/src/base/intruder.cc", '#include "format/json.h"'),
    ("library-order", "libbcpki/src/format/intruder.cc", '#include "crypto/digest.h"'),
    ("library-order", "libbcpki/src/crypto/intruder.cc", '#include "format/json.h"'),
    ("library-order", "libbcpki/src/crypto/intruder.h", '#include "pki/seal.h"'),
    ("library-order", "libbcpki/src/format/intruder.cc", '#include "bcpki/bundle.h"'),
    ("library-order", "libbcpki/include/bcpki/time.h", '#include "bcpki/key.h"'),
    ("unknown-folder", "libbcpki/src/misc/intruder.cc", ""),
    ("unknown-folder", "libbcpki/include/bcpki/intruder.h", ""),
    ("unknown-header", "libbcpki/src/pki/intruder.cc", '#include "seal.h"'),
    ("unknown-header", "libbcpki/src/pki/intruder.cc", '#include "bcpki/absent.h"'),
    ("public-std", "libbcpki/include/bcpki/key.h", "#include <openssl/evp.h>"),
    ("public-std", "libbcpki/include/bcpki/key.h", "#include <fmt/format.h>"),
    ("public-std", "libbcpki/include/bcpki/key.h", "#include <unistd.h>"),
    ("public-own", "libbcpki/include/bcpki/key.h", '#include "base/wire.h"'),
    ("tools-public", "tools/bc-pki/intruder.cc", '#include "format/json.h"'),
    ("tools-public", "tools/common/intruder.cc", '#include "bcpki/absent.h"'),
    ("tools-own", "tools/common/intruder.cc", '#include "bc-pki/intruder.h"'),
    ("example-public", "examples/intruder.cc", '#include "format/json.h"'),
    ("reserved", "libbcpki/src/pki/intruder.cc", "#include <openssl/evp.h>"),
    ("reserved", "tools/bc-pki/intruder.cc", "#include <openssl/evp.h>"),
    ("reserved", "libbcpki/src/pki/intruder.cc", "#include <sodium.h>"),
    ("heavy", "tools/common/intruder.h", "#include <nlohmann/json.hpp>"),
    ("heavy", "tools/bc-pki/intruder.h", "#include <CLI/CLI.hpp>"),
    ("heavy", "libbcpki/src/wire/intruder.h", '#include "bettercompute/v1/intent.pb.h"'),
    ("heavy", "tools/common/intruder.h", "#include <httplib.h>"),
    ("heavy", "tools/common/intruder.h", "#include <toml++/toml.h>"),
    ("heavy", "libbcpki/src/pki/intruder.h", "#include <simdjson.h>"),
    ("banned", "libbcpki/src/base/intruder.cc", "#include <format>"),
    ("banned", "tests/unit/base/intruder.cc", "#include <expected>"),
    ("banned", "tools/common/intruder.cc", "auto v = list | std::views::reverse;"),
    ("banned", "fuzz/intruder.cc", "void f(std::source_location);"),
    ("banned", "examples/intruder.cc", "#include <print>"),
    ("catch-main", "tests/unit/base/intruder.cc", "#define CATCH_CONFIG_MAIN"),
    ("catch-main", "tests/support/intruder.h", "#define CATCH_CONFIG_RUNNER"),
    ("clock", "libbcpki/src/pki/intruder.cc", "auto t = std::chrono::system_clock::now();"),
    ("clock", "tools/bc-pki/intruder.cc", "auto t = time(nullptr);"),
    ("foreign-dates", "libbcpki/src/crypto/intruder.cc", "X509_gmtime_adj(t, 60L * 60 * 24 * 36500);"),
    ("foreign-dates", "libbcpki/src/crypto/intruder.cc", "ASN1_INTEGER_set_int64(serial, number);"),
    ("foreign-dates", "libbcpki/src/pki/intruder.cc", "std::time_t seconds = 0;"),
    ("foreign-dates", "tools/bc-pki/intruder.cc", "const auto* t = std::localtime(&seconds);"),
    ("foreign-dates", "tools/common/intruder.cc", 'std::strftime(text, 20, "%F", t);'),
)

# Two files see a heavy header, each of them a .cc.
TWO_SOURCES = ("tools/common/intruder.cc", "tools/bc-pki/intruder.cc")


def self_test(root):
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        for top in ("libbcpki", "tools", "fuzz", "examples"):
            for path in (root / top).rglob("*"):
                if path.suffix in (".h", ".cc"):
                    target = copy / path.relative_to(root)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)
        innocent = copy / "tools/bc-pki/intruder.h"
        innocent.parent.mkdir(parents=True, exist_ok=True)
        innocent.touch()

        def expect(rule, additions):
            """Adds a line to files of the copy, sees `rule` broken there, and takes it back."""
            before = {name: path.read_text() if path.exists() else None
                      for name in additions for path in [copy / name]}
            for name, line in additions.items():
                path = copy / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text((before[name] or "#pragma once\n") + line + "\n")
            found, _ = broken_rules(copy)
            for name, text in before.items():
                (copy / name).unlink() if text is None else (copy / name).write_text(text)
            noticed = {(broken, name) for _, broken, name in found}
            for name in additions:
                if (rule, name) not in noticed:
                    sys.exit(f"{rule} in {name} was not noticed: {additions[name]}")

        for rule, name, line in VIOLATIONS:
            expect(rule, {name: line})
        expect("heavy", dict.fromkeys(TWO_SOURCES, "#include <nlohmann/json.hpp>"))
        left, _ = broken_rules(copy)
        if left:
            sys.exit("\n".join(["the copy is not clean after the test:"] + [text for text, *_ in left]))
    print(f"{len(VIOLATIONS) + 1} passed, 0 failed")


def main():
    if sys.argv[1] == "--self-test":
        return self_test(pathlib.Path(sys.argv[2]))
    found, files = broken_rules(pathlib.Path(sys.argv[1]))
    for text, *_ in found:
        print(text)
    print(f"{files} files, {len(found)} broken rules")
    return bool(found)


sys.exit(main())
