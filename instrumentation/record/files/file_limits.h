// Limits of a recording: the size of one file, and how much of the recording is kept.
//
//   rotate:     Starts a new file when the current file has reached this amount: FILE.0001, FILE.0002, ...
//               All files are kept.
//   keep_last:  Keeps at least this amount of the end of the recording. A shorter recording is kept whole.
//               The recording is written in parts of a quarter of this amount: FILE.0001, FILE.0002, ...
//               The oldest parts are removed. Disk use is at most 5/4 of the amount plus one batch (10 ms).
//               When the recording stops, the parts are joined into FILE. The parts are removed only after
//               the join. So during the join, FILE needs the same disk space again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"

namespace runahead::record {

// A size, or a time, or neither. A size counts the file's bytes, after compression. A time counts the time
// range that the file covers.
struct Amount {
  std::uint64_t bytes = 0;
  Duration time{};
  [[nodiscard]] bool none() const { return bytes == 0 && time == Duration{}; }
  friend bool operator==(const Amount&, const Amount&) = default;
};

struct FileLimits {
  Amount rotate, keep_last;  // at most one of the two is set
  // The amount of one file: `rotate`, or a quarter of `keep_last`.
  [[nodiscard]] Amount part() const;
  // Ok; or an error: a limit asks for files of less than 64 KiB or 100 ms, or both limits are set.
  [[nodiscard]] Status check() const;
  friend bool operator==(const FileLimits&, const FileLimits&) = default;
};

// Parses "64M" (k, M, G or Ki, Mi, Gi) or "30s" (ns, us, ms, s, min, h); an empty text gives no amount.
// `word`: the name of the limit in messages.
[[nodiscard]] Result<Amount> parse_amount(std::string_view word, std::string_view text);
// Parses both limits, and calls check().
[[nodiscard]] Result<FileLimits> parse_limits(std::string_view rotate, std::string_view keep_last);

}  // namespace runahead::record
