// Compressed bytes back to plain ones: gzip files, and the deflated parts of others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/trace/io/byte_source.h"

namespace runahead::trace::io {

[[nodiscard]] bool looks_like_gzip(std::string_view start);
// Whether this build can inflate at all (it has zlib).
[[nodiscard]] bool can_inflate();

struct Inflated {
  bool whole = false;  // false: `input_left` bytes could not be read, for damage or for the limit
  std::uint64_t input_left = 0;
};
// Appends what `in` holds (gzip or zlib, several members one after the other) to `out`, at most `limit` bytes
// of it. What is whole before a damaged place is kept.
Inflated inflate_all(ByteSource& in, std::size_t limit, std::string& out);

}  // namespace runahead::trace::io
