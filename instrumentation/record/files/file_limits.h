// How much one file of a recording holds, and how much of a recording is kept.
//
//   rotate     a new file begins once one has this much: FILE.0001, FILE.0002, ...; all are kept
//   keep_last  at least this much of the end of the recording is kept (all of it, where it is less). It is
//              written in parts of a quarter of it, as above, of which the oldest are removed: on the disk
//              are at most 5/4 of it and what one batch (10 ms) brings. When it is stopped the parts are
//              joined into FILE, and while that is written, beside them, it takes as much again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"

namespace runahead::record {

// A size, or a time, or neither. Of a file, compressed as it is; of what it covers.
struct Amount {
  std::uint64_t bytes = 0;
  Duration time{};
  [[nodiscard]] bool none() const { return bytes == 0 && time == Duration{}; }
  friend bool operator==(const Amount&, const Amount&) = default;
};

struct FileLimits {
  Amount rotate, keep_last;  // at most one of the two
  // What one file holds: `rotate`, or a quarter of `keep_last`.
  [[nodiscard]] Amount part() const;
  // Ok, or which of the two asks for files of less than 64 KiB or 100 ms, or that both are there.
  [[nodiscard]] Status check() const;
  friend bool operator==(const FileLimits&, const FileLimits&) = default;
};

// "64M" (k, M, G or Ki, Mi, Gi), "30s" (ns, us, ms, s, min, h); empty: neither. `word` is what messages call
// it.
[[nodiscard]] Result<Amount> parse_amount(std::string_view word, std::string_view text);
// Both, and check().
[[nodiscard]] Result<FileLimits> parse_limits(std::string_view rotate, std::string_view keep_last);

}  // namespace runahead::record
