#include <algorithm>
#include <cmath>

#include "instrumentation/recording/format/bytes.h"
#include "instrumentation/recording/format/payload.h"

namespace runahead::recordings {
using namespace trace;
namespace {

// Tracks may be kNoTrack in some columns; one more, so that it is 0 there.
std::int64_t track_code(TrackId id) { return id == kNoTrack ? 0 : static_cast<std::int64_t>(raw(id)) + 1; }
std::int64_t op_code(OpId id) { return static_cast<std::int64_t>(raw(id)); }

template <typename Row, typename Field>
std::vector<std::int64_t> values_of(std::span<const Row> rows, Field field) {
  std::vector<std::int64_t> values(rows.size());
  std::transform(rows.begin(), rows.end(), values.begin(),
                 [&](const Row& row) { return static_cast<std::int64_t>(field(row)); });
  return values;
}

template <typename Row, typename Field>
void put_column(ByteWriter& out, std::span<const Row> rows, Field field) {
  out.column(values_of(rows, field));
}

// At least a byte a row: what bounds the rows by the bytes.
template <typename Row, typename Field>
void put_dense_column(ByteWriter& out, std::span<const Row> rows, Field field) {
  out.dense_column(values_of(rows, field));
}

// Of each row the time from the end of the one before to its begin; the first: from `start`.
template <typename Row, typename Begin, typename End>
void put_gaps(ByteWriter& out, std::span<const Row> rows, Timestamp start, Begin begin, End end) {
  Timestamp before = start;
  put_dense_column(out, rows, [&](const Row& row) {
    const std::int64_t gap_ns = wrapping_difference(ns_from(begin(row)), ns_from(before));
    before = end(row);
    return gap_ns;
  });
}

void put_summary(ByteWriter& out, const RowSummary& summary) {
  out.varint(static_cast<std::uint64_t>(track_code(summary.track)));
  out.varint(summary.depth);
  out.varint(summary.rows);
  out.svarint(ns_from(summary.first));
  out.svarint(ns_from(summary.last));
}

class SummaryBuilder {
 public:
  void add(Timestamp begin, Timestamp end) {
    if (!seen_ || begin < summary_.first) summary_.first = begin;
    if (!seen_ || end > summary_.last) summary_.last = end;
    seen_ = true;
  }
  void add_if_known(Timestamp t) {
    if (t != kNever) add(t, t);
  }
  RowSummary finish(TrackId track, std::uint32_t depth, std::uint64_t rows) {
    summary_.track = track;
    summary_.depth = depth;
    summary_.rows = rows;
    return summary_;
  }

 private:
  RowSummary summary_;
  bool seen_ = false;
};

template <typename SliceRow, typename Get>
void put_slice_facts(ByteWriter& out, std::span<const SliceRow> rows, Get slice) {
  put_column(out, rows, [&](const SliceRow& row) { return raw(slice(row).name); });
  put_column(out, rows, [&](const SliceRow& row) { return raw(slice(row).kind); });
  put_column(out, rows, [&](const SliceRow& row) { return slice(row).flags; });
  put_column(out, rows, [&](const SliceRow& row) { return op_code(slice(row).op); });
  put_column(out, rows, [&](const SliceRow& row) { return slice(row).size_bytes; });
  put_column(out, rows, [&](const SliceRow& row) { return raw(slice(row).args); });
}

const Slice& itself(const Slice& slice) { return slice; }
const Slice& slice_of(const OpenSlice& open) { return open.slice; }

bool is_integer(double value) {
  return std::abs(value) < 9007199254740992.0 && std::trunc(value) == value &&
         !(value == 0 && std::signbit(value));
}

void put_counter_values(ByteWriter& out, std::span<const CounterSample> rows) {
  const bool integers =
      std::all_of(rows.begin(), rows.end(), [](const CounterSample& s) { return is_integer(s.value); });
  out.u8(integers ? 0 : 1);
  if (integers) {
    put_column(out, rows, [](const CounterSample& s) { return static_cast<std::int64_t>(s.value); });
  } else {
    for (const CounterSample& sample : rows) out.f64(sample.value);
  }
}

std::int64_t since_enqueued(const OpRow& op, Timestamp t) {
  return wrapping_difference(ns_from(t), ns_from(op.enqueued));
}

void put_ops(ByteWriter& out, std::span<const OpRow> ops) {
  put_dense_column(out, ops, [](const OpRow& op) { return op_code(op.id); });
  put_column(out, ops, [](const OpRow& op) { return raw(op.name); });
  put_column(out, ops, [](const OpRow& op) { return op.step; });
  put_column(out, ops, [](const OpRow& op) { return ns_from(op.enqueued); });
  put_column(out, ops, [](const OpRow& op) { return since_enqueued(op, op.ready); });
  put_column(out, ops, [](const OpRow& op) { return since_enqueued(op, op.started); });
  put_column(out, ops, [](const OpRow& op) { return since_enqueued(op, op.ended); });
  put_column(out, ops, [](const OpRow& op) { return track_code(op.enqueue_track); });
  put_column(out, ops, [](const OpRow& op) { return track_code(op.execute_track); });
  put_column(out, ops, [](const OpRow& op) { return op.output_bytes; });
  put_column(out, ops, [](const OpRow& op) { return op.flags; });
}

void put_arg(ByteWriter& out, const Arg& arg) {
  out.varint(raw(arg.key));
  out.u8(static_cast<std::uint8_t>(arg.value.index()));
  if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) out.svarint(*integer);
  if (const auto* number = std::get_if<double>(&arg.value)) out.f64(*number);
  if (const auto* text = std::get_if<StringId>(&arg.value)) out.varint(raw(*text));
}

}  // namespace

