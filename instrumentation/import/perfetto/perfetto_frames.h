// Frames of Android's screen. For each frame of an app and of the compositor, the file states the expected
// time and the actual time. Both times become slices, on two tracks of the process.
#pragma once

#include <cstdint>
#include <string_view>

#include "instrumentation/import/perfetto/perfetto_decoded.h"

namespace runahead::importers::perfetto {
using namespace trace;

class FrameReader {
 public:
  explicit FrameReader(Decoded& out) : out_(out) {}  // must outlive this

  // Reads a FrameTimelineEvent; `time` is the time of its packet.
  void read(std::string_view message, ClockTime time);

 private:
  struct Fields;
  void begin(const Fields& fields, std::string_view message, ClockTime time);
  void end(std::string_view message, ClockTime time);
  [[nodiscard]] NodeId track(std::int64_t pid, std::int64_t cookie, std::string_view name);

  Decoded& out_;
};

}  // namespace runahead::importers::perfetto
