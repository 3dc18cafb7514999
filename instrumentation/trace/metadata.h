// Reads entries of the metadata of a trace (Trace::metadata()).
#pragma once

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <type_traits>

#include "instrumentation/base/parse_number.h"

namespace runahead::trace {

using Metadata = std::map<std::string, std::string>;

// Empty if there is no such entry.
[[nodiscard]] inline std::string text_of(const Metadata& metadata, const std::string& key) {
  const auto found = metadata.find(key);
  return found == metadata.end() ? "" : found->second;
}

// nullopt: there is no such entry, or it is not wholly a number of this type.
template <typename Number>
[[nodiscard]] std::optional<Number> number_of(const Metadata& metadata, const std::string& key) {
  const std::string text = text_of(metadata, key);
  if constexpr (std::is_floating_point_v<Number>) {
    return parse_real(text);
  } else {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
  }
}

}  // namespace runahead::trace
