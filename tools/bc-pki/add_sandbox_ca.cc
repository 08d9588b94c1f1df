#include <array>

#include "bcpki/upkeep.h"

#include "bc-pki/commands.h"
#include "common/write_back.h"

namespace cli {
namespace {

Report add_sandbox_ca(const Args& args, Env& env) {
  WriteBack write_back(args, env);
  const bcpki::Bundle written =
      write_back.finish(bcpki::add_sandbox_ca(write_back.bundle(), env.rng()));
  Report report = write_back.report(written);
  report.add_if("sandboxSshCaPublicKey", "sandbox SSH CA",
                written.pins().sandbox_ssh_ca_public_key);
  return report.add("", "next",
                    Report::List{"roll the bundle out to every api replica",
                                 "give the sandbox service this public key"});
}

constexpr std::array kFlags = with_write_back_flags(std::array<Flag, 0>{});

}  // namespace

constinit const Command kAddSandboxCa{
    .name = "add-sandbox-ca",
    .summary = "add the sandbox SSH CA to a bundle that lacks one",
    .description =
        "A bundle of the time before sandboxes has none; one that has is INVALID_STATE. Makes an\n"
        "Ed25519 key, writes the bundle back and prints the public key that sandbox guests trust.",
    .example = "bc-pki add-sandbox-ca --pki /etc/better-compute/pki.json",
    .flags = kFlags,
    .run = add_sandbox_ca};

}  // namespace cli
