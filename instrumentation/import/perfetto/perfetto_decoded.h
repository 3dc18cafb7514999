// What the packets of a Perfetto trace said, before events are put in the order of time and paired:
// perfetto_decoder.h fills it, perfetto_rows.h makes rows of it.
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
  kPoint,  // of a flow alone: binds to the slice around it
};

// How an event takes part in a flow.
struct FlowMark {
  enum class Step : std::uint8_t {
    kThrough,     // begins it or goes on
    kEnds,        // the last one
    kEnters,      // one of its ends, perhaps not the last
    kBegins,      // anew, as older files say it
    kEndsAtNext,  // at the slice that begins next on the track
  };
  Step step = Step::kThrough;
  std::uint64_t flow = 0;  // unique in the file
};

// What a file of ours says of an arrow beside its number.
struct ToldFlow {
  StringId name{};
  std::optional<FlowKind> kind;
  std::optional<OpId> op;
  std::optional<Timestamp> from_time, to_time;  // as the file's times
  void add_to(Flow& flow) const;
};

struct Event {
  ClockTime time;
  NodeId track{};
  EventKind kind = EventKind::kInstant;
  SliceKind slice_kind = SliceKind::kZone;
  std::uint8_t flags = 0;
  bool by_name = false;  // kEnd: closes the slice of its name
  StringId name{};
  OpId op = kNoOp;
  ArgsId args = kNoArgs;
  std::int64_t size_bytes = 0;
  std::int64_t duration_ns = 0;  // kComplete
  std::uint32_t first_flow = 0, flow_count = 0;
};

struct Sample {
  ClockTime time;
  NodeId track{};
  double value = 0;
};

// A slice of a track that holds nothing else, such as what runs on a cpu: needs no stack to be paired.
struct Run {
  ClockTime begin;
  std::optional<std::int64_t> end_ns;  // of the same clock; nullopt: never seen
  NodeId track{};
  StringId name{};
  ArgsId args = kNoArgs;
};

// All that packets said, in the order of the file.
struct Decoded {
  std::vector<std::string> strings{""};
  std::vector<ArgSet> args;
  TrackBook tracks;
  ClockTable clocks;
  std::vector<Event> events;
  std::vector<FlowMark> flows;
  std::unordered_map<std::uint64_t, ToldFlow> told_flows;  // by FlowMark::flow
  std::vector<Sample> samples;
  std::vector<Run> runs;  // of a track in the order of time
  LossCounts losses;
  SkippedKinds skipped;
  std::uint64_t packets = 0;

  // The same text, or set, gives the same id.
  StringId intern(std::string_view text);
  ArgsId intern(ArgSet set);
  void lose(LossCause cause) { losses.add(cause); }
  // Counts what has no place in a timeline, as a loss and by kind.
  void skip(std::string_view group, std::string_view name, std::uint64_t count = 1) {
    losses.add(LossCause::kImportSkipped, count);
    skipped.add(group, name, count);
  }

 private:
  std::unordered_map<std::string, StringId> ids_{{"", StringId{0}}};
  std::unordered_map<std::uint64_t, ArgsId> arg_sets_;  // by hash: the last of each
};

}  // namespace runahead::importers::perfetto
