// Packets of a Perfetto trace, in the order of the file, as events with their names looked up. A sequence's
// packets build on those before (names by number, defaults, differences), so that is where each sequence's
// state is kept. What depends on the whole (the order of time, the trace's clock, which end closes which
// begin) comes after: perfetto_rows.h.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "instrumentation/trace/batch.h"
#include "instrumentation/trace/io/import/perfetto_clocks.h"
#include "instrumentation/trace/io/import/perfetto_tracks.h"
#include "instrumentation/trace/io/import/protobuf.h"
#include "instrumentation/trace/io/perfetto_fields.h"

namespace runahead::trace::io::perfetto {

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
  std::uint64_t flow = 0;  // dense
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

struct Decoded {
  std::vector<std::string> strings{""};
  std::vector<ArgSet> args;
  TrackBook tracks;
  ClockTable clocks;
  std::vector<Event> events;
  std::vector<FlowMark> flows;
  std::unordered_map<std::uint64_t, ToldFlow> told_flows;  // by FlowMark::flow
  std::vector<Sample> samples;
  LossCounts losses;
  std::uint64_t packets = 0;
};

class Decoder {
 public:
  Decoder() = default;
  void packet(std::string_view bytes) { packet(bytes, true); }
  // After the last packet, once.
  [[nodiscard]] Decoded take() { return std::move(out_); }

 private:
  using Names = std::unordered_map<std::uint64_t, StringId>;
  struct Defaults {
    std::optional<std::uint32_t> clock;
    std::optional<std::uint64_t> track;
    std::vector<std::uint64_t> extra_tracks, extra_double_tracks;
  };
  struct Sequence {
    bool has_state = true;  // false once packets are missing, until it starts anew
    Names categories, events, keys, texts;
    Defaults defaults;
    std::optional<NodeId> thread;
    std::int64_t time_us = 0;
    std::unordered_map<std::uint64_t, std::int64_t> counters;  // by uuid: what differences add to
  };
  struct Header;
  struct Facts;

  void packet(std::string_view bytes, bool outermost);
  void unpack(std::string_view compressed);
  void update_sequence(const Header& header, Sequence& sequence);
  void read_interned(std::string_view message, Sequence& sequence);
  void read_defaults(std::string_view message, Sequence& sequence);
  void read_clocks(std::string_view message, std::uint64_t sequence);
  void read_event(std::string_view message, const Header& header, Sequence& sequence);
  bool gather(std::string_view message, Sequence& sequence, Facts& facts);
  bool gather_legacy(std::string_view message, Facts& facts);
  std::optional<ClockTime> time_of(const Header& header, const Facts& facts, Sequence& sequence);
  NodeId track_of(const Facts& facts, const Sequence& sequence);
  void emit(const Facts& facts, ClockTime time, NodeId track);
  void emit_legacy(Facts& facts, ClockTime time, NodeId track);
  void emit_legacy_async(const Facts& facts, ClockTime time, NodeId track);
  void emit_legacy_counter(const Facts& facts, ClockTime time, NodeId track);
  void emit_sample(const Facts& facts, ClockTime time, Sequence& sequence);
  void emit_extras(const Facts& facts, ClockTime time, Sequence& sequence);
  void add_sample(std::uint64_t uuid, std::int64_t value, ClockTime time, Sequence& sequence);
  void add_sample(std::uint64_t uuid, double value, ClockTime time);
  void add_event(const Facts& facts, EventKind kind, ClockTime time, NodeId track);
  void add_bind_flow(Facts& facts);
  void fill_args(const Facts& facts, Event& event);
  // Takes what our own exports say of arrows; false where the annotation is another.
  bool take_own_flows(std::string_view message, const Sequence& sequence);
  void take_own_flow(std::string_view message);
  bool take_own(const Arg& arg, Event& event, std::uint64_t& engine) const;

  void read_annotation(std::string_view message, const Sequence& sequence, std::string_view prefix, int depth,
                       ArgSet& out);
  void read_nested(std::string_view message, const std::string& key, int depth, ArgSet& out);
  StringId look_up(const Names& names, std::uint64_t iid);
  StringId intern(std::string_view text);
  ArgsId intern(ArgSet set);
  std::uint64_t flow_number(int space, StringId category, StringId name, std::uint64_t id);
  void lose(LossCause cause) { out_.losses.add(cause); }

  Decoded out_;
  std::unordered_map<std::string, StringId> ids_{{"", StringId{0}}};
  std::unordered_map<std::uint64_t, ArgsId> arg_sets_;  // by hash: the last of each
  std::map<std::tuple<int, StringId, StringId, std::uint64_t>, std::uint64_t> flow_numbers_;
  std::unordered_map<std::uint64_t, Sequence> sequences_;
};

}  // namespace runahead::trace::io::perfetto
