#include "tests/fuzz/recording_input.h"

#include <cstdint>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/io/recording.h"
#include "instrumentation/trace/io/recording_index.h"

namespace runahead::testing {

using namespace trace;

std::uint64_t read_everything(const Trace& trace) {
  std::uint64_t sum = 0;
  for (const Track& track : trace.tracks()) {
    for (const Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        const Slice slice = lane.slice(row);
        RUNAHEAD_CHECK(slice.begin <= slice.end);
        sum += trace.string(slice.name).size() + trace.args(slice.args).size() +
               static_cast<std::uint64_t>(slice.duration().count());
      }
      if (!lane.empty()) {
        sum += lane.longest_row(lane.first_row(), lane.end_row());
        sum += static_cast<std::uint64_t>(lane.busy(lane.first_row(), lane.end_row()).count());
      }
    }
    if (!track.counter.empty()) sum += track.counter.extremes(trace.extent()).has_value() ? 1 : 0;
  }
  for (std::uint64_t i = 0; i < trace.instant_count(); ++i) sum += trace.string(trace.instant(i).name).size();
  for (std::uint64_t i = 0; i < trace.op_count(); ++i)
    sum += trace.op(trace.op_row(i).id).has_value() ? 1 : 0;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) sum += raw(trace.flow(i).op);
  return sum;
}

void open_as_recording(std::span<const std::byte> bytes) {
  (void)io::read_recording_index(bytes);
  const Result<Trace> loaded = io::read_recording(bytes);
  if (!loaded) {
    RUNAHEAD_CHECK(!loaded.error().message.empty());
    return;
  }
  volatile std::uint64_t sum = read_everything(*loaded);
  (void)sum;
}

}  // namespace runahead::testing
