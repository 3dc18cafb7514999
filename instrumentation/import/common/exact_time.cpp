#include "instrumentation/import/common/exact_time.h"

#include <algorithm>
#include <array>

namespace runahead::importers {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// The digits of a number without leading zeros, and the position of the decimal point relative to the first
// of these digits.
struct Decimal {
  std::array<char, 40> digits{};  // 40 digits are more than any real time has; further digits are dropped
  int count = 0;
  std::int64_t point = 0;

  void add(char c, bool fraction) {
    if (count == 0 && c == '0') {
      if (fraction) --point;
      return;
    }
    if (count < static_cast<int>(digits.size())) digits[static_cast<std::size_t>(count++)] = c;
    if (!fraction) ++point;
  }
};

// Reads the exponent that follows an "e"; nullopt: `text` is not an exponent.
std::optional<std::int64_t> exponent_from(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = std::min<std::int64_t>(value * 10 + (c - '0'), 1'000'000);
  }
  return negative ? -value : value;
}

std::optional<Decimal> decimal_from(std::string_view text) {
  Decimal out;
  std::size_t i = 0;
  bool any = false, fraction = false;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    if (is_digit(c)) {
      any = true;
      out.add(c, fraction);
    } else if (c == '.' && !fraction) {
      fraction = true;
    } else {
      break;
    }
  }
  if (!any) return std::nullopt;
  if (i == text.size()) return out;
  if (text[i] != 'e' && text[i] != 'E') return std::nullopt;
  const auto exponent = exponent_from(text.substr(i + 1));
  if (!exponent) return std::nullopt;
  out.point += *exponent;
  return out;
}

std::optional<std::int64_t> slow(std::string_view text, bool negative) {
  auto decimal = decimal_from(text);
  if (!decimal) return std::nullopt;
  // Number of digits before the decimal point, after the conversion from us to ns.
  const std::int64_t whole_digits = decimal->point + 3;
  if (decimal->count == 0 || whole_digits < 0) return 0;
  if (whole_digits > 19) return std::nullopt;
  std::int64_t ns = 0;
  for (int i = 0; i < whole_digits; ++i) {
    if (ns >= kMostTimeNs / 10 + 1) return std::nullopt;
    ns = ns * 10 + (i < decimal->count ? decimal->digits[static_cast<std::size_t>(i)] - '0' : 0);
  }
  const bool up =
      whole_digits < decimal->count && decimal->digits[static_cast<std::size_t>(whole_digits)] >= '5';
  ns += up ? 1 : 0;
  if (ns >= kMostTimeNs) return std::nullopt;
  return negative ? -ns : ns;
}

}  // namespace

std::optional<std::int64_t> ns_from_us_text(std::string_view text) {
  const bool negative = !text.empty() && text[0] == '-';
  if (negative || (!text.empty() && text[0] == '+')) text.remove_prefix(1);
  // Fast path: nearly all times are plain digits with at most three decimals.
  std::uint64_t value = 0;
  std::size_t i = 0;
  const std::size_t fast_end = std::min<std::size_t>(text.size(), 16);  // 16 + 3 digits fit into 64 bits
  for (; i < fast_end && is_digit(text[i]); ++i)
    value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
  if (i == 0) return slow(text, negative);
  int decimals = 0;
  if (i < text.size() && text[i] == '.') {
    for (++i; i < text.size() && decimals < 3 && is_digit(text[i]); ++i, ++decimals) {
      value = value * 10 + static_cast<std::uint64_t>(text[i] - '0');
    }
  }
  if (i < text.size()) return slow(text, negative);
  for (; decimals < 3; ++decimals) value *= 10;
  if (value >= static_cast<std::uint64_t>(kMostTimeNs)) return std::nullopt;
  const auto ns = static_cast<std::int64_t>(value);
  return negative ? -ns : ns;
}

}  // namespace runahead::importers
