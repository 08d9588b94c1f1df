#include "bcpki/rotation.h"

#include <vector>

#include <catch2/catch.hpp>

#include "bcpki/error.h"
#include "bcpki/upkeep.h"

#include "support/bundles.h"
#include "support/code_of.h"

namespace {

using bcpki::RotatingKey;
using bcpki::Rotation;
using bcpki::test::code_of;
using bcpki::test::created;
using bcpki::test::kNow;
using namespace std::chrono_literals;

// What formats.md section 6 and product.md say of each key.
struct Expected {
  RotatingKey key;
  const char* member;
  bool needs_root;
  std::optional<std::chrono::seconds> outlives;
};

const std::vector<Expected> kExpected = {
    {RotatingKey::command_root, "commandSigning", false, 24h},
    {RotatingKey::node_ca, "nodeCa", true, 24h},
    {RotatingKey::internal_ca, "internalCa", true, 24h * 7},
    {RotatingKey::exec_ticket, "execTicket", false, 60s},
    {RotatingKey::ssh_ca, "sshCa", false, 24h * 30},
    {RotatingKey::sandbox_ssh_ca, "sandboxSshCa", false, 24h * 30},
    {RotatingKey::audit, "auditSigning", false, std::nullopt},
};

bcpki::Bundle added(const bcpki::Bundle& bundle, RotatingKey key) {
  const auto root = bcpki::RootAuthority::of(bundle);
  return bcpki::add_next_key(bundle, key, &root, kNow, bcpki::system_rng());
}

bcpki::Bundle switched(const bcpki::Bundle& bundle, RotatingKey key) {
  return bcpki::switch_keys(added(bundle, key), key, true, kNow);
}

bcpki::PublicKey key_of(const bcpki::Bundle& bundle, const std::string& member) {
  return bundle.signer(member)->public_key();
}

}  // namespace

TEST_CASE("every key that no machine pins rotates in three steps") {
  const auto before = created();
  CHECK(bcpki::rotating_key_names().size() == kExpected.size());
  for (const auto& [key, member, needs_root, outlives] : kExpected) {
    CAPTURE(member);
    CHECK(bcpki::needs_root(key) == needs_root);
    CHECK(bcpki::rotation_of(before, key).stage == Rotation::Stage::settled);
    const auto old_key = key_of(before, member);

    const auto with_next = added(before, key);
    const auto next_key = key_of(with_next, std::string(member) + "Next");
    CHECK(key_of(with_next, member) == old_key);
    CHECK_FALSE(next_key == old_key);
    CHECK(with_next.generation() == 2);
    CHECK(bcpki::rotation_of(with_next, key).stage == Rotation::Stage::added);
    CHECK(bcpki::rotation_of(with_next, key).current == bcpki::rotation_of(before, key).current);

    const auto in_use = bcpki::switch_keys(with_next, key, true, kNow);
    CHECK(key_of(in_use, member) == next_key);
    CHECK(in_use.generation() == 3);
    // The former private key is gone.
    CHECK(code_of([&] { in_use.signer(std::string(member) + "Previous"); }) ==
          bcpki::Code::not_found);
    const auto rotation = bcpki::rotation_of(in_use, key);
    CHECK(rotation.stage == Rotation::Stage::switched);
    CHECK(rotation.current == bcpki::rotation_of(with_next, key).next);
    CHECK(rotation.previous == bcpki::rotation_of(before, key).current);
    CHECK(rotation.switched_at == kNow);
    CHECK(rotation.drop_at.has_value() == outlives.has_value());
    if (outlives) CHECK(*rotation.drop_at == kNow + *outlives);

    const auto done = bcpki::drop_previous_key(in_use, key, true, kNow);
    CHECK(done.generation() == 4);
    CHECK(bcpki::rotation_of(done, key).stage == Rotation::Stage::settled);
    CHECK(bcpki::rotation_of(done, key).current == rotation.current);
    CHECK(key_of(done, member) == next_key);
  }
}

TEST_CASE("a former key is dropped when its last credential has ended, and not a moment before") {
  const auto before = created();
  for (const auto& [key, member, needs_root, outlives] : kExpected) {
    CAPTURE(member);
    const auto bundle = switched(before, key);
    const auto drop = [&](bcpki::UnixTime now, bool force = false) {
      return bcpki::drop_previous_key(bundle, key, force, now);
    };
    CHECK(code_of([&] { drop(kNow); }) == bcpki::Code::invalid_state);
    CHECK_NOTHROW(drop(kNow, true));
    if (outlives) {
      CHECK(code_of([&] { drop(kNow + *outlives - 1s); }) == bcpki::Code::invalid_state);
      CHECK_NOTHROW(drop(kNow + *outlives));
    } else {
      CHECK(code_of([&] { drop(kNow + 24h * 36500); }) == bcpki::Code::invalid_state);
    }
    // A clock that went back does not make it earlier.
    CHECK(code_of([&] { drop(kNow - 24h * 365); }) == bcpki::Code::invalid_state);
  }
}

