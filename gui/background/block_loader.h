// BlockLoader loads the blocks that frames needed but did not find in memory. The window uses a BlockLoader
// for a trace whose rows stay in a file. Blocks are loaded on a separate thread, so that a frame never waits
// for the disk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <thread>

#include "instrumentation/base/mutex.h"
#include "instrumentation/trace/columns/block_source.h"

namespace runahead::gui {

//   owner   one thread: calls all public functions
//   worker  loads blocks; calls `wake` from time to time while it loads, and when all wanted blocks are in
//           memory
class BlockLoader {
 public:
  BlockLoader(std::shared_ptr<trace::BlockStore> store, std::function<void()> wake);
  ~BlockLoader();
  BlockLoader(const BlockLoader&) = delete;
  BlockLoader& operator=(const BlockLoader&) = delete;

  // A frame is built between begin_view() and end_view(). begin_view() cancels the requests of earlier
  // frames, so that only blocks of the current view are loaded.
  void begin_view() { store_->begin_view(); }
  void end_view();
  // True if a block was loaded since the last call: a new frame would show more.
  [[nodiscard]] bool take_progress() { return progress_.exchange(false, std::memory_order_relaxed); }
  // True while blocks that the last frame requested are loading, or while loaded blocks are not drawn yet.
  [[nodiscard]] bool busy() const;

 private:
  void work(const std::stop_token& stop);
  void tell();

  const std::shared_ptr<trace::BlockStore> store_;
  const std::function<void()> wake_;
  // Written by both threads; relaxed, because the store's lock guards the blocks.
  std::atomic<bool> progress_{false};
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  bool asked_ RUNAHEAD_GUARDED_BY(mutex_) =
      false;             // set by the owner, cleared by the worker when no block is wanted
  std::jthread thread_;  // the last member: the thread joins before the members that it uses are destroyed
};

}  // namespace runahead::gui
