#!/usr/bin/python3
"""The independent checker opens what `bc-pki init` made and agrees with every pin."""

import json

import peers

# Every field of formats.md section 6, "Pins": `show` may print more, but never one of these that
# the checker does not find.
PINS = {
    "trustDomain", "authenticated", "servingCaSpkiPin", "joinSigningKeyPin", "joinEncryptionKeyPin",
    "joinEncryptionJwk", "auditSigningKeyPin", "execTicketKeyId", "sshCaPublicKey", "sandboxSshCaPublicKey",
    "commandSigningRootSha256", "commandSigningNextRootSha256", "commandSigningPreviousRootSha256",
    "trustVersion", "generation", "publicSha256", "expires", "certificates",
}  # fmt: skip
IN_A_FRESH_BUNDLE = PINS - {"commandSigningNextRootSha256", "commandSigningPreviousRootSha256"}


def check_pins(tally, label, shown, checked, authenticated):
    pins = json.loads(checked.must().stdout)
    tally.equal(f"{label}: authenticated", pins["authenticated"], authenticated)
    tally.equal(f"{label}: the pins of a fresh bundle", set(pins), IN_A_FRESH_BUNDLE)
    for field in sorted(PINS):
        tally.equal(f"{label}: {field}", shown.get(field), pins.get(field))


def check_deployment(tally, label, deployment, authenticated):
    arguments = deployment.checker_arguments()
    made = json.loads(deployment.made.stdout)
    check_pins(tally, f"{label}: init", made, peers.checker(*arguments), authenticated)
    check_pins(tally, f"{label}: show", deployment.pins(), peers.checker(*arguments), authenticated)


def test_forms(tally, folder):
    domain = "a" * 63 + "." + "b" * 63 + ".example"
    forms = {
        "sealed": peers.Deployment(folder / "sealed"),
        "plaintext": peers.Deployment(folder / "plain", "--plaintext", secret=None),
        "organization": peers.Deployment(folder / "organization", "--organization", "A & B, \"C\" \\ Ltd."),
        "long domain": peers.Deployment(folder / "long", trust_domain=domain),
        "short domain": peers.Deployment(folder / "short", trust_domain="_"),
        "unicode secret": peers.Deployment(folder / "unicode", secret="gehéimnis-" + "\u00fc\u4e2d" * 12),
    }
    for label, deployment in forms.items():
        check_deployment(tally, label, deployment, label != "plaintext")


def test_generated_secret(tally, folder):
    path, secret = folder / "pki.json", folder / "secret"
    arguments = ("--pki", path, "--trust-domain", "compute.example.com", "--generate-secret", secret)
    made = peers.bc_pki("init", *arguments, "--json").must()
    checked = peers.checker("pins", path, "--secret-file", secret)
    check_pins(tally, "generated secret", json.loads(made.stdout), checked, True)
    shown = peers.bc_pki("show", "--pki", path, "--json", BETTER_COMPUTE_SECRET_FILE=str(secret)).must()
    check_pins(tally, "generated secret: show", json.loads(shown.stdout), checked, True)
    tally.check("the secret is not printed", secret.read_text().strip() not in made.stdout + made.stderr)


def test_offline_root(tally, folder):
    """The root key file opens for its bundle; the bundle lacks the key; another's file is refused."""
    for label, secret, flags in (("sealed", peers.SECRET, ()), ("plain", None, ("--plaintext",))):
        root_keys = [folder / f"{label}-{number}.json" for number in (1, 2)]
        first, second = (
            peers.Deployment(folder / path.stem, "--offline-root", path, *flags, secret=secret)
            for path in root_keys
        )
        check_deployment(tally, f"offline root, {label}", first, bool(secret))
        own = peers.checker(*first.checker_arguments(), "--root-key", root_keys[0])
        tally.equal(f"{label}: its root key", own.status, 0)
        foreign = peers.checker(*first.checker_arguments(), "--root-key", root_keys[1])
        tally.check(f"{label}: another root's key", ": root-key:" in foreign.stderr, foreign.describe())
        tally.check(f"{label}: two roots", first.pins()["publicSha256"] != second.pins()["publicSha256"])
    tally.check("no root key inside", "rootCa" not in first.document()["privateKeys"])


def test_without_the_secret(tally, folder):
    deployment = peers.Deployment(folder / "sealed")
    shown = peers.bc_pki("show", "--pki", deployment.path, "--json").must()
    checked = peers.checker("pins", deployment.path)
    check_pins(tally, "no secret", json.loads(shown.stdout), checked, False)


def test_other_secrets(tally, folder):
    """Both refuse any other secret by the same check."""
    deployment = peers.Deployment(folder / "sealed")
    others = {
        "another": peers.OTHER_SECRET,
        "cut short": peers.SECRET[:-1],
        "doubled": peers.SECRET * 2,
        "two line breaks": peers.SECRET + "\n\n",
        "a carriage return": peers.SECRET + "\r\n",
    }
    for label, secret in others.items():
        shown = peers.bc_pki("show", "--pki", deployment.path, "--json", BETTER_COMPUTE_SECRET=secret)
        tally.equal(f"{label}: bc-pki", peers.refused_by(shown), "seal-open")
        file = folder / "other-secret"
        file.write_bytes(secret.encode())
        checked = peers.checker("pins", deployment.path, "--secret-file", file)
        tally.check(f"{label}: the checker", ": seal-open:" in checked.stderr, checked.describe())
    one_line_break = peers.bc_pki("show", "--pki", deployment.path, BETTER_COMPUTE_SECRET=peers.SECRET + "\n")
    tally.equal("one line break", one_line_break.status, 0)


if __name__ == "__main__":
    peers.main(
        test_forms, test_generated_secret, test_offline_root, test_without_the_secret, test_other_secrets
    )
