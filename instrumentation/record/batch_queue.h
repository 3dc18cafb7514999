// BatchQueue: batches that wait until the collector's owner takes them. The queue has two limits. If the
// maximum number of batches already waits, a new batch is merged into the newest waiting batch. If the
// waiting batches would exceed the maximum number of bytes, the rows of a new batch are dropped and counted.
// Definitions are never dropped.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "instrumentation/base/mutex.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::record {

// Appends the rows and definitions of `from` to `to`. REQUIRES: `from` is the later batch. The lists of open
// slices and ops of `from` replace the lists of `to`.
void merge_batch(trace::Batch from, trace::Batch& to);
// Counts the rows of every kind. Definitions, open slices and open ops do not count.
[[nodiscard]] std::size_t count_rows(const trace::Batch& batch);
[[nodiscard]] std::size_t size_bytes(const trace::Batch& batch);

class BatchQueue {
 public:
  BatchQueue(std::size_t max_batches, std::size_t max_bytes)
      : max_batches_(max_batches), max_bytes_(max_bytes) {}

  // Any thread may call it. Returns the number of dropped rows. The dropped rows are also counted in the
  // losses of the newest waiting batch.
  std::size_t push(trace::Batch batch);
  [[nodiscard]] std::optional<trace::Batch> take();
  [[nodiscard]] std::size_t size() const;

 private:
  struct Waiting {
    trace::Batch batch;
    std::size_t bytes = 0;
  };
  const std::size_t max_batches_, max_bytes_;
  mutable Mutex mutex_;  // never locked together with another mutex
  std::deque<Waiting> waiting_ RUNAHEAD_GUARDED_BY(mutex_);
  std::size_t bytes_ RUNAHEAD_GUARDED_BY(mutex_) = 0;
};

}  // namespace runahead::record
