#include "gui/model/retention.h"

#include <algorithm>

#include "gui/text/text.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {

namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

// The user chooses a whole number of seconds or megabytes. An amount that is a whole number of seconds or
// megabytes is printed as such a number.
std::string amount_words(const record::Amount& amount) {
  if (amount.time != Duration{}) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(amount.time);
    return seconds == amount.time ? std::to_string(seconds.count()) + " s" : format_duration(amount.time);
  }
  return amount.bytes % kMegabyte == 0 ? std::to_string(amount.bytes / kMegabyte) + " MB"
                                       : format_bytes(static_cast<double>(amount.bytes));
}

}  // namespace

Retention within_bounds(Retention keep) {
  keep.seconds = std::clamp(keep.seconds, 1, kMostKeptSeconds);
  keep.megabytes = std::clamp(keep.megabytes, 1, kMostKeptMegabytes);
  return keep;
}

record::FileLimits limits_of(const Retention& keep) {
  const Retention kept = within_bounds(keep);
  switch (kept.kind) {
    case Retention::Kind::kSeconds:
      return {.rotate = {}, .keep_last = {.time = std::chrono::seconds(kept.seconds)}};
    case Retention::Kind::kMegabytes:
      return {.rotate = {}, .keep_last = {.bytes = static_cast<std::uint64_t>(kept.megabytes) * kMegabyte}};
    case Retention::Kind::kWhole:
      break;
  }
  return {};
}

std::string limits_words(const record::FileLimits& limits) {
  if (!limits.keep_last.none()) return filled(Text::kRetainsLast, {amount_words(limits.keep_last)});
  if (!limits.rotate.none()) return filled(Text::kRecordInFiles, {amount_words(limits.rotate)});
  return {};
}

}  // namespace runahead::gui
