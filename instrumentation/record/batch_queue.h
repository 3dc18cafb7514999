// BatchQueue: batches that wait for their owner. Bounded: with too many the newest are merged, with too many
// bytes the newest rows are dropped and counted; definitions never are.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "instrumentation/base/mutex.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::record {

// Appends the rows and definitions of `from`, which comes after `to`; its open lists replace those of `to`.
void merge_batch(trace::Batch from, trace::Batch& to);
// Rows of every kind, definitions and open lists apart.
[[nodiscard]] std::size_t count_rows(const trace::Batch& batch);
[[nodiscard]] std::size_t size_bytes(const trace::Batch& batch);

class BatchQueue {
 public:
  BatchQueue(std::size_t max_batches, std::size_t max_bytes)
      : max_batches_(max_batches), max_bytes_(max_bytes) {}

  // Any thread. Returns how many rows were dropped; they are in the losses of the batch that stays, too.
  std::size_t push(trace::Batch batch);
  [[nodiscard]] std::optional<trace::Batch> take();
  [[nodiscard]] std::size_t size() const;

 private:
  struct Waiting {
    trace::Batch batch;
    std::size_t bytes = 0;
  };
  const std::size_t max_batches_, max_bytes_;
  mutable Mutex mutex_;  // taken alone
  std::deque<Waiting> waiting_ RUNAHEAD_GUARDED_BY(mutex_);
  std::size_t bytes_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
};

}  // namespace runahead::record
