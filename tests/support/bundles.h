// Bundles as tests need them.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "bcpki/bundle.h"
#include "bcpki/time.h"

namespace bcpki::test {

inline constexpr UnixTime kNow = UnixTime::seconds(1796040000);  // 2026-11-30T12:00:00Z

// What the shared vectors are sealed with, and another.
inline constexpr std::string_view kSecret =
    "qrlzoBsmFKhWHnSj4q5jaQQ5icRqAxRhyUAQPrWtXNx0IgTAMFJfD8bbs802RB2q";
inline constexpr std::string_view kOtherSecret =
    "q2BR208sbb8DfJFMATgI0xNXtWrPQAUyhRxAqRci5QQaj5q4jSnHWhKFmsBozlrq";

// created is a new bundle of compute.example.com, made at kNow.
Bundle created(std::string organization = "better-compute");

// golden_text is a file of golden/bundle. Throws std::runtime_error where it cannot be read.
std::string golden_text(std::string_view name);

// with has these secrets tried.
OpenOptions with(std::initializer_list<std::string_view> secrets);

// golden opens a file of golden/bundle with the secret of the shared vectors.
Bundle golden(std::string_view name, bool allow_unauthenticated = false);

}  // namespace bcpki::test
