#include <utility>

#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/format/payload_reader.h"
#include "instrumentation/recording/format/row_coding.h"

namespace runahead::recordings {
using namespace trace;
namespace {

void read_lane(PayloadReader& in, Timestamp start, LaneRows& out) {
  out.track = in.track();
  const std::uint64_t depth = in.in().varint();
  in.require(depth < kMaxDepth);
  out.depth = static_cast<std::uint32_t>(depth);
  const std::size_t n = in.rows(1);
  in.require(n > 0);
  if (!in.ok()) return;
  out.rows.resize(n);
  read_columns<Slice>(in, out.rows, start);
}

void read_counter(PayloadReader& in, Timestamp start, CounterRows& out) {
  out.track = in.track();
  const std::size_t n = in.rows(1);
  in.require(n > 0);
  if (!in.ok()) return;
  out.rows.resize(n);
  read_columns<CounterSample>(in, out.rows, start);
}

// Reads the end of a payload of several lanes or counters: the added columns (row_coding.h). An added column
// has the values of all rows of these lanes or counters, in order.
template <typename Row, typename Rows>
bool finish_shared(PayloadReader& in, std::vector<Rows>& parts, UnknownColumns* unknown) {
  if (!in.ok() || in.in().at_end()) return in.finish();
  std::vector<Row*> all;
  for (Rows& part : parts) {
    for (Row& row : part.rows) all.push_back(&row);
  }
  return read_added_columns<Row>(
      in, all.size(), [&](std::size_t i) -> Row& { return *all[i]; }, unknown);
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

// Returns the number of rows from the summary. Fails if the number is too large: each row takes at least one
// of the remaining bytes.
std::size_t bounded_rows(PayloadReader& in, const RowSummary& summary) {
  in.require(summary.rows <= kMaxBlockRows && summary.rows <= in.in().left());
  return in.ok() ? static_cast<std::size_t>(summary.rows) : 0;
}

// Decodes a payload that is one sequence of rows.
template <typename Row>
bool decode_rows(std::string_view payload, std::vector<Row>& out, UnknownColumns* unknown) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  const std::size_t n = bounded_rows(in, summary);
  out.assign(n, {});
  read_columns<Row>(in, out, summary.first);
  return read_added_columns<Row>(
      in, n, [&](std::size_t i) -> Row& { return out[i]; }, unknown);
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
    track.parent = in.optional_track();
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

bool decode_slices(std::string_view payload, std::vector<LaneRows>& out, UnknownColumns* unknown) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  out.assign(in.in().count(10), {});
  for (LaneRows& lane : out) {
    read_lane(in, summary.first, lane);
    if (!in.ok()) return false;
  }
  return finish_shared<Slice>(in, out, unknown);
}

bool decode_counters(std::string_view payload, std::vector<CounterRows>& out, UnknownColumns* unknown) {
  PayloadReader in(payload);
  const RowSummary summary = in.summary();
  out.assign(in.in().count(5), {});
  for (CounterRows& counter : out) {
    read_counter(in, summary.first, counter);
    if (!in.ok()) return false;
  }
  return finish_shared<CounterSample>(in, out, unknown);
}

bool decode_instants(std::string_view payload, std::vector<Instant>& out, UnknownColumns* unknown) {
  return decode_rows(payload, out, unknown);
}

bool decode_ops(std::string_view payload, std::vector<OpRow>& out, UnknownColumns* unknown) {
  return decode_rows(payload, out, unknown);
}

bool decode_flows(std::string_view payload, std::vector<Flow>& out, UnknownColumns* unknown) {
  return decode_rows(payload, out, unknown);
}

bool decode_dependencies(std::string_view payload, std::vector<Dependency>& out, UnknownColumns* unknown) {
  return decode_rows(payload, out, unknown);
}

bool decode_allocations(std::string_view payload, std::vector<Allocation>& out, UnknownColumns* unknown) {
  return decode_rows(payload, out, unknown);
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

bool decode_open(std::string_view payload, std::vector<OpenSlice>& slices, std::vector<OpRow>& ops,
                 UnknownColumns* unknown) {
  PayloadReader in(payload);
  const std::size_t n = in.rows(1);
  slices.assign(n, {});
  in.dense_column(n, [&](std::size_t i, std::int64_t v) {
    slices[i].slice.begin = slices[i].slice.end = timestamp_from_ns(v);
    return columns::time_fits(v);
  });
  in.column(n, [&](std::size_t i, std::int64_t v) {
    slices[i].track = TrackId{static_cast<std::uint32_t>(v)};
    return v >= 0 && v <= kMaxId;
  });
  in.column(n, [&](std::size_t i, std::int64_t v) {
    slices[i].depth = static_cast<std::uint32_t>(v);
    return v >= 0 && v < kMaxDepth;
  });
  const auto slice_at = [&](std::size_t i) -> Slice& { return slices[i].slice; };
  read_columns_of_open<Slice>(in, n, slice_at);
  ops.assign(in.rows(1), OpRow{});
  read_columns<OpRow>(in, ops);
  // The added columns come last. Before each column, one byte has the block kind of its rows (slices or ops).
  // Columns of slices come first.
  std::uint64_t last_of_slices = kLastFixedId<Slice>, last_of_ops = kLastFixedId<OpRow>;
  while (in.ok() && !in.in().at_end()) {
    const std::uint8_t kind = in.in().u8();
    if (kind == RowDescription<Slice>::kBlock) {
      read_added_column<Slice>(in, n, slice_at, last_of_slices, unknown);
    } else {
      in.require(kind == RowDescription<OpRow>::kBlock);
      read_added_column<OpRow>(
          in, ops.size(), [&](std::size_t i) -> OpRow& { return ops[i]; }, last_of_ops, unknown);
    }
  }
  return in.finish();
}

bool decode_commit(std::string_view payload, Timestamp& watermark) {
  PayloadReader in(payload);
  const std::int64_t ns = in.in().svarint();
  in.require(columns::time_fits(ns));
  watermark = timestamp_from_ns(ns);
  return in.finish();
}

bool decode_summary(std::string_view payload, RowSummary& out) {
  PayloadReader in(payload);
  out = in.summary();
  return in.ok();
}

}  // namespace runahead::recordings
