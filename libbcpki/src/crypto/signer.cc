#include "crypto/signer.h"

#include <utility>

namespace bcpki {
namespace {

class MemorySigner final : public Signer {
 public:
  explicit MemorySigner(std::shared_ptr<const PrivateKey> key) : key_(std::move(key)) {}

  const PublicKey& public_key() const override { return key_->public_key(); }
  Sig64 sign(View message) override { return key_->sign(message); }

 private:
  std::shared_ptr<const PrivateKey> key_;
};

}  // namespace

std::unique_ptr<Signer> make_signer(std::shared_ptr<const PrivateKey> key) {
  return std::make_unique<MemorySigner>(std::move(key));
}

std::unique_ptr<Signer> make_signer(PrivateKey key) {
  return make_signer(std::make_shared<const PrivateKey>(std::move(key)));
}

}  // namespace bcpki
