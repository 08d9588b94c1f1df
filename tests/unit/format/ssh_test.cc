#include "format/ssh.h"

#include <string>
#include <string_view>

#include <catch2/catch.hpp>

#include "bcpki/encoding.h"
#include "bcpki/error.h"

namespace {

namespace ssh = bcpki::ssh;
using bcpki::Bytes;
using ssh::KeyType;

// ssh-keygen -t ed25519 -C 'compute.example.com ssh ca', and the same for ecdsa. The raw keys are
// what `ssh-keygen -e -m PKCS8` has at its end.
const std::string kEd25519 =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINAjH+COgvbhDHIFfxEjGqHslVDBPnQUaNEWcfoY/Aei";
constexpr std::string_view kEd25519Raw =
    "d0231fe08e82f6e10c72057f11231aa1ec9550c13e741468d11671fa18fc07a2";
const std::string kEcdsa =
    "ecdsa-sha2-nistp256 "
    "AAAAE2VjZHNhLXNoYTItbmlzdHAyNTYAAAAIbmlzdHAyNTYAAABBBNwNqDeY1G6aYbP2GqME/"
    "a2W+sA1Tm2VksKh8oBH9srQWusHLs43MuXvI75+xX6x5uZySrS87bxBF+Q/tRCIyEg=";
constexpr std::string_view kEcdsaRaw =
    "04dc0da83798d46e9a61b3f61aa304fdad96fac0354e6d9592c2a1f28047f6cad05aeb072ece3732e5ef23be7ec57e"
    "b1e6e6724ab4bcedbc4117e43fb51088c848";

Bytes hex(std::string_view text) {
  return bcpki::parse_hex(text).value();
}

bool is_taken(std::string_view line) {
  return ssh::parse_line(line).has_value();
}

// line_of frames a blob, given as hex.
std::string line_of(std::string_view type, std::string_view blob) {
  return std::string(type) + " " + bcpki::base64(hex(blob));
}

TEST_CASE("the lines of ssh-keygen are read and written") {
  const auto ed25519 = ssh::parse_line(kEd25519 + " compute.example.com ssh ca");
  REQUIRE(ed25519);
  CHECK(ed25519->type == KeyType::ed25519);
  CHECK(bcpki::hex(ed25519->raw) == kEd25519Raw);
  CHECK(ed25519->comment == "compute.example.com ssh ca");

  const auto ecdsa = ssh::parse_line(kEcdsa + " compute.example.com ssh ca");
  REQUIRE(ecdsa);
  CHECK(ecdsa->type == KeyType::ecdsa_p256);
  CHECK(bcpki::hex(ecdsa->raw) == kEcdsaRaw);

  CHECK(ssh::format_line(KeyType::ed25519, hex(kEd25519Raw), "compute.example.com ssh ca") ==
        kEd25519 + " compute.example.com ssh ca");
  CHECK(ssh::format_line(KeyType::ecdsa_p256, hex(kEcdsaRaw), "") == kEcdsa);
}

TEST_CASE("a comment may be missing, empty, or hold spaces") {
  CHECK(ssh::parse_line(kEd25519)->comment.empty());
  CHECK(ssh::parse_line(kEd25519 + " ")->comment.empty());  // `ssh-keygen -C ''` of OpenSSH 9.2
  CHECK(ssh::parse_line(kEd25519 + " a  b ")->comment == "a  b ");
}

TEST_CASE("a line is one line of printable ASCII") {
  CHECK_FALSE(is_taken(""));
  CHECK_FALSE(is_taken(kEd25519 + "\n"));
  CHECK_FALSE(is_taken(kEd25519 + "\r"));
  CHECK_FALSE(is_taken(kEd25519 + " a\n" + kEd25519 + " b"));
  CHECK_FALSE(is_taken(kEd25519 + " a\tb"));
  CHECK_FALSE(is_taken(kEd25519 + "\tb"));
  CHECK_FALSE(is_taken(kEd25519 + " caf\xc3\xa9"));
  CHECK_FALSE(is_taken(kEd25519 + " \x7f"));
  CHECK_FALSE(is_taken(kEd25519 + std::string(" a\0b", 4)));
}

TEST_CASE("a line starts with one of the two types") {
  CHECK_FALSE(is_taken(" " + kEd25519));
  CHECK_FALSE(is_taken("cert-authority " + kEd25519));
  CHECK_FALSE(is_taken("ssh-ed25519"));
  CHECK_FALSE(is_taken("ssh-ed25519 "));
  CHECK_FALSE(is_taken("SSH-ED25519" + kEd25519.substr(11)));
  CHECK_FALSE(is_taken("ssh-ed25519 " + kEd25519.substr(11)));
  CHECK_FALSE(is_taken("ssh-rsa " + kEd25519.substr(12)));
  // ssh-keygen -t ecdsa -b 384
  CHECK_FALSE(
      is_taken("ecdsa-sha2-nistp384 "
               "AAAAE2VjZHNhLXNoYTItbmlzdHAzODQAAAAIbmlzdHAzODQAAABhBC6/"
               "4QPdJeTF7Pdc/6aMzJjTKwNpMiuGFGKol6YBPZE/S1YkoxiWDbF/"
               "0gBLNYD2v1I+2YFPvG7T4CId8SdSrlrqbNKBnCFEFpT2YK+"
               "k0JYmiQFfKPLmdqSHR4ZxbHfvuw== x"));
}

TEST_CASE("the blob is of the type that the line names") {
  CHECK_FALSE(is_taken("ecdsa-sha2-nistp256 " + kEd25519.substr(12)));
  CHECK_FALSE(is_taken("ssh-ed25519 " + kEcdsa.substr(20)));
}

TEST_CASE("the blob is strict base64") {
  CHECK_FALSE(is_taken(kEcdsa.substr(0, kEcdsa.size() - 1)));  // no padding
  CHECK_FALSE(is_taken(kEcdsa + "="));
  CHECK_FALSE(is_taken(kEcdsa.substr(0, kEcdsa.size() - 2) + "h="));  // bits that are not zero
  CHECK_FALSE(is_taken(kEd25519.substr(0, kEd25519.size() - 4)));
  CHECK_FALSE(is_taken(kEd25519 + "AAAA"));
  CHECK_FALSE(is_taken(kEd25519.substr(0, 30) + "-" + kEd25519.substr(31)));
}

TEST_CASE("the blob holds strings of their sizes and nothing behind them") {
  const std::string type = "0000000b7373682d65643235353139";  // "ssh-ed25519"
  const std::string key(64, '1');
  CHECK(is_taken(line_of("ssh-ed25519", type + "00000020" + key)));
  CHECK_FALSE(is_taken(line_of("ssh-ed25519", type + "00000020" + key + "00")));
  CHECK_FALSE(is_taken(line_of("ssh-ed25519", type + "00000021" + key + "11")));
  CHECK_FALSE(is_taken(line_of("ssh-ed25519", type + "0000001f" + key.substr(2))));
  CHECK_FALSE(is_taken(line_of("ssh-ed25519", type + "0000001f" + key)));
  CHECK_FALSE(is_taken(line_of("ssh-ed25519", type + "ffffffff" + key)));
  CHECK_FALSE(is_taken(line_of("ssh-ed25519", type)));
  CHECK_FALSE(is_taken(line_of("ssh-ed25519", "0000000a7373682d6564323535313900000020" + key)));
  CHECK_FALSE(is_taken(line_of("ssh-ed25519", "")));

  const std::string ecdsa = "0000001365636473612d736861322d6e69737470323536";
  const std::string curve = "000000086e69737470323536";
  const std::string coordinates(128, '2');
  CHECK(is_taken(line_of("ecdsa-sha2-nistp256", ecdsa + curve + "0000004104" + coordinates)));
  CHECK_FALSE(is_taken(line_of("ecdsa-sha2-nistp256", ecdsa + curve + "0000004106" + coordinates)));
  CHECK_FALSE(is_taken(
      line_of("ecdsa-sha2-nistp256", ecdsa + curve + "0000004004" + coordinates.substr(2))));
  CHECK_FALSE(is_taken(
      line_of("ecdsa-sha2-nistp256", ecdsa + curve + "0000002102" + coordinates.substr(64))));
  CHECK_FALSE(is_taken(line_of("ecdsa-sha2-nistp256",
                               ecdsa + "000000086e69737470333834" + "0000004104" + coordinates)));
  CHECK_FALSE(is_taken(line_of("ecdsa-sha2-nistp256", ecdsa + "0000004104" + coordinates)));
}

TEST_CASE("a line that would not be one is not written") {
  CHECK_THROWS_AS(ssh::format_line(KeyType::ed25519, hex(kEd25519Raw), "a\nssh-rsa AAAA"),
                  bcpki::Error);
  CHECK_THROWS_AS(ssh::format_line(KeyType::ed25519, hex(kEd25519Raw), "caf\xc3\xa9"),
                  bcpki::Error);
  CHECK_THROWS_AS(ssh::format_line(KeyType::ed25519, hex(kEcdsaRaw), ""), bcpki::Error);
}

}  // namespace
