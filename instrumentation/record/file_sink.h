// FileSink: the recording file of a collector, while there is one. Used under the collector's work mutex;
// what is_open() and bytes() say may be read on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/batch.h"

namespace runahead::trace::io {
class RecordingWriter;
}

namespace runahead::record {

class FileSink {
 public:
  FileSink();
  ~FileSink();

  // Creates the file and writes `definitions`, to which later batches refer.
  [[nodiscard]] Status start(const std::filesystem::path& path,
                             const std::map<std::string, std::string>& metadata,
                             const trace::Batch& definitions);
  // Returns how many blocks could not be written. 0 when there is no file.
  std::uint64_t write(const trace::Batch& batch);
  // Ends the file; the error of the first write that failed, if one did. An error when there is no file.
  [[nodiscard]] Status stop();

  [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  std::unique_ptr<trace::io::RecordingWriter> writer_;
  std::optional<Error> first_error_;
  std::uint64_t blocks_lost_ = 0;
  // Written under the work mutex, read by anyone, relaxed: facts to show, they publish nothing.
  std::atomic<bool> open_{false};
  std::atomic<std::uint64_t> bytes_{0};
};

}  // namespace runahead::record
