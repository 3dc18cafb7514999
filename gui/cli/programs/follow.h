// Follows a recording without a window (`live --headless`, `attach --headless`), and reports what arrived.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gui/cli/outcome.h"
#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/link/file_follower.h"

namespace runahead::gui {

struct FollowOptions {
  std::optional<Duration> duration;  // following ends after this time; nullopt: when the writer ends
  // If false, the trace keeps at most 256 MiB, and the oldest rows are evicted.
  bool all_rows = false;
  std::function<bool()> stopped;  // asked at each look at the file; may be empty
};

// How far the trace was behind the program's clock, in ms, just before each look at the file that found new
// rows. It includes the time for which the program gathers rows before it writes them.
using Delays = std::vector<double>;

// Follows the recording until the writer or options.duration ends, or options.stopped() is true. Also after
// that it reads the bytes that the writer had added by then. `recording`: the file's name.
[[nodiscard]] Result<Delays> follow(link::FileFollower& follower, const std::filesystem::path& recording,
                                    const FollowOptions& options);

// Prints what was followed, as one line or as one JSON object.
[[nodiscard]] Outcome write_followed(const link::FileFollower& follower, const Delays& delays,
                                     const std::string& recording, bool json);

// Parses --duration; an empty text is nullopt.
[[nodiscard]] Result<std::optional<Duration>> parse_optional_duration(const std::string& text);

}  // namespace runahead::gui
