// A batch: its tree against one SHA-256 stream over as many blocks, an agent's check of an approval
// against the verifications that it cannot do without, and a scope file against Node's JSON.parse
// of it. Beside them, what plain programs in other languages need for the same tree. The folder of
// these peers comes in BCPKI_PEERS.
#include <stdio.h>
#include <stdlib.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <openssl/ec.h>
#include <openssl/evp.h>

#include "bcpki/approver_set.h"
#include "bcpki/batch_approval.h"
#include "bcpki/batch_scope.h"
#include "bcpki/draft.h"
#include "bcpki/encoding.h"
#include "bcpki/scope_file.h"

#include "quorum/scope_tree.h"
#include "ratio.h"

namespace {

constexpr std::size_t kBlockBytes = 64;

void check(bool done) {
  if (!done) throw std::runtime_error("OpenSSL failed");
}

std::string numbered(std::string_view prefix, std::size_t number) {
  std::string text(prefix);
  text += std::to_string(10'000'000 + number);
  return text;
}

std::vector<bcpki::BatchEntry> entries(std::size_t count) {
  std::vector<bcpki::BatchEntry> out(count);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = {numbered("node_01jd8x3m5q9v7w2z4c", i), "firmware.update",
              bcpki::sha256(bcpki::as_bytes(numbered("payload", i)))};
  return out;
}

constexpr std::string_view kBatch = "batch_01jd8x3m5q9v7w2z4c6e8g0h1k";

// Stream is OpenSSL's, over blocks that stay in the nearest cache.
class Stream {
 public:
  void hash(std::size_t blocks) {
    check(EVP_DigestInit_ex2(context_, md_, nullptr) == 1);
    for (std::size_t left = blocks * kBlockBytes; left > 0;) {
      const std::size_t size = std::min(left, buffer_.size());
      check(EVP_DigestUpdate(context_, buffer_.data(), size) == 1);
      left -= size;
    }
    std::array<unsigned char, 32> digest{};
    check(EVP_DigestFinal_ex(context_, digest.data(), nullptr) == 1);
    buffer_[0] = static_cast<char>(digest[0]);
  }

