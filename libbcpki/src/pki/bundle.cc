#include "bcpki/bundle.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bcpki/encoding.h"

#include "base/utf8.h"
#include "crypto/signer.h"
#include "pki/authority_impl.h"
#include "pki/certificate_facts.h"
#include "pki/expected_pins.h"
#include "pki/seal.h"
#include "pki/state.h"

namespace bcpki {
namespace {

constexpr std::size_t kMinSecretCharacters = 32;
constexpr std::string_view kRoot = "rootCa";
constexpr std::size_t kMinDistinctCharacters = 10;

// authority takes a CA out of a document that passed every check.
CertificateAuthority authority(const Document& document, std::string_view member,
                               CertificateAuthority::Kind kind) {
  const auto& own = *document.entry(member);
  CertificateAuthority::Impl impl{document.trust_domain,
                                  document.organization(),
                                  kind,
                                  to_bytes(own.certificate()->subject),
                                  *own.key,
                                  signer_of(own)};
  for (const auto* entry : {&own, document.entry("rootCa")}) {
    impl.chain.push_back(certificate_facts(entry->chain[0].der, *entry->certificate()));
    impl.common_names.push_back(common_name(*entry->certificate()));
    impl.chain_keys.push_back(*entry->key);
  }
  return CertificateAuthority(std::make_shared<const CertificateAuthority::Impl>(std::move(impl)));
}

// next_character takes the first character off `text`: a code point, or a byte that is no UTF-8.
std::string_view next_character(std::string_view& text) {
  const auto size = std::max<std::size_t>(utf8::decode(text).size, 1);
  const auto character = text.substr(0, size);
  text.remove_prefix(size);
  return character;
}

std::size_t count_characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) (void)next_character(text);
  return count;
}

// has_distinct_characters looks at the secret where it lies: no copy of a character is kept.
bool has_distinct_characters(std::string_view text, std::size_t wanted) {
  std::vector<std::string_view> seen;
  while (!text.empty() && seen.size() < wanted) {
    const auto character = next_character(text);
    if (std::ranges::find(seen, character) == seen.end()) seen.push_back(character);
  }
  return seen.size() == wanted;
}

void require_length(const SecretBytes& secret) {
  if (count_characters(as_text(seal::without_newline(secret))) < kMinSecretCharacters)
    throw Error(Code::missing_env,
                fmt::format("the secret has fewer than {} characters: draw one, for example with "
                            "`openssl rand -base64 48`",
                            kMinSecretCharacters));
}

void require_varied(const SecretBytes& secret) {
  if (!has_distinct_characters(as_text(seal::without_newline(secret)), kMinDistinctCharacters))
    throw Error(Code::invalid_input,
                fmt::format("the secret has fewer than {} distinct characters: draw one, for "
                            "example with `openssl rand -base64 48`",
                            kMinDistinctCharacters));
}

void require_keys(const Bundle& bundle) {
  if (!bundle.has_keys())
    throw Error(Code::invalid_state, "the bundle was read without its private keys");
}

[[noreturn]] void refuse_unexpected(std::string_view slug, const std::string& message) {
  throw Error(Code::invalid_config, message, {{"reason", std::string(slug)}});
}

void require_expected(const Bundle& bundle, const OpenOptions& options) {
  if (options.expect_trust_domain && *options.expect_trust_domain != bundle.trust_domain())
    refuse_unexpected("trust-domain",
                      fmt::format("the bundle is of trust domain {}, not {}", bundle.trust_domain(),
                                  *options.expect_trust_domain));
  if (bundle.trust_version() < options.min_trust_version)
    refuse_unexpected("trust-version",
                      fmt::format("the bundle is an older one: its trust version is {}, not {} or "
                                  "above",
                                  bundle.trust_version(), options.min_trust_version));
  if (bundle.generation() < options.min_generation)
    refuse_unexpected("generation", fmt::format("the bundle is an older one: its generation is {}, "
                                                "not {} or above",
                                                bundle.generation(), options.min_generation));
  if (options.expect_digest && *options.expect_digest != bundle.public_digest())
    refuse_unexpected("digest", fmt::format("the bundle is not the expected one: its public half "
                                            "has SHA-256 {}",
                                            hex(bundle.public_digest())));
  if (!options.expect_pins) return;
  const auto differing = differing_pins(bundle.pins(), *options.expect_pins);
  if (!differing.empty())
    refuse_unexpected("pins", fmt::format("the bundle has other pins than expected: {}",
                                          fmt::join(differing, ", ")));
}

}  // namespace

json::Object public_half_of(const Document& document) {
  json::Object out;
  for (const auto& [name, value] : *document.json.object())
    if (std::ranges::find(kPrivateHalf, name) == kPrivateHalf.end())
      out.emplace_back(name, value.clone());
  return out;
}

