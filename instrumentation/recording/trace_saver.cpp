#include "instrumentation/recording/trace_saver.h"

#include <algorithm>
#include <utility>

#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/lane_reader.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::recordings {
using namespace trace;
namespace {

constexpr std::uint64_t kRowsAtOnce = 1u << 16;

}  // namespace

std::uint64_t TraceSaver::rows_of(const Trace& trace) {
  const TraceCounts counts = trace.counts();
  return counts.slices + counts.counter_samples + counts.instants + counts.ops + counts.flows +
         counts.dependencies + counts.allocations;
}

Status TraceSaver::hand_over(Batch& batch, std::uint64_t rows) {
  if (Status status = writer_.write(batch); !status) return status;
  batch = Batch{};
  done_ += rows;
  if (progress_ && !progress_(static_cast<double>(done_) / static_cast<double>(total_))) {
    return Error{"saving was cancelled"};
  }
  return Ok{};
}

Status TraceSaver::add_definitions(const Trace& trace) {
  Batch batch;
  const bool first_strings = strings_ == 1;
  for (; strings_ < trace.string_count(); ++strings_) {
    batch.strings.emplace_back(trace.string(StringId{static_cast<std::uint32_t>(strings_)}));
  }
  // Every file already has the empty string as string 0. Therefore the writer drops the first string that it
  // receives if that string is empty. This function passes the strings from id 1 on. If string 1 is empty
  // too, the writer must not drop it. Therefore this function puts an additional empty string before it,
  // which the writer drops instead.
  if (first_strings && !batch.strings.empty() && batch.strings.front().empty())
    batch.strings.insert(batch.strings.begin(), "");
  while (args_ < trace.args_count()) {
    const std::span<const Arg> set = trace.args(ArgsId{static_cast<std::uint32_t>(++args_)});
    batch.args.emplace_back(set.begin(), set.end());
  }
  for (const Track& track : trace.tracks()) {
    const std::size_t id = raw(track.info.id);
    if (id < tracks_.size() && tracks_[id] == track.info) continue;
    if (id >= tracks_.size()) tracks_.resize(id + 1);
    tracks_[id] = track.info;
    batch.tracks.push_back(track.info);
  }
  return hand_over(batch, 0);
}

template <typename Add>
Status TraceSaver::add_rows(std::uint64_t n, Add add) {
  Batch batch;
  std::uint64_t in_batch = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    add(batch, i);
    if (++in_batch == kRowsAtOnce || i + 1 == n) {
      if (Status status = hand_over(batch, std::exchange(in_batch, 0)); !status) return status;
    }
  }
  return Ok{};
}

Status TraceSaver::add_track(const Track& track, const LeavesOut& leaves_out) {
  for (std::uint32_t depth = 0; depth < track.lanes.size(); ++depth) {
    const Lane& lane = track.lanes[depth];
    LaneReader reader(lane);
    Status status = add_rows(lane.size(), [&](Batch& batch, std::uint64_t i) {
      const Slice slice = reader.slice(lane.first_row() + i);
      if (leaves_out && leaves_out(track.info.id, depth, slice)) return;
      if (batch.lanes.empty()) batch.lanes.push_back({track.info.id, depth, {}});
      batch.lanes[0].rows.push_back(slice);
    });
    if (!status) return status;
  }
  const CounterSeries& counter = track.counter;
  CounterReader samples(counter);
  return add_rows(counter.end_row() - counter.first_row(), [&](Batch& batch, std::uint64_t i) {
    if (batch.counters.empty()) batch.counters.push_back({track.info.id, {}});
    batch.counters[0].rows.push_back(samples.sample(counter.first_row() + i));
  });
}

Status TraceSaver::add_tables(const Trace& trace) {
  InstantReader instants(trace.instants());
  Status status = add_rows(instants.size(),
                           [&](Batch& b, std::uint64_t i) { b.instants.push_back(instants.instant(i)); });
  if (!status) return status;
  status = add_rows(trace.op_count(), [&](Batch& b, std::uint64_t i) { b.ops.push_back(trace.op_row(i)); });
  if (!status) return status;
  status = add_rows(trace.flow_count(), [&](Batch& b, std::uint64_t i) { b.flows.push_back(trace.flow(i)); });
  if (!status) return status;
  status = add_rows(trace.dependency_count(),
                    [&](Batch& b, std::uint64_t i) { b.dependencies.push_back(trace.dependency(i)); });
  if (!status) return status;
  return add_rows(trace.allocations().size(),
                  [&](Batch& b, std::uint64_t i) { b.allocations.push_back(trace.allocations().row(i)); });
}

Status TraceSaver::add(const Trace& trace, const LeavesOut& leaves_out) {
  if (Status status = add_definitions(trace); !status) return status;
  for (const Track& track : trace.tracks()) {
    if (Status status = add_track(track, leaves_out); !status) return status;
  }
  if (Status status = add_tables(trace); !status) return status;
  // The losses are added last: reading the rows above may have found damaged blocks, which count as losses.
  losses_.add(trace.losses());
  return Ok{};
}

Status TraceSaver::finish(const Trace& last, const LossCounts& more) {
  Batch end;
  end.open_slices.assign(last.open_slices().begin(), last.open_slices().end());
  end.open_ops.assign(last.open_ops().begin(), last.open_ops().end());
  end.losses = losses_;
  end.losses.add(more);
  end.watermark = last.watermark();
  if (Status status = hand_over(end, 1); !status) return status;
  return writer_.finish();
}

}  // namespace runahead::recordings
