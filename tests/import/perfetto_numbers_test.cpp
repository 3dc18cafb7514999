// Tests numbers in a Perfetto trace that are too large, negative or not numbers. Checks by which values the
// import replaces such numbers, and that a recording of the imported trace stores these values unchanged.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>

#include "instrumentation/import/perfetto/perfetto_import.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/labels.h"
#include "tests/import/perfetto_packets.h"
#include "tests/recording/trace_rows.h"
#include "tests/support/scratch_folder.h"

namespace runahead::importers {
using namespace trace;
using namespace recordings;
namespace {

using namespace runahead::testing;

constexpr std::uint64_t kTop = std::uint64_t{1} << 63;

// Imports a file. Checks that a recording of the trace has all rows.
Trace kept(const PerfettoFile& file) {
  Result<Trace> trace = read_perfetto(std::as_bytes(std::span(file.bytes())), "a.pftrace");
  EXPECT_TRUE(trace.ok());
  if (!recordings_supported()) return std::move(*trace);
  const ScratchFolder folder;
  EXPECT_TRUE(save_recording(*trace, folder / "a.runahead").ok());
  const Result<Trace> read = load_recording(folder / "a.runahead");
  EXPECT_EQ(read ? rows_text(*read) : "", rows_text(*trace));
  return std::move(*trace);
}

std::vector<std::string> paths(const Trace& trace) {
  std::vector<std::string> out;
  for (const Track& track : trace.tracks()) {
    if (track.info.kind != TrackKind::kGroup) out.push_back(track_path(trace, track.info.id));
  }
  return out;
}

TEST(PerfettoNumbers, TracksAreToldApartByAll64BitsOfTheirNumbers) {
  PerfettoFile file;
  for (const std::uint64_t uuid : {std::uint64_t{1}, kTop, kTop + 1, ~std::uint64_t{0}}) {
    file.track(uuid, "t" + std::to_string(uuid)).begin(10, uuid, "a").end(20, uuid);
  }
  const Trace trace = kept(file);
  EXPECT_EQ(trace.counts().tracks, 4u);
  EXPECT_EQ(trace.counts().slices, 4u);
  EXPECT_TRUE(trace.losses().none());
}

TEST(PerfettoNumbers, ProcessesAndThreadsOfOddNumbersStayApart) {
  PerfettoFile file;
  const auto thread = [&](std::uint64_t uuid, std::int32_t pid, std::int64_t tid) {
    file.track(uuid, {}, [&](Message& t) {
      Message message(t, 4);
      message.add_int32(1, pid);
      message.add_int64(2, tid);
    });
    file.begin(10, uuid, "a").end(20, uuid);
  };
  thread(1, -1, -1);
  thread(2, std::numeric_limits<std::int32_t>::max(), std::int64_t{1} << 32);
  thread(3, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int64_t>::max());
  thread(4, -1, std::numeric_limits<std::int64_t>::min());
  const Trace trace = kept(file);
  EXPECT_EQ(paths(trace).size(), 4u);
  EXPECT_EQ(trace.counts().slices, 4u);
  EXPECT_TRUE(trace.losses().none());
}

TEST(PerfettoNumbers, FlowsAreToldApartByAll64BitsOfTheirNumbers) {
  PerfettoFile file;
  file.track(1, "from").track(2, "to");
  std::uint64_t at = 10;
  for (const std::uint64_t flow : {std::uint64_t{1}, kTop, kTop + 1, ~std::uint64_t{0}}) {
    file.event(at, 1, 1, [&](Message& e) { e.add_fixed64(47, flow); }).end(at + 1, 1);
    at += 2;
  }
  for (const std::uint64_t flow : {~std::uint64_t{0}, kTop + 1, kTop, std::uint64_t{1}}) {
    file.event(at, 1, 2, [&](Message& e) { e.add_fixed64(48, flow); }).end(at + 1, 2);
    at += 2;
  }
  EXPECT_EQ(kept(file).flow_count(), 4u);
}

TEST(PerfettoNumbers, ATimeThatNoTraceHasDoesNotTakeTheOthersWithIt) {
  PerfettoFile file;
  file.track(1, "t");
  for (const std::uint64_t at : {std::uint64_t{10}, kTop - 1, kTop, ~std::uint64_t{0}})
    file.begin(at, 1, "a");
  file.begin(20, 1, "b").end(30, 1);
  EXPECT_EQ(kept(file).counts().slices, 5u);
}

// The monotonic clock is far ahead of the boot clock, which has just started. Therefore a time of the
// monotonic clock, converted to the boot clock, may be far before zero.
TEST(PerfettoNumbers, ClocksThatLieALifeApartMakeNoTimeThatARecordingLacks) {
  PerfettoFile file;
  file.packet([](Message& p) {
    Message snapshot(p, 6);
    const auto reading = [&](std::uint32_t clock, std::uint64_t time) {
      Message message(snapshot, 1);
      message.add_uint32(1, clock);
      message.add_uint64(2, time);
    };
    reading(6, 5);                       // the boot clock
    reading(3, std::uint64_t{1} << 61);  // the monotonic clock
  });
  file.track(1, "t");
  const auto begin = [&](std::uint64_t at, std::uint32_t clock) {
    file.packet([&](Message& p) {
      p.add_uint64(8, at);
      p.add_uint32(10, 1);
      p.add_uint32(58, clock);
      Message e(p, 11);
      e.add_int32(9, 1);
      e.add_uint64(11, 1);
      e.add_string(23, "a");
    });
  };
  begin(5, 3);
  begin(std::uint64_t{1} << 61, 6);
  EXPECT_EQ(kept(file).counts().slices, 2u);
}

TEST(PerfettoNumbers, SamplesOfAnyValueComeBack) {
  PerfettoFile file;
  file.track(1, "c", [](Message& t) { t.add_message(8, std::string()); });
  for (const double value : {0.0, -1.0, 1e300, -1e300, std::nan(""), std::numeric_limits<double>::infinity()})
    file.event(10, 4, 1, [&](Message& e) { e.add_double(44, value); });
  file.event(10, 4, 1, [&](Message& e) { e.add_int64(30, std::numeric_limits<std::int64_t>::min()); });
  EXPECT_EQ(kept(file).counts().counter_samples, 7u);
}

}  // namespace
}  // namespace runahead::importers
