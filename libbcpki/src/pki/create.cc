#include <fmt/format.h>

#include "bcpki/bundle.h"
#include "bcpki/encoding.h"
#include "bcpki/identifier.h"

#include "format/pem.h"
#include "format/ssh.h"
#include "pki/state.h"

namespace bcpki {
namespace {

constexpr UnixTime kYear10000 = UnixTime::seconds(253402300800);

// Maker builds the document of a new deployment, member by member.
class Maker {
 public:
  Maker(const CreateOptions& options, UnixTime now, Rng& rng)
      : options_(options), now_(now), rng_(rng) {
    document_.emplace_back("format", kBundleFile.format);
    document_.emplace_back("version", kFileVersion);
    document_.emplace_back("trustDomain", options.trust_domain);
    document_.emplace_back("organization", options.organization);
    document_.emplace_back("trustVersion", std::uint64_t{1});
    document_.emplace_back("generation", std::uint64_t{1});
  }

  void add(const MemberSpec& spec) {
    auto key = PrivateKey::generate(
        spec.form == Form::ssh_line ? KeyAlgorithm::ed25519 : KeyAlgorithm::p256, rng_);
    document_.emplace_back(spec.name, public_part(spec, key));
    keys_.emplace_back(spec.name, key.pkcs8_pem());
    if (spec.form == Form::chain && spec.job == Job::root_ca) root_->key = std::move(key);
  }

  SecretBytes finish() && {
    document_.emplace_back("privateKeys", std::move(keys_));
    return json::write(std::move(document_));
  }

 private:
  struct Root {
    Bytes der;
    x509::CertificateFields fields;
    std::optional<PrivateKey> key;
  };

  json::Value public_part(const MemberSpec& spec, const PrivateKey& key) {
    json::Object part;
    switch (spec.form) {
      case Form::chain:
        part.emplace_back("chain", chain(spec, key));
        break;
      case Form::jwk:
        part.emplace_back("jwk", jwk(spec, key.public_key()));
        break;
      case Form::ssh_line:
        part.emplace_back(
            "publicKey",
            ssh::format_line(ssh::KeyType::ed25519, key.public_key().raw(),
                             fmt::format("{} {}", options_.trust_domain, spec.comment)));
        break;
    }
    return part;
  }

  json::Value chain(const MemberSpec& spec, const PrivateKey& key) {
    const auto& profile = profile_of(spec.job);
    auto der = profile.self_signed ? self_signed(profile, key) : signed_by_root(profile, key);
    json::Array out;
    out.emplace_back(pem::encode(pem::kCertificate, der));
    if (!profile.self_signed) out.emplace_back(pem::encode(pem::kCertificate, root_->der));
    if (spec.job == Job::root_ca) {
      root_ = Root{std::move(der), {}, std::nullopt};
      root_->fields = x509::parse_certificate(root_->der).value();
    }
    return out;
  }

  Bytes self_signed(const Profile& profile, const PrivateKey& key) {
    const auto tbs =
        x509::encode_tbs(profile_parts(profile, options_.organization, options_.trust_domain,
                                       key.public_key(), nullptr, now_, rng_));
    return x509::encode_certificate(tbs, key.sign(tbs));
  }

  Bytes signed_by_root(const Profile& profile, const PrivateKey& key) {
    const auto identifier = key_identifier(root_->key->public_key());
    const IssuerView issuer{root_->fields.subject, identifier, root_->fields.not_after};
    const auto tbs =
        x509::encode_tbs(profile_parts(profile, options_.organization, options_.trust_domain,
                                       key.public_key(), &issuer, now_, rng_));
    return x509::encode_certificate(tbs, root_->key->sign(tbs));
  }

  static json::Value jwk(const MemberSpec& spec, const PublicKey& key) {
    const auto coordinates = key.raw().subspan(1);
    json::Object out;
    out.emplace_back("kty", "EC");
    out.emplace_back("crv", "P-256");
    out.emplace_back("x", base64url(coordinates.first(kCoordinateBytes)));
    out.emplace_back("y", base64url(coordinates.last(kCoordinateBytes)));
    out.emplace_back("kid", key.thumbprint());
    out.emplace_back("use", spec.use);
    out.emplace_back("alg", spec.alg);
    return out;
  }

  const CreateOptions& options_;
  UnixTime now_;
  Rng& rng_;
  json::Object document_, keys_;
  std::optional<Root> root_;
};

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
  Maker maker(options, now, rng);
  for (const auto& spec : member_specs()) maker.add(spec);
  const auto text = std::move(maker).finish();
  return open_bundle(as_text(text.reveal()));
}

}  // namespace bcpki
