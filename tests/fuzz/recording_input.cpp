#include "tests/fuzz/recording_input.h"

#include <cstdint>
#include <string>
#include <vector>

#include "instrumentation/base/check.h"
#include "instrumentation/trace/fold.h"
#include "instrumentation/trace/io/recording.h"
#include "instrumentation/trace/io/recording_index.h"
#include "tests/fuzz/read_everything.h"

namespace runahead::testing {

using namespace trace;

namespace {

// As a view does it: folds, and loads what the fold lacked.
void draw_everything(const Trace& trace) {
  trace.store()->set_limit_bytes(std::size_t{1} << 20);
  std::vector<Run> runs;
  for (int pass = 0; pass < 3; ++pass) {
    trace.store()->begin_view();
    for (const Track& track : trace.tracks()) {
      for (const Lane& lane : track.lanes) {
        fold_lane(lane, trace.extent(), 300, 2, runs);
        for (const Run& run : runs) RUNAHEAD_CHECK_OP(raw(run.longest.name), <, trace.string_count());
      }
    }
    while (trace.store()->load_wanted()) {
    }
  }
}

}  // namespace

void open_as_recording(std::span<const std::byte> bytes) {
  (void)io::read_recording_index(bytes);
  const Result<Trace> loaded = io::read_recording(bytes);
  if (!loaded) {
    RUNAHEAD_CHECK(!loaded.error().message.empty());
    return;
  }
  volatile std::uint64_t sum = read_everything(*loaded);
  (void)sum;
  // By the piece, with next to no memory: blocks are loaded, checked and let go all the time.
  const std::string file(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const Result<Trace> opened = io::open_recording_bytes(file, {.memory_bytes = 1});
  RUNAHEAD_CHECK(opened.ok());
  sum = read_everything(*opened);
  if (opened->store() == nullptr || opened->extent().empty()) return;
  draw_everything(*opened);
}

}  // namespace runahead::testing
