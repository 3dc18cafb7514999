// How much of a recording is kept: the user's choice in the file dialog, and its description. No ImGui.
#pragma once

#include <cstdint>
#include <string>

#include "instrumentation/record/files/file_limits.h"

namespace runahead::gui {

struct Retention {
  enum class Kind : std::uint8_t { kWhole, kSeconds, kMegabytes } kind = Kind::kWhole;
  // How much of the recording's end to retain. `kind` says which of the two values is used (kWhole: neither).
  int seconds = 30, megabytes = 64;
  friend bool operator==(const Retention&, const Retention&) = default;
};

// Upper limits: one day, and one terabyte (about the size of a disk). The lower limits are 1 s and 1 MB.
inline constexpr int kMostKeptSeconds = 86'400, kMostKeptMegabytes = 1'000'000;
[[nodiscard]] Retention within_bounds(Retention keep);

[[nodiscard]] record::FileLimits limits_of(const Retention& keep);

// Describes the limits of the current recording, in the window's language: "keeps the last 30 s", "a new file
// every 64 MB". Empty: the complete recording goes into one file.
[[nodiscard]] std::string limits_words(const record::FileLimits& limits);

}  // namespace runahead::gui
