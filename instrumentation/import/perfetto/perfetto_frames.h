// Frames of Android's screen: for an app and for the compositor, when a frame was expected and when it was
// made. Both become slices, on two tracks of the process.
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
