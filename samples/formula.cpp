#include "samples/formula.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace runahead::samples {

namespace {

// Recursive descent. When a function returns, `rest_` begins after the text that the function read.
class Reader {
 public:
  Reader(std::string_view formula, const FigureByName& figure) : rest_(formula), figure_(figure) {}

  std::optional<double> whole() {
    const std::optional<double> value = sum();
    skip_blanks();
    return rest_.empty() && value && std::isfinite(*value) ? value : std::nullopt;
  }

 private:
  std::optional<double> sum() {
    std::optional<double> left = product();
    for (char sign = take("+-"); sign != '\0' && left; sign = take("+-")) {
      const std::optional<double> right = product();
      if (!right) return std::nullopt;
      left = sign == '+' ? *left + *right : *left - *right;
    }
    return left;
  }

  std::optional<double> product() {
    std::optional<double> left = atom();
    for (char sign = take("*/"); sign != '\0' && left; sign = take("*/")) {
      const std::optional<double> right = atom();
      if (!right || (sign == '/' && *right == 0)) return std::nullopt;
      left = sign == '*' ? *left * *right : *left / *right;
    }
    return left;
  }

  std::optional<double> atom() {
    if (take("(") != '\0') {
      const std::optional<double> inner = sum();
      return take(")") != '\0' ? inner : std::nullopt;
    }
    skip_blanks();
    double number = 0;
    const auto read = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
    if (read.ec == std::errc{} && begins_with_digit()) {
      rest_.remove_prefix(static_cast<std::size_t>(read.ptr - rest_.data()));
      return number;
    }
    const std::string_view name = take_name();
    if (name == "max" && take("(") != '\0') return larger_of_two();
    return name.empty() ? std::nullopt : figure_(name);
  }

  // Reads the arguments after "max(".
  std::optional<double> larger_of_two() {
    const std::optional<double> one = sum();
    if (take(",") == '\0') return std::nullopt;
    const std::optional<double> other = sum();
    if (take(")") == '\0' || !one || !other) return std::nullopt;
    return std::max(*one, *other);
  }

  [[nodiscard]] bool begins_with_digit() const {
    return !rest_.empty() && std::isdigit(static_cast<unsigned char>(rest_.front())) != 0;
  }

  std::string_view take_name() {
    std::size_t length = 0;
    while (length < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[length])) != 0 ||
                                     rest_[length] == '_' || rest_[length] == '.'))
      ++length;
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }

  // Reads the next character if it is one of `any_of`. Otherwise returns '\0' and reads nothing.
  char take(std::string_view any_of) {
    skip_blanks();
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return '\0';
    const char taken = rest_.front();
    rest_.remove_prefix(1);
    return taken;
  }

  void skip_blanks() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }

  std::string_view rest_;
  const FigureByName& figure_;
};

}  // namespace

std::optional<double> evaluate(std::string_view formula, const FigureByName& figure) {
  return Reader(formula, figure).whole();
}

}  // namespace runahead::samples
