#include <fmt/format.h>

#include "bcpki/bundle.h"
#include "bcpki/identifier.h"
#include "bcpki/root_authority.h"

#include "crypto/signer.h"
#include "format/pem.h"
#include "pki/document.h"
#include "pki/new_member.h"

namespace bcpki {
namespace {

constexpr UnixTime kYear10000 = UnixTime::seconds(253402300800);

json::Object first_fields(const CreateOptions& options) {
  json::Object document;
  document.emplace_back("format", kBundleFile.format);
  document.emplace_back("version", kFileVersion);
  document.emplace_back("trustDomain", options.trust_domain);
  document.emplace_back("organization", options.organization);
  document.emplace_back("trustVersion", std::uint64_t{1});
  document.emplace_back("generation", std::uint64_t{1});
  return document;
}

RootAuthority root_of(const NewMember& made, const std::string& trust_domain) {
  const auto& certificate = *made.value.find("chain")->array()->front().string();
  const auto der = pem::parse_exact(pem::kCertificate, certificate);
  return {trust_domain, der.value().reveal(), make_signer(made.key)};
}

void require_options(const CreateOptions& options, UnixTime now) {
  if (!is_trust_domain(options.trust_domain))
    throw Error(Code::invalid_input,
                fmt::format("\"{}\" is no trust domain: 1 to 255 of a-z 0-9 . - _ in labels of at "
                            "most 63, such as compute.example.com",
                            options.trust_domain));
  if (!is_organization(options.organization))
    throw Error(Code::invalid_input, "the organization must be 1 to 64 printable ASCII characters");
  if (now < UnixTime{} + kSkew || now + profile_of(Job::root_ca).lifetime >= kYear10000)
    throw Error(Code::invalid_input, "the clock is not between 1970 and 9989");
}

}  // namespace

Bundle create_bundle(const CreateOptions& options, UnixTime now, Rng& rng) {
  require_options(options, now);
  json::Object document = first_fields(options);
  json::Object keys;
  std::optional<RootAuthority> root;
  for (const auto& spec : member_specs()) {
    auto made = new_member(spec, {options.trust_domain, options.organization},
                           root ? &*root : nullptr, now, rng);
    if (!root) root = root_of(made, options.trust_domain);  // the first member of all
    document.emplace_back(spec.name, std::move(made.value));
    keys.emplace_back(spec.name, made.key->pkcs8_pem());
  }
  document.emplace_back("privateKeys", std::move(keys));
  const auto text = json::write(std::move(document));
  return open_bundle(as_text(text.reveal()));
}

}  // namespace bcpki
