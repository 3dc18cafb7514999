#include "instrumentation/link/frames.h"

#include <utility>

namespace runahead::link {
namespace {

constexpr std::size_t kHeaderBytes = 5;

std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<unsigned char>(bytes[i]);
  return number;
}

std::string little_endian(std::uint64_t number, std::size_t size) {
  std::string bytes(size, '\0');
  for (char& byte : bytes) {
    byte = static_cast<char>(number & 0xff);
    number >>= 8;
  }
  return bytes;
}

bool is_known(std::uint8_t kind) {
  const auto from = [kind](FrameKind first, FrameKind last) {
    return kind >= static_cast<std::uint8_t>(first) && kind <= static_cast<std::uint8_t>(last);
  };
  return from(FrameKind::kHello, FrameKind::kCaughtUp) || from(FrameKind::kAsk, FrameKind::kDone);
}

}  // namespace

std::string frame_bytes(FrameKind kind, std::string_view payload) {
  std::string bytes = little_endian(payload.size(), 4);
  bytes += static_cast<char>(kind);
  bytes += payload;
  return bytes;
}

std::string frame_bytes(FrameKind kind, std::uint64_t offset, std::string_view bytes) {
  return frame_bytes(kind, number_bytes(offset) + std::string(bytes));
}

std::string number_bytes(std::uint64_t number) { return little_endian(number, 8); }

std::optional<std::uint64_t> first_number(std::string_view payload) {
  if (payload.size() < 8) return std::nullopt;
  return little_endian(payload.substr(0, 8));
}

std::vector<std::string> split_fields(std::string_view text, char between) {
  std::vector<std::string> fields;
  while (true) {
    const std::size_t end = text.find(between);
    fields.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return fields;
    text.remove_prefix(end + 1);
  }
}

Status FrameReader::add(std::string_view bytes) {
  if (error_) return *error_;
  bytes_.erase(0, std::exchange(used_, 0));
  bytes_ += bytes;
  Status status = waits_for_line_ ? skip_to_line() : Ok{};
  if (status && !waits_for_line_) status = check_first();
  if (!status) error_ = status.error();
  return status;
}

Status FrameReader::skip_to_line() {
  const std::size_t at = bytes_.find(kAgentLine);
  if (at == std::string::npos) {
    if (bytes_.size() > kMostFrameBytes) return Error{"the other side is not `runahead agent`"};
    return Ok{};
  }
  bytes_.erase(0, at + kAgentLine.size());
  waits_for_line_ = false;
  return Ok{};
}

// Checks the header of the next frame.
Status FrameReader::check_first() {
  const std::string_view rest = std::string_view(bytes_).substr(used_);
  if (rest.size() < kHeaderBytes) return Ok{};
  if (little_endian(rest.substr(0, 4)) > kMostFrameBytes || !is_known(static_cast<std::uint8_t>(rest[4])))
    return Error{"the other side sends something that is no message of `runahead agent` 1"};
  return Ok{};
}

std::optional<Frame> FrameReader::next() {
  const std::string_view rest = std::string_view(bytes_).substr(used_);
  if (error_ || waits_for_line_ || rest.size() < kHeaderBytes) return std::nullopt;
  const std::size_t size = static_cast<std::size_t>(little_endian(rest.substr(0, 4)));
  if (rest.size() - kHeaderBytes < size) return std::nullopt;
  Frame frame{static_cast<FrameKind>(rest[4]), std::string(rest.substr(kHeaderBytes, size))};
  used_ += kHeaderBytes + size;
  if (const Status following = check_first(); !following) error_ = following.error();
  return frame;
}

}  // namespace runahead::link
