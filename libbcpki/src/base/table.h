// Tables keyed by an enumeration.
#pragma once

#include <algorithm>
#include <iterator>

#include "bcpki/error.h"

namespace bcpki {

// row_of returns the row of `table` whose `member` is `key`. A key that no row has was made by a
// cast and is misuse: INVALID_INPUT.
template <class Table, class Key, class Member>
const auto& row_of(const Table& table, const Key& key, Member member) {
  const auto found = std::ranges::find(table, key, member);
  if (found == std::end(table))
    throw Error(Code::invalid_input, "a value is none of its enumeration's");
  return *found;
}

}  // namespace bcpki
