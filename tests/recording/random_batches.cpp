#include "tests/recording/random_batches.h"

#include <algorithm>
#include <string>

#include "tests/support/random_columns.h"

namespace runahead::testing {

using namespace trace;

void RandomSource::define(Batch& batch) {
  if (tracks_ == 0) {
    batch.strings.emplace_back();  // id 0
    TrackInfo group;
    group.id = TrackId{tracks_++};
    group.kind = TrackKind::kGroup;
    group.name = "virtual:0";
    group.simulated = true;
    batch.tracks.push_back(group);
  }
  for (int i = 0; i < 3; ++i) {
    batch.strings.push_back("name \"" + std::to_string(strings_++) + "\"\n\x01\xff" + std::string(1, '\0'));
  }
  ArgSet set;
  set.push_back({any_string(), std::int64_t{uniform(-5, 1'000'000'000'000)}});
  set.push_back({any_string(), 0.1 * static_cast<double>(uniform(0, 100))});
  set.push_back({any_string(), any_string()});
  batch.args.push_back(set);
  ++args_;
  if (tracks_ > 12) return;
  TrackInfo track;
  track.id = TrackId{tracks_++};
  track.parent = uniform(0, 1) == 0 ? kNoTrack : TrackId{0};
  const bool counter = uniform(0, 2) == 0;
  track.kind = counter ? TrackKind::kCounter : TrackKind::kStream;
  if (counter) track.role = static_cast<CounterRole>(uniform(0, kCounterRoleCount - 1));
  if (counter) track.unit = static_cast<Unit>(uniform(0, kUnitCount - 1));
  track.sort_order = static_cast<std::int32_t>(uniform(-3, 100));
  track.tid = uniform(0, 1 << 20);
  track.name = "track " + std::to_string(raw(track.id));
  track.device = "virtual:0";
  batch.tracks.push_back(track);
  if (counter) {
    counter_tracks_.push_back(track.id);
    counter_ends_.emplace_back();
  } else {
    slice_tracks_.push_back(track.id);
    lane_ends_.emplace_back();
  }
}

OpId RandomSource::any_op() {
  const OpId op{static_cast<std::uint64_t>(uniform(0, 1 << 30)) << uniform(0, 30)};
  return op_number(op) == 0 ? kNoOp : op;  // number 0 is no op: an engine's first op has number 1
}

Slice RandomSource::slice_after(Timestamp begin) {
  Slice slice;
  slice.begin = begin;
  slice.end = begin + Duration{uniform(0, 3) == 0 ? 0 : uniform(0, 100'000)};
  fill_columns(slice, *this);
  return slice;
}

void RandomSource::add_lanes(Batch& batch) {
  for (std::size_t t = 0; t < slice_tracks_.size(); ++t) {
    for (std::uint32_t depth = 0; depth < kDepths; ++depth) {
      if (uniform(0, 2) == 0) continue;
      LaneRows lane{slice_tracks_[t], depth, {}};
      Timestamp at = lane_ends_[t][depth];
      for (std::int64_t n = rows_of_lane(); n > 0; --n) {
        lane.rows.push_back(slice_after(at + Duration{uniform(0, 1) * uniform(0, 5000)}));
        at = lane.rows.back().end;
      }
      lane_ends_[t][depth] = at;
      now_ = std::max(now_, at);
      batch.lanes.push_back(std::move(lane));
    }
  }
}

void RandomSource::add_counters(Batch& batch) {
  for (std::size_t c = 0; c < counter_tracks_.size(); ++c) {
    CounterRows rows{counter_tracks_[c], {}};
    const bool whole = uniform(0, 1) == 0;
    for (std::int64_t n = rows_of_lane(); n > 0; --n) {
      counter_ends_[c] += Duration{uniform(0, 3000)};
      const auto value = static_cast<double>(uniform(-1'000'000, 1'000'000));
      CounterSample sample{counter_ends_[c], whole ? value : value / 7};
      fill_added_columns(sample, *this);
      rows.rows.push_back(sample);
    }
    batch.counters.push_back(std::move(rows));
  }
}

void RandomSource::add_others(Batch& batch) {
  if (slice_tracks_.empty()) return;
  Timestamp at = now_;
  for (std::int64_t n = rows_of_lane() - 1; n > 0; --n) {
    at += Duration{uniform(0, 100)};
    Instant instant{.at = at};
    fill_columns(instant, *this);
    instant.op = OpId{next_op_};
    batch.instants.push_back(instant);
  }
  for (std::int64_t n = uniform(0, 6); n > 0; --n) {
    OpRow op;
    fill_columns(op, *this);
    op.id = OpId{next_op_++};
    op.step = uniform(-1, 50);
    op.flags &= kSliceLate | kSliceFailed;
    op.enqueued = now_;
    op.ready = now_ + Duration{5};
    op.ended = now_ + Duration{uniform(6, 1000)};
    if (op.enqueue_track == kNoTrack) op.enqueue_track = any_track();
    batch.ops.push_back(op);
    Flow flow;
    fill_columns(flow, *this);
    flow.op = op.id;
    flow.from_time = now_;
    flow.to_time = now_ + Duration{uniform(-10, 1000)};
    if (flow.from_track == kNoTrack) flow.from_track = any_track();
    if (flow.to_track == kNoTrack) flow.to_track = any_track();
    batch.flows.push_back(flow);
    for (std::int64_t before = uniform(0, 3); before > 0 && raw(op.id) > 1; --before) {
      const auto on = OpId{static_cast<std::uint64_t>(uniform(1, static_cast<std::int64_t>(raw(op.id)) - 1))};
      Dependency dependency;
      fill_columns(dependency, *this);
      dependency.op = op.id;
      dependency.on = on;
      dependency.at = now_;
      batch.dependencies.push_back(dependency);
    }
  }
}

// Frees about half of the allocations in a later batch.
void RandomSource::add_allocations(Batch& batch) {
  if (counter_tracks_.empty()) return;
  for (std::int64_t n = uniform(0, 8); n > 0; --n) {
    const bool again = !held_.empty() && uniform(0, 1) == 0;
    Allocation row;
    fill_columns(row, *this);
    row.block = next_block_;
    row.op = OpId{static_cast<std::uint64_t>(uniform(0, 1000))};
    row.begin = now_ - Duration{uniform(0, 1'000'000)};
    if (again) {
      row = held_.back();
      held_.pop_back();
    } else {
      ++next_block_;
    }
    if (again || uniform(0, 2) == 0) {
      row.end = row.begin + Duration{uniform(0, 1'000'000'000)};
      fill_added_columns(row, *this);  // the time of the drop depends on the end
    } else {
      held_.push_back(row);
    }
    batch.allocations.push_back(row);
  }
}

Batch RandomSource::next() {
  Batch batch;
  define(batch);
  add_lanes(batch);
  add_counters(batch);
  add_others(batch);
  add_allocations(batch);
  if (uniform(0, 3) == 0) batch.losses.add(LossCause::kBufferFull, static_cast<std::uint64_t>(uniform(1, 9)));
  batch.watermark = now_;
  return batch;
}

}  // namespace runahead::testing