std::string encode_metadata(const Metadata& metadata) {
  ByteWriter out;
  out.varint(metadata.size());
  for (const auto& [key, value] : metadata) {
    out.text(key);
    out.text(value);
  }
  return out.take();
}

std::string encode_strings(std::uint64_t first_id, std::span<const std::string> strings) {
  ByteWriter out;
  out.varint(first_id);
  out.varint(strings.size());
  for (const std::string& text : strings) out.text(text);
  return out.take();
}

std::string encode_tracks(std::span<const TrackInfo> tracks) {
  ByteWriter out;
  out.varint(tracks.size());
  for (const TrackInfo& track : tracks) {
    out.varint(raw(track.id));
    out.varint(static_cast<std::uint64_t>(track_code(track.parent)));
    out.u8(static_cast<std::uint8_t>(track.kind));
    out.u8(static_cast<std::uint8_t>(track.unit));
    out.u8(static_cast<std::uint8_t>(track.role));
    out.u8(track.simulated ? 1 : 0);
    out.svarint(track.sort_order);
    out.svarint(track.pid);
    out.svarint(track.tid);
    out.text(track.name);
    out.text(track.device);
  }
  return out.take();
}

std::string encode_args(std::uint64_t first_id, std::span<const ArgSet> sets) {
  ByteWriter out;
  out.varint(first_id);
  out.varint(sets.size());
  for (const ArgSet& set : sets) {
    out.varint(set.size());
    for (const Arg& arg : set) put_arg(out, arg);
  }
  return out.take();
}

Payload encode_slices(std::span<const LaneChunk> lanes) {
  SummaryBuilder builder;
  std::uint64_t rows = 0;
  for (const LaneChunk& lane : lanes) {
    rows += lane.rows.size();
    builder.add(lane.rows.front().begin, lane.rows.back().end);
  }
  const bool one = lanes.size() == 1;
  const RowSummary summary = builder.finish(one ? lanes[0].track : kNoTrack, one ? lanes[0].depth : 0, rows);
  ByteWriter out;
  put_summary(out, summary);
  out.varint(lanes.size());
  for (const LaneChunk& lane : lanes) {
    out.varint(raw(lane.track));
    out.varint(lane.depth);
    out.varint(lane.rows.size());
    put_gaps(
        out, lane.rows, summary.first, [](const Slice& s) { return s.begin; },
        [](const Slice& s) { return s.end; });
    put_column(out, lane.rows, [](const Slice& s) { return ns_from(s.end - s.begin); });
    put_slice_facts(out, lane.rows, itself);
  }
  return out.take_payload();
}

Payload encode_counters(std::span<const CounterChunk> counters) {
  SummaryBuilder builder;
  std::uint64_t rows = 0;
  for (const CounterChunk& counter : counters) {
    rows += counter.rows.size();
    builder.add(counter.rows.front().at, counter.rows.back().at);
  }
  const RowSummary summary = builder.finish(counters.size() == 1 ? counters[0].track : kNoTrack, 0, rows);
  ByteWriter out;
  put_summary(out, summary);
  out.varint(counters.size());
  for (const CounterChunk& counter : counters) {
    out.varint(raw(counter.track));
    out.varint(counter.rows.size());
    const auto at = [](const CounterSample& sample) { return sample.at; };
    put_gaps(out, counter.rows, summary.first, at, at);
    put_counter_values(out, counter.rows);
  }
  return out.take_payload();
}

Payload encode_instants(std::span<const Instant> instants) {
  SummaryBuilder builder;
  for (const Instant& instant : instants) builder.add(instant.at, instant.at);
  const RowSummary summary = builder.finish(kNoTrack, 0, instants.size());
  ByteWriter out;
  put_summary(out, summary);
  const auto at = [](const Instant& instant) { return instant.at; };
  put_gaps(out, instants, summary.first, at, at);
  put_column(out, instants, [](const Instant& i) { return raw(i.track); });
  put_column(out, instants, [](const Instant& i) { return raw(i.name); });
  put_column(out, instants, [](const Instant& i) { return op_code(i.op); });
  put_column(out, instants, [](const Instant& i) { return raw(i.args); });
  return out.take_payload();
}

