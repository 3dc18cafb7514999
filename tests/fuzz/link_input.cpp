#include "tests/fuzz/link_input.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "instrumentation/base/check.h"
#include "instrumentation/link/frames.h"
#include "instrumentation/link/round_trip.h"
#include "instrumentation/link/stream_reader.h"

namespace runahead::testing {
namespace {

// Splits the bytes into pieces, calls `take` with each piece, and stops when it returns false.
template <typename Take>
void in_pieces(std::string_view bytes, std::size_t piece, Take take) {
  while (!bytes.empty()) {
    const std::size_t n = std::min(piece, bytes.size());
    if (!take(bytes.substr(0, n))) return;
    bytes.remove_prefix(n);
  }
}

void read_frames(std::string_view bytes, bool from_agent, std::size_t piece) {
  link::FrameReader reader(from_agent);
  std::size_t taken = 0;
  in_pieces(bytes, piece, [&](std::string_view part) {
    if (!reader.add(part)) return false;
    while (const auto frame = reader.next()) {
      taken += frame->payload.size();
      RUNAHEAD_CHECK(frame->payload.size() <= link::kMostFrameBytes);
      static_cast<void>(link::first_number(frame->payload));
      static_cast<void>(link::split_fields(frame->payload, '\t'));
      static_cast<void>(link::trips_in(frame->payload));
    }
    return true;
  });
  RUNAHEAD_CHECK(taken <= bytes.size());
}

void read_recording(std::string_view bytes, std::size_t piece) {
  constexpr std::size_t kRetained = std::size_t{1} << 20;
  link::StreamReader reader("fuzz", {.definition_bytes = std::uint64_t{1} << 22});
  in_pieces(bytes, piece, [&](std::string_view part) {
    if (!reader.add(part)) return false;
    reader.trace().retain_at_most(kRetained);
    return true;
  });
  reader.finish();
}

}  // namespace

void read_from_peer(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  const auto how = static_cast<std::uint8_t>(bytes[0]);
  const std::string_view rest(reinterpret_cast<const char*>(bytes.data()) + 1, bytes.size() - 1);
  const std::size_t piece = std::size_t{1} << (how >> 2 & 15);
  switch (how & 3) {
    case 0:
      return read_frames(rest, true, piece);
    case 1:
      return read_frames(rest, false, piece);
    default:
      return read_recording(rest, std::max<std::size_t>(piece, 16));
  }
}

}  // namespace runahead::testing
