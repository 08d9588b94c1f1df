#include "pki/member.h"

#include <array>

namespace bcpki {
namespace {

constexpr MemberSpec chain(std::string_view name, Job job, bool required, bool rotates) {
  return {name, Form::chain, required, rotates, job, {}, {}, {}};
}

constexpr MemberSpec jwk(std::string_view name, bool required, bool rotates, std::string_view use,
                         std::string_view alg) {
  return {name, Form::jwk, required, rotates, {}, use, alg, {}};
}

constexpr MemberSpec ssh(std::string_view name, std::string_view comment) {
  return {name, Form::ssh_line, false, true, {}, {}, {}, comment};
}

constexpr std::array kMembers{
    chain("rootCa", Job::root_ca, true, false),
    chain("nodeCa", Job::node_ca, true, true),
    chain("servingCa", Job::serving_ca, true, false),
    chain("internalCa", Job::internal_ca, true, true),
    chain("joinSigning", Job::join_signing, true, false),
    jwk("joinEncryption", true, false, "enc", "ECDH-ES"),
    chain("commandSigning", Job::command_signing, false, true),
    jwk("execTicket", false, true, "sig", "ES256"),
    ssh("sshCa", "ssh ca"),
    ssh("sandboxSshCa", "sandbox ssh ca"),
    chain("auditSigning", Job::audit_signing, false, true),
};

constexpr std::string_view suffix(Stage stage) {
  switch (stage) {
    case Stage::next:
      return "Next";
    case Stage::previous:
      return "Previous";
    case Stage::current:
      break;
  }
  return "";
}

}  // namespace

std::span<const MemberSpec> member_specs() noexcept {
  return kMembers;
}

std::string member_name(Slot slot) {
  return std::string(slot.spec->name).append(suffix(slot.stage));
}

std::optional<Slot> find_slot(std::string_view name) {
  for (const auto& spec : kMembers) {
    if (!name.starts_with(spec.name)) continue;
    const auto rest = name.substr(spec.name.size());
    if (rest.empty()) return Slot{&spec};
    if (!spec.rotates) continue;
    for (const auto stage : {Stage::next, Stage::previous})
      if (rest == suffix(stage)) return Slot{&spec, stage};
  }
  return std::nullopt;
}

}  // namespace bcpki