Payload encode_ops(std::span<const OpRow> ops) {
  SummaryBuilder builder;
  for (const OpRow& op : ops) {
    for (const Timestamp t : {op.enqueued, op.ready, op.started, op.ended}) builder.add_if_known(t);
  }
  ByteWriter out;
  put_summary(out, builder.finish(kNoTrack, 0, ops.size()));
  put_ops(out, ops);
  return out.take_payload();
}

Payload encode_flows(std::span<const Flow> flows) {
  SummaryBuilder builder;
  for (const Flow& flow : flows) {
    builder.add(flow.from_time, flow.from_time);
    builder.add(flow.to_time, flow.to_time);
  }
  ByteWriter out;
  put_summary(out, builder.finish(kNoTrack, 0, flows.size()));
  put_dense_column(out, flows, [](const Flow& f) { return ns_from(f.from_time); });
  put_column(out, flows,
             [](const Flow& f) { return wrapping_difference(ns_from(f.to_time), ns_from(f.from_time)); });
  put_column(out, flows, [](const Flow& f) { return raw(f.kind); });
  put_column(out, flows, [](const Flow& f) { return track_code(f.from_track); });
  put_column(out, flows, [](const Flow& f) { return track_code(f.to_track); });
  put_column(out, flows, [](const Flow& f) { return op_code(f.op); });
  put_column(out, flows, [](const Flow& f) { return raw(f.name); });
  return out.take_payload();
}

Payload encode_dependencies(std::span<const Dependency> dependencies) {
  SummaryBuilder builder;
  for (const Dependency& d : dependencies) builder.add(d.at, d.at);
  ByteWriter out;
  put_summary(out, builder.finish(kNoTrack, 0, dependencies.size()));
  put_dense_column(out, dependencies, [](const Dependency& d) { return op_code(d.op); });
  put_column(out, dependencies,
             [](const Dependency& d) { return wrapping_difference(op_code(d.op), op_code(d.on)); });
  put_column(out, dependencies, [](const Dependency& d) { return raw(d.kind); });
  put_column(out, dependencies, [](const Dependency& d) { return ns_from(d.at); });
  return out.take_payload();
}

Payload encode_allocations(std::span<const Allocation> allocations) {
  SummaryBuilder builder;
  for (const Allocation& h : allocations) {
    builder.add(h.begin, h.begin);
    builder.add_if_known(h.end);
  }
  ByteWriter out;
  put_summary(out, builder.finish(kNoTrack, 0, allocations.size()));
  put_dense_column(out, allocations, [](const Allocation& h) { return h.block; });
  put_column(out, allocations, [](const Allocation& h) { return raw(h.counter); });
  put_column(out, allocations, [](const Allocation& h) { return raw(h.category); });
  put_column(out, allocations, [](const Allocation& h) { return raw(h.name); });
  put_column(out, allocations, [](const Allocation& h) { return op_code(h.op); });
  put_column(out, allocations, [](const Allocation& h) { return h.size_bytes; });
  put_column(out, allocations, [](const Allocation& h) { return ns_from(h.begin); });
  // 0: held still; else one more than how long it was held.
  put_column(out, allocations,
             [](const Allocation& h) { return h.end == kNever ? 0 : (h.end - h.begin).count() + 1; });
  put_column(out, allocations, [](const Allocation& h) { return h.flags; });
  return out.take_payload();
}

Payload rows_again(BlockKind kind, Payload rows) {
  rows.bytes.insert(rows.bytes.begin(), static_cast<char>(kind));
  for (std::size_t& cut : rows.cuts) ++cut;
  return rows;
}

std::string encode_losses(const LossCounts& losses) {
  ByteWriter entries;
  std::uint64_t n = 0;
  for (int i = 0; i < kLossCauseCount; ++i) {
    const auto cause = static_cast<LossCause>(i);
    if (losses.of(cause) == 0) continue;
    entries.u8(static_cast<std::uint8_t>(i));
    entries.varint(losses.of(cause));
    ++n;
  }
  ByteWriter out;
  out.varint(n);
  out.raw(entries.view());
  return out.take();
}

std::string encode_open(std::span<const OpenSlice> slices, std::span<const OpRow> ops) {
  ByteWriter out;
  out.varint(slices.size());
  put_dense_column(out, slices, [](const OpenSlice& s) { return ns_from(s.slice.begin); });
  put_column(out, slices, [](const OpenSlice& s) { return raw(s.track); });
  put_column(out, slices, [](const OpenSlice& s) { return s.depth; });
  put_slice_facts(out, slices, slice_of);
  out.varint(ops.size());
  put_ops(out, ops);
  return out.take();
}

std::string encode_commit(Timestamp watermark) {
  ByteWriter out;
  out.svarint(ns_from(watermark));
  return out.take();
}

}  // namespace runahead::recordings
