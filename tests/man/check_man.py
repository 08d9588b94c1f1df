"""The manual says what the programs and the headers say.

check_man.py BIN ROOT

- bc-pki(1): its commands and, for each of them, its flags are those of `--help`.
- bc-pki(1) and bcpki(3): exit statuses and codes are those of error.h, in its order.
- bc-pki(1): findings are the library's, in its order.
- bcpki(3): reasons are those that the headers promise and the sources name.
- bcpki(3) and bcpki-formats(5): checks are the sources', in their order.
"""

import pathlib
import re
import subprocess
import sys


class Page:
    """An mdoc page cut at its headings."""

    def __init__(self, path):
        self.name = path.name
        parts = re.split(r"^\.(S[hs]) (.*)$", path.read_text(encoding="utf-8"), flags=re.M)
        self.sections, section = [], ""
        for kind, title, body in zip(parts[1::3], parts[2::3], parts[3::3]):
            section = title if kind == "Sh" else section
            self.sections.append((section, title, body))

    def below(self, section):
        """The subsections of a section: title to body."""
        return {title: body for top, title, body in self.sections if top == section != title}

    def body(self, wanted):
        """The bodies of every section or subsection of that title."""
        bodies = [body for _, title, body in self.sections if title == wanted]
        if not bodies:
            sys.exit(f"{self.name} has no section {wanted}")
        return "\n".join(bodies)


def items(body):
    """The lines that a list's items begin with."""
    return re.findall(r"^\.It (.*)$", body, re.M)


def flags(text):
    return set(re.findall(r"Fl Fl ([a-z][a-z-]*)", text))


def flags_of_items(body):
    return flags("\n".join(items(body)))


class Judge:
    def __init__(self):
        self.passed, self.failed = 0, 0

    def same(self, what, ours, theirs):
        """Compares two collections; an empty one is a failure of its own."""
        if ours and ours == theirs:
            self.passed += 1
            return
        self.failed += 1
        only = lambda a, b: ", ".join(str(x) for x in a if x not in b) or "nothing"
        print(f"{what}: only in the program: {only(ours, theirs)};"
              f" only in the page: {only(theirs, ours)}")


def help_of(tool, *words):
    return subprocess.run(
        [tool, *words, "--help"], capture_output=True, text=True, check=True, env={}
    ).stdout


def block(text, heading):
    """The first words of the rows below `heading:`."""
    match = re.search(rf"^{heading}:\n((?:  .*\n)+)", text, re.M)
    return re.findall(r"^  (\S+)", match.group(1), re.M) if match else []


def check_commands(judge, tool, page):
    general = help_of(tool)
    commands = block(general, "commands")
    sections = page.below("COMMANDS")
    judge.same("commands", commands, list(sections))
    judge.same("environment", set(block(general, "environment")),
               set(re.findall(r"Ev (BETTER_COMPUTE_\w+)", page.body("ENVIRONMENT"))))

    everywhere = flags_of_items(page.body("Flags that every command takes"))
    synopsis = {
        match.group(1): match.group(2)
        for match in re.finditer(r"^\.Nm\n\.Cm (\S+)\n((?:\.[^N].*\n)*)", page.body("SYNOPSIS"), re.M)
    }
    for command in commands:
        taken = {flag.removeprefix("--") for flag in block(help_of(tool, command), "flags")}
        shown = flags_of_items(sections.get(command, ""))
        judge.same(f"{command}: flags", taken, shown | (everywhere & taken))
        # What every command takes stands in the synopsis only where it says what the command is about.
        judge.same(f"{command}: synopsis", {command} | taken - (everywhere - {"pki"}),
                   {command} | flags(synopsis.get(command, "")))


def codes_of_header(root):
    header = (root / "libbcpki/include/bcpki/error.h").read_text(encoding="utf-8")
    names = re.findall(r"^  (\w+),", re.search(r"enum class Code \{(.*?)\};", header, re.S)[1], re.M)
    return [(str(status), name.upper()) for status, name in enumerate(names, 1)]


def codes_of_table(body):
    return re.findall(r"^\.It (\d+) Ta Er (\w+) Ta ", body, re.M)


def library_text(root, pattern):
    files = sorted((root / "libbcpki").rglob(pattern))
    return "\n".join(path.read_text(encoding="utf-8") for path in files)


def check_slugs(judge, root, page3, page5):
    """Reasons stand in the headers' comments, the sources and the page; checks in order."""
    comments = re.sub(r"\n\s*// ?", " ", library_text(root, "include/bcpki/*.h"))
    promised = {
        slug
        for sentence in re.findall(r"Refused: (.*?)\.\s", comments)
        for slug in re.findall(r"`([a-z-]+)`", sentence)
    }
    sources = library_text(root, "src/*/*.cc")
    reasons = set(re.findall(r'Reason\{"([a-z-]+)"', sources))
    judge.same("bcpki(3): reasons of the headers", promised, slugs(page3.body("Reasons")))
    judge.same("bcpki(3): reasons of the sources", reasons, slugs(page3.body("Reasons")))

    checks = ["json", *re.findall(r'Check\{"([a-z-]+)"', sources)]
    judge.same("bcpki(3): checks", checks, slugs(page3.body("Checks"), list))
    of_bundles = [check for check in checks if check != "root-key"]
    judge.same("bcpki-formats(5): checks", of_bundles, slugs(page5.body("Checks"), list))


def check_findings(judge, root, page):
    table = (root / "libbcpki/src/doctor/finding.cc").read_text(encoding="utf-8")
    ids = re.findall(r'^    Row\{\{"([a-z.-]+)", ', table, re.M)
    body = "\n".join(page.below("FINDINGS").values())
    judge.same("bc-pki(1): findings", ids, re.findall(r"^\.It Sy ([a-z.-]+)$", body, re.M))


def slugs(body, collection=set):
    return collection(re.findall(r"^\.It Sy ([a-z-]+)$", body, re.M))


def main():
    tool, root = pathlib.Path(sys.argv[1]) / "bc-pki", pathlib.Path(sys.argv[2])
    page1, page3, page5 = (
        Page(root / "man" / name) for name in ("bc-pki.1", "bcpki.3", "bcpki-formats.5")
    )
    judge = Judge()

    check_commands(judge, tool, page1)
    judge.same("bc-pki(1): codes", codes_of_header(root), codes_of_table(page1.body("EXIT STATUS")))
    judge.same("bcpki(3): codes", codes_of_header(root), codes_of_table(page3.body("Codes")))
    check_slugs(judge, root, page3, page5)
    check_findings(judge, root, page1)

    print(f"{judge.passed} passed, {judge.failed} failed")
    return bool(judge.failed)


sys.exit(main())
