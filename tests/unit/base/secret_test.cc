#include "bcpki/secret.h"

#include <stdlib.h>

#include <array>
#include <concepts>
#include <filesystem>
#include <fstream>
#include <string>
#include <type_traits>
#include <utility>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "bcpki/error.h"

namespace {

using bcpki::Code;
using bcpki::SecretBytes;

static_assert(!std::is_copy_constructible_v<SecretBytes>);
static_assert(!std::is_copy_assignable_v<SecretBytes>);
static_assert(!std::equality_comparable<SecretBytes>);
static_assert(std::is_nothrow_move_constructible_v<SecretBytes>);

constexpr std::size_t kMiB = std::size_t{1} << 20;

std::string text_of(const SecretBytes& secret) {
  return std::string(bcpki::as_text(secret.reveal()));
}

// Folder is a new directory that goes with its test.
class Folder {
 public:
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "bcpki-secret-XXXXXX";
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::filesystem::path operator/(const char* name) const { return path_ / name; }

  std::filesystem::path write(const char* name, std::string_view content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

bcpki::Error refusal(const std::filesystem::path& path) {
  try {
    SecretBytes::read(path);
  } catch (const bcpki::Error& error) {
    return error;
  }
  return {Code::internal, "read"};
}

TEST_CASE("a secret holds what it was given") {
  CHECK(SecretBytes().empty());
  CHECK(SecretBytes(std::size_t{0}).empty());
  CHECK(text_of(SecretBytes(std::size_t{3})) == std::string(3, '\0'));
  CHECK(text_of(SecretBytes(std::string_view("hunter2"))) == "hunter2");
  CHECK(text_of(SecretBytes(bcpki::as_bytes("hunter2"))) == "hunter2");
  CHECK(text_of(SecretBytes(std::string_view())).empty());
}

TEST_CASE("a moved secret is empty and can be used again") {
  SecretBytes first(std::string_view("hunter2"));
  SecretBytes second(std::move(first));
  CHECK(first.empty());
  CHECK(text_of(second) == "hunter2");

  SecretBytes third(std::string_view("former"));
  third = std::move(second);
  CHECK(second.empty());
  CHECK(text_of(third) == "hunter2");

  second.append(bcpki::as_bytes("again"));
  CHECK(text_of(second) == "again");
}

TEST_CASE("a clone is a second owner") {
  SecretBytes first(std::string_view("hunter2"));
  const SecretBytes second = first.clone();
  first.reveal()[0] = std::byte{'H'};
  CHECK(text_of(second) == "hunter2");
  CHECK(SecretBytes().clone().empty());
}

TEST_CASE("secrets are equal by size and bytes") {
  const SecretBytes secret(std::string_view("hunter2"));
  CHECK(secret.equals(secret.clone()));
  CHECK_FALSE(secret.equals(SecretBytes(std::string_view("hunter3"))));
  CHECK_FALSE(secret.equals(SecretBytes(std::string_view("hunter"))));
  CHECK_FALSE(secret.equals(SecretBytes()));
  CHECK(SecretBytes().equals(SecretBytes()));
}

TEST_CASE("a secret grows") {
  SecretBytes secret;
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string part(static_cast<std::size_t>(i % 7), static_cast<char>('a' + i % 26));
    secret.append(bcpki::as_bytes(part));
    expected += part;
  }
  CHECK(text_of(secret) == expected);
}

TEST_CASE("a secret can be appended to itself") {
  SecretBytes secret(std::string_view("ab"));
  std::string expected = "ab";
  for (int i = 0; i < 10; ++i) {
    secret.append(std::as_const(secret).reveal());
    expected += expected;
  }
  CHECK(text_of(secret) == expected);
}

TEST_CASE("truncating drops the end and never grows") {
  SecretBytes secret(std::string_view("hunter2"));
  secret.truncate(9);
  CHECK(text_of(secret) == "hunter2");
  secret.truncate(6);
  CHECK(text_of(secret) == "hunter");
  secret.append(bcpki::as_bytes("3"));
  CHECK(text_of(secret) == "hunter3");
  secret.truncate(0);
  CHECK(secret.empty());
}

TEST_CASE("wiping leaves zeros") {
  std::string text = "hunter2";
  bcpki::wipe(std::as_writable_bytes(std::span(text)));
  CHECK(text == std::string(7, '\0'));
  CHECK_NOTHROW(bcpki::wipe({}));
}

TEST_CASE("a file is read whole, byte for byte") {
  const Folder folder;
  const std::string content = std::string("a\0b\r\n\xff", 6) + std::string(100'000, 'x');
  CHECK(text_of(SecretBytes::read(folder.write("f", content))) == content);
  CHECK(SecretBytes::read(folder.write("empty", "")).empty());
}

TEST_CASE("a link to a file is read") {
  const Folder folder;
  folder.write("f", "hunter2");
  std::filesystem::create_symlink("f", folder / "link");
  CHECK(text_of(SecretBytes::read(folder / "link")) == "hunter2");
}

TEST_CASE("a file of 1 MiB is the largest that is read") {
  const Folder folder;
  const auto path = folder.write("f", std::string(kMiB, 'x'));
  CHECK(SecretBytes::read(path).size() == kMiB);
  std::filesystem::resize_file(path, kMiB + 1);
  CHECK(refusal(path).code() == Code::invalid_input);
  std::filesystem::resize_file(path, kMiB << 10);
  CHECK(refusal(path).code() == Code::invalid_input);
}

TEST_CASE("what is no regular file is refused without waiting for it") {
  const Folder folder;
  CHECK(refusal(folder / ".").code() == Code::invalid_input);
  CHECK(refusal("/dev/zero").code() == Code::invalid_input);
  REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
  CHECK(refusal(folder / "fifo").code() == Code::invalid_input);
}

TEST_CASE("a file that cannot be opened is an I/O error") {
  const Folder folder;
  CHECK(refusal(folder / "missing").code() == Code::io_error);
  CHECK(refusal(folder.write("f", "") / "below").code() == Code::io_error);
  std::filesystem::create_symlink("loop", folder / "loop");
  CHECK(refusal(folder / "loop").code() == Code::io_error);
}

TEST_CASE("an error names the path, printable, and never the content") {
  const Folder folder;
  const auto path = folder.write("big\x1b[2J", "hunter2" + std::string(kMiB, 'x'));
  const std::string message = refusal(path).what();
  CHECK(message.find("/big\\u001b[2J") != std::string::npos);
  CHECK(message.find("hunter2") == std::string::npos);
  CHECK(std::string(refusal(folder / "gone\n").what()).find("/gone\\u000a") != std::string::npos);
}

}  // namespace
