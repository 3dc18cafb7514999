#include "gui/background/block_loader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <mutex>
#include <semaphore>
#include <string>

#include "gui/timeline/scene/scene.h"
#include "instrumentation/recording/recording.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui {
namespace {

// Loads dummy blocks and counts the loads.
class FakeStore final : public trace::BlockStore {
 public:
  void want(std::size_t n) {
    const std::scoped_lock lock(mutex_);
    stats_.wanted = n;
  }
  [[nodiscard]] Stats stats() const override {
    const std::scoped_lock lock(mutex_);
    return stats_;
  }
  void set_limit_bytes(std::size_t) override {}
  void begin_view() override { want(0); }
  bool load_wanted() override {
    const std::scoped_lock lock(mutex_);
    if (stats_.wanted == 0) return false;
    --stats_.wanted;
    ++stats_.loads;
    return true;
  }

 private:
  mutable std::mutex mutex_;
  Stats stats_;
};

TEST(BlockLoader, LoadsWhatAFrameWantedAndTells) {
  const auto store = std::make_shared<FakeStore>();
  std::counting_semaphore<> woken(0);
  BlockLoader loader(store, [&woken] { woken.release(); });
  for (std::uint64_t frame = 1; frame <= 20; ++frame) {
    loader.begin_view();
    store->want(100);
    loader.end_view();
    EXPECT_TRUE(loader.busy());
    while (store->stats().wanted > 0) woken.acquire();
    EXPECT_EQ(store->stats().loads, 100 * frame);
    while (!loader.take_progress()) woken.acquire();
  }
}

TEST(BlockLoader, AFrameThatLacksNothingAsksForNothing) {
  const auto store = std::make_shared<FakeStore>();
  BlockLoader loader(store, [] { ADD_FAILURE() << "no block was loaded, so there is nothing to report"; });
  loader.begin_view();
  loader.end_view();
  EXPECT_FALSE(loader.busy());
  EXPECT_FALSE(loader.take_progress());
}

TEST(BlockLoader, EndsInTheMidstOfItsWork) {
  const auto store = std::make_shared<FakeStore>();
  BlockLoader loader(store, [] {});
  loader.begin_view();
  store->want(std::size_t{1} << 40);
  loader.end_view();
}

// A trace with many short slices and some long slices. In views that are drawn from level-of-detail bins,
// each long slice is still drawn separately.
trace::Trace bursts() {
  testing::TraceBuilder builder;
  builder.track("w0", trace::TrackKind::kWorker);
  std::int64_t at_ns = 0;
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t length_ns = i % 500 == 0 ? 400'000 : 900;
    builder.slice(i % 3 == 0 ? "dot" : "relu", Duration{at_ns}, Duration{length_ns},
                  trace::SliceKind::kExecute);
    at_ns += length_ns + 100;
  }
  return builder.build();
}

TEST(BlockLoader, AFrameNeverReadsTheFileItself) {
  const std::filesystem::path file = std::filesystem::path(::testing::TempDir()) /
                                     ("frame_reads_" + std::to_string(::getpid()) + ".runahead");
  ASSERT_TRUE(recordings::save_recording(bursts(), file).ok());
  const trace::Trace trace = recordings::open_recording(file).value();
  const auto store = trace.store();
  ASSERT_NE(store, nullptr);
  store->set_limit_bytes(std::size_t{1} << 20);  // the rows need more memory than this
  Scene scene;
  std::uint64_t alone = 0;
  for (const int share : {1, 2, 5, 10, 20, 50}) {
    const Duration length = trace.extent().duration() / share;
    for (int step = 0; step < 40; ++step) {
      const Timestamp begin = trace.extent().begin + (trace.extent().duration() - length) * step / 40;
      const std::uint64_t loads = store->stats().loads;
      store->begin_view();
      build_scene(trace, {.view = {begin, begin + length}}, {1920, 600, 1}, scene);
      EXPECT_EQ(store->stats().loads, loads) << "one of " << share << ", step " << step;
      for (const SceneBox& box : scene.boxes) alone += box.count == 1;
      for (int i = 0; i < 8; ++i) (void)store->load_wanted();
    }
  }
  EXPECT_GT(alone, 1000u) << "separate slices were drawn";
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace runahead::gui
