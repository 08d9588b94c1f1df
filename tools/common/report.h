// What a command found or did: ordered items that one renderer shows as text or as JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "bcpki/error.h"

namespace cli {

struct Item;

// Report is a list of items. An item without a JSON name is for people only, one without a label
// for machines only.
class Report {
 public:
  using List = std::vector<std::string>;
  using Value = std::variant<std::string, std::uint64_t, bool, List, Report, std::vector<Report>>;

  // add appends an item. `shown` is what people read instead of the value.
  Report& add(std::string_view name, std::string_view label, Value value,
              std::optional<std::string> shown = std::nullopt);

  // add_if adds a value that may be missing.
  template <class T>
  Report& add_if(std::string_view name, std::string_view label, const std::optional<T>& value) {
    return value ? add(name, label, *value) : *this;
  }

  // add_raw appends text that other software reads. Where a report holds one, people get it alone
  // and verbatim on stdout and the other items on stderr.
  Report& add_raw(std::string_view name, std::string text);

  // fail ends the command with `error` behind a report that is its result all the same.
  Report& fail(bcpki::Error error);
  const std::optional<bcpki::Error>& failure() const { return failure_; }

  const std::vector<Item>& items() const { return items_; }

  // changed says whether the command changed files: whether there is an item `changed` that is
  // true.
  bool changed() const;

 private:
  std::vector<Item> items_;
  std::optional<bcpki::Error> failure_;
};

struct Item {
  std::string name;
  std::string label;
  Report::Value value;
  std::optional<std::string> shown{};
  bool raw = false;
};

// Output is what goes to stdout and to stderr.
struct Output {
  std::string out;
  std::string err;
};

// render lays a report out for people, or as one JSON document.
Output render(const Report& report, bool json);

// render_json is the document alone.
std::string render_json(const Report& report);

// render_problems writes what stderr gets: the warnings, then the error where there is one. One
// line each, or one JSON document; nothing where there is neither.
std::string render_problems(std::string_view tool, const std::vector<std::string>& warnings,
                            const bcpki::Error* error, bool json);

}  // namespace cli
