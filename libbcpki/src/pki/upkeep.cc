#include "bcpki/upkeep.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "format/pem.h"
#include "pki/certificate_facts.h"
#include "pki/edit.h"
#include "pki/new_member.h"
#include "pki/state.h"

namespace bcpki {
namespace {

constexpr std::string_view kSandboxCa = "sandboxSshCa";
constexpr std::array<std::string_view, 3> kSubordinateCas{"nodeCa", "servingCa", "internalCa"};

[[noreturn]] void refuse(const std::string& message) {
  throw Error(Code::invalid_input, message);
}

[[noreturn]] void refuse_state(const std::string& message) {
  throw Error(Code::invalid_state, message);
}

bool carries_rotation(const Document& document) {
  return std::ranges::any_of(document.entries,
                             [](const Entry& entry) { return entry.slot.stage != Stage::current; });
}

// same_ca returns the CA of the bundle that has the subject and key of `renewed`.
const Entry& same_ca(const Document& document, const x509::CertificateFields& renewed) {
  for (const auto member : kSubordinateCas) {
    const auto& entry = *document.entry(member);
    const auto& present = *entry.certificate();
    if (equal(present.spki, renewed.spki) && equal(present.subject, renewed.subject)) return entry;
  }
  refuse(
      fmt::format("\"{}\" has the subject and key of no CA in the bundle; sign what `export` "
                  "prints of it",
                  common_name(renewed)));
}

void require_newer(const x509::CertificateFields& present, const x509::CertificateFields& renewed) {
  const auto name = common_name(renewed);
  if (equal(present.serial, renewed.serial))
    refuse(fmt::format("\"{}\" has the serial number of the present one", name));
  if (renewed.not_before < present.not_before)
    refuse(fmt::format("\"{}\" begins at {}, before the present one", name,
                       format_time(renewed.not_before)));
}

void require_valid(const x509::CertificateFields& renewed, UnixTime now) {
  if (now.floor_seconds() < renewed.not_before || renewed.not_after < now.floor_seconds())
    refuse_state(fmt::format("\"{}\" is valid from {} to {}; it is {} now", common_name(renewed),
                             format_time(renewed.not_before), format_time(renewed.not_after),
                             format_time(now.floor_seconds())));
}

json::Value chain_of(const Certificate& own, const Entry& present) {
  json::Array chain;
  chain.emplace_back(own.pem());
  chain.push_back(present.value->find("chain")->array()->back().clone());
  json::Object value;
  value.emplace_back("chain", std::move(chain));
  return value;
}

}  // namespace

Bundle reseal(const Bundle& bundle, bool accept_unvouched) {
  const bool former = bundle.unvouched() && bundle.sealed();
  if (former && carries_rotation(bundle.state().document))
    refuse_state(
        "it is sealed in the former format and carries rotation fields, which anyone may have "
        "added; restore the copy from before the rotation and rotate again");
  return Edit(bundle, accept_unvouched).finish();
}

Bundle add_sandbox_ca(const Bundle& bundle, Rng& rng) {
  if (bundle.state().document.entry(kSandboxCa))
    refuse_state("the bundle has a sandbox SSH CA; `rotate --key sandbox-ssh-ca` replaces it");
  Edit edit(bundle);
  const auto slot = find_slot(kSandboxCa).value();
  auto made = new_member(*slot.spec, {bundle.trust_domain(), bundle.organization()}, nullptr,
                         UnixTime(), rng);
  edit.put(slot, std::move(made.value), made.key);
  return std::move(edit).finish();
}

Bundle install_ca_certificates(const Bundle& bundle, std::span<const Certificate> renewed,
                               UnixTime now) {
  const auto& document = bundle.state().document;
  const auto& root = *document.entry("rootCa");
  Edit edit(bundle);
  std::vector<std::string> done;
  for (const auto& certificate : renewed) {
    const auto fields = x509::parse_certificate(certificate.der);
    if (!fields) refuse("a CA's certificate is no DER certificate");
    const auto& entry = same_ca(document, *fields);
    if (equal(entry.chain[0].der, certificate.der))
      refuse_state(fmt::format("\"{}\" is in the bundle already", common_name(*fields)));
    if (std::ranges::find(done, entry.name) != done.end())
      refuse(fmt::format("two certificates are for {}", entry.name));
    (void)read_subordinate(certificate.der, bundle.trust_domain(), root.chain[0].der, *root.key);
    require_newer(*entry.certificate(), *fields);
    require_valid(*fields, now);
    edit.put(entry.slot, chain_of(certificate, entry), entry.private_key);
    done.push_back(entry.name);
  }
  return std::move(edit).finish();
}

}  // namespace bcpki
