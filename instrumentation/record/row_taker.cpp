#include "instrumentation/record/row_taker.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <type_traits>

#include "instrumentation/record/hooks/recorder_state.h"
#include "instrumentation/trace/rows/column.h"

namespace runahead::record {

namespace {

// The clocks of devices and of the host differ by much less.
constexpr Duration kMostAhead = std::chrono::hours(1);

}  // namespace

bool RowTaker::possible(std::int64_t at_ns) {
  if (at_ns <= latest_possible_ns_) return true;
  context_.batch.lose(trace::LossCause::kDeviceNoTimes);
  return false;
}

void RowTaker::take() {
  latest_possible_ns_ =
      context_.clock.origin_ns() + (context_.clock.now() - Timestamp{} + kMostAhead).count();
  complete_ns_ = sources_.empty() ? INT64_MIN : INT64_MAX;
  std::erase_if(sources_, [this](const std::shared_ptr<RowSource>& source) {
    const bool goes_on = source->take(rows_);
    take_rows();
    if (goes_on) complete_ns_ = std::min(complete_ns_, rows_.complete_ns);
    rows_.clear();
    return !goes_on;
  });
}

std::optional<Timestamp> RowTaker::complete_until() const {
  if (sources_.empty()) return std::nullopt;
  return context_.clock.at_ns(std::max(complete_ns_, context_.clock.origin_ns()));
}

void RowTaker::take_rows() {
  for (const RowBegun& begun : rows_.begun) take_begun(begun);
  for (const RowSlice& slice : rows_.slices) take_slice(slice);
  for (const RowInstant& instant : rows_.instants) take_instant(instant);
  for (const RowFlow& flow : rows_.flows) take_flow(flow);
  for (const RowSample& sample : rows_.samples) take_sample(sample);
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (const std::uint64_t count = rows_.losses.of(cause); count != 0) context_.batch.lose(cause, count);
  }
}

void RowTaker::take_begun(const RowBegun& row) {
  if (!possible(row.begin_ns)) return;
  const Timestamp begin = context_.clock.at_ns(row.begin_ns);
  context_.async_track(desc_of(row.place))
      .begin({.begin = begin,
              .end = begin,
              .name = context_.batch.name_of(row.site),
              .kind = row.site == nullptr ? trace::SliceKind::kZone : row.site->kind},
             row.id);
}

void RowTaker::take_slice(const RowSlice& row) {
  if (!within(row.end_ns) || !possible(row.begin_ns)) return;
  TimeRange during{context_.clock.at_ns(row.begin_ns), context_.clock.at_ns(row.end_ns)};
  if (during.end < during.begin) {
    context_.batch.lose(trace::LossCause::kClockWentBack);
    during.end = during.begin;
  }
  const TrackDesc& desc = desc_of(row.place);
  // A damaged record may give any size. A file holds none that is larger than memory can be.
  const bool fits = row.size_bytes >= -trace::kMaxSizeBytes && row.size_bytes <= trace::kMaxSizeBytes;
  const std::int64_t bytes = fits ? row.size_bytes : 0;
  const auto kind = row.site == nullptr ? trace::SliceKind::kZone : row.site->kind;
  context_.async_track(desc).add({during.begin, during.end, context_.batch.name_of(row.site), kind, row.flags,
                                  row.op, bytes, args_of(row)},
                                 row.begun);
  const bool counted = (row.flags & trace::kSlicePartOfOp) == 0;
  if (is_copy(kind) && counted) bandwidth_.copied(desc, during, bytes);
}

ArgsId RowTaker::args_of(const RowSlice& row) {
  if (row.arg_count == 0) return context_.batch.args_of(row.site);
  trace::ArgSet set;
  set.reserve(row.arg_count);
  for (std::uint32_t i = row.first_arg; i < row.first_arg + row.arg_count; ++i) {
    const RowArg& arg = rows_.args[i];
    const StringId key = context_.batch.literal(arg.key);
    set.push_back({key, std::visit(
                            [&](const auto value) -> trace::ArgValue {
                              if constexpr (std::is_same_v<std::decay_t<decltype(value)>, const char*>) {
                                return context_.batch.literal(value);
                              } else {
                                return value;
                              }
                            },
                            arg.value)});
  }
  return context_.batch.args_of(set);
}

void RowTaker::take_instant(const RowInstant& row) {
  if (!within(row.at_ns)) return;
  const TrackId track = context_.async_track(desc_of(row.place)).id();
  context_.batch.add(trace::Instant{context_.clock.at_ns(row.at_ns), track, context_.batch.name_of(row.site),
                                    kNoOp, context_.batch.args_of(row.site)});
}

void RowTaker::take_flow(const RowFlow& row) {
  if (!within(row.from_ns) || !possible(row.to_ns)) return;
  const TrackId from = track_of(row.from);
  if (from == kNoTrack && row.op != kNoOp) {
    unbound_.push_back(row);
  } else {
    add_flow(row, from, context_.clock.at_ns(row.from_ns));
  }
}

void RowTaker::add_flow(const RowFlow& row, TrackId from, Timestamp from_time) {
  const TrackId to = track_of(row.to);
  // the thread recorded nothing, so there is no slice at which the arrow could start or end
  if (from == kNoTrack || to == kNoTrack) return context_.batch.lose(trace::LossCause::kUnboundFlow);
  context_.batch.add(trace::Flow{.kind = row.kind,
                                 .from_track = from,
                                 .to_track = to,
                                 .from_time = from_time,
                                 .to_time = context_.clock.at_ns(row.to_ns),
                                 .op = row.op});
}

void RowTaker::bind_to_enqueues(OpTracker& ops, Timestamp watermark) {
  std::erase_if(unbound_, [&](const RowFlow& row) {
    const auto enqueue = ops.enqueue_place(row.op);
    if (!enqueue && context_.clock.at_ns(row.from_ns) >= watermark) return false;
    if (enqueue) {
      add_flow(row, enqueue->track, enqueue->at);
    } else {
      context_.batch.lose(trace::LossCause::kUnboundFlow);
    }
    return true;
  });
}

void RowTaker::take_sample(const RowSample& row) {
  if (!possible(row.at_ns)) return;
  CounterWriter& counter = counters_[row.track];
  if (counter.track == kNoTrack) counter.track = context_.batch.track_of(*row.track);
  context_.batch.add(counter, context_.clock.at_ns(row.at_ns), row.value);
}

const TrackDesc& RowTaker::track_beside(const RowPlace& place) {
  const TrackDesc*& known = beside_[{place.tid, place.beside}];
  if (known != nullptr) return *known;
  const ThreadSource* const thread = find_thread_(place.tid);
  const ThreadFacts facts = thread != nullptr ? thread->facts() : internal::facts_of_thread(place.tid);
  known = &intern_track({.kind = trace::TrackKind::kAsync,
                         .group = group_of(facts.kind),
                         .name = shown_name(facts) + ": " + place.beside,
                         .sort_order = facts.sort_order});
  return *known;
}

TrackId RowTaker::track_of(const RowPlace& place) {
  if (place.track != nullptr || *place.beside != '\0') return context_.async_track(desc_of(place)).id();
  ThreadSource* const thread = find_thread_(place.tid);
  return thread != nullptr && thread->track() != nullptr ? thread->track()->id() : kNoTrack;
}

}  // namespace runahead::record
