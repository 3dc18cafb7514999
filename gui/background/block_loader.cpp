#include "gui/background/block_loader.h"

#include <sys/resource.h>

#include <chrono>
#include <utility>

#include "instrumentation/base/mutex.h"

namespace runahead::gui {
namespace {

// While blocks are loading, the worker requests a new frame at most once in this period.
constexpr std::chrono::milliseconds kTellPeriod{50};
// The worker has a lower priority than the window's thread: a frame goes first if both threads need the same
// core.
constexpr int kNice = 10;

}  // namespace

BlockLoader::BlockLoader(std::shared_ptr<trace::BlockStore> store, std::function<void()> wake)
    : store_(std::move(store)), wake_(std::move(wake)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

BlockLoader::~BlockLoader() = default;  // ~jthread requests a stop, which ends the worker's wait, and joins

void BlockLoader::end_view() {
  if (store_->stats().wanted == 0) return;
  {
    const MutexLock lock(mutex_);
    asked_ = true;
  }
  changed_.notify_one();
}

bool BlockLoader::busy() const {
  {
    const MutexLock lock(mutex_);
    if (asked_) return true;
  }
  // Read progress_ after asked_: the worker sets progress_ before it clears asked_, so busy() cannot miss the
  // last loaded blocks.
  return progress_.load(std::memory_order_relaxed);
}

void BlockLoader::tell() {
  progress_.store(true, std::memory_order_relaxed);
  wake_();
}

void BlockLoader::work(const std::stop_token& stop) {
  (void)::setpriority(PRIO_PROCESS, 0, kNice);  // on Linux this sets the priority of this thread only
  while (true) {
    {
      MutexLock lock(mutex_);
      changed_.wait(lock, stop, [this]() RUNAHEAD_REQUIRES(mutex_) { return asked_; });
      if (stop.stop_requested()) return;  // stop even if blocks are still wanted
    }
    auto told_at = std::chrono::steady_clock::now();
    while (!stop.stop_requested() && store_->load_wanted()) {
      if (std::chrono::steady_clock::now() - told_at < kTellPeriod) continue;
      tell();
      told_at = std::chrono::steady_clock::now();
    }
    tell();
    const MutexLock lock(mutex_);
    asked_ = store_->stats().wanted > 0;
  }
}

}  // namespace runahead::gui
