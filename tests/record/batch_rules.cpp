#include "tests/record/batch_rules.h"

#include <algorithm>
#include <set>

namespace runahead::testing {

void BatchRules::expect(bool holds, const char* rule, const char* where) {
  if (!holds) broken_ += std::string(rule) + where + "\n";
}

std::string BatchRules::broken_by(const trace::Batch& batch) {
  broken_.clear();
  check_definitions(batch);
  check_lanes(batch);
  check_counters(batch);
  check_others(batch);
  return broken_;
}

void BatchRules::check_definitions(const trace::Batch& batch) {
  if (strings_ == 0 && !batch.strings.empty()) expect(batch.strings.front().empty(), "string 0 is not empty");
  strings_ += static_cast<std::uint32_t>(batch.strings.size());
  for (const trace::TrackInfo& info : batch.tracks) {
    expect(raw(info.id) <= tracks_, "track ids are not dense");
    tracks_ = std::max(tracks_, raw(info.id) + 1);
    if (info.parent != kNoTrack)
      expect(raw(info.parent) < raw(info.id), "a parent is defined after its child");
  }
}

void BatchRules::check_track(TrackId track, const char* where) {
  expect(raw(track) < tracks_, "an undefined track in ", where);
}

void BatchRules::check_slice(const trace::Slice& slice, const char* where) {
  expect(raw(slice.name) < strings_, "an undefined name in ", where);
  expect(slice.end >= slice.begin, "an end before its begin in ", where);
}

void BatchRules::check_lanes(const trace::Batch& batch) {
  std::set<LaneKey> seen;
  for (const trace::LaneRows& lane : batch.lanes) {
    const LaneKey key{raw(lane.track), lane.depth};
    check_track(lane.track, "lanes");
    expect(seen.insert(key).second, "two entries of one lane");
    auto& last = lane_ends_.try_emplace(key, timestamp_from_ns(INT64_MIN)).first->second;
    for (const trace::Slice& slice : lane.rows) {
      check_slice(slice, "lanes");
      expect(slice.begin >= last, "rows of a lane overlap or are out of order");
      last = slice.end;
    }
  }
}

void BatchRules::check_counters(const trace::Batch& batch) {
  std::set<std::uint32_t> seen;
  for (const trace::CounterRows& counter : batch.counters) {
    check_track(counter.track, "counters");
    expect(seen.insert(raw(counter.track)).second, "two entries of one counter");
    auto& last = counter_ends_.try_emplace(raw(counter.track), timestamp_from_ns(INT64_MIN)).first->second;
    for (const trace::CounterSample& sample : counter.rows) {
      expect(sample.at >= last, "samples of a counter are out of order");
      last = sample.at;
    }
  }
}

void BatchRules::check_others(const trace::Batch& batch) {
  expect(std::is_sorted(batch.instants.begin(), batch.instants.end(),
                        [](const trace::Instant& a, const trace::Instant& b) { return a.at < b.at; }),
         "instants are out of order");
  for (const trace::Instant& instant : batch.instants) check_track(instant.track, "instants");
  for (const trace::Flow& flow : batch.flows) {
    const bool leaves = flow.from_track != kNoTrack, arrives = flow.to_track != kNoTrack;
    if (leaves) check_track(flow.from_track, "flows");
    if (arrives) check_track(flow.to_track, "flows");
    expect((leaves && arrives) || (flow.is_half() && leaves != arrives && flow.from_time == flow.to_time),
           "a flow without a track, that is no half of a message");
  }
  for (const trace::Allocation& row : batch.allocations) {
    check_track(row.counter, "allocations");
    expect(raw(row.name) < strings_ && raw(row.category) < strings_, "an undefined name in ", "allocations");
    expect(row.end == trace::kNever || row.end >= row.begin, "an end before its begin in ", "allocations");
    expect(row.dropped == trace::kNever ||
               (row.end != trace::kNever && row.dropped >= row.begin && row.dropped <= row.end),
           "a drop outside of its block's life in ", "allocations");
    expect(row.early_drop_ns >= 0 && (row.early_drop_ns == 0 || row.dropped == row.begin),
           "a drop before the begin that is not at the begin in ", "allocations");
  }
  expect(batch.watermark >= watermark_, "the watermark went back");
  watermark_ = batch.watermark;
  std::set<LaneKey> open_lanes;
  for (const trace::OpenSlice& open : batch.open_slices) {
    check_track(open.track, "open slices");
    expect(open_lanes.insert({raw(open.track), open.depth}).second, "two open slices on one lane");
    expect(open.slice.begin <= batch.watermark, "an open slice begins after the watermark");
    const auto last = lane_ends_.find({raw(open.track), open.depth});
    expect(last == lane_ends_.end() || open.slice.begin >= last->second, "an open slice overlaps its lane");
  }
}

}  // namespace runahead::testing
