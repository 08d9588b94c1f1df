#include "pki/seal.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

#include "base/wire.h"
#include "crypto/aead.h"
#include "crypto/kdf.h"

namespace bcpki::seal {
namespace {

constexpr std::string_view kKdf = "HKDF-SHA256";
constexpr std::string_view kCipher = "A256GCM";
constexpr std::string_view kInfo = "better-compute/pki-bundle/v1";
constexpr std::size_t kSaltBytes = 32;
constexpr std::array<std::string_view, 5> kMembers{"kdf", "salt", "cipher", "iv", "ciphertext"};

constexpr std::string_view kPrivateKeys = "privateKeys";
constexpr std::string_view kPublicSha256 = "publicSha256";

// octets are those of the member `name`, or nullopt where it holds none.
std::optional<Bytes> octets(const json::Value& object, std::string_view name) {
  const auto text = object.text(name);
  return text ? parse_base64url(*text) : std::nullopt;
}

bool has_size(const std::optional<Bytes>& bytes, std::size_t size) {
  return bytes && bytes->size() == size;
}

SecretBytes derive_key(const SecretBytes& secret, View salt) {
  return hkdf_sha256(without_newline(secret), salt, kInfo, aes256gcm::kKeyBytes);
}

Bytes additional_data(const Context& context) {
  Bytes out;
  wire::put_lp(out, as_bytes(context.format));
  wire::put_lp(out, as_bytes(context.trust_domain));
  return out;
}

bool take_keys(json::Value& value, Contents& out) {
  auto* keys = std::get_if<json::Object>(&value.held);
  if (!keys) return false;
  for (auto& [member, key] : *keys) {
    auto* pem = std::get_if<SecretBytes>(&key.held);
    if (!pem) return false;
    out.private_keys.emplace_back(member, std::move(*pem));
  }
  return true;
}

bool take_digest(const json::Value& value, Contents& out) {
  const auto digest = value.string() ? parse_hex(*value.string()) : std::nullopt;
  if (!has_size(digest, sizeof(Digest32))) return false;
  std::ranges::copy(*digest, out.public_sha256.emplace().begin());
  return true;
}

std::optional<Contents> read_contents(const SecretBytes& plaintext) try {
  auto document = json::parse(as_text(plaintext.reveal()), {.secret_member = kPrivateKeys});
  auto* object = std::get_if<json::Object>(&document.held);
  if (!object || !document.find(kPrivateKeys)) return std::nullopt;
  Contents contents;
  for (auto& [name, value] : *object) {
    const bool is_keys = name == kPrivateKeys;
    if (!is_keys && name != kPublicSha256) return std::nullopt;
    if (!(is_keys ? take_keys(value, contents) : take_digest(value, contents))) return std::nullopt;
  }
  return contents;
} catch (const json::SyntaxError&) {
  return std::nullopt;
}

}  // namespace

bool is_form(const json::Value& value) {
  const auto* object = value.object();
  if (!object || object->size() != kMembers.size()) return false;
  const auto known = [](const json::Member& member) {
    return std::ranges::find(kMembers, member.first) != kMembers.end() && member.second.string();
  };
  if (!std::ranges::all_of(*object, known)) return false;
  const auto ciphertext = octets(value, "ciphertext");
  return value.text("kdf") == kKdf && value.text("cipher") == kCipher &&
         has_size(octets(value, "salt"), kSaltBytes) &&
         has_size(octets(value, "iv"), aes256gcm::kIvBytes) && ciphertext &&
         ciphertext->size() >= aes256gcm::kTagBytes;
}

View without_newline(const SecretBytes& secret) {
  auto bytes = secret.reveal();
  if (!bytes.empty() && bytes.back() == std::byte{'\n'}) bytes = bytes.first(bytes.size() - 1);
  return bytes;
}

std::optional<Contents> open(const json::Value& value, const SecretBytes& secret,
                             const Context& context) {
  const auto salt = octets(value, "salt");
  const auto iv = octets(value, "iv");
  const auto ciphertext = octets(value, "ciphertext");
  if (!salt || !has_size(iv, aes256gcm::kIvBytes) || !ciphertext) return std::nullopt;
  const auto plaintext =
      aes256gcm::open(derive_key(secret, *salt), *iv, additional_data(context), *ciphertext);
  if (!plaintext) return std::nullopt;
  return read_contents(*plaintext);
}

json::Value make(json::Object private_keys, const Digest32& public_sha256,
                 const SecretBytes& secret, const Context& context, Rng& rng) {
  Bytes salt(kSaltBytes), iv(aes256gcm::kIvBytes);
  rng.fill(salt);
  rng.fill(iv);
  json::Object contents;
  contents.emplace_back(kPrivateKeys, std::move(private_keys));
  contents.emplace_back(kPublicSha256, hex(public_sha256));
  const auto plaintext = json::write(std::move(contents));
  const auto ciphertext =
      aes256gcm::seal(derive_key(secret, salt), iv, additional_data(context), plaintext.reveal());
  json::Object out;
  out.emplace_back("kdf", kKdf);
  out.emplace_back("salt", base64url(salt));
  out.emplace_back("cipher", kCipher);
  out.emplace_back("iv", base64url(iv));
  out.emplace_back("ciphertext", base64url(ciphertext));
  return out;
}

void throw_sealed(std::string_view keys) {
  throw Error(Code::missing_env,
              fmt::format("cannot use {} without the secret; set BETTER_COMPUTE_SECRET or "
                          "BETTER_COMPUTE_SECRET_FILE",
                          keys));
}

}  // namespace bcpki::seal
