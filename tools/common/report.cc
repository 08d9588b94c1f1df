#include "common/report.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "bcpki/encoding.h"

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kIndent = 2;

// Paths and arguments may be no UTF-8, or hold what a terminal acts upon: the document is printable
// ASCII.
std::string dump(const Json& document, int indent) {
  constexpr bool kEscapeNonAscii = true;
  return document.dump(indent, ' ', kEscapeNonAscii, Json::error_handler_t::replace) + "\n";
}

Json to_json(const Report& report);

struct ToJson {
  Json operator()(const Report& report) const { return to_json(report); }
  Json operator()(const std::vector<Report>& reports) const {
    Json array = Json::array();
    for (const Report& report : reports) array.push_back(to_json(report));
    return array;
  }
  template <class T>
  Json operator()(const T& value) const {
    return value;
  }
};

Json to_json(const Report& report) {
  Json object = Json::object();
  for (const Item& item : report.items()) {
    if (!item.name.empty()) object[item.name] = std::visit(ToJson{}, item.value);
  }
  return object;
}

bool is_shown(const Item& item) {
  return !item.raw && !item.label.empty();
}

std::string lay_out(const Report& report, std::size_t indent);

// Lines are an item's value as people read it: the first stands beside its label, the others below
// it. A block stands below the label as it is.
struct Lines {
  std::vector<std::string> lines;
  std::string block;
};

struct ToLines {
  std::size_t indent;

  Lines operator()(const std::string& text) const { return {{bcpki::printable(text)}, {}}; }
  Lines operator()(std::uint64_t number) const { return {{std::to_string(number)}, {}}; }
  Lines operator()(bool on) const { return {{on ? "yes" : "no"}, {}}; }
  Lines operator()(const Report::List& list) const {
    if (list.empty()) return {{"none"}, {}};
    Lines shown;
    for (const std::string& text : list) shown.lines.push_back(bcpki::printable(text));
    return shown;
  }
  Lines operator()(const Report& report) const { return {{}, lay_out(report, indent + kIndent)}; }
  Lines operator()(const std::vector<Report>& reports) const {
    Lines shown;
    for (const Report& report : reports) shown.block += lay_out(report, indent + kIndent);
    return shown;
  }
};

std::string lay_out(const Report& report, std::size_t indent) {
  std::size_t width = 0;
  for (const Item& item : report.items()) {
    if (is_shown(item)) width = std::max(width, item.label.size());
  }
  std::string text;
  for (const Item& item : report.items()) {
    if (!is_shown(item)) continue;
    const Lines shown =
        item.shown ? ToLines{indent}(*item.shown) : std::visit(ToLines{indent}, item.value);
    if (shown.lines.empty()) text += fmt::format("{:{}}{}\n", "", indent, item.label);
    std::string_view label = item.label;
    for (const std::string& line : shown.lines) {
      text += fmt::format("{:{}}{:{}}  {}\n", "", indent, label, width, line);
      label = "";
    }
    text += shown.block;
  }
  return text;
}

}  // namespace

Report& Report::add(std::string_view name, std::string_view label, Value value,
                    std::optional<std::string> shown) {
  items_.push_back({.name = std::string(name),
                    .label = std::string(label),
                    .value = std::move(value),
                    .shown = std::move(shown)});
  return *this;
}

Report& Report::fail(bcpki::Error error) {
  failure_ = std::move(error);
  return *this;
}

Report& Report::add_raw(std::string_view name, std::string text) {
  items_.push_back({.name = std::string(name), .label = {}, .value = std::move(text), .raw = true});
  return *this;
}

bool Report::changed() const {
  return std::ranges::any_of(items_, [](const Item& item) {
    const bool* on = std::get_if<bool>(&item.value);
    return item.name == "changed" && on != nullptr && *on;
  });
}

Output render(const Report& report, bool json) {
  if (json) return {.out = render_json(report), .err = {}};
  std::string raw;
  for (const Item& item : report.items()) {
    if (item.raw) raw += std::get<std::string>(item.value);
  }
  std::string text = lay_out(report, 0);
  if (raw.empty()) return {.out = std::move(text), .err = {}};
  return {.out = std::move(raw), .err = std::move(text)};
}

std::string render_json(const Report& report) {
  return dump(to_json(report), kIndent);
}

std::string render_problems(std::string_view tool, const std::vector<std::string>& warnings,
                            const bcpki::Error* error, bool json) {
  if (warnings.empty() && error == nullptr) return {};
  if (json) {
    Json document = Json::object();
    if (error != nullptr) {
      Json details = Json::object();
      for (const auto& [name, value] : error->details()) details[name] = value;
      document["error"] = {{"code", bcpki::code_info(error->code()).name},
                           {"message", error->what()},
                           {"details", std::move(details)}};
    }
    if (!warnings.empty()) document["warnings"] = warnings;
    return dump(document, -1);
  }
  std::string text;
  for (const std::string& warning : warnings) {
    text += fmt::format("{}: warning: {}\n", tool, bcpki::printable(warning));
  }
  if (error != nullptr) {
    text += fmt::format("{}: {}: {}\n", tool, bcpki::code_info(error->code()).name,
                        bcpki::printable(error->what()));
  }
  return text;
}

}  // namespace cli
