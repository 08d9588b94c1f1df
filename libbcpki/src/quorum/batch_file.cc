// The small files of a batch: signatures, approvals and proofs.
#include <algorithm>
#include <array>

#include "bcpki/batch_approval.h"
#include "bcpki/encoding.h"
#include "bcpki/identifier.h"

#include "quorum/set_json.h"

namespace bcpki {
namespace {

constexpr std::array kApprovalFiles = {
    FileFormat{"better-compute-batch-approval", "approval file"},
    FileFormat{"better-compute-batch-signature", "signature file"},
};
constexpr FileFormat kSignatureFile = kApprovalFiles[1];
constexpr FileFormat kProofFile{"better-compute-batch-proof", "proof file"};

constexpr std::string_view kSubjectForm = "1 to 512 printable ASCII characters without space";

Fields open(const json::Value& top, const FileFormat& format) {
  Fields fields(top, format.name);
  fields.member("format");
  fields.member("version");
  return fields;
}

json::Object head(const FileFormat& format) {
  json::Object top;
  top.emplace_back("format", format.format);
  top.emplace_back("version", kFormatVersion);
  return top;
}

ApprovalTerms read_terms(Fields& fields) {
  ApprovalTerms terms;
  terms.scope.batch_id = fields.named("batchId", is_id, "a batch id");
  terms.scope.root = fields.digest("scopeRoot");
  terms.scope.size = fields.u32("scopeSize");
  if (terms.scope.size == 0 || terms.scope.size > kMaxBatchLeaves)
    fields.refuse("scopeSize", fmt::format("a number from 1 to {}", kMaxBatchLeaves));
  terms.not_after = fields.whole_seconds("notAfter");
  terms.trust_domain = fields.named("trustDomain", is_trust_domain, "a trust domain");
  return terms;
}

void put_terms(json::Object& top, const ApprovalTerms& terms) {
  top.emplace_back("batchId", terms.scope.batch_id);
  top.emplace_back("scopeRoot", hex(terms.scope.root));
  top.emplace_back("scopeSize", std::uint64_t{terms.scope.size});
  top.emplace_back("notAfter", format_time(terms.not_after));
  top.emplace_back("trustDomain", terms.trust_domain);
}

SignatureFile read_signature_fields(Fields fields) {
  SignatureFile file{read_terms(fields), read_signature(fields.inner("signature"))};
  fields.finish();
  return file;
}

ApprovalFile read_approval_fields(Fields fields) {
  ApprovalFile file{read_terms(fields)};
  for (std::size_t i = 0; i < fields.list("signatures").size(); ++i)
    file.signatures.push_back(read_signature(fields.element("signatures", i)));
  fields.finish();
  return file;
}

// differing names the member in which two terms differ, or is "".
std::string_view differing(const ApprovalTerms& a, const ApprovalTerms& b) {
  if (a.scope.batch_id != b.scope.batch_id) return "batchId";
  if (a.scope.root != b.scope.root) return "scopeRoot";
  if (a.scope.size != b.scope.size) return "scopeSize";
  if (a.not_after != b.not_after) return "notAfter";
  return a.trust_domain != b.trust_domain ? "trustDomain" : "";
}

Bytes read_sibling(const json::Value& value, const Fields& fields) {
  const auto text = value.text();
  const auto sibling = text ? parse_digest(*text) : std::nullopt;
  if (!sibling) fields.refuse("siblings", "a list of 32 bytes of hex each");
  return to_bytes(*sibling);
}

}  // namespace

SignatureFile read_signature_file(std::string_view text) {
  const json::Value top = parse_file(kSignatureFile.name, text);
  require_format(top, {&kSignatureFile, 1});
  return read_signature_fields(open(top, kSignatureFile));
}

ApprovalFile read_approval_file(std::string_view text) {
  const json::Value top = parse_file(kApprovalFiles[0].name, text);
  const FileFormat& format = require_format(top, kApprovalFiles);
  if (format.format != kSignatureFile.format) return read_approval_fields(open(top, format));
  auto file = read_signature_fields(open(top, format));
  return {std::move(file.terms), {std::move(file.signature)}};
}

ProofFile read_proof_file(std::string_view text) {
  const json::Value top = parse_file(kProofFile.name, text);
  require_format(top, {&kProofFile, 1});
  Fields fields = open(top, kProofFile);
  ProofFile file;
  file.batch_id = fields.named("batchId", is_id, "a batch id");
  file.entry.subject = fields.named("subject", is_subject, kSubjectForm);
  file.entry.kind = fields.named("kind", is_kind, "a kind such as node.reboot");
  if (fields.optional("payloadSha256")) file.entry.payload_sha256 = fields.digest("payloadSha256");
  file.proof.index = fields.integer("index");
  for (const json::Value& sibling : fields.list("siblings"))
    file.proof.siblings.push_back(read_sibling(sibling, fields));
  fields.finish();
  return file;
}

std::string write_signature_file(const SignatureFile& file) {
  json::Object top = head(kSignatureFile);
  put_terms(top, file.terms);
  top.emplace_back("signature", signature_json(file.signature));
  return laid_out(std::move(top));
}

std::string write_approval_file(const ApprovalFile& file) {
  json::Object top = head(kApprovalFiles[0]);
  put_terms(top, file.terms);
  json::Array signatures;
  for (const auto& signature : file.signatures) signatures.push_back(signature_json(signature));
  top.emplace_back("signatures", std::move(signatures));
  return laid_out(std::move(top));
}

std::string write_proof_file(const ProofFile& file) {
  json::Object top = head(kProofFile);
  top.emplace_back("batchId", file.batch_id);
  top.emplace_back("subject", file.entry.subject);
  top.emplace_back("kind", file.entry.kind);
  if (file.entry.payload_sha256) top.emplace_back("payloadSha256", hex(*file.entry.payload_sha256));
  top.emplace_back("index", file.proof.index);
  json::Array siblings;
  for (const Bytes& sibling : file.proof.siblings) siblings.emplace_back(hex(sibling));
  top.emplace_back("siblings", std::move(siblings));
  return laid_out(std::move(top));
}

BatchApproval ApprovalFile::approval() const {
  return {terms.scope.batch_id, to_bytes(terms.scope.root), terms.scope.size, terms.not_after,
          signatures};
}

ApprovalFile combine_signatures(const std::vector<ApprovalFile>& files) {
  if (files.empty()) throw Error(Code::invalid_input, "there is no signature to combine");
  ApprovalFile all{files.front().terms};
  for (const ApprovalFile& file : files) {
    if (const auto member = differing(all.terms, file.terms); !member.empty())
      throw Error(Code::scope_mismatch,
                  fmt::format("the signatures are not over one batch: they differ in {}", member),
                  {{"member", std::string(member)}});
    for (const ClaimedSignature& signature : file.signatures)
      if (std::ranges::find(all.signatures, signature) == all.signatures.end())
        all.signatures.push_back(signature);
  }
  return all;
}

}  // namespace bcpki
