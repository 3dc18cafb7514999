// Converts a double to text that reads back as the same double.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace runahead {

[[nodiscard]] inline std::string exact_text(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.17g", value);
  return text.data();
}

// Reads a number that exact_text() wrote. Also reads the number formats of other programs ("1e-3", "inf").
// nullopt: `text` is not exactly one number.
[[nodiscard]] inline std::optional<double> number_from(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' ? std::optional(value) : std::nullopt;
}

}  // namespace runahead
