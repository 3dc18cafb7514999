#include <cmath>
#include <limits>

#include "instrumentation/recording/format/bytes.h"
#include "instrumentation/recording/format/payload.h"

namespace runahead::recordings {
using namespace trace;
namespace {

constexpr std::uint64_t kMaxId = 0xfffffffeu;  // 0xffffffff is kNoTrack

bool time_fits(std::int64_t ns) { return ns >= -kMaxTimeNs && ns <= kMaxTimeNs; }

// Reads one payload; every check that fails marks the reader as failed, and finish() tells.
class PayloadReader {
 public:
  explicit PayloadReader(std::string_view payload) : in_(payload) {}

  ByteReader& in() { return in_; }
  [[nodiscard]] bool ok() const { return in_.ok(); }
  [[nodiscard]] bool finish() const { return in_.ok() && in_.at_end(); }
  void require(bool condition) {
    if (!condition) in_.fail();
  }

  // Rows of at least `least_bytes` each, within what one block may hold.
  std::size_t rows(std::size_t least_bytes) {
    const std::size_t n = in_.count(least_bytes);
    total_rows_ += n;
    require(total_rows_ <= kMaxBlockRows);
    return ok() ? n : 0;
  }
  RowSummary summary() {
    RowSummary out;
    out.track = optional_track(in_.varint());
    const std::uint64_t depth = in_.varint();
    require(depth < kMaxDepth);
    out.depth = static_cast<std::uint32_t>(depth);
    out.rows = in_.varint();
    out.first = timestamp_from_ns(in_.svarint());
    out.last = timestamp_from_ns(in_.svarint());
    require(time_fits(ns_from(out.first)) && time_fits(ns_from(out.last)));
    return out;
  }
  std::uint32_t id() {
    const std::uint64_t value = in_.varint();
    require(value <= kMaxId);
    return static_cast<std::uint32_t>(value);
  }
  TrackId track() { return TrackId{id()}; }
  TrackId optional_track(std::uint64_t code) {
    if (code == 0) return kNoTrack;
    require(code - 1 <= kMaxId);
    return TrackId{static_cast<std::uint32_t>(code - 1)};
  }
  std::uint8_t below(int limit) {
    const std::uint8_t value = in_.u8();
    require(value < limit);
    return value;
  }
  // A column whose every value fits [low, high], handed to `set` with its row.
  template <typename Set>
  void column(std::size_t n, std::int64_t low, std::int64_t high, Set set) {
    in_.column(n, column_);
    if (!ok()) return;
    for (std::size_t i = 0; i < n; ++i) {
      if (column_[i] < low || column_[i] > high) return in_.fail();
      set(i, column_[i]);
    }
  }
  // One with at least a byte for each of its rows, whatever their values.
  template <typename Set>
  void dense_column(std::size_t n, Set set) {
    in_.dense_column(n, column_);
    for (std::size_t i = 0; i < n && ok(); ++i) set(i, column_[i]);
  }
  // The same, of times that each lie a gap after the one before.
  template <typename Set>
  void times_by_gaps(std::size_t n, Timestamp before, Set set) {
    dense_column(n, [&](std::size_t i, std::int64_t gap_ns) { set(i, before = later(before, gap_ns)); });
  }
  // before + a gap, still within the limits.
  Timestamp later(Timestamp before, std::int64_t gap_ns) {
    if (gap_ns < 0 || gap_ns > kMaxTimeNs - ns_from(before)) {
      in_.fail();
      return before;
    }
    return before + Duration{gap_ns};
  }

 private:
  ByteReader in_;
  std::vector<std::int64_t> column_;
  std::size_t total_rows_ = 0;
};

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();
constexpr auto kMaxColumnId = static_cast<std::int64_t>(kMaxId);

template <typename Get>
void read_slice_facts(PayloadReader& in, std::size_t n, Get slice) {
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { slice(i).name = StringId{static_cast<std::uint32_t>(v)}; });
  in.column(n, 0, kSliceKindCount - 1,
            [&](std::size_t i, std::int64_t v) { slice(i).kind = static_cast<SliceKind>(v); });
  in.column(n, 0, 255, [&](std::size_t i, std::int64_t v) { slice(i).flags = static_cast<std::uint8_t>(v); });
  in.column(n, kLowest, kHighest,
            [&](std::size_t i, std::int64_t v) { slice(i).op = OpId{static_cast<std::uint64_t>(v)}; });
  in.column(n, -kMaxSizeBytes, kMaxSizeBytes,
            [&](std::size_t i, std::int64_t v) { slice(i).size_bytes = v; });
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { slice(i).args = ArgsId{static_cast<std::uint32_t>(v)}; });
}

