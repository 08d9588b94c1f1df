#include "golden/vectors.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "bcpki/encoding.h"

namespace bcpki::golden {
namespace {

namespace fs = std::filesystem;

template <class T>
const T& required(const T* value, std::string_view name, std::string_view type) {
  if (value == nullptr) throw Failure(fmt::format("`{}` must be {}", name, type));
  return *value;
}

// A case without an id fails, under its place.
std::string name_of(const json::Value& value, std::string_view id_member, std::size_t place) {
  const json::Value* const id = value.object() ? value.find(id_member) : nullptr;
  return id && id->string() ? *id->string() : fmt::format("case {}", place + 1);
}

Bytes decoded(std::optional<Bytes> bytes, std::string_view name, std::string_view encoding) {
  return required(bytes ? &*bytes : nullptr, name, encoding);
}

}  // namespace

bool Folder::has(std::string_view name) const {
  return fs::exists(path_ / name);
}

std::string Folder::text(const fs::path& place) {
  read_.insert(place);
  std::ifstream in(path_ / place, std::ios::binary);
  expect(in.good(), "cannot read " + place.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> Folder::unread() const {
  std::vector<std::string> out;
  list_unread({}, out);
  std::ranges::sort(out);
  return out;
}

void Folder::list_unread(const fs::path& place, std::vector<std::string>& out) const {
  for (const auto& entry : fs::directory_iterator(path_ / place)) {
    const fs::path inner = place / entry.path().filename();
    if (!is_read(inner))
      out.push_back(inner.string());
    else if (entry.is_directory())
      list_unread(inner, out);
  }
}

// A folder is read where a file below it is.
bool Folder::is_read(const fs::path& place) const {
  return std::ranges::any_of(read_, [&](const fs::path& read) {
    return std::ranges::mismatch(place, read).in1 == place.end();
  });
}

void expect(bool holds, std::string_view why) {
  if (!holds) throw Failure(std::string(why));
}

void expect_verdict(bool taken, bool valid) {
  expect(taken == valid, valid ? "is valid and was refused" : "is not valid and was taken");
}

void expect_equal(std::string_view what, std::string_view actual, std::string_view expected) {
  expect(actual == expected, fmt::format("{} is {}, must be {}", what, actual, expected));
}

Members::Members(const json::Value& object) : object_(&object) {
  expect(object.object() != nullptr, "must be an object");
}

const json::Value* Members::optional(std::string_view name) {
  read_.emplace(name);
  return object_->find(name);
}

const json::Value& Members::member(std::string_view name) {
  return required(optional(name), name, "there");
}

const std::string& Members::text(std::string_view name) {
  return required(member(name).string(), name, "a string");
}

bool Members::flag(std::string_view name) {
  return required(member(name).boolean(), name, "a boolean");
}

std::uint64_t Members::number(std::string_view name) {
  return required(member(name).integer(), name, "an integer");
}

const json::Array& Members::list(std::string_view name) {
  return required(member(name).array(), name, "an array");
}

Bytes Members::hex(std::string_view name) {
  return decoded(parse_hex(text(name)), name, "hex");
}

Bytes Members::base64(std::string_view name) {
  return decoded(parse_base64(text(name)), name, "base64");
}

void Members::within(std::string_view name, const std::function<void(Members&)>& read) {
  Members inner(member(name));
  read(inner);
  inner.finish();
}

void Members::finish() const {
  for (const auto& [key, value] : *object_->object())
    expect(read_.contains(key), fmt::format("unknown member `{}`", key));
}

void Report::judge(std::string_view id, const std::function<void()>& run) {
  try {
    expect(ids_.emplace(id).second, "another case has this id");
    run();
    ++passed_;
  } catch (const std::exception& e) {
    ++failed_;
    fmt::print("{}: {}: {}\n", file_, printable(id), printable(e.what()));
  }
}

void each_case(const json::Array& cases, Report& report, const std::function<void(Members&)>& check,
               std::string_view id_member) {
  expect(!cases.empty(), "a list holds no case");
  for (std::size_t i = 0; i < cases.size(); ++i) {
    report.judge(name_of(cases[i], id_member, i), [&] {
      Members members(cases[i]);
      members.text(id_member);
      check(members);
      members.finish();
    });
  }
}

}  // namespace bcpki::golden