TEST_CASE("a step out of its order is refused") {
  const auto settled = created();
  for (const auto& row : kExpected) {
    const auto key = row.key;
    CAPTURE(row.member);
    const auto with_next = added(settled, key);
    const auto in_use = bcpki::switch_keys(with_next, key, true, kNow);
    const auto far = kNow + 24h * 365;
    CHECK(code_of([&] { bcpki::switch_keys(settled, key, true, kNow); }) ==
          bcpki::Code::invalid_state);
    CHECK(code_of([&] { bcpki::drop_previous_key(settled, key, true, far); }) ==
          bcpki::Code::invalid_state);
    CHECK(code_of([&] { added(with_next, key); }) == bcpki::Code::invalid_state);
    CHECK(code_of([&] { bcpki::drop_previous_key(with_next, key, true, far); }) ==
          bcpki::Code::invalid_state);
    CHECK(code_of([&] { added(in_use, key); }) == bcpki::Code::invalid_state);
    CHECK(code_of([&] { bcpki::switch_keys(in_use, key, true, far); }) ==
          bcpki::Code::invalid_state);
  }
}

TEST_CASE("only a change of the command roots moves the trust version") {
  for (const auto& row : kExpected) {
    CAPTURE(row.member);
    const bool moves = row.key == RotatingKey::command_root;
    const auto with_next = added(created(), row.key);
    const auto in_use = bcpki::switch_keys(with_next, row.key, true, kNow);
    const auto done = bcpki::drop_previous_key(in_use, row.key, true, kNow);
    CHECK(with_next.trust_version() == (moves ? 2 : 1));
    CHECK(in_use.trust_version() == (moves ? 2 : 1));
    CHECK(done.trust_version() == (moves ? 3 : 1));
  }
}

TEST_CASE("the command root is switched only where someone answers for the machines") {
  for (const auto& row : kExpected) {
    const auto with_next = added(created(), row.key);
    const auto without = [&] { return bcpki::switch_keys(with_next, row.key, false, kNow); };
    if (row.key == RotatingKey::command_root)
      CHECK(code_of(without) == bcpki::Code::invalid_state);
    else
      CHECK_NOTHROW(without());
  }
}

TEST_CASE("the root signs the next CA, and only while it is valid") {
  const auto bundle = created();
  const auto root = bcpki::RootAuthority::of(bundle);
  for (const auto key : {RotatingKey::node_ca, RotatingKey::internal_ca}) {
    const auto add = [&](const bcpki::RootAuthority* with, bcpki::UnixTime now) {
      return bcpki::add_next_key(bundle, key, with, now, bcpki::system_rng());
    };
    CHECK(code_of([&] { add(nullptr, kNow); }) == bcpki::Code::invalid_state);
    CHECK(code_of([&] { add(&root, kNow - 1h); }) == bcpki::Code::invalid_state);
    CHECK(code_of([&] { add(&root, kNow + 24h * 3650); }) == bcpki::Code::invalid_state);
    CHECK_NOTHROW(add(&root, kNow + 24h * 3600));
  }
  const auto other = bcpki::RootAuthority::of(created());
  CHECK(code_of([&] {
          bcpki::add_next_key(bundle, RotatingKey::node_ca, &other, kNow, bcpki::system_rng());
        }) == bcpki::Code::invalid_input);
}

TEST_CASE("several keys rotate at once") {
  auto bundle = created();
  for (const auto& row : kExpected) bundle = added(bundle, row.key);
  for (const auto& row : kExpected) bundle = bcpki::switch_keys(bundle, row.key, true, kNow);
  for (const auto& row : kExpected)
    CHECK(bcpki::rotation_of(bundle, row.key).stage == Rotation::Stage::switched);
  CHECK(bundle.generation() == 15);
}

TEST_CASE("a bundle made before a key existed cannot rotate it") {
  const auto oldest = bcpki::test::golden("oldest.json");
  for (const auto key : {RotatingKey::exec_ticket, RotatingKey::sandbox_ssh_ca}) {
    CHECK(code_of([&] { bcpki::rotation_of(oldest, key); }) == bcpki::Code::not_found);
    CHECK(code_of([&] { added(oldest, key); }) == bcpki::Code::not_found);
  }
  CHECK_NOTHROW(added(oldest, RotatingKey::node_ca));
}

TEST_CASE("nothing rotates without the private keys") {
  const auto locked = bcpki::open_bundle(bcpki::test::golden_text("rotation-added.json"));
  CHECK(bcpki::rotation_of(locked, RotatingKey::command_root).stage == Rotation::Stage::added);
  CHECK(code_of([&] { bcpki::switch_keys(locked, RotatingKey::command_root, true, kNow); }) ==
        bcpki::Code::missing_env);
}

TEST_CASE("the shared vectors of a rotation go on") {
  const auto added_root = bcpki::test::golden("rotation-added.json");
  const auto in_use = bcpki::switch_keys(added_root, RotatingKey::command_root, true, kNow);
  CHECK(in_use.pins().command_signing_root_sha256 ==
        added_root.pins().command_signing_next_root_sha256);
  const auto switched_root = bcpki::test::golden("rotation-switched.json");
  const auto rotation = bcpki::rotation_of(switched_root, RotatingKey::command_root);
  const auto done = bcpki::drop_previous_key(switched_root, RotatingKey::command_root, false,
                                             rotation.drop_at.value());
  CHECK(done.trust_version() == switched_root.trust_version() + 1);
  CHECK_FALSE(done.pins().command_signing_previous_root_sha256);
}
