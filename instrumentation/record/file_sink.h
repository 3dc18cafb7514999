// FileSink: the recording of a collector while it is open: one file, or a sequence of files (FileLimits). Use
// it under the collector's work mutex. is_open() and bytes() may be called on any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/record/files/file_limits.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::record {

// The result of stop(): complete files. settle() joins these files if FileLimits::keep_last is set.
struct EndedFile {
  Status status = Ok{};  // the first error of the recording, also of ending the file; Ok: there was no error
  std::vector<std::filesystem::path> files;
  std::filesystem::path join_into;  // empty: the files are not joined
  std::vector<recordings::RecordingPart> parts;
  trace::LossCounts evicted;  // the number of rows in removed parts, and the losses of these parts
};

class FileSink {
 public:
  FileSink();
  ~FileSink();

  // Creates the (first) file and writes `definitions`, which later batches refer to. With limits, the numbers
  // of the new files begin after the last existing number, so the files of an earlier recording stay.
  [[nodiscard]] Status start(const std::filesystem::path& path,
                             const std::map<std::string, std::string>& metadata,
                             const trace::Batch& definitions, const FileLimits& limits = {});
  // How long rows are collected before they are written (WriterOptions::gather_time), from now on.
  void set_gather_time(Duration time);
  // Returns the number of blocks that could not be written; 0 without a file.
  std::uint64_t write(const trace::Batch& batch);
  // Writes the metadata into the current file and all later files. Does nothing without a file.
  void add_metadata(const std::map<std::string, std::string>& more);
  // True if the current file has reached its limit. Then the caller must call next_part().
  [[nodiscard]] bool part_is_full() const;
  // Continues in a new file, which starts with all definitions of the batches so far. If the new file cannot
  // be created, recording continues in the current file and stop() returns the reason. Returns the number of
  // blocks that could not be written.
  std::uint64_t next_part(const trace::Batch& definitions);
  // Ends the file. Without a file the status is an error.
  [[nodiscard]] EndedFile stop();

  [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_relaxed); }
  // the bytes of all files that are retained
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Part {
    std::filesystem::path path;
    Timestamp begin{};  // rows before this time are in earlier parts
    std::uint64_t bytes = 0, rows = 0;
    trace::LossCounts losses;
    std::vector<trace::OpenSlice> open;  // slices that were open in the last batch of the part
  };

  struct OpenPart {
    Part part;
    std::unique_ptr<recordings::RecordingWriter> writer;
    std::uint64_t blocks_lost = 0;  // lost blocks that more_blocks_lost() has already returned
  };

  [[nodiscard]] Result<OpenPart> begin_part(const trace::Batch& definitions) const;
  std::uint64_t end_part();  // REQUIRES: open_part_
  void go_on_in(OpenPart part);
  // The number of blocks of the part that were lost since the last call.
  [[nodiscard]] static std::uint64_t more_blocks_lost(OpenPart& part);
  void remove_oldest();
  [[nodiscard]] bool rest_is_enough() const;
  void note(const Status& status);
  void show_bytes();

  std::filesystem::path path_;  // as given to start()
  std::map<std::string, std::string> metadata_;
  FileLimits limits_;
  Duration gather_time_ = recordings::WriterOptions{}.gather_time;
  std::optional<OpenPart> open_part_;
  std::deque<Part> ended_;                   // kept parts, oldest first
  int next_number_ = 0;                      // number of the next part; 0: there is only one file, path_
  Amount full_;                              // a part with at least this amount is full
  std::optional<Timestamp> last_watermark_;  // the latest watermark of the batches so far
  trace::LossCounts evicted_;
  std::optional<Error> first_error_;
  std::uint64_t ended_bytes_ = 0;
  // open_ and bytes_ are written under the work mutex and read by any thread. The order is relaxed, because
  // both are only displayed and publish no other data.
  std::atomic<bool> open_{false};
  std::atomic<std::uint64_t> bytes_{0};
};

// Joins the parts into one file and removes the parts, if ended.join_into is not empty. On failure the parts
// stay. Joining takes long: do not call it under a lock that a recording thread needs. Returns ended.status,
// or the reason why the parts stay (also if `progress` cancels). Afterwards ended.files lists the existing
// files. Any thread may call it.
[[nodiscard]] Status settle(EndedFile& ended, const recordings::Progress& progress = {});

}  // namespace runahead::record
