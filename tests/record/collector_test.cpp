// Tests the complete collector: its thread, flush, wake-ups, the bounded queue, recording files, statistics.
#include "instrumentation/record/collector.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "instrumentation/record/hooks/thread_buffer.h"
#include "instrumentation/recording/recording.h"
#include "tests/record/capture.h"

namespace runahead::record {
namespace {

using namespace runahead::testing;
using trace::LossCause;
using trace::SliceKind;
using trace::TrackKind;

const Site& work() { return intern_site("work", SliceKind::kZone); }

void zone(const Capture& capture, Duration begin, Duration end) {
  zone_begin(work(), capture.ticks(begin));
  zone_end(capture.ticks(end));
}

class TemporaryFile {
 public:
  TemporaryFile() {
    path_ =
        std::filesystem::temp_directory_path() / ("record_test_" + std::to_string(::getpid()) + ".runahead");
    std::filesystem::remove(path_);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(Collector, ItsThreadHandsOverWithoutBeingAskedAndWakesTheOwner) {
  std::atomic<int> wakes{0};
  CollectorOptions options;
  options.period = std::chrono::milliseconds(1);
  options.wake = [&] {
    ++wakes;
    wakes.notify_all();
  };
  Capture capture({}, options);
  on_thread(TrackKind::kThread, "t", [&] { zone(capture, 10_us, 20_us); });
  while (capture.slices("t").empty()) {
    wakes.wait(0);
    capture.take_all();
  }
  EXPECT_EQ(capture.slices("t"), "0: work 10..20\n");
}

TEST(Collector, FlushHandsOverWhatWasRecordedBeforeWhateverThePeriod) {
  CollectorOptions options;
  options.period = std::chrono::hours(1);
  Capture capture({}, options);
  on_thread(TrackKind::kThread, "t", [&] { zone(capture, 10_us, 20_us); });
  capture.settle();
  EXPECT_EQ(capture.slices("t"), "0: work 10..20\n");
}

TEST(Collector, ABufferThatIsAQuarterFullIsDrainedWhateverThePeriod) {
  CollectorOptions options;
  options.period = std::chrono::hours(1);
  RecorderOptions buffers;
  buffers.events_per_thread = 64 * kChunkEvents;
  Capture capture(buffers, options);
  on_thread(TrackKind::kThread, "t", [&] {
    std::size_t written = 0;
    const auto write_chunk = [&] {
      for (std::size_t i = 0; i < kChunkEvents / 2; ++i) zone(capture, 1_us, 1_us);
      written += kChunkEvents;
    };
    const auto is_pressed = [&] { return capture.collector->stats().events + 20 * kChunkEvents <= written; };
    for (int round = 0; round < 10; ++round) {
      for (int chunk = 0; chunk < 20; ++chunk) write_chunk();
      // When a quarter of the buffer is full, each full chunk wakes the collector (Bell::ring()). A wake-up
      // may have no effect. Therefore this loop writes a few more chunks, which wake the collector again. If
      // no wake-up ever has an effect, the loop does not end.
      for (int chunk = 0; is_pressed(); ++chunk) {
        if (chunk < 20) write_chunk();
        std::this_thread::yield();
      }
    }
  });
  capture.collector->flush();
  EXPECT_EQ(capture.recorder.stats().lost, 0u);
}

TEST(Collector, FlushFromSeveralThreadsAtOnce) {
  CollectorOptions options;
  options.period = std::chrono::hours(1);
  Capture capture({}, options);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&capture] {
      for (int n = 0; n < 50; ++n) {
        { RUNAHEAD_RECORD_ZONE("flushed"); }
        capture.collector->flush();
        (void)capture.collector->stats();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  capture.settle();
  EXPECT_EQ(capture.trace.counts().slices, 200u);
}

TEST(Collector, AnOwnerThatTakesNothingCostsBoundedMemoryAndCountsWhatItMissed) {
  CollectorOptions options = Capture::quiet();
  options.queue_batches = 4;
  options.queue_bytes = 64 << 10;
  Capture capture({}, options);
  constexpr int kBatches = 50, kZones = 100;
  for (int i = 0; i < kBatches; ++i) {
    for (int n = 0; n < kZones; ++n) {
      const Duration begin{1000 + (i * kZones + n) * 10};
      zone(capture, begin, begin + 5_ns);
    }
    capture.collector->flush();
  }
  EXPECT_LE(capture.collector->stats().queued_batches, 4u);
  capture.take_all();
  const std::uint64_t arrived = capture.trace.counts().slices;
  EXPECT_GT(arrived, 0u);
  EXPECT_GT(capture.lost(LossCause::kCollectorBehind), 0u);
  EXPECT_EQ(arrived + capture.lost(LossCause::kCollectorBehind), std::uint64_t{kBatches * kZones});
  EXPECT_EQ(capture.collector->stats().losses.of(LossCause::kCollectorBehind),
            capture.lost(LossCause::kCollectorBehind));
}

TEST(Collector, NothingNewMakesNoBatch) {
  Capture capture;
  zone(capture, 1_us, 2_us);
  capture.settle();
  capture.collector->flush();
  EXPECT_FALSE(capture.collector->take());
}

TEST(Collector, AFileHoldsTheDefinitionsOfBeforeAndTheRowsOfAfter) {
  const TemporaryFile file;
  Capture capture;
  on_thread(TrackKind::kFrontend, "main", [&] {
    zone(capture, 1_us, 2_us);
    capture.settle();
    const Status started = capture.collector->start_file(file.path(), {{"workload", "test"}});
    ASSERT_TRUE(started.ok()) << started.error().message;
    EXPECT_TRUE(capture.collector->file_open());
    zone(capture, 3_us, 4_us);
    capture.settle();
    zone(capture, 5_us, 6_us);
  });
  const Status stopped = capture.collector->stop_file();
  ASSERT_TRUE(stopped.ok()) << stopped.error().message;
  EXPECT_FALSE(capture.collector->file_open());
  EXPECT_GT(capture.collector->file_bytes(), 0u);
  capture.settle();
  EXPECT_EQ(capture.slices("main"), "0: work 1..2\n0: work 3..4\n0: work 5..6\n");

  auto loaded = recordings::load_recording(file.path());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->counts().slices, 2u);
  EXPECT_EQ(loaded->metadata().at("workload"), "test");
  const trace::Track* main = nullptr;
  for (const trace::Track& track : loaded->tracks()) {
    if (track.info.name == "main") main = &track;
  }
  ASSERT_NE(main, nullptr);
  EXPECT_EQ(loaded->string(main->lanes.at(0).slice(0).name), "work");
  EXPECT_EQ(main->lanes[0].slice(0).begin, at(3_us));
}

TEST(Collector, AFileHasWhatTheOwnerMissed) {
  const TemporaryFile file;
  CollectorOptions options = Capture::quiet();
  options.queue_batches = 1;
  options.queue_bytes = 1;
  Capture capture({}, options);
  ASSERT_TRUE(capture.collector->start_file(file.path(), {}).ok());
  for (int i = 0; i < 20; ++i) {
    zone(capture, Duration{1000 + i * 10}, Duration{1005 + i * 10});
    capture.collector->flush();
  }
  ASSERT_TRUE(capture.collector->stop_file().ok());
  capture.take_all();
  EXPECT_LT(capture.trace.counts().slices, 20u);
  auto loaded = recordings::load_recording(file.path());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->counts().slices, 20u);
}

TEST(Collector, FilesThatCannotBeSaySo) {
  const TemporaryFile file;
  Capture capture;
  EXPECT_FALSE(capture.collector->stop_file().ok());
  EXPECT_FALSE(capture.collector->start_file("/nonexistent/place/x.runahead", {}).ok());
  EXPECT_FALSE(capture.collector->file_open());
  ASSERT_TRUE(capture.collector->start_file(file.path(), {}).ok());
  EXPECT_FALSE(capture.collector->start_file(file.path(), {}).ok());
  EXPECT_TRUE(capture.collector->stop_file().ok());
}

TEST(Collector, AFileThatIsNotStoppedIsWholeAfterTheCollectorHasEnded) {
  const TemporaryFile file;
  {
    Capture capture;
    ASSERT_TRUE(capture.collector->start_file(file.path(), {}).ok());
    on_thread(TrackKind::kThread, "t", [&] { zone(capture, 3_us, 4_us); });
  }
  auto loaded = recordings::load_recording(file.path());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message;
  EXPECT_EQ(loaded->counts().slices, 1u);
}

TEST(Collector, StatisticsCountWhatWentThrough) {
  Capture capture;
  on_thread(TrackKind::kThread, "t", [&] {
    zone(capture, 1_us, 2_us);
    zone(capture, 3_us, 4_us);
  });
  capture.settle();
  const Collector::Stats stats = capture.collector->stats();
  EXPECT_EQ(stats.drains, 1u);
  EXPECT_EQ(stats.events, 4u);
  EXPECT_EQ(stats.slices, 2u);
  EXPECT_GE(stats.longest_drain, stats.last_drain);
  EXPECT_LT(std::chrono::abs(stats.clock_drift), 1_s);
  EXPECT_TRUE(stats.losses.none());
}

}  // namespace
}  // namespace runahead::record
