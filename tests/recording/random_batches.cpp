#include "tests/recording/random_batches.h"

#include <algorithm>
#include <string>

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

Slice RandomSource::slice_after(Timestamp begin) {
  Slice slice;
  slice.begin = begin;
  slice.end = begin + Duration{uniform(0, 3) == 0 ? 0 : uniform(0, 100'000)};
  slice.name = any_string();
  slice.kind = static_cast<SliceKind>(uniform(0, kSliceKindCount - 1));
  slice.flags = static_cast<std::uint8_t>(uniform(0, 31));
  slice.op = OpId{static_cast<std::uint64_t>(uniform(0, 1 << 30)) << uniform(0, 30)};
  if (op_number(slice.op) == 0) slice.op = kNoOp;  // an engine counts its ops from 1
  slice.size_bytes = uniform(0, 3) == 0 ? uniform(0, std::int64_t{1} << 40) : 0;
  slice.args = any_args();
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
      rows.rows.push_back({counter_ends_[c], whole ? value : value / 7});
    }
    batch.counters.push_back(std::move(rows));
  }
}

void RandomSource::add_others(Batch& batch) {
  if (slice_tracks_.empty()) return;
  const auto any_track = [&] {
    return slice_tracks_[static_cast<std::size_t>(
        uniform(0, static_cast<std::int64_t>(slice_tracks_.size()) - 1))];
  };
  Timestamp at = now_;
  for (std::int64_t n = rows_of_lane() - 1; n > 0; --n) {
    at += Duration{uniform(0, 100)};
    batch.instants.push_back({at, any_track(), any_string(), OpId{next_op_}, any_args()});
  }
  for (std::int64_t n = uniform(0, 6); n > 0; --n) {
    OpRow op{OpId{next_op_++},
             any_string(),
             uniform(-1, 50),
             now_,
             now_ + Duration{5},
             kNever,
             now_ + Duration{uniform(6, 1000)},
             any_track(),
             uniform(0, 1) == 0 ? kNoTrack : any_track(),
             uniform(0, 1 << 20),
             static_cast<std::uint8_t>(uniform(0, 3))};
    batch.ops.push_back(op);
    batch.flows.push_back({static_cast<FlowKind>(uniform(0, 4)), any_track(), any_track(), now_,
                           now_ + Duration{uniform(-10, 1000)}, op.id, any_string()});
    for (std::int64_t before = uniform(0, 3); before > 0 && raw(op.id) > 1; --before) {
      const auto on = OpId{static_cast<std::uint64_t>(uniform(1, static_cast<std::int64_t>(raw(op.id)) - 1))};
      batch.dependencies.push_back({op.id, on, static_cast<DependencyKind>(uniform(0, 2)), now_});
    }
  }
}

// Half of what is taken is given back in a later batch.
void RandomSource::add_allocations(Batch& batch) {
  if (counter_tracks_.empty()) return;
  for (std::int64_t n = uniform(0, 8); n > 0; --n) {
    const bool again = !held_.empty() && uniform(0, 1) == 0;
    Allocation row{.block = next_block_,
                   .counter = counter_tracks_[static_cast<std::size_t>(
                       uniform(0, static_cast<std::int64_t>(counter_tracks_.size()) - 1))],
                   .category = any_string(),
                   .name = any_string(),
                   .op = OpId{static_cast<std::uint64_t>(uniform(0, 1000))},
                   .size_bytes = uniform(0, 1 << 30),
                   .begin = now_ - Duration{uniform(0, 1'000'000)},
                   .flags = static_cast<std::uint8_t>(uniform(0, 3))};
    if (again) {
      row = held_.back();
      held_.pop_back();
    } else {
      ++next_block_;
    }
    if (again || uniform(0, 2) == 0) {
      row.end = row.begin + Duration{uniform(0, 1'000'000'000)};
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
