// Arrows in Perfetto's format: an arrow is a number on two events. One event belongs to the slice that the
// arrow leaves, the other event to the slice that it enters. The number cannot state the arrow's name.
// Readers derive the arrow's kind, operation and times from the slices (flow_between()). If the arrow has a
// name, or if a derived value would be wrong, the event that the arrow leaves has an annotation with the name
// or the correct value.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <tuple>
#include <vector>

#include "instrumentation/export/chrome_layout.h"
#include "instrumentation/export/flow_binding.h"
#include "instrumentation/trace/trace.h"

namespace runahead::exporters {
using namespace trace;

// The begin or end event of a slice in the file.
struct FlowPlace {
  TrackId track = kNoTrack;
  std::uint32_t depth = 0;
  std::uint64_t row = 0;  // row in TrackPlace::lanes[depth]
  bool at_end = false;
  [[nodiscard]] auto key() const { return std::tuple(track, depth, row, at_end); }
};

class PerfettoFlows {
 public:
  // `trace` and `layout` must outlive this object. `base` is the zero of the file's times.
  PerfettoFlows(const Trace& trace, const ChromeLayout& layout, Timestamp base);

  // Returns the number of flows that became arrows. A flow becomes no arrow if one of its ends touches no
  // slice, or if the arrow would go back in time.
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // Adds the numbers of all arrows at this place to the event. `key_iid`: the name id of the annotation, if
  // an annotation is needed. The begin event and the end event of a slice must use different ids.
  void add_to(protozero::pbf_writer& event, const FlowPlace& place, std::uint64_t key_iid) const;

 private:
  enum Tells : std::uint8_t { kKind = 1, kOp = 2, kFromTime = 4, kToTime = 8, kName = 16 };
  struct Link {
    FlowPlace place;
    bool enters = false;
    std::uint8_t tells = 0;               // bits of Tells: which fields the annotation must state
    std::uint64_t number = 0, index = 0;  // number: of the arrow in the file; index: of the flow in the trace
  };
  void add(std::uint64_t index);
  void tell(protozero::pbf_writer& list, const Link& link) const;

  const Trace& trace_;
  const ChromeLayout& layout_;
  const Timestamp base_;
  std::vector<Link> links_;  // sorted by place
  std::uint64_t count_ = 0;
};

}  // namespace runahead::exporters