 private:
  EVP_MD* md_ = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* context_ = EVP_MD_CTX_new();
  std::string buffer_ = std::string(16384, 'b');
};

constexpr std::size_t kLeafBlocks = 3, kInnerBlocks = 2;

// root_and_proofs returns the root, so that peers can be checked.
bcpki::Digest32 root_and_proofs(const std::vector<bcpki::BatchEntry>& list,
                                bcpki::Sha256Path path) {
  const auto scope = bcpki::make_scope_tree(kBatch, list, path);
  scope.tree.each_path([](std::uint32_t, std::span<const bcpki::Digest32> siblings) {
    benchmark::DoNotOptimize(siblings.data());
    benchmark::ClobberMemory();
  });
  return scope.tree.root();
}

void tree(benchmark::State& state, std::size_t leaves, double goal, bcpki::Sha256Path path) {
  const auto list = entries(leaves);
  static Stream stream;
  bench::paired(
      state, goal, bench::Clock::thread, [] {},
      [&] { stream.hash((kLeafBlocks * leaves) + (kInnerBlocks * (leaves - 1))); },
      [&] { root_and_proofs(list, path); });
}

void tree50k(benchmark::State& state) {
  tree(state, 50'000, 0.95, bcpki::best_sha256_path());
}
void tree50k_portable(benchmark::State& state) {
  tree(state, 50'000, 2.2, bcpki::Sha256Path::portable);
}
// Where a CPU has one unit for both messages, there is no more to gain than a context's cost.
void tree50k_paired(benchmark::State& state) {
  if (!bcpki::has_sha256_path(bcpki::Sha256Path::paired)) return state.SkipWithError("no SHA");
  tree(state, 50'000, 1.5, bcpki::Sha256Path::paired);
}
void tree1m(benchmark::State& state) {
  tree(state, 1'000'000, 1.35, bcpki::best_sha256_path());
}
void tree1m_portable(benchmark::State& state) {
  tree(state, 1'000'000, 2.5, bcpki::Sha256Path::portable);
}

// ---- An agent's check ---------------------------------------------------------------------------

constexpr std::string_view kTrustDomain = "compute.example.com";
constexpr bcpki::UnixTime kNow = bcpki::UnixTime::seconds(1796040000);
constexpr std::uint32_t kLeaves = 50'000;
constexpr std::size_t kApprovers = 3;

// Admission is an approved batch of 50,000 and one of its operations.
class Admission {
 public:
  Admission() {
    bcpki::Quorum quorum{.threshold = kApprovers};
    for (auto& signer : signers_) {
      signer = bcpki::make_signer(
          bcpki::PrivateKey::generate(bcpki::KeyAlgorithm::p256, bcpki::system_rng()));
      quorum.approvers.push_back({signer->public_key()});
      claimed_.keys.push_back(
          {signer->public_key().kid(), bcpki::to_bytes(signer->public_key().spki())});
    }
    claimed_.threshold = kApprovers;
    set_ = bcpki::ApproverSet::make(std::move(quorum));
    const bcpki::ApprovalTerms terms{scope_.root(), kNow, std::string(kTrustDomain)};
    bcpki::ApprovalFile file{terms};
    for (auto& signer : signers_)
      file.signatures.push_back(bcpki::claim(bcpki::sign_batch_approval(*signer, terms)));
    approval_ = file.approval();
  }

  void check_held() const { check_with(*set_); }
  void check_unheld() const { check_with(*bcpki::ApproverSet::check(claimed_)); }

  // One verification for each signature, with what OpenSSL needs for it already at hand.
  void verify_raw() {
    for (std::size_t i = 0; i < kApprovers; ++i)
      check(EVP_PKEY_verify(raw_.context, raw_.signature.data(), raw_.signature.size(),
                            raw_.digest.data(), raw_.digest.size()) == 1);
  }

 private:
  struct Raw {
    Raw() {
      EVP_PKEY_CTX* signing = EVP_PKEY_CTX_new(key, nullptr);
      size_t size = signature.size();
      check(EVP_PKEY_sign_init(signing) == 1);
      check(EVP_PKEY_sign(signing, signature.data(), &size, digest.data(), digest.size()) == 1);
      signature.resize(size);
      EVP_PKEY_CTX_free(signing);
      check(EVP_PKEY_verify_init(context) == 1);
    }

    // The process ends with them: nothing here is freed.
    EVP_PKEY* key = EVP_EC_gen("P-256");
    EVP_PKEY_CTX* context = EVP_PKEY_CTX_new(key, nullptr);
    std::array<unsigned char, 32> digest{};
    std::vector<unsigned char> signature = std::vector<unsigned char>(80);
  };

  void check_with(const bcpki::ApproverSet& set) const {
    const auto approved =
        bcpki::verify_batch_approval(&approval_, kBatch, {set, kTrustDomain}, kNow);
    check(bool(approved));
    check(bool(bcpki::verify_batch_member(approved->scope(), operation_, proof_)));
  }

  std::vector<bcpki::BatchEntry> entries_ = entries(kLeaves);
  bcpki::BatchScope scope_ = bcpki::BatchScope::make(kBatch, entries_);
  bcpki::BatchProof proof_ = scope_.proof(12'345);
  bcpki::BatchEntry operation_ = entries_[scope_.entry_of(12'345)];
  std::array<std::unique_ptr<bcpki::Signer>, kApprovers> signers_;
  bcpki::ClaimedQuorum claimed_;
  std::optional<bcpki::ApproverSet> set_;
  bcpki::BatchApproval approval_;
  Raw raw_;
};

void approval(benchmark::State& state) {
  static Admission admission;
  bench::paired(
      state, 1.06, bench::Clock::thread, [] {}, [] { admission.verify_raw(); },
      [] { admission.check_held(); });
}

void approval_unheld(benchmark::State& state) {
  static Admission admission;
  bench::paired(
      state, 1.2, bench::Clock::thread, [] {}, [] { admission.verify_raw(); },
      [] { admission.check_unheld(); });
}

// ---- Peers
// ----------------------------------------------------------------------------------------

std::string peer(const std::string& file) {
  const char* folder = getenv("BCPKI_PEERS");
  if (folder == nullptr) throw std::runtime_error("BCPKI_PEERS is not set");
  return std::string(folder) + "/" + file;
}

// Said is what a peer prints: a word, and the CPU seconds that it took.
struct Said {
  std::string word;
  double seconds = 0;
};

Said run_peer(const std::string& command) {
  FILE* output = popen((command + " </dev/null").c_str(), "r");
  check(output != nullptr);
  std::array<char, 256> line{};
  check(fgets(line.data(), line.size(), output) != nullptr);
  check(pclose(output) == 0);
  std::istringstream words(line.data());
  Said said;
  words >> said.word >> said.seconds;
  check(!words.fail());
  return said;
}

double timed_tree(const std::vector<bcpki::BatchEntry>& list) {
  const auto work = [&] { root_and_proofs(list, bcpki::best_sha256_path()); };
  return bench::timed(bench::Clock::thread, work);
}

void peer_tree(benchmark::State& state, const std::string& command) {
  const auto list = entries(kLeaves);
  const auto root = bcpki::hex(root_and_proofs(list, bcpki::best_sha256_path()));
  bench::compared(
      state, bench::kNoGoal, [&] { return timed_tree(list); },
      [&] {
        const Said said = run_peer(command + " " + std::to_string(kLeaves));
        check(said.word == root);
        return said.seconds;
      });
}

void tree50k_go(benchmark::State& state) {
  peer_tree(state, peer("tree"));
}
void tree50k_node(benchmark::State& state) {
  peer_tree(state, "node " + peer("tree.js"));
}
void tree50k_python(benchmark::State& state) {
  peer_tree(state, "/usr/bin/python3 " + peer("tree.py"));
}

// ---- A scope file
// -----------------------------------------------------------------------------------

// ScopeText is the file of a batch of 50,000, without white space: about 8 MB.
class ScopeText {
 public:
  ScopeText() {
    const auto list = entries(kLeaves);
    const auto scope = bcpki::BatchScope::make(kBatch, list);
    std::ofstream out(path());
    out << R"({"format":"better-compute-batch-scope","version":1,"batchId":")" << kBatch
        << R"(","trustDomain":")" << kTrustDomain
        << R"(","notAfter":"2026-11-30T12:00:00Z","root":")" << bcpki::hex(scope.root().root)
        << R"(","size":)" << scope.size() << R"(,"leaves":[)";
    std::string_view comma;
    for (const auto& entry : list) {
      out << comma << R"({"subject":")" << entry.subject << R"(","kind":")" << entry.kind
          << R"(","payloadSha256":")" << bcpki::hex(*entry.payload_sha256) << "\"}";
      comma = ",";
    }
    out << "]}";
    check(out.flush().good());
  }

  static std::string path() { return peer("scope.json"); }
};

// read_scope says what a tool's read of a scope takes: once, in a process of its own.
int read_scope(const char* path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto work = [&] { check(bcpki::read_scope_file(text).scope.size() == kLeaves); };
  const double seconds = bench::timed(bench::Clock::thread, work);
  std::cout << "read " << seconds << '\n';
  return 0;
}

void scope_read(benchmark::State& state) {
  static const ScopeText scope;
  const std::string node = "node " + peer("parse.js") + " " + scope.path();
  const std::string ours =
      std::filesystem::read_symlink("/proc/self/exe").string() + " --read " + scope.path();
  bench::compared(
      state, 1, [&] { return run_peer(node).seconds; }, [&] { return run_peer(ours).seconds; });
}

BENCHMARK(scope_read)->Repetitions(3)->Iterations(5)->UseManualTime();
BENCHMARK(approval)->Repetitions(5)->MinTime(0.3)->UseManualTime();
BENCHMARK(approval_unheld)->Repetitions(5)->MinTime(0.3)->UseManualTime();
BENCHMARK(tree50k)->Repetitions(5)->MinTime(0.3)->UseManualTime();
BENCHMARK(tree50k_portable)->Repetitions(5)->MinTime(0.3)->UseManualTime();
BENCHMARK(tree50k_paired)->Repetitions(5)->MinTime(0.3)->UseManualTime();
BENCHMARK(tree50k_go)->Repetitions(3)->Iterations(1)->UseManualTime();
BENCHMARK(tree50k_node)->Repetitions(3)->Iterations(1)->UseManualTime();
BENCHMARK(tree50k_python)->Repetitions(3)->Iterations(1)->UseManualTime();
BENCHMARK(tree1m)->Repetitions(3)->Iterations(3)->UseManualTime();
BENCHMARK(tree1m_portable)->Repetitions(3)->Iterations(3)->UseManualTime();

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--read") return read_scope(argv[2]);
  return bench::run(argc, argv);
}
