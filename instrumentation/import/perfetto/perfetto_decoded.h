// The content of a Perfetto trace's packets, before its events are sorted by time and paired.
// perfetto_decoder.h fills it; perfetto_rows.h makes rows from it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "instrumentation/import/perfetto/perfetto_clocks.h"
#include "instrumentation/import/perfetto/perfetto_tracks.h"
#include "instrumentation/trace/rows/batch.h"
#include "instrumentation/trace/skipped_kinds.h"

namespace runahead::importers::perfetto {
using namespace trace;

enum class EventKind : std::uint8_t {
  kBegin,
  kEnd,
  kComplete,
  kInstant,
  kPoint,  // only a point of a flow; binds to the slice that contains the point's time
};

// The role of an event in a flow.
struct FlowMark {
  enum class Step : std::uint8_t {
    kThrough,     // begins or continues the flow
    kEnds,        // the last event of the flow
    kEnters,      // an end of the flow, but more ends may follow
    kBegins,      // always begins a new flow: legacy events, binder calls
    kEndsAtNext,  // ends at the slice that begins next on the track
  };
  Step step = Step::kThrough;
  std::uint64_t flow = 0;  // the flow's number; unique in the file
};

// Fields that our own exports state about an arrow, in addition to its number.
struct ToldFlow {
  StringId name{};
  std::optional<FlowKind> kind;
  std::optional<OpId> op;
  std::optional<Timestamp> from_time, to_time;  // times that the file states for the arrow
  void add_to(Flow& flow) const;
};

struct Event {
  ClockTime time;
  NodeId track{};
  EventKind kind = EventKind::kInstant;
  SliceKind slice_kind = SliceKind::kZone;
  std::uint8_t flags = 0;
  // used for kEnd; true: the event closes the innermost open slice that has the name `name`
  bool by_name = false;
  StringId name{};
  OpId op = kNoOp;
  ArgsId args = kNoArgs;
  std::int64_t size_bytes = 0;
  std::int64_t duration_ns = 0;  // used for kComplete
  std::uint32_t first_flow = 0, flow_count = 0;
};

struct Sample {
  ClockTime time;
  NodeId track{};
  double value = 0;
};

// A slice of a track without nesting, such as a thread's run on a cpu. Pairing its begin and end needs no
// stack.
struct Run {
  ClockTime begin;
  std::optional<std::int64_t> end_ns;  // the end in the clock of `begin`; nullopt: the end was never seen
  NodeId track{};
  StringId name{};
  ArgsId args = kNoArgs;
};

// The content of all packets, in file order.
struct Decoded {
  std::vector<std::string> strings{""};
  std::vector<ArgSet> args;
  TrackBook tracks;
  ClockTable clocks;
  std::vector<Event> events;
  std::vector<FlowMark> flows;
  std::unordered_map<std::uint64_t, ToldFlow> told_flows;  // key: FlowMark::flow
  std::vector<Sample> samples;
  std::vector<Run> runs;  // the runs of each track are in time order
  LossCounts losses;
  SkippedKinds skipped;
  std::uint64_t packets = 0;

  // Equal strings have equal ids, and so do equal sets.
  StringId intern(std::string_view text);
  ArgsId intern(ArgSet set);
  void lose(LossCause cause) { losses.add(cause); }
  // Counts events that a timeline cannot show: as losses (kImportSkipped), and by their kind (`group` and
  // `name`).
  void skip(std::string_view group, std::string_view name, std::uint64_t count = 1) {
    losses.add(LossCause::kImportSkipped, count);
    skipped.add(group, name, count);
  }

 private:
  std::unordered_map<std::string, StringId> ids_{{"", StringId{0}}};
  std::unordered_map<std::uint64_t, ArgsId> arg_sets_;  // key: hash; value: the last set with that hash
};

}  // namespace runahead::importers::perfetto
