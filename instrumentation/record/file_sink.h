// FileSink: the recording of a collector, while there is one: a file, or several one after the other
// (FileLimits). Used under the collector's work mutex; what is_open() and bytes() say may be read on any
// thread.
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

// What stop() leaves: files that are whole. settle() makes one of them where that was asked for.
struct EndedFile {
  Status status = Ok{};  // the first write that failed, or the end
  std::vector<std::filesystem::path> files;
  std::filesystem::path join_into;  // empty: they are left as they are
  std::vector<recordings::RecordingPart> parts;
  trace::LossCounts evicted;  // of parts that were removed: their rows, and their losses
};

class FileSink {
 public:
  FileSink();
  ~FileSink();

  // Creates the (first) file and writes `definitions`, to which later batches refer. With limits the files
  // are numbered from behind the last one that is there: those of an earlier recording stay.
  [[nodiscard]] Status start(const std::filesystem::path& path,
                             const std::map<std::string, std::string>& metadata,
                             const trace::Batch& definitions, const FileLimits& limits = {});
  // Returns how many blocks could not be written. 0 when there is no file.
  std::uint64_t write(const trace::Batch& batch);
  // Into the file that there is, and those after it. Nothing happens when there is none.
  void add_metadata(const std::map<std::string, std::string>& more);
  // The file has what one is to hold: next_part() is due.
  [[nodiscard]] bool part_is_full() const;
  // Goes on in a new file, which begins with all definitions of the batches so far. Where it cannot be made
  // the file that there is goes on, and stop() says why. Returns how many blocks could not be written.
  std::uint64_t next_part(const trace::Batch& definitions);
  // Ends the file. status is an error when there is none.
  [[nodiscard]] EndedFile stop();

  [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_relaxed); }
  // Of all files that are kept.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Part {
    std::filesystem::path path;
    Timestamp begin{};  // everything before it is in the parts before
    std::uint64_t bytes = 0, rows = 0;
    trace::LossCounts losses;
    std::vector<trace::OpenSlice> open;  // at the last batch
  };

  struct OpenPart {
    Part part;
    std::unique_ptr<recordings::RecordingWriter> writer;
    std::uint64_t blocks_lost = 0;  // told already
  };

  [[nodiscard]] Result<OpenPart> begin_part(const trace::Batch& definitions) const;
  std::uint64_t end_part();  // REQUIRES: open_part_
  void go_on_in(OpenPart part);
  // By how many it has grown since the last call.
  [[nodiscard]] static std::uint64_t more_blocks_lost(OpenPart& part);
  void remove_oldest();
  [[nodiscard]] bool rest_is_enough() const;
  void note(const Status& status);
  void show_bytes();

  std::filesystem::path path_;  // as asked for
  std::map<std::string, std::string> metadata_;
  FileLimits limits_;
  std::optional<OpenPart> open_part_;
  std::deque<Part> ended_;                   // that are kept, oldest first
  int next_number_ = 0;                      // 0: one file, of the name that was asked for
  Amount full_;                              // part_is_full() from here on
  std::optional<Timestamp> last_watermark_;  // of the batches so far
  trace::LossCounts evicted_;
  std::optional<Error> first_error_;
  std::uint64_t ended_bytes_ = 0;
  // Written under the work mutex, read by anyone, relaxed: facts to show, they publish nothing.
  std::atomic<bool> open_{false};
  std::atomic<std::uint64_t> bytes_{0};
};

// Joins the parts into one file and removes them, where that was asked for; where it fails they stay. Long
// work: not under a lock that a recording thread takes. Returns ended.status, or why they stay, as where
// `progress` cancels it; ended.files is what there is then. Any thread.
[[nodiscard]] Status settle(EndedFile& ended, const recordings::Progress& progress = {});

}  // namespace runahead::record
