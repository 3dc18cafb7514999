// RowSource: a source of finished rows that is not a thread of this program, such as a GPU's profiler. A
// RowSource returns slices (with their arguments), instants, arrows and samples some time after they
// happened. The collector takes the rows at each drain, gives them tracks and lanes, and counts rows that
// arrive late (kLateRow).
//
// Times are ns of TickClock (TickClock::ns_from_ticks), like all times that the hooks record.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "instrumentation/base/ids.h"
#include "instrumentation/record/hooks/site.h"
#include "instrumentation/trace/rows/loss.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::record {

// The track of a row. If `track` is set, the row goes there. Otherwise it goes to a track next to the track
// of the thread `tid` of this process. The name of that track is the thread's name, a colon, and the text
// `beside`. If `beside` is empty, the row goes to the thread's own track; this is allowed only for the start
// and the end of an arrow.
struct RowPlace {
  const TrackDesc* track = nullptr;
  std::int64_t tid = 0;     // kernel thread number, if there is no track
  const char* beside = "";  // static storage

  [[nodiscard]] bool somewhere() const { return track != nullptr || tid != 0; }
  friend bool operator==(const RowPlace&, const RowPlace&) = default;
};

// A text has static storage, or is the name of an interned Site.
using RowArgValue = std::variant<std::int64_t, double, const char*>;
struct RowArg {
  const char* key = "";
  RowArgValue value;
};

struct RowSlice {
  RowPlace place;
  std::int64_t begin_ns = 0, end_ns = 0;
  const Site* site = nullptr;  // name and kind of the row
  OpId op = kNoOp;
  std::int64_t size_bytes = 0;
  std::uint8_t flags = 0;                      // trace::SliceFlag
  std::uint32_t first_arg = 0, arg_count = 0;  // range in SourceRows::args
  std::uint64_t begun = 0;                     // the RowBegun::id of this slice; 0: none
};
// A slice that has begun and not ended. Its track shows it as running, and the slices inside it get deeper
// lanes, until a RowSlice with its id comes. Only the source's longest slices need this: slices whose ends
// come so late that the slices inside them are taken before them.
struct RowBegun {
  RowPlace place;
  std::int64_t begin_ns = 0;
  const Site* site = nullptr;
  std::uint64_t id = 0;  // not 0; unique among the running slices of its track
};
struct RowInstant {
  RowPlace place;
  std::int64_t at_ns = 0;
  const Site* site = nullptr;
};
// A flow. If the flow has an op, and the start of the flow is on a thread that has recorded nothing, the flow
// starts at the enqueue of the op instead.
struct RowFlow {
  trace::FlowKind kind = trace::FlowKind::kOther;
  RowPlace from, to;
  std::int64_t from_ns = 0, to_ns = 0;
  OpId op = kNoOp;
};
struct RowSample {
  const TrackDesc* track = nullptr;
  std::int64_t at_ns = 0;
  double value = 0;
};

struct SourceRows {
  std::vector<RowSlice> slices;
  std::vector<RowBegun> begun;
  std::vector<RowArg> args;
  std::vector<RowInstant> instants;
  std::vector<RowFlow> flows;
  std::vector<RowSample> samples;
  trace::LossCounts losses;
  // All rows that ended before this time have been returned, except rows that the source itself received
  // late.
  std::int64_t complete_ns = INT64_MIN;

  void clear() {
    slices.clear();
    begun.clear();
    args.clear();
    instants.clear();
    flows.clear();
    samples.clear();
    losses = {};
  }
};

class RowSource {
 public:
  RowSource() = default;
  virtual ~RowSource() = default;
  RowSource(const RowSource&) = delete;
  RowSource& operator=(const RowSource&) = delete;

  // Returns the rows since the last call. Replaces the content of `rows`, whose memory it may reuse. False:
  // these were the last rows. Called on the collector's thread.
  [[nodiscard]] virtual bool take(SourceRows& rows) = 0;
};

}  // namespace runahead::record
