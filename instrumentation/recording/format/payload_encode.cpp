#include <functional>

#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/format/row_coding.h"

namespace runahead::recordings {
using namespace trace;
namespace {

void put_optional_track(ByteWriter& out, TrackId id) {
  out.varint(static_cast<std::uint64_t>(columns::code_of_optional_track(id)));
}

void put_summary(ByteWriter& out, const RowSummary& summary) {
  put_optional_track(out, summary.track);
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

// Writes the added columns, which end a payload that is one sequence of rows.
template <typename Row>
Payload finish_rows(ByteWriter& out, std::span<const Row> rows) {
  put_added_columns<Row>(out, std::span(&rows, 1));
  return out.take_payload();
}

// Writes the added columns, which end a payload of several lanes or counters.
template <typename Row, typename Chunk>
Payload finish_chunks(ByteWriter& out, std::span<const Chunk> chunks) {
  if constexpr (kAddedCount<Row> != 0) {
    std::vector<std::span<const Row>> parts;
    for (const Chunk& chunk : chunks) parts.push_back(chunk.rows);
    put_added_columns<Row>(out, parts);
  }
  return out.take_payload();
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
    put_optional_track(out, track.parent);
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
    put_columns(out, lane.rows, summary.first);
  }
  return finish_chunks<Slice>(out, lanes);
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
    put_columns(out, counter.rows, summary.first);
  }
  return finish_chunks<CounterSample>(out, counters);
}

Payload encode_instants(std::span<const Instant> instants) {
  SummaryBuilder builder;
  for (const Instant& instant : instants) builder.add(instant.at, instant.at);
  const RowSummary summary = builder.finish(kNoTrack, 0, instants.size());
  ByteWriter out;
  put_summary(out, summary);
  put_columns(out, instants, summary.first);
  return finish_rows(out, instants);
}

Payload encode_ops(std::span<const OpRow> ops) {
  SummaryBuilder builder;
  for (const OpRow& op : ops) {
    for (const Timestamp t : {op.enqueued, op.ready, op.started, op.ended}) builder.add_if_known(t);
  }
  ByteWriter out;
  put_summary(out, builder.finish(kNoTrack, 0, ops.size()));
  put_columns(out, ops);
  return finish_rows(out, ops);
}

Payload encode_flows(std::span<const Flow> flows) {
  SummaryBuilder builder;
  for (const Flow& flow : flows) {
    builder.add(flow.from_time, flow.from_time);
    builder.add(flow.to_time, flow.to_time);
  }
  ByteWriter out;
  put_summary(out, builder.finish(kNoTrack, 0, flows.size()));
  put_columns(out, flows);
  return finish_rows(out, flows);
}

Payload encode_dependencies(std::span<const Dependency> dependencies) {
  SummaryBuilder builder;
  for (const Dependency& d : dependencies) builder.add(d.at, d.at);
  ByteWriter out;
  put_summary(out, builder.finish(kNoTrack, 0, dependencies.size()));
  put_columns(out, dependencies);
  return finish_rows(out, dependencies);
}

Payload encode_allocations(std::span<const Allocation> allocations) {
  SummaryBuilder builder;
  for (const Allocation& h : allocations) {
    builder.add(h.begin, h.begin);
    builder.add_if_known(h.end);
  }
  ByteWriter out;
  put_summary(out, builder.finish(kNoTrack, 0, allocations.size()));
  put_columns(out, allocations);
  return finish_rows(out, allocations);
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
  std::vector<std::int64_t> begins, tracks, depths;
  for (const OpenSlice& open : slices) {
    begins.push_back(ns_from(open.slice.begin));
    tracks.push_back(raw(open.track));
    depths.push_back(open.depth);
  }
  out.dense_column(begins);
  out.column(tracks);
  out.column(depths);
  put_columns_of_open<Slice>(out, slices, &OpenSlice::slice);
  out.varint(ops.size());
  put_columns(out, ops);
  put_added_columns<Slice>(out, std::span(&slices, 1), &OpenSlice::slice,
                           [&] { out.u8(RowDescription<Slice>::kBlock); });
  put_added_columns<OpRow>(out, std::span(&ops, 1), std::identity{},
                           [&] { out.u8(RowDescription<OpRow>::kBlock); });
  return out.take();
}

std::string encode_commit(Timestamp watermark) {
  ByteWriter out;
  out.svarint(ns_from(watermark));
  return out.take();
}

}  // namespace runahead::recordings