void read_lane(PayloadReader& in, Timestamp start, LaneRows& out) {
  out.track = in.track();
  const std::uint64_t depth = in.in().varint();
  in.require(depth < kMaxDepth);
  out.depth = static_cast<std::uint32_t>(depth);
  const std::size_t n = in.rows(1);
  in.require(n > 0);
  if (!in.ok()) return;
  out.rows.resize(n);
  // The gaps come before the durations: begins are made whole once both are known.
  std::vector<std::int64_t> gaps_ns;
  in.in().dense_column(n, gaps_ns);
  Timestamp before = start;
  in.column(n, 0, kMaxTimeNs * 2, [&](std::size_t i, std::int64_t duration_ns) {
    if (!in.ok()) return;
    out.rows[i].begin = in.later(before, gaps_ns[i]);
    out.rows[i].end = before = in.later(out.rows[i].begin, duration_ns);
  });
  read_slice_facts(in, n, [&](std::size_t i) -> Slice& { return out.rows[i]; });
}

void read_counter(PayloadReader& in, Timestamp start, CounterRows& out) {
  out.track = in.track();
  const std::size_t n = in.rows(1);
  in.require(n > 0);
  if (!in.ok()) return;
  out.rows.resize(n);
  in.times_by_gaps(n, start, [&](std::size_t i, Timestamp at) { out.rows[i].at = at; });
  if (in.below(2) == 0) {
    in.column(n, kLowest, kHighest,
              [&](std::size_t i, std::int64_t v) { out.rows[i].value = static_cast<double>(v); });
  } else {
    for (CounterSample& sample : out.rows) sample.value = in.in().f64();
  }
}

std::int64_t written_at(const OpRow& op, std::int64_t since) {
  return wrapping_sum(ns_from(op.enqueued), since);
}

void read_moment(PayloadReader& in, std::vector<OpRow>& ops, Timestamp OpRow::*moment) {
  in.column(ops.size(), kLowest, kHighest, [&](std::size_t i, std::int64_t v) {
    const bool first = moment == &OpRow::enqueued;
    const std::int64_t ns = first ? v : written_at(ops[i], v);
    in.require(time_fits(ns) || ns == ns_from(kNever));
    ops[i].*moment = timestamp_from_ns(ns);
  });
}

void read_op_track(PayloadReader& in, std::vector<OpRow>& ops, TrackId OpRow::*track) {
  in.column(ops.size(), 0, kMaxColumnId + 1, [&](std::size_t i, std::int64_t v) {
    ops[i].*track = in.optional_track(static_cast<std::uint64_t>(v));
  });
}

void read_ops(PayloadReader& in, std::size_t n, std::vector<OpRow>& ops) {
  ops.assign(n, OpRow{});
  in.dense_column(n, [&](std::size_t i, std::int64_t v) { ops[i].id = OpId{static_cast<std::uint64_t>(v)}; });
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { ops[i].name = StringId{static_cast<std::uint32_t>(v)}; });
  in.column(n, -1, kMaxSizeBytes, [&](std::size_t i, std::int64_t v) { ops[i].step = v; });
  for (const auto moment : {&OpRow::enqueued, &OpRow::ready, &OpRow::started, &OpRow::ended}) {
    read_moment(in, ops, moment);
  }
  read_op_track(in, ops, &OpRow::enqueue_track);
  read_op_track(in, ops, &OpRow::execute_track);
  in.column(n, -kMaxSizeBytes, kMaxSizeBytes,
            [&](std::size_t i, std::int64_t v) { ops[i].output_bytes = v; });
  in.column(n, 0, 255, [&](std::size_t i, std::int64_t v) { ops[i].flags = static_cast<std::uint8_t>(v); });
}

Arg read_arg(PayloadReader& in) {
  Arg arg;
  arg.key = StringId{in.id()};
  switch (in.below(3)) {
    case 0:
      arg.value = in.in().svarint();
      break;
    case 1:
      arg.value = in.in().f64();
      break;
    default:
      arg.value = StringId{in.id()};
      break;
  }
  return arg;
}

// The summary's count of rows where each takes at least a byte of what follows.
std::size_t bounded_rows(PayloadReader& in, const RowSummary& summary) {
  in.require(summary.rows <= kMaxBlockRows && summary.rows <= in.in().left());
  return in.ok() ? static_cast<std::size_t>(summary.rows) : 0;
}

}  // namespace

