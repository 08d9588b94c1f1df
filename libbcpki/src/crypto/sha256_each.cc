#include "crypto/sha256_each.h"

#include <algorithm>

#include "bcpki/draft.h"

#include "crypto/sha256_pair.h"

namespace bcpki {

Sha256Path best_sha256_path() noexcept {
  static const bool has_pair = has_sha256_pair();
  return has_pair ? Sha256Path::paired : Sha256Path::portable;
}

void sha256_each(std::span<const View> messages, std::span<Digest32> digests, Sha256Path path) {
  std::size_t done = 0;
  if (path == Sha256Path::paired)
    for (; done + 2 <= messages.size(); done += 2)
      sha256_pair(messages[done], messages[done + 1], digests.data() + done);
  std::ranges::transform(messages.subspan(done),
                         digests.begin() + static_cast<std::ptrdiff_t>(done), sha256);
}

}  // namespace bcpki
