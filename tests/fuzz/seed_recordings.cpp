#include "tests/fuzz/seed_recordings.h"

#include "instrumentation/base/check.h"
#include "instrumentation/link/frames.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/recording/recording.h"
#include "tests/recording/make_late_instants.h"
#include "tests/recording/random_batches.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::testing {
namespace {

using namespace trace;

std::string with_everything_open() {
  const ScratchFolder folder;
  auto writer =
      recordings::RecordingWriter::create(folder / "a.runahead", {{"host", "here"}}, {.gather_bytes = 0});
  RUNAHEAD_CHECK(writer.ok());
  const Batch batch =
      TraceBuilder{}
          .group("Frontend")
          .track("main", TrackKind::kFrontend)
          .slice("done", 0_ns, 10_ns)
          .arg("size", std::int64_t{3})
          .open_slice("waits", 20_ns, SliceKind::kWait)
          .counter("live")
          .sample(0_ns, 1)
          .sample(5_ns, 2.5)
          .allocation({"add", "activations", OpId{4}, 64}, 2_ns, 8_ns)
          .allocation({"matmul", "", OpId{3}, 32}, 3_ns, std::nullopt)
          .on("main")
          .instant("mark", 3_ns)
          .op(OpId{3}, "matmul", {.enqueued = 1_ns})
          .op(OpId{4}, "add", {.enqueued = 1_ns, .ready = 2_ns, .started = 2_ns, .ended = 9_ns})
          .flow(FlowKind::kEnqueueToExecute, "main", 1_ns, "main", 5_ns, OpId{4})
          .loss(LossCause::kBufferFull, 2)
          .batch();
  RUNAHEAD_CHECK((*writer)->write(batch).ok());
  // The writer has not finished this recording. Therefore the reader uses the recording's lists of open
  // slices and open ops.
  return file_bytes(folder / "a.runahead");
}

std::string random_recording(std::uint64_t seed, int batches, std::int64_t most_rows = 20,
                             bool compression = true) {
  const ScratchFolder folder;
  RandomSource source(seed, most_rows);
  auto writer = recordings::RecordingWriter::create(folder / "a.runahead", {},
                                                    {.gather_bytes = 0, .compression = compression});
  RUNAHEAD_CHECK(writer.ok());
  for (int i = 0; i < batches; ++i) RUNAHEAD_CHECK((*writer)->write(source.next()).ok());
  RUNAHEAD_CHECK((*writer)->finish().ok());
  return file_bytes(folder / "a.runahead");
}

// A recording with rows of every kind that a view folds (draws together). The rows cover the whole range of
// times that a recording may have.
std::string with_extreme_times() {
  const ScratchFolder folder;
  auto writer = recordings::RecordingWriter::create(folder / "a.runahead", {});
  RUNAHEAD_CHECK(writer.ok());
  constexpr std::int64_t kRows = 2100, kStep = 2 * (recordings::kMaxTimeNs / kRows);
  Batch batch;
  batch.strings = {"", "a"};
  batch.tracks.push_back({.id = TrackId{0}, .kind = TrackKind::kWorker, .name = "w"});
  batch.tracks.push_back({.id = TrackId{1}, .kind = TrackKind::kCounter, .name = "c"});
  batch.lanes.push_back({TrackId{0}, 0, {}});
  batch.counters.push_back({TrackId{1}, {}});
  for (std::int64_t i = 0; i < kRows; ++i) {
    const Timestamp at = timestamp_from_ns(-recordings::kMaxTimeNs + i * kStep);
    const Duration length{i % 3 == 0 ? 0 : kStep};
    batch.lanes[0].rows.push_back({.begin = at, .end = at + length, .name = StringId{1}});
    batch.counters[0].rows.push_back({at, i % 2 == 0 ? 1e308 : -1e308});
    batch.instants.push_back({.at = at, .track = TrackId{0}, .name = StringId{1}});
  }
  batch.watermark = timestamp_from_ns(recordings::kMaxTimeNs);
  RUNAHEAD_CHECK((*writer)->write(batch).ok());
  RUNAHEAD_CHECK((*writer)->finish().ok());
  return file_bytes(folder / "a.runahead");
}

std::string with_late_instants() {
  return bytes_written([](const std::filesystem::path& file) {
    write_late_instants({.rounds_late = {0, 2, 5}, .rounds = 8, .rows = 200}, file);
  });
}

}  // namespace

std::string plain_recording() { return random_recording(5, 6, 4000, false); }

std::vector<std::string> seed_recordings() {
  return {with_everything_open(), random_recording(1, 1),       random_recording(2, 3),
          random_recording(3, 8), random_recording(4, 3, 3000), random_recording(6, 12, 1500),
          with_extreme_times(),   with_late_instants()};
}

std::vector<std::string> link_seeds() {
  using link::frame_bytes, link::FrameKind, link::number_bytes;
  const std::string from_agent =
      "login\n" + std::string(link::kAgentLine) +
      frame_bytes(FrameKind::kHello, "4711\ta\t1:2\tmake all\t/x\thost") +
      frame_bytes(FrameKind::kTime, "1\t1234567") + frame_bytes(FrameKind::kData, 0, "RUNAHEAD") +
      frame_bytes(FrameKind::kHole, 8, number_bytes(4096)) + frame_bytes(FrameKind::kOutput, 0, "text\n") +
      frame_bytes(FrameKind::kAnswer, "barrier\tnone\tnone\teach\n") + frame_bytes(FrameKind::kEnded, "0\t0");
  const std::string from_watcher = frame_bytes(FrameKind::kAskTime, "1") + frame_bytes(FrameKind::kDone, "") +
                                   frame_bytes(FrameKind::kAsk, "set\tbarrier\teach");
  std::vector<std::string> seeds{'\x14' + from_agent, '\x15' + from_watcher};
  for (const std::string& file : seed_recordings()) seeds.push_back('\x2a' + file);
  return seeds;
}

}  // namespace runahead::testing