bool decode_metadata(std::string_view payload, Metadata& out) {
  PayloadReader in(payload);
  for (std::size_t n = in.rows(2); n > 0 && in.ok(); --n) {
    std::string key(in.in().text());
    out.insert_or_assign(std::move(key), std::string(in.in().text()));
  }
  return in.finish();
}

bool decode_strings(std::string_view payload, std::uint64_t& first_id, std::vector<std::string>& out) {
  PayloadReader in(payload);
  first_id = in.in().varint();
  out.assign(in.rows(1), {});
  for (std::string& text : out) text = in.in().text();
  return in.finish();
}

bool decode_tracks(std::string_view payload, std::vector<TrackInfo>& out) {
  PayloadReader in(payload);
  out.assign(in.rows(11), {});
  for (TrackInfo& track : out) {
    track.id = in.track();
    track.parent = in.optional_track(in.in().varint());
    track.kind = static_cast<TrackKind>(in.below(kTrackKindCount));
    track.unit = static_cast<Unit>(in.below(kUnitCount));
    track.role = static_cast<CounterRole>(in.below(kCounterRoleCount));
    track.simulated = in.below(2) == 1;
    const std::int64_t order = in.in().svarint();
    in.require(order >= INT32_MIN && order <= INT32_MAX);
    track.sort_order = static_cast<std::int32_t>(order);
    track.pid = in.in().svarint();
    track.tid = in.in().svarint();
    track.name = in.in().text();
    track.device = in.in().text();
  }
  return in.finish();
}

bool decode_args(std::string_view payload, std::uint64_t& first_id, std::vector<ArgSet>& out) {
  PayloadReader in(payload);
  first_id = in.in().varint();
  out.assign(in.rows(1), {});
  for (ArgSet& set : out) {
    set.resize(in.in().count(3));
    for (Arg& arg : set) arg = read_arg(in);
  }
  return in.finish();
}

bool decode_slices(std::string_view payload, std::vector<LaneRows>& out) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  out.assign(in.in().count(10), {});
  for (LaneRows& lane : out) {
    read_lane(in, summary.first, lane);
    if (!in.ok()) return false;
  }
  return in.finish();
}

bool decode_counters(std::string_view payload, std::vector<CounterRows>& out) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  out.assign(in.in().count(5), {});
  for (CounterRows& counter : out) {
    read_counter(in, summary.first, counter);
    if (!in.ok()) return false;
  }
  return in.finish();
}

bool decode_instants(std::string_view payload, std::vector<Instant>& out) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  const std::size_t n = bounded_rows(in, summary);
  out.assign(n, {});
  in.times_by_gaps(n, summary.first, [&](std::size_t i, Timestamp at) { out[i].at = at; });
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { out[i].track = TrackId{static_cast<std::uint32_t>(v)}; });
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { out[i].name = StringId{static_cast<std::uint32_t>(v)}; });
  in.column(n, kLowest, kHighest,
            [&](std::size_t i, std::int64_t v) { out[i].op = OpId{static_cast<std::uint64_t>(v)}; });
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { out[i].args = ArgsId{static_cast<std::uint32_t>(v)}; });
  return in.finish();
}

bool decode_ops(std::string_view payload, std::vector<OpRow>& out) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  read_ops(in, bounded_rows(in, summary), out);
  return in.finish();
}

bool decode_flows(std::string_view payload, std::vector<Flow>& out) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  const std::size_t n = bounded_rows(in, summary);
  out.assign(n, {});
  in.dense_column(n, [&](std::size_t i, std::int64_t v) {
    in.require(time_fits(v));
    out[i].from_time = timestamp_from_ns(v);
  });
  in.column(n, kLowest, kHighest, [&](std::size_t i, std::int64_t v) {
    const std::int64_t to_ns = wrapping_sum(ns_from(out[i].from_time), v);
    in.require(time_fits(to_ns));
    out[i].to_time = timestamp_from_ns(to_ns);
  });
  in.column(n, 0, kFlowKindCount - 1,
            [&](std::size_t i, std::int64_t v) { out[i].kind = static_cast<FlowKind>(v); });
  in.column(n, 0, kMaxColumnId + 1, [&](std::size_t i, std::int64_t v) {
    out[i].from_track = in.optional_track(static_cast<std::uint64_t>(v));
  });
  in.column(n, 0, kMaxColumnId + 1, [&](std::size_t i, std::int64_t v) {
    out[i].to_track = in.optional_track(static_cast<std::uint64_t>(v));
  });
  in.column(n, kLowest, kHighest,
            [&](std::size_t i, std::int64_t v) { out[i].op = OpId{static_cast<std::uint64_t>(v)}; });
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { out[i].name = StringId{static_cast<std::uint32_t>(v)}; });
  return in.finish();
}

