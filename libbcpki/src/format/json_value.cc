#include <algorithm>
#include <type_traits>
#include <utility>

#include "format/json.h"

namespace bcpki::json {
namespace {

Value read_value(Reader& reader, Token token, bool is_secret);

Array read_array(Reader& reader, bool is_secret) {
  Array elements;
  for (Token token = reader.next(); token != Token::array_end; token = reader.next()) {
    elements.push_back(read_value(reader, token, is_secret));
  }
  return elements;
}

template <class IsSecret>
Object read_object(Reader& reader, IsSecret is_secret) {
  Object members;
  while (reader.next() == Token::name) {
    std::string name(reader.text());
    const bool hide = is_secret(name);
    members.emplace_back(std::move(name), read_value(reader, reader.next(), hide));
  }
  return members;
}

// read_value recurses no deeper than the reader allows.
Value read_value(Reader& reader, Token token, bool is_secret) {
  switch (token) {
    case Token::object_begin:
      return read_object(reader, [=](std::string_view) { return is_secret; });
    case Token::array_begin:
      return read_array(reader, is_secret);
    case Token::string:
      return is_secret ? Value(reader.take_secret()) : Value(reader.text());
    case Token::integer:
      return reader.integer();
    case Token::boolean:
      return reader.boolean();
    default:
      return {};
  }
}

}  // namespace

std::optional<std::string_view> Value::text() const {
  const std::string* const held_string = string();
  return held_string ? std::optional<std::string_view>(*held_string) : std::nullopt;
}

std::optional<std::string_view> Value::text(std::string_view name) const {
  const Value* const member = find(name);
  return member ? member->text() : std::nullopt;
}

const Value* Value::find(std::string_view name) const {
  const Object* members = object();
  if (members == nullptr) return nullptr;
  const auto found = std::ranges::find(*members, name, &Member::first);
  return found == members->end() ? nullptr : &found->second;
}

Value Value::clone() const {
  const auto copy = []<class T>(const T& from) -> Value {
    if constexpr (std::is_same_v<T, SecretBytes>) {
      return from.clone();
    } else if constexpr (std::is_same_v<T, Array>) {
      Array to;
      for (const auto& element : from) to.push_back(element.clone());
      return to;
    } else if constexpr (std::is_same_v<T, Object>) {
      Object to;
      for (const auto& [name, value] : from) to.emplace_back(name, value.clone());
      return to;
    } else if constexpr (std::is_same_v<T, std::nullptr_t>) {
      return {};
    } else {
      return from;
    }
  };
  return std::visit(copy, held);
}

Value parse(std::string_view text, const ParseOptions& options) {
  const std::string_view secret = options.secret_member;
  const auto is_secret = [=](std::string_view name) { return !secret.empty() && name == secret; };
  Reader reader(text);
  const Token first = reader.next();
  Value top = first == Token::object_begin ? Value(read_object(reader, is_secret))
                                           : read_value(reader, first, false);
  reader.next();
  return top;
}

}  // namespace bcpki::json
