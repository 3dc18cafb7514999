// How much of a recording is kept: the choice beside the file's name, and its words. No ImGui.
#pragma once

#include <cstdint>
#include <string>

#include "instrumentation/record/files/file_limits.h"

namespace runahead::gui {

struct Retention {
  enum class Kind : std::uint8_t { kWhole, kSeconds, kMegabytes } kind = Kind::kWhole;
  int seconds = 30, megabytes = 64;  // of the end; both stay as they were set, whichever is chosen
  friend bool operator==(const Retention&, const Retention&) = default;
};

// A day, and as many bytes as a disk may be asked for; at least one of each.
inline constexpr int kMostKeptSeconds = 86'400, kMostKeptMegabytes = 1'000'000;
[[nodiscard]] Retention within_bounds(Retention keep);

[[nodiscard]] record::FileLimits limits_of(const Retention& keep);

// Of a recording that is being written, in the language of the window: "keeps the last 30 s", "a new file
// every 64 MB"; empty: all of it goes into one file.
[[nodiscard]] std::string limits_words(const record::FileLimits& limits);

}  // namespace runahead::gui
