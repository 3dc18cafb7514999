#include "instrumentation/record/files/file_limits.h"

#include <optional>

#include "instrumentation/base/parse_number.h"

namespace runahead::record {
namespace {

// The smallest part. Each part has its own definitions and footer: a smaller part would consist mostly of
// definitions and footer.
constexpr Amount kSmallest{.bytes = 64u << 10, .time = std::chrono::milliseconds(100)};
constexpr int kPartsKept = 4;

bool too_small(const Amount& amount, int parts) {
  return (amount.bytes != 0 && amount.bytes < kSmallest.bytes * static_cast<unsigned>(parts)) ||
         (amount.time != Duration{} && amount.time < kSmallest.time * parts);
}

}  // namespace

Amount FileLimits::part() const {
  return keep_last.none() ? rotate : Amount{keep_last.bytes / kPartsKept, keep_last.time / kPartsKept};
}

Status FileLimits::check() const {
  if (!rotate.none() && !keep_last.none())
    return Error{"rotate and keep-last: one keeps all and the other does not; give one of them"};
  if (too_small(rotate, 1)) return Error{"rotate: files of less than 64 KiB or 100 ms; give more"};
  if (too_small(keep_last, kPartsKept)) return Error{"keep-last: less than 256 KiB or 400 ms; give more"};
  return Ok{};
}

Result<Amount> parse_amount(std::string_view word, std::string_view text) {
  if (text.empty()) return Amount{};
  if (const std::optional<std::int64_t> bytes = parse_positive_bytes(text))
    return Amount{.bytes = static_cast<std::uint64_t>(*bytes)};
  const std::optional<Duration> time = parse_time_with_unit(text);
  if (time && *time > Duration{}) return Amount{.time = *time};
  return Error{std::string(word) + " '" + std::string(text) +
               "': neither a size, such as 64M, nor a time, such as 30s"};
}

Result<FileLimits> parse_limits(std::string_view rotate, std::string_view keep_last) {
  const Result<Amount> each = parse_amount("rotate", rotate), kept = parse_amount("keep-last", keep_last);
  if (!each) return each.error();
  if (!kept) return kept.error();
  const FileLimits limits{*each, *kept};
  if (const Status fits = limits.check(); !fits) return fits.error();
  return limits;
}

}  // namespace runahead::record
