#include "instrumentation/query/trace_tables.h"

#include <algorithm>
#include <array>
#include <utility>

namespace runahead::query {
namespace {

class NumberedTableRows final : public NumberedRows {
 public:
  explicit NumberedTableRows(const NumberedTable& table)
      : NumberedRows(table.size(), table.number_column()), table_(table) {}
  void column(int column, Value& value) const override { table_.value(at(), column, value); }

 private:
  const NumberedTable& table_;
};

// True if a string of the trace is the name of a call that may wait, although waiting is not its purpose.
bool names_other_waits(const trace::Trace& trace) {
  using causes::CallRole;
  for (std::uint64_t id = 0; id < trace.string_count(); ++id) {
    const CallRole role = causes::call_role(trace.string(StringId{static_cast<std::uint32_t>(id)}));
    if (causes::is_launch(role) || role == CallRole::kAsyncCopy || role == CallRole::kCopy ||
        role == CallRole::kAllocate || role == CallRole::kFree)
      return true;
  }
  return false;
}

}  // namespace

std::unique_ptr<Rows> NumberedTable::rows() const { return std::make_unique<NumberedTableRows>(*this); }

TraceTables::TraceTables(trace::Trace trace) : trace_(std::move(trace)) {
  for (const trace::Track& track : trace_.tracks()) {
    for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
      const trace::Lane& lane = track.lanes[depth];
      lanes_.push_back({track.info.id, static_cast<std::uint32_t>(depth), &lane, closed_count_});
      closed_count_ += lane.size();
    }
  }
  add_slice_tables(*this, tables_);
  add_op_tables(*this, tables_);
  add_edge_table(*this, tables_);
  add_allocation_tables(*this, tables_);
  add_sample_tables(*this, tables_);
  add_fact_tables(*this, tables_);
}

std::optional<SlicePlace> TraceTables::place_of(std::int64_t id) const {
  const auto number = static_cast<std::uint64_t>(id);
  if (id < 0 || number >= slice_count()) return std::nullopt;
  if (number >= closed_count_) {
    const std::uint64_t index = number - closed_count_;
    const trace::OpenSlice& open = trace_.open_slices()[index];
    return SlicePlace{open.track, open.depth, index, true};
  }
  const auto after = std::ranges::upper_bound(lanes_, number, {}, &LaneIds::first_id);
  const LaneIds& lane = *std::prev(after);
  return SlicePlace{lane.track, lane.depth, lane.lane->first_row() + (number - lane.first_id), false};
}

std::optional<std::uint64_t> TraceTables::slice_of_op(const trace::OpRow& op) const {
  if (op.execute_track == kNoTrack || op.started == trace::kNever) return std::nullopt;
  const auto lanes = std::ranges::equal_range(lanes_, op.execute_track, {}, &LaneIds::track);
  for (const LaneIds& ids : lanes) {
    std::uint64_t row = ids.lane->first_row_beginning_from(op.started);
    for (; row < ids.lane->end_row() && ids.lane->begin(row) == op.started; ++row) {
      if (ids.lane->slice(row).op == op.id) return ids.first_id + (row - ids.lane->first_row());
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> TraceTables::slice_at(TrackId track, Timestamp begin, StringId name) const {
  for (const LaneIds& ids : std::ranges::equal_range(lanes_, track, {}, &LaneIds::track)) {
    std::uint64_t row = ids.lane->first_row_beginning_from(begin);
    for (; row < ids.lane->end_row() && ids.lane->begin(row) == begin; ++row) {
      if (ids.lane->slice(row).name == name) return ids.first_id + (row - ids.lane->first_row());
    }
  }
  const auto is_it = [&](const trace::OpenSlice& open) {
    return open.track == track && open.slice.begin == begin && open.slice.name == name;
  };
  const auto open = std::ranges::find_if(trace_.open_slices(), is_it);
  if (open == trace_.open_slices().end()) return std::nullopt;
  return closed_count_ + static_cast<std::uint64_t>(open - trace_.open_slices().begin());
}

std::optional<std::uint64_t> TraceTables::slice_around(TrackId track, Timestamp at) const {
  std::optional<std::uint64_t> innermost;
  for (const LaneIds& ids : std::ranges::equal_range(lanes_, track, {}, &LaneIds::track)) {
    // a slice of length zero contains only its begin
    std::uint64_t row = ids.lane->first_row_beginning_from(at);
    if (row == ids.lane->end_row() || ids.lane->begin(row) != at) row = ids.lane->first_row_ending_after(at);
    if (row == ids.lane->end_row() || ids.lane->begin(row) > at) continue;
    innermost = ids.first_id + (row - ids.lane->first_row());
    if (ids.lane->slice(row).kind == trace::SliceKind::kEnqueue) break;
  }
  return innermost;
}

bool holds_slice_ids(std::string_view table, std::string_view column) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kColumns{
      {{"slice", "id"}, {"wait", "slice"}, {"op", "slice"}, {"edge", "from_slice"}, {"edge", "to_slice"}}};
  return std::ranges::find(kColumns, std::pair(table, column)) != kColumns.end();
}

std::int64_t op_key(OpId op) { return static_cast<std::int64_t>(raw(op)); }

std::optional<OpId> one_op(const Interval& wanted) {
  if (wanted.low != wanted.high) return std::nullopt;
  return OpId{static_cast<std::uint64_t>(wanted.low)};
}

void put_track(TrackId track, Value& value) {
  if (track != kNoTrack) value.integer(raw(track));
}

void put_op(OpId op, Value& value) {
  if (op != kNoOp) value.integer(op_key(op));
}

void put_time(Timestamp at, Value& value) {
  if (at != trace::kNever) value.integer(ns_from(at));
}

const causes::Synchronisations& TraceTables::synchronisations() const {
  if (!synchronisations_) synchronisations_ = std::make_unique<const causes::Synchronisations>(trace_);
  return *synchronisations_;
}

// Returns the id of the call's slice, if it is not of kind wait.
std::optional<std::uint64_t> TraceTables::slice_of(const causes::HostCall& call) const {
  const auto lane =
      std::ranges::lower_bound(lanes_, std::pair(call.thread, call.depth), {},
                               [](const LaneIds& ids) { return std::pair(ids.track, ids.depth); });
  if (call.open || lane == lanes_.end() || lane->track != call.thread || lane->depth != call.depth)
    return std::nullopt;
  std::uint64_t row = lane->lane->first_row_beginning_from(call.begin);
  for (; row < lane->lane->end_row() && lane->lane->begin(row) == call.begin; ++row) {
    const trace::Slice slice = lane->lane->slice(row);
    if (slice.name != call.name || slice.end != call.end) continue;
    if (slice.kind == trace::SliceKind::kWait) return std::nullopt;
    return lane->first_id + (row - lane->lane->first_row());
  }
  return std::nullopt;
}

std::span<const std::uint64_t> TraceTables::other_waits() const {
  if (other_waits_) return *other_waits_;
  other_waits_.emplace();
  if (!names_other_waits(trace_)) return *other_waits_;
  for (const causes::Synchronisations::Part& part : synchronisations().parts()) {
    for (const causes::Synchronisation& sync : part.all) {
      if (const auto id = slice_of(part.execution.calls()[sync.call])) other_waits_->push_back(*id);
    }
  }
  std::ranges::sort(*other_waits_);
  return *other_waits_;
}

}  // namespace runahead::query
