// Timeline: what is shown of a profile, as lines of text for each kind of row, so that two timelines can be
// compared line by line: that of the file itself, that of the recording which the decoder made, and that of
// the importer.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "instrumentation/trace/trace.h"
#include "tests/cupti/replay/profile.h"

namespace runahead::testing {

// The kinds: "kernels", "copies", "memsets", "calls", "waits", "waits of streams", "arrows", "ranges",
// "overheads", "memory". A part between « and » is only in the timelines of profiles and of recordings.
using Timeline = std::map<std::string, std::vector<std::string>>;

enum class Shown : std::uint8_t { kByUs, kByTheOther };  // whose names of kernels, and whose arrows
// `recorded`: the calls that a recording has; empty: all.
[[nodiscard]] Timeline timeline_of_profile(const Profile& profile, Shown names,
                                           const std::vector<bool>& recorded);
// `shift_ns` is subtracted from the times.
[[nodiscard]] Timeline timeline_of_recording(const trace::Trace& trace, std::int64_t shift_ns);
// The time 0 of an import is that of its earliest row. `first_ns`: the time of the first row of the profiles
// that has a correlation id.
[[nodiscard]] Timeline timeline_of_import(const trace::Trace& trace, std::int64_t first_ns);
// Without the parts between « and ».
[[nodiscard]] Timeline shortened(Timeline timeline);
void add(Timeline& to, Timeline&& from);

struct Difference {
  std::uint64_t equal = 0, missing = 0, extra = 0;
  std::vector<std::string> examples;  // a few
};
[[nodiscard]] std::map<std::string, Difference> compare(Timeline expected, Timeline found);

}  // namespace runahead::testing
