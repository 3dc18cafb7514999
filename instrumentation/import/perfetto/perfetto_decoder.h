// Decoder: turns the packets of a Perfetto trace, in file order, into events with resolved names. A sequence
// is the packets of one writer. A packet depends on earlier packets of its sequence. The earlier packets
// define numbers that stand for names, and they define default values. They also contain full values, while a
// later packet states only the difference from the previous value. So the Decoder keeps the state of each
// sequence. Some steps need the whole file, so perfetto_rows.h does them afterwards: it converts times to the
// trace's clock, sorts by time, and pairs ends with begins.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/import/common/protobuf.h"
#include "instrumentation/import/perfetto/perfetto_decoded.h"
#include "instrumentation/import/perfetto/perfetto_frames.h"
#include "instrumentation/import/perfetto/perfetto_ftrace.h"
#include "instrumentation/import/perfetto/perfetto_stats.h"
#include "instrumentation/import/perfetto/perfetto_tasks.h"

namespace runahead::importers::perfetto {
using namespace trace;
using namespace exporters::perfetto;

class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  void packet(std::string_view bytes) { packet(bytes, true); }
  // Call it once, after the last packet.
  [[nodiscard]] Decoded take();

 private:
  using Names = std::unordered_map<std::uint64_t, StringId>;
  struct Defaults {
    std::optional<std::uint32_t> clock;
    std::optional<std::uint64_t> track;
    std::vector<std::uint64_t> extra_tracks, extra_double_tracks;
  };
  struct Sequence {
    bool has_state = true;  // false after packets were lost, until a packet resets the state
    Names categories, events, keys, texts;
    Defaults defaults;
    std::optional<NodeId> thread;
    std::int64_t time_us = 0;
    // the present value of each incremental counter (the sum of the differences so far); key: the uuid of the
    // counter's track
    std::unordered_map<std::uint64_t, std::int64_t> counters;
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
  // Reads the annotation in which our own exports describe arrows. False: this is another annotation.
  bool take_own_flows(std::string_view message, const Sequence& sequence);
  void take_own_flow(std::string_view message);
  bool take_own(const Arg& arg, Event& event, std::uint64_t& engine) const;

  void read_annotation(std::string_view message, const Sequence& sequence, std::string_view prefix, int depth,
                       ArgSet& out);
  void read_nested(std::string_view message, const std::string& key, int depth, ArgSet& out);
  // Reads packets of the kernel and its probes: ftrace, processes, counters. `time` is the packet's time.
  void read_system(const Header& header, std::optional<ClockTime> time);
  StringId look_up(const Names& names, std::uint64_t iid);
  StringId intern(std::string_view text) { return out_.intern(text); }
  ArgsId intern(ArgSet set) { return out_.intern(std::move(set)); }
  std::uint64_t flow_number(int space, StringId category, StringId name, std::uint64_t id);
  void lose(LossCause cause) { out_.lose(cause); }

  Decoded out_;
  TaskBook tasks_{out_.tracks};
  FtraceReader ftrace_{out_, tasks_};
  StatsReader stats_{out_, tasks_};
  FrameReader frames_{out_};
  std::map<std::tuple<int, StringId, StringId, std::uint64_t>, std::uint64_t> flow_numbers_;
  std::unordered_map<std::uint64_t, Sequence> sequences_;
};

}  // namespace runahead::importers::perfetto
