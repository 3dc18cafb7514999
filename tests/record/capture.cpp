#include "tests/record/capture.h"

#include <gtest/gtest.h>

#include <sstream>

#include "instrumentation/record/hooks/recorder_state.h"

namespace runahead::testing {
namespace {

std::string us(Timestamp t) {
  std::ostringstream out;
  out << static_cast<double>(ns_from(t)) / 1000.0;
  return out.str();
}

const char* words_of(trace::FlowKind kind) {
  switch (kind) {
    case trace::FlowKind::kEnqueueToExecute:
      return "enqueue->execute ";
    case trace::FlowKind::kLaunchToDevice:
      return "launch->device ";
    case trace::FlowKind::kOther:
      return "other ";
    default:
      return "execute->wait ";
  }
}

}  // namespace

const record::TrackDesc& live_bytes() {
  return record::intern_track({.kind = trace::TrackKind::kCounter,
                               .group = "Memory",
                               .name = "live virtual:0",
                               .device = "virtual:0",
                               .unit = trace::Unit::kBytes,
                               .role = trace::CounterRole::kLiveBytes});
}

Capture::Capture(record::RecorderOptions recorder_options, record::CollectorOptions options)
    : recorder(recorder_options) {
  collector.emplace(recorder, std::move(options));
  recorder.start();
  origin_ns_ = TickClock::get().ns_from_ticks(recorder.state().current_session().origin_ticks);
}

Capture::~Capture() { collector.reset(); }

record::CollectorOptions Capture::quiet() {
  record::CollectorOptions options;
  options.run_thread = false;
  options.sample_rss = false;
  return options;
}

std::uint64_t Capture::ticks(Duration since_start) const {
  return TickClock::get().ticks_from_ns(origin_ns_ + ns_from(since_start));
}

void Capture::wait_until(Duration since_start) const {
  while (TickClock::get().now_ns() <= origin_ns_ + ns_from(since_start)) {
  }
}

const trace::Trace& Capture::settle() {
  collector->flush();
  return take_all();
}

const trace::Trace& Capture::drain() {
  collector->drain_now();
  return take_all();
}

const trace::Trace& Capture::take_all() {
  // The loop takes only as many batches as the queue has now. Otherwise the loop might never end, because
  // recording threads may fill the queue as fast as the loop empties it.
  for (std::size_t left = collector->stats().queued_batches; left > 0; --left) {
    auto batch = collector->take();
    if (!batch) break;
    EXPECT_EQ(rules_.broken_by(*batch), "");
    trace.append(std::move(*batch));
  }
  return trace;
}

const trace::Track* Capture::track(std::string_view name) const {
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.name == name) return &track;
  }
  return nullptr;
}

std::optional<TrackId> Capture::track_id(std::string_view name) const {
  const trace::Track* const found = track(name);
  return found == nullptr ? std::nullopt : std::optional(found->info.id);
}

std::string Capture::text_of(const trace::Slice& slice, bool open) const {
  std::string text = std::string(trace.string(slice.name)) + " " + us(slice.begin) + "..";
  if (!open) text += us(slice.end);
  if (slice.op != kNoOp) text += " op " + std::to_string(op_number(slice.op));
  if (slice.size_bytes != 0) text += " " + std::to_string(slice.size_bytes) + " B";
  if ((slice.flags & trace::kSliceUnfinished) != 0) text += " unfinished";
  if ((slice.flags & trace::kSliceFailed) != 0) text += " failed";
  if ((slice.flags & trace::kSliceSkipped) != 0) text += " skipped";
  if ((slice.flags & trace::kSliceLate) != 0) text += " late";
  return text + "\n";
}

std::string Capture::slices(std::string_view name) const {
  std::string text;
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.name != name) continue;
    for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
      const trace::Lane& lane = track.lanes[depth];
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        text += std::to_string(depth) + ": " + text_of(lane.slice(row), false);
      }
    }
  }
  return text;
}

std::string Capture::open_slices(std::string_view name) const {
  std::string text;
  for (const trace::OpenSlice& open : trace.open_slices()) {
    if (trace.track(open.track).info.name != name) continue;
    text += std::to_string(open.depth) + ": " + text_of(open.slice, true);
  }
  return text;
}

std::string Capture::samples(std::string_view name) const {
  const trace::Track* const found = track(name);
  if (found == nullptr) return "no counter";
  std::ostringstream text;
  const trace::CounterSeries& series = found->counter;
  for (std::uint64_t row = series.first_row(); row < series.end_row(); ++row) {
    text << (row == series.first_row() ? "" : ", ") << us(series.sample(row).at) << ": "
         << series.sample(row).value;
  }
  return text.str();
}

std::string Capture::flows() const {
  std::string text;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const trace::Flow flow = trace.flow(i);
    text += words_of(flow.kind);
    const auto end = [&](TrackId track, Timestamp at) {
      return track == kNoTrack ? "?@" + us(at) : trace.track(track).info.name + "@" + us(at);
    };
    text += end(flow.from_track, flow.from_time) + " " + end(flow.to_track, flow.to_time);
    if (flow.message != 0) text += " message " + std::to_string(flow.message);
    text += " op " + std::to_string(op_number(flow.op)) + "\n";
  }
  return text;
}

}  // namespace runahead::testing