bool decode_dependencies(std::string_view payload, std::vector<Dependency>& out) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  const std::size_t n = bounded_rows(in, summary);
  out.assign(n, {});
  in.dense_column(n, [&](std::size_t i, std::int64_t v) { out[i].op = OpId{static_cast<std::uint64_t>(v)}; });
  in.column(n, 1, kHighest, [&](std::size_t i, std::int64_t v) {  // on an earlier one: no circles
    in.require(static_cast<std::uint64_t>(v) < raw(out[i].op));
    out[i].on = OpId{raw(out[i].op) - static_cast<std::uint64_t>(v)};
  });
  in.column(n, 0, kDependencyKindCount - 1,
            [&](std::size_t i, std::int64_t v) { out[i].kind = static_cast<DependencyKind>(v); });
  in.column(n, -kMaxTimeNs, kMaxTimeNs,
            [&](std::size_t i, std::int64_t v) { out[i].at = timestamp_from_ns(v); });
  return in.finish();
}

bool decode_allocations(std::string_view payload, std::vector<Allocation>& out) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  const std::size_t n = bounded_rows(in, summary);
  out.assign(n, {});
  in.dense_column(n, [&](std::size_t i, std::int64_t v) { out[i].block = static_cast<std::uint64_t>(v); });
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { out[i].counter = TrackId{static_cast<std::uint32_t>(v)}; });
  in.column(n, 0, kMaxColumnId, [&](std::size_t i, std::int64_t v) {
    out[i].category = StringId{static_cast<std::uint32_t>(v)};
  });
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { out[i].name = StringId{static_cast<std::uint32_t>(v)}; });
  in.column(n, kLowest, kHighest,
            [&](std::size_t i, std::int64_t v) { out[i].op = OpId{static_cast<std::uint64_t>(v)}; });
  in.column(n, 0, kMaxSizeBytes, [&](std::size_t i, std::int64_t v) { out[i].size_bytes = v; });
  in.column(n, -kMaxTimeNs, kMaxTimeNs,
            [&](std::size_t i, std::int64_t v) { out[i].begin = timestamp_from_ns(v); });
  in.column(n, 0, kMaxTimeNs, [&](std::size_t i, std::int64_t v) {
    if (v != 0) out[i].end = in.later(out[i].begin, v - 1);
  });
  in.column(n, 0, kAllocationBeganBefore | kAllocationEndUnseen,
            [&](std::size_t i, std::int64_t v) { out[i].flags = static_cast<std::uint8_t>(v); });
  return in.finish();
}

bool decode_losses(std::string_view payload, LossCounts& out, std::uint64_t& unknown) {
  PayloadReader in(payload);
  for (std::size_t n = in.rows(2); n > 0 && in.ok(); --n) {
    const std::uint8_t cause = in.in().u8();
    const std::uint64_t count = in.in().varint();
    if (!in.ok()) break;
    if (cause < kLossCauseCount) {
      out.add(static_cast<LossCause>(cause), count);
    } else {
      unknown += count;
    }
  }
  return in.finish();
}

bool decode_open(std::string_view payload, std::vector<OpenSlice>& slices, std::vector<OpRow>& ops) {
  PayloadReader in(payload);
  const std::size_t n = in.rows(1);
  slices.assign(n, {});
  in.dense_column(n, [&](std::size_t i, std::int64_t v) {
    in.require(time_fits(v));
    slices[i].slice.begin = slices[i].slice.end = timestamp_from_ns(v);
  });
  in.column(n, 0, kMaxColumnId,
            [&](std::size_t i, std::int64_t v) { slices[i].track = TrackId{static_cast<std::uint32_t>(v)}; });
  in.column(n, 0, kMaxDepth - 1,
            [&](std::size_t i, std::int64_t v) { slices[i].depth = static_cast<std::uint32_t>(v); });
  read_slice_facts(in, n, [&](std::size_t i) -> Slice& { return slices[i].slice; });
  read_ops(in, in.rows(1), ops);
  return in.finish();
}

bool decode_commit(std::string_view payload, Timestamp& watermark) {
  PayloadReader in(payload);
  const std::int64_t ns = in.in().svarint();
  in.require(time_fits(ns));
  watermark = timestamp_from_ns(ns);
  return in.finish();
}

bool decode_summary(std::string_view payload, RowSummary& out) {
  PayloadReader in(payload);
  out = in.summary();
  return in.ok();
}

}  // namespace runahead::recordings
