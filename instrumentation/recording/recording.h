// .runahead recordings: append-only blocks of columns, each with length, checksum (xxHash64) and codec
// (zstd); readable up to the last whole block after a crash at any byte, and past damaged blocks; a footer
// index that makes opening cheap and can be rebuilt without it. The layout is in docs/recording-format.md.
// Version 1.
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

// Called now and then by long work: `done` in 0..1. Returning false cancels it.
using Progress = std::function<bool(double done)>;

// Small batches are gathered into larger blocks, so that a live recording costs little; what is gathered is
// what a kill can lose.
struct WriterOptions {
  std::size_t gather_bytes = 4u << 20;                    // of rows, about, before they are written
  Duration gather_time = std::chrono::milliseconds(100);  // since the first of them; looked at in write()
  bool compression = true;
  // Also the blocks that open a finished file without reading all of it: a third of its bytes.
  bool opening = true;
  // What messages call the file, which is a temporary one that is removed after a failure; empty: its own
  // name, and what was written stays.
  std::filesystem::path shown_path;
  SealerLimits limits;
};

// Writes batches as they come. One thread at a time. The file holds whole blocks only, whenever a write of
// the system is not under way; a kill at any moment loses the rows gathered since the last one: those of the
// last gather_time, as long as write() is called at least so often (an empty batch will do).
class RecordingWriter {
 public:
  // Refuses an unwritable place, a directory, and an existing file that is not a recording.
  [[nodiscard]] static Result<std::unique_ptr<RecordingWriter>> create(
      const std::filesystem::path& path, const std::map<std::string, std::string>& metadata);
  [[nodiscard]] static Result<std::unique_ptr<RecordingWriter>> create(
      const std::filesystem::path& path, const std::map<std::string, std::string>& metadata,
      const WriterOptions& options);

  // Appends the batch. A failure (a full disk) is returned once, the file is cut back to its last whole
  // block, and later batches are only counted (blocks_lost()).
  Status write(const Batch& batch);
  // Facts that are known later than create(); of a key that is there the later value holds. Errors as
  // write().
  Status add_metadata(const std::map<std::string, std::string>& more);
  // Writes what is gathered now. Errors as write().
  Status flush();
  // Writes the open slices as unfinished ones, the final loss counts and the footer; closes. The destructor
  // does it too.
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

// Writes a whole trace as a recording (definitions, then rows), through a temporary file renamed at the end.
Status save_recording(const Trace& trace, const std::filesystem::path& path, const Progress& progress = {});

// One of the files that a source wrote one after the other, with the same ids of strings and tracks in all.
struct RecordingPart {
  std::filesystem::path path;
  std::vector<OpenSlice> continued;  // were open at its end: in it unfinished, and whole in a later part
};
// Writes the parts, in their order, as one recording, through a temporary file renamed at the end; they stay.
// `more` is added to their losses. Cancelled by `progress`: an error, and nothing is left of the one file.
// Memory: the trace of one part. REQUIRES: there are parts.
Status join_recordings(std::span<const RecordingPart> parts, const std::filesystem::path& path,
                       const LossCounts& more = {}, const Progress& progress = {});

// Opens a recording by reading all of it. One that was cut off or damaged is not an error: the rows of all
// whole blocks are there, the rest is counted in losses() in bytes (kFileTruncated: behind the last whole
// block, as the writer did not come further; kFileDamaged). Names and tracks whose definitions are lost have
// placeholders. Errors: missing, a directory, not a recording, a newer version, nothing whole. Memory: the
// trace, and a block at a time. metadata()["recording.ended"] is "yes" where the writer finished.
Result<Trace> load_recording(const std::filesystem::path& path, const Progress& progress = {});
// The same from memory; `name` is what messages call it.
Result<Trace> read_recording(std::span<const std::byte> bytes, const std::string& name = "recording");
// The same; nothing where any byte is damaged, or the writer did not finish.
std::optional<Trace> read_whole_recording(std::span<const std::byte> bytes);

// What a trace opened from a file may keep of it in memory, beyond what it needs to be drawn at all.
struct OpenOptions {
  std::size_t memory_bytes = std::size_t{256} << 20;
  // A file of at most so many bytes is read once, and its blocks' hashes checked, before it is opened: damage
  // is known at once then (kFileDamaged), and costs no row of a whole block.
  std::uint64_t check_bytes = 0;
};
inline constexpr OpenOptions kCheckedWhole{.check_bytes = UINT64_MAX};
// Opens a recording without reading all of it, where its writer finished: what is asked for later is loaded
// then, checked, and kept within options.memory_bytes (trace.store()). A part that turns out to be damaged
// is counted then (kFileUnreadable). Where the writer did not finish, something that opening needs is
// damaged, or the check (options.check_bytes) finds rows damaged that it would load: as load_recording().
Result<Trace> open_recording(const std::filesystem::path& path, const Progress& progress = {},
                             const OpenOptions& options = {});
// The same from memory; the trace keeps the bytes.
Result<Trace> open_recording_bytes(std::string bytes, const OpenOptions& options = {},
                                   const std::string& name = "recording");

}  // namespace runahead::recordings
