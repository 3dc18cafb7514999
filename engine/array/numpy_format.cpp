#include "engine/array/numpy_format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <vector>

namespace runahead::engine {

namespace {

constexpr std::size_t kLineWidth = 75;
// if an array has more values, only the ends of each axis are shown
constexpr std::int64_t kSummaryFrom = 1000;
constexpr std::int64_t kEdge = 3;  // number of values shown at each end of an axis
constexpr int kPrecision = 8;

// The parts of a finite number's text: digits before and after the point, and the exponent ("e+09") if there
// is one.
struct Digits {
  std::string before, after, exponent;
};

std::string text_of(float value, std::chars_format format) {
  char room[64];
  const auto shortest = std::to_chars(room, room + sizeof room, value, format);
  std::string text(room, shortest.ptr);
  const std::size_t point = text.find('.'), e = std::min(text.find('e'), text.size());
  if (point == std::string::npos || e - point - 1 <= static_cast<std::size_t>(kPrecision)) return text;
  const auto rounded = std::to_chars(room, room + sizeof room, value, format, kPrecision);
  return std::string(room, rounded.ptr);
}

Digits digits_of(float value, std::chars_format format) {
  const std::string text = text_of(value, format);
  const std::size_t e = std::min(text.find('e'), text.size()), point = std::min(text.find('.'), e);
  Digits digits{text.substr(0, point), point < e ? text.substr(point + 1, e - point - 1) : "",
                text.substr(e)};
  while (!digits.after.empty() && digits.after.back() == '0') digits.after.pop_back();
  return digits;
}

// The text of an array of shape (): numpy writes it like a number, and not like an array.
std::string text_of_scalar(float value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  const float size = std::fabs(value);
  const bool fixed = size == 0.0f || (size >= 1e-4f && size < 1e16f);
  char room[64];
  const auto end = std::to_chars(room, room + sizeof room, value,
                                 fixed ? std::chars_format::fixed : std::chars_format::scientific);
  const std::string text(room, end.ptr);
  return fixed && text.find('.') == std::string::npos ? text + ".0" : text;
}

// The format of all values of an array: with or without an exponent, and the column widths.
class Style {
 public:
  explicit Style(const std::vector<float>& shown) {
    choose_format(shown);
    for (const float value : shown) {
      if (!std::isfinite(value)) {
        nonfinite_width_ = std::max(nonfinite_width_, nonfinite_text(value).size());
        continue;
      }
      const Digits digits = digits_of(value, format_);
      before_ = std::max(before_, digits.before.size());
      after_ = std::max(after_, digits.after.size());
      exponent_ = std::max(exponent_, digits.exponent.size());
    }
  }

  [[nodiscard]] std::string text(float value) const {
    const std::size_t width = std::max(nonfinite_width_, before_ + 1 + after_ + exponent_);
    std::string text = std::isfinite(value) ? finite_text(value) : nonfinite_text(value);
    return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
  }

 private:
  void choose_format(const std::vector<float>& shown) {
    float smallest = INFINITY, largest = 0;
    for (const float value : shown) {
      if (!std::isfinite(value) || value == 0.0f) continue;
      smallest = std::min(smallest, std::fabs(value));
      largest = std::max(largest, std::fabs(value));
    }
    if (largest == 0.0f) return;
    if (largest >= 1e8f || smallest < 1e-4f || largest / smallest > 1000.0f)
      format_ = std::chars_format::scientific;
  }
  static std::string nonfinite_text(float value) {
    return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  }
  [[nodiscard]] std::string finite_text(float value) const {
    const Digits digits = digits_of(value, format_);
    const char filler =
        // as in numpy: a short number is filled up with zeros if an exponent follows, otherwise with blanks
        format_ == std::chars_format::scientific ? '0' : ' ';
    return std::string(before_ - digits.before.size(), ' ') + digits.before + "." + digits.after +
           std::string(after_ - digits.after.size(), filler) + digits.exponent;
  }

  std::chars_format format_ = std::chars_format::fixed;
  std::size_t before_ = 0, after_ = 0, exponent_ = 0, nonfinite_width_ = 0;
};

// Writes the axes recursively. It shows only the ends of a long axis.
class Writer {
 public:
  Writer(std::span<const float> values, const Shape& shape)
      : values_(values),
        shape_(shape),
        summary_(static_cast<std::int64_t>(values.size()) > kSummaryFrom),
        style_(shown_values()) {}

  [[nodiscard]] std::string text() const { return axis_text(0, 0, " ", kLineWidth); }

 private:
  // Returns the indices along an axis at which values are shown. -1 stands for the ellipsis.
  [[nodiscard]] std::vector<std::int64_t> shown_indices(std::size_t axis) const {
    const std::int64_t extent = shape_[axis];
    const bool cut = summary_ && extent > 2 * kEdge;
    std::vector<std::int64_t> indices;
    for (std::int64_t i = 0; i < (cut ? kEdge : extent); ++i) indices.push_back(i);
    if (!cut) return indices;
    indices.push_back(-1);
    for (std::int64_t i = extent - kEdge; i < extent; ++i) indices.push_back(i);
    return indices;
  }
  void collect(std::size_t axis, std::int64_t offset, std::vector<float>& out) const {
    if (axis == shape_.size()) return out.push_back(values_[static_cast<std::size_t>(offset)]);
    for (const std::int64_t i : shown_indices(axis)) {
      if (i >= 0) collect(axis + 1, offset * shape_[axis] + i, out);
    }
  }
  [[nodiscard]] std::vector<float> shown_values() const {
    std::vector<float> shown;
    collect(0, 0, shown);
    return shown;
  }

  [[nodiscard]] std::string axis_text(std::size_t axis, std::int64_t offset, const std::string& indent,
                                      std::size_t width) const {
    if (axis == shape_.size()) return style_.text(values_[static_cast<std::size_t>(offset)]);
    if (axis + 1 == shape_.size()) return row_text(axis, offset, indent, width);
    const std::string between(shape_.size() - axis - 1, '\n');
    std::string text;
    for (const std::int64_t i : shown_indices(axis)) {
      if (!text.empty()) text += between + indent;
      text += i < 0 ? "..." : axis_text(axis + 1, offset * shape_[axis] + i, indent + " ", width - 1);
    }
    return "[" + text + "]";
  }
  [[nodiscard]] std::string row_text(std::size_t axis, std::int64_t offset, const std::string& indent,
                                     std::size_t width) const {
    std::string text, line = indent;
    for (const std::int64_t i : shown_indices(axis)) {
      const std::string word =
          i < 0 ? "..." : style_.text(values_[static_cast<std::size_t>(offset * shape_[axis] + i)]);
      const bool first_of_line = line.size() <= indent.size();
      if (!first_of_line && line.size() + 1 + word.size() > width - 1) {
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent + word;
      } else {
        line += (first_of_line ? "" : " ") + word;
      }
    }
    text += line;
    std::string whole = "[";
    whole.append(text, indent.size(), std::string::npos);
    return whole + "]";
  }

  std::span<const float> values_;
  const Shape& shape_;
  bool summary_;
  Style style_;
};

}  // namespace

std::string numpy_format(std::span<const float> values, const Shape& shape) {
  if (values.empty()) return "[]";
  if (shape.empty()) return text_of_scalar(values.front());
  return Writer(values, shape).text();
}

}  // namespace runahead::engine
