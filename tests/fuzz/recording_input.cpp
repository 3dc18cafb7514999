#include "tests/fuzz/recording_input.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "instrumentation/base/check.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/recording/recording_index.h"
#include "instrumentation/trace/fold.h"
#include "instrumentation/trace/row_reader.h"
#include "tests/fuzz/read_everything.h"

namespace runahead::testing {

using namespace trace;

namespace {

void draw_lanes(const Trace& trace, TimeRange view, int width_px) {
  std::vector<Run> runs;
  for (const Track& track : trace.tracks()) {
    for (const Lane& lane : track.lanes) {
      fold_lane(lane, view, width_px, 2, runs);
      for (const Run& run : runs) {
        RUNAHEAD_CHECK_OP(raw(run.longest.name), <, trace.string_count());
        RUNAHEAD_CHECK(run.begin <= run.end && run.row_count > 0);
      }
    }
  }
}

void draw_counters(const Trace& trace, TimeRange view, int width_px) {
  std::vector<CounterColumn> columns;
  for (const Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kCounter) continue;
    fold_counter(track.counter, view, width_px, columns);
    int before = -1;
    for (const CounterColumn& column : columns) {
      RUNAHEAD_CHECK_OP(column.min, <=, column.max);
      RUNAHEAD_CHECK(column.x_px > std::exchange(before, column.x_px) && column.x_px < width_px);
    }
  }
}

void draw_instants(const Trace& trace, TimeRange view, TrackBits tracks) {
  InstantReader instants(trace.instants());
  std::uint64_t i = instants.first_from(view.begin);
  while ((i = instants.next_of_tracks(tracks, i)) < instants.size() && instants.not_after(i) < view.end) {
    if (const auto instant = instants.instant_if_here(i)) {
      RUNAHEAD_CHECK_OP(raw(instant->name), <, trace.string_count());
      ++i;
    } else {
      i = instants.beyond_block(i);
    }
  }
}

// Draws at several zooms, as a window does: first draws the loaded chunks, then loads the missing chunks.
void draw_everything(const Trace& trace) {
  const TimeRange all = trace.extent();
  const std::int64_t length_ns = ns_from(all.duration());
  for (const std::int64_t part : {std::int64_t{1}, std::int64_t{7}, std::int64_t{1000}, length_ns}) {
    const Duration length{std::max<std::int64_t>(1, length_ns / part)};
    const Timestamp begin = all.begin + Duration{(length_ns - length.count()) / 2};
    const TimeRange view{begin, begin + length};
    for (int pass = 0; pass < 3; ++pass) {
      trace.store()->begin_view();
      draw_lanes(trace, view, 300);
      draw_counters(trace, view, 300);
      draw_instants(trace, view, pass == 0 ? bit_of(TrackId{1}) : kAnyTrack);
      while (trace.store()->load_wanted()) {
      }
    }
  }
  trace.store()->set_limit_bytes(0);
  draw_lanes(trace, all, 4000);
  draw_counters(trace, all, 4000);
}

}  // namespace

void open_as_recording(std::span<const std::byte> bytes, std::size_t memory_bytes) {
  (void)recordings::read_recording_index(bytes);
  const Result<Trace> loaded = recordings::read_recording(bytes);
  if (!loaded) {
    RUNAHEAD_CHECK(!loaded.error().message.empty());
    return;
  }
  volatile std::uint64_t sum = read_everything(*loaded);
  (void)sum;
  // Opens the file chunk by chunk. With very little memory, chunks are loaded, checked and evicted
  // continuously.
  const std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<Trace> opened = recordings::open_recording_bytes(file, {.memory_bytes = memory_bytes});
  RUNAHEAD_CHECK(opened.ok());
  sum = read_everything(*opened);
  const Result<Trace> checked =
      recordings::open_recording_bytes(file, {.memory_bytes = memory_bytes, .check_bytes = file.size()});
  RUNAHEAD_CHECK(checked.ok());
  sum = read_everything(*checked);
  if (opened->store() == nullptr || opened->extent().empty()) return;
  // A view requests only chunks that fit into the memory limit. Therefore the limit is at least 1 MiB from
  // here on.
  opened->store()->set_limit_bytes(std::max(memory_bytes, std::size_t{1} << 20));
  draw_everything(*opened);
}

}  // namespace runahead::testing
