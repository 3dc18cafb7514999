// RUNAHEAD_CHECK(condition): a failure is a bug in this program. The macro prints the place and the
// condition, then aborts.
// RUNAHEAD_CHECK_OP(a, ==, b) also prints both values. They may be integers, enums (printed as numbers), or
// any type with an operator<<.
// Do not use these macros for user input.
#pragma once

#include <sstream>
#include <string>
#include <type_traits>

namespace runahead {

[[noreturn]] void check_failed(const char* file, int line, const char* what, const std::string& values);

namespace internal {
template <typename T>
void print_value(std::ostringstream& out, const T& value) {
  if constexpr (std::is_enum_v<T>) {
    out << +static_cast<std::underlying_type_t<T>>(value);
  } else {
    out << value;
  }
}
template <typename A, typename B>
std::string two_values(const A& a, const B& b) {
  std::ostringstream out;
  print_value(out, a);
  out << " and ";
  print_value(out, b);
  return out.str();
}
}  // namespace internal
}  // namespace runahead

#define RUNAHEAD_CHECK(condition)                                   \
  do {                                                              \
    if (!(condition)) [[unlikely]]                                  \
      ::runahead::check_failed(__FILE__, __LINE__, #condition, ""); \
  } while (false)

#define RUNAHEAD_CHECK_OP(a, op, b)                                                         \
  do {                                                                                      \
    const auto& runahead_a_ = (a);                                                          \
    const auto& runahead_b_ = (b);                                                          \
    if (!(runahead_a_ op runahead_b_)) [[unlikely]]                                         \
      ::runahead::check_failed(__FILE__, __LINE__, #a " " #op " " #b,                       \
                               ::runahead::internal::two_values(runahead_a_, runahead_b_)); \
  } while (false)
