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

// nullopt: `text` is not one number. Also reads the forms of other programs ("1e-3", "inf").
[[nodiscard]] inline std::optional<double> number_from(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return !text.empty() && *end == '\0' ? std::optional(value) : std::nullopt;
}

}  // namespace runahead
