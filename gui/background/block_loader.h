// BlockLoader: loads what frames lacked of a trace whose rows are in its file, on a thread of its own, so
// that a frame never waits for the disk.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <thread>

#include "instrumentation/base/mutex.h"
#include "instrumentation/trace/columns/block_source.h"

namespace runahead::gui {

//   owner   everything but the work: one thread
//   worker  loads, and wakes the owner now and then and when all is there
class BlockLoader {
 public:
  BlockLoader(std::shared_ptr<trace::BlockStore> store, std::function<void()> wake);
  ~BlockLoader();
  BlockLoader(const BlockLoader&) = delete;
  BlockLoader& operator=(const BlockLoader&) = delete;

  // A frame is built between the two. What an earlier one wanted is forgotten.
  void begin_view() { store_->begin_view(); }
  void end_view();
  // Something has been loaded since the last call: a new frame would show more.
  [[nodiscard]] bool take_progress() { return progress_.exchange(false, std::memory_order_relaxed); }
  // What the last frame wanted is on its way, or has come and not been drawn.
  [[nodiscard]] bool busy() const;

 private:
  void work(const std::stop_token& stop);
  void tell();

  const std::shared_ptr<trace::BlockStore> store_;
  const std::function<void()> wake_;
  std::atomic<bool> progress_{false};  // written by both; nothing hangs on its order: the store has a lock
  mutable Mutex mutex_;
  std::condition_variable_any changed_;
  bool asked_ RUNAHEAD_GUARDED_BY(mutex_) =
      false;             // set by the owner, cleared by the worker once nothing is wanted
  std::jthread thread_;  // last: joins before what it uses goes
};

}  // namespace runahead::gui
