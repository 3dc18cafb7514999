#include "instrumentation/files/base64.h"

#include <array>
#include <cstdint>

namespace runahead::files {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint32_t kNoDigit = 64;

constexpr std::array<std::uint8_t, 256> make_values() {
  std::array<std::uint8_t, 256> values{};
  values.fill(kNoDigit);
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<std::uint8_t>(i);
  }
  return values;
}
constexpr std::array<std::uint8_t, 256> kValues = make_values();

std::uint32_t byte_at(std::string_view bytes, std::size_t i) {
  return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0;
}

}  // namespace

void append_base64(std::string& out, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::uint32_t three =
        byte_at(bytes, at) << 16 | byte_at(bytes, at + 1) << 8 | byte_at(bytes, at + 2);
    out += kDigits[three >> 18];
    out += kDigits[three >> 12 & 63];
    out += at + 1 < bytes.size() ? kDigits[three >> 6 & 63] : '=';
    out += at + 2 < bytes.size() ? kDigits[three & 63] : '=';
  }
}

bool decode_base64(std::string_view text, std::string& out) {
  if (text.size() % 4 != 0) return false;
  const std::size_t before = out.size();
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bool sound = true;
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t three = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const bool padded = at + i >= text.size() - padding;
      const std::uint32_t digit = padded ? 0 : kValues[static_cast<unsigned char>(text[at + i])];
      sound = sound && digit != kNoDigit;
      three = three << 6 | (digit & 63);
    }
    out += static_cast<char>(three >> 16);
    out += static_cast<char>(three >> 8 & 255);
    out += static_cast<char>(three & 255);
  }
  // Removes the bytes that stand for the padding. They must be 0; otherwise append_base64() did not write
  // this text.
  for (std::size_t i = 0; i < padding; ++i) {
    sound = sound && out.back() == '\0';
    out.pop_back();
  }
  if (!sound) out.resize(before);
  return sound;
}

}  // namespace runahead::files
