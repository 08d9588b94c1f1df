#include "pki/new_member.h"

#include <utility>

#include <fmt/format.h>

#include "bcpki/encoding.h"

#include "format/pem.h"
#include "format/ssh.h"
#include "pki/profile.h"
#include "pki/root_authority_impl.h"

namespace bcpki {
namespace {

Bytes self_signed(const Profile& profile, const Deployment& deployment, const PrivateKey& key,
                  UnixTime now, Rng& rng) {
  const auto tbs =
      x509::encode_tbs(profile_parts(profile, deployment.organization, deployment.trust_domain,
                                     key.public_key(), nullptr, now, rng));
  return x509::encode_certificate(tbs, key.sign(tbs));
}

Bytes signed_by(const RootAuthority& root, const Profile& profile, const Deployment& deployment,
                const PrivateKey& key, UnixTime now, Rng& rng) {
  const IssuerView issuer = root.impl().issuer();
  const auto tbs =
      x509::encode_tbs(profile_parts(profile, deployment.organization, deployment.trust_domain,
                                     key.public_key(), &issuer, now, rng));
  return x509::encode_certificate(tbs, root.signer().sign(tbs));
}

json::Array chain(const Profile& profile, const Deployment& deployment, const RootAuthority* root,
                  const PrivateKey& key, UnixTime now, Rng& rng) {
  json::Array out;
  if (profile.self_signed) {
    out.emplace_back(
        pem::encode(pem::kCertificate, self_signed(profile, deployment, key, now, rng)));
  } else {
    out.emplace_back(
        pem::encode(pem::kCertificate, signed_by(*root, profile, deployment, key, now, rng)));
    out.emplace_back(root->certificate().pem());
  }
  return out;
}

json::Object jwk(const MemberSpec& spec, const PublicKey& key) {
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

std::string ssh_line(const MemberSpec& spec, const Deployment& deployment, const PublicKey& key) {
  return ssh::format_line(ssh::KeyType::ed25519, key.raw(),
                          fmt::format("{} {}", deployment.trust_domain, spec.comment));
}

}  // namespace

NewMember new_member(const MemberSpec& spec, const Deployment& deployment,
                     const RootAuthority* root, UnixTime now, Rng& rng) {
  const auto algorithm = spec.form == Form::ssh_line ? KeyAlgorithm::ed25519 : KeyAlgorithm::p256;
  auto key = std::make_shared<const PrivateKey>(PrivateKey::generate(algorithm, rng));
  json::Object value;
  switch (spec.form) {
    case Form::chain:
      value.emplace_back("chain", chain(profile_of(spec.job), deployment, root, *key, now, rng));
      break;
    case Form::jwk:
      value.emplace_back("jwk", jwk(spec, key->public_key()));
      break;
    case Form::ssh_line:
      value.emplace_back("publicKey", ssh_line(spec, deployment, key->public_key()));
      break;
  }
  return {std::move(value), std::move(key)};
}

}  // namespace bcpki