SecretBytes finish_file(const FileKind& kind, std::string_view trust_domain,
                        json::Object public_half, json::Object keys, const SecretBytes* secret,
                        Rng& rng) {
  if (secret) {
    require_length(*secret);
    require_varied(*secret);
    json::Value document(std::move(public_half));
    const auto digest = sha256(as_bytes(json::canonical(document)));
    public_half = std::move(std::get<json::Object>(document.held));
    public_half.emplace_back(
        "seal", seal::make(std::move(keys), digest, *secret, {kind.format, trust_domain}, rng));
  } else {
    public_half.emplace_back("privateKeys", std::move(keys));
  }
  return json::write(std::move(public_half));
}

json::Object private_keys_of(const Document& document) {
  json::Object keys;
  for (const auto& entry : document.entries)
    if (entry.private_key) keys.emplace_back(entry.name, entry.private_key->pkcs8_pem());
  return keys;
}

std::shared_ptr<Signer> signer_of(const Entry& entry) {
  return entry.private_key ? make_signer(entry.private_key) : nullptr;
}

Bundle::State::State(Document checked)
    : document(std::move(checked)),
      organization(document.organization()),
      node_ca(authority(document, "nodeCa", CertificateAuthority::Kind::node)),
      serving_ca(authority(document, "servingCa", CertificateAuthority::Kind::serving)),
      internal_ca(authority(document, "internalCa", CertificateAuthority::Kind::internal)) {}

const x509::CertificateFields& Bundle::State::certificate(std::string_view member) const {
  return *document.entry(member)->certificate();
}

SecretBytes deployment_secret(SecretBytes given) {
  require_length(given);
  return given;
}

bool same_secret(const SecretBytes& a, const SecretBytes& b) {
  return SecretBytes(seal::without_newline(a)).equals(SecretBytes(seal::without_newline(b)));
}

Bundle open_bundle(std::string_view json, const OpenOptions& options) {
  auto document = read_document(kBundleFile, json, options);
  const Bundle bundle(std::make_shared<const Bundle::State>(std::move(document)));
  require_expected(bundle, options);
  return bundle;
}

const std::string& Bundle::trust_domain() const noexcept {
  return state_->document.trust_domain;
}

const std::string& Bundle::organization() const noexcept {
  return state_->organization;
}

std::uint64_t Bundle::trust_version() const noexcept {
  return state_->document.integer("trustVersion").value_or(0);
}

std::uint64_t Bundle::generation() const noexcept {
  return state_->document.integer("generation").value_or(0);
}

const Digest32& Bundle::public_digest() const noexcept {
  return state_->document.public_digest;
}

bool Bundle::authenticated() const noexcept {
  return state_->document.authenticated();
}

bool Bundle::unvouched() const noexcept {
  return state_->document.unvouched;
}

bool Bundle::sealed() const noexcept {
  return state_->document.sealed;
}

bool Bundle::has_keys() const noexcept {
  return state_->document.has_keys();
}

bool Bundle::has_root_key() const noexcept {
  return state_->document.entry("rootCa")->private_key != nullptr;
}

std::size_t Bundle::opened_with() const noexcept {
  return state_->document.opened_with;
}

const CertificateAuthority& Bundle::node_ca() const noexcept {
  return state_->node_ca;
}

const CertificateAuthority& Bundle::serving_ca() const noexcept {
  return state_->serving_ca;
}

const CertificateAuthority& Bundle::internal_ca() const noexcept {
  return state_->internal_ca;
}

std::shared_ptr<Signer> Bundle::signer(std::string_view member) const {
  const auto slot = find_slot(member);
  const auto* entry = slot ? state_->document.entry(slot->spec->name, slot->stage) : nullptr;
  if (!entry) throw Error(Code::not_found, fmt::format("the bundle has no {}", member));
  if (!has_keys()) seal::throw_sealed("the private keys");
  auto signer = signer_of(*entry);
  if (!signer)
    throw Error(Code::not_found, fmt::format("the bundle has no private key of {}", member));
  return signer;
}

SecretBytes export_bundle(const Bundle& bundle, const ExportOptions& options, Rng& rng) {
  require_keys(bundle);
  const auto& document = bundle.state().document;
  auto keys = private_keys_of(document);
  if (options.omit_root_key)
    std::erase_if(keys, [](const auto& key) { return key.first == kRoot; });
  return finish_file(kBundleFile, document.trust_domain, public_half_of(document), std::move(keys),
                     options.secret, rng);
}

SecretBytes export_root_key(const Bundle& bundle, const SecretBytes* secret, Rng& rng) {
  require_keys(bundle);
  const auto& document = bundle.state().document;
  const auto& root = *document.entry("rootCa");
  if (!root.private_key) throw Error(Code::invalid_state, "the bundle does not hold the root key");

  json::Object public_half;
  public_half.emplace_back("format", kRootKeyFile.format);
  public_half.emplace_back("version", kFileVersion);
  public_half.emplace_back("trustDomain", document.trust_domain);
  public_half.emplace_back("chain", root.value->find("chain")->clone());
  json::Object keys;
  keys.emplace_back(root.name, root.private_key->pkcs8_pem());
  return finish_file(kRootKeyFile, document.trust_domain, std::move(public_half), std::move(keys),
                     secret, rng);
}
}  // namespace bcpki
