#include "gui/app/block_loader.h"

#include <gtest/gtest.h>

#include <mutex>
#include <semaphore>

namespace runahead::gui {
namespace {

// Things to load, counted.
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
  BlockLoader loader(store, [] { ADD_FAILURE() << "there is nothing to tell"; });
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

}  // namespace
}  // namespace runahead::gui
