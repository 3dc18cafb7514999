// .runahead recordings: append-only blocks of columns, each with length, checksum (xxHash64) and codec
// (zstd). After a crash at any byte a recording is readable up to the last complete block, and damaged blocks
// can be skipped. A footer index makes opening cheap and can be rebuilt. docs/recording-format.md has the
// layout. Version 1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/base/time.h"
#include "instrumentation/recording/sealer_limits.h"
#include "instrumentation/trace/rows/batch.h"
#include "instrumentation/trace/trace.h"

namespace runahead::recordings {
using namespace trace;

inline constexpr std::uint32_t kRecordingVersion = 1;

// Called from time to time by long work, with `done` in 0..1. Return false to cancel.
using Progress = std::function<bool(double done)>;

// Small batches are joined into larger blocks, so that a live recording costs little. If the program is
// killed, the rows that are not written yet are lost.
struct WriterOptions {
  std::size_t gather_bytes = 4u << 20;  // estimated size of rows to collect before writing
  // the collected rows are also written when the oldest collected row has this age; write() checks the age
  Duration gather_time = std::chrono::milliseconds(100);
  bool compression = true;
  // If true, the writer also writes the blocks that allow opening a finished file without reading all of it.
  // These blocks are a third of the file's bytes.
  bool opening = true;
  // The file name for messages, if the writer writes a temporary file that is removed after a failure. Empty:
  // messages use the file's own name, and written data stays after a failure.
  std::filesystem::path shown_path;
  SealerLimits limits;
};

// Writes batches as they arrive. Only one thread may use it at a time. Except during a system write the file
// contains only whole blocks. If the program is killed, the rows collected since the last write are lost. If
// write() is called at least once per gather_time (an empty batch is enough), only the rows of the last
// gather_time are lost.
class RecordingWriter {
 public:
  // Returns an error for a place that cannot be written, a directory, and an existing file that is not a
  // recording.
  [[nodiscard]] static Result<std::unique_ptr<RecordingWriter>> create(
      const std::filesystem::path& path, const std::map<std::string, std::string>& metadata);
  [[nodiscard]] static Result<std::unique_ptr<RecordingWriter>> create(
      const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
      const WriterOptions& options);

  // Appends the batch. A failure (such as a full disk) is returned once. The file is then cut back to its
  // last whole block, and later batches are only counted (blocks_lost()).
  Status write(const Batch& batch);
  // Adds metadata that becomes known after create(). A later value of a key replaces an earlier value.
  // Reports errors in the same way as write().
  Status add_metadata(const std::map<std::string, std::string>& more);
  // Replaces WriterOptions::gather_time.
  void set_gather_time(Duration time);
  // Writes the collected rows now. Reports errors in the same way as write().
  Status flush();
  // Writes the open slices as unfinished, the final loss counts and the footer, and closes the file. The
  // destructor does this too.
  Status finish();

  [[nodiscard]] std::uint64_t bytes_written() const;
  [[nodiscard]] std::uint64_t blocks_lost() const;
  [[nodiscard]] const std::filesystem::path& path() const;
  ~RecordingWriter();

 private:
  RecordingWriter();
  struct State;
  std::unique_ptr<State> state_;
};

// Writes a whole trace as a recording (definitions, then rows). Writes a temporary file and renames it at the
// end.
Status save_recording(const Trace& trace, const std::filesystem::path& path, const Progress& progress = {});

// Describes one of several files that a source wrote one after another. The ids of strings and tracks are the
// same in all files.
struct RecordingPart {
  std::filesystem::path path;
  // slices that were open at the end of this part: unfinished in this part, complete in a later part
  std::vector<OpenSlice> continued;
};
// Writes the parts in order as one recording, to a temporary file that is renamed at the end. The parts stay.
// `more` is added to the losses of the parts. If `progress` cancels, the function returns an error and leaves
// no joined file. Keeps the trace of one part at a time in memory. REQUIRES: there is at least one part.
Status join_recordings(std::span<const RecordingPart> parts, const std::filesystem::path& path,
                       const LossCounts& more = {}, const Progress& progress = {});

// Opens a recording by reading all of it. Cut-off or damaged data is not an error: the trace has the rows of
// all whole (undamaged) blocks, and losses() counts the other bytes (kFileTruncated: bytes after the last
// whole block, where the writer stopped; kFileDamaged: other bytes). Names and tracks with lost definitions
// get placeholders. Errors: missing file, a directory, not a recording, a newer version, no whole block.
// Needs memory for the trace and for one block at a time. metadata()["recording.ended"] is "yes" if the
// writer finished.
Result<Trace> load_recording(const std::filesystem::path& path, const Progress& progress = {});
// Works like load_recording(), from memory. `name` is the file's name in messages.
Result<Trace> read_recording(std::span<const std::byte> bytes, const std::string& name = "recording");
// Works like read_recording(), but returns nullopt if any byte is damaged or the writer did not finish.
std::optional<Trace> read_whole_recording(std::span<const std::byte> bytes);

// How a recording is opened. memory_bytes limits how much of the trace is retained in memory, in addition to
// the parts that drawing always needs.
struct OpenOptions {
  std::size_t memory_bytes = std::size_t{256} << 20;
  // If a file has at most this many bytes, it is read once before it is opened, and the hashes of its blocks
  // are checked. Damage is then known from the start (kFileDamaged), and no row of an undamaged block is
  // lost.
  std::uint64_t check_bytes = 0;
};
inline constexpr OpenOptions kCheckedWhole{.check_bytes = UINT64_MAX};
// Opens a finished recording without reading all of it. Chunks are loaded when needed, checked, and retained
// within options.memory_bytes (trace.store()). A damaged chunk is counted when it is loaded
// (kFileUnreadable). If the check (options.check_bytes) finds damage in the chunks or tails of a kind of
// rows, all rows of this kind are read at once, from the undamaged blocks in which they arrived. Falls back
// to load_recording() if the writer did not finish, or if a block that is needed for opening is damaged.
Result<Trace> open_recording(const std::filesystem::path& path, const Progress& progress = {},
                             const OpenOptions& options = {});
// Works like open_recording(), from memory. The trace retains the bytes.
Result<Trace> open_recording_bytes(std::string bytes, const OpenOptions& options = {},
                                   const std::string& name = "recording");

}  // namespace runahead::recordings
