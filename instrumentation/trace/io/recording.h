// .runahead recordings: append-only blocks of columns, each with length, checksum (xxHash64) and codec (zstd);
// readable up to the last whole block after a crash at any byte; a footer index that makes opening cheap and
// can be rebuilt without it. The layout is in docs/recording-format.md. Version 1.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "instrumentation/base/result.h"
#include "instrumentation/trace/batch.h"
#include "instrumentation/trace/trace.h"

namespace runahead::trace::io {

inline constexpr std::uint32_t kRecordingVersion = 1;

// Called now and then by long work: `done` in 0..1. Returning false cancels it.
using Progress = std::function<bool(double done)>;

// Writes batches as they come. One thread at a time. After each write() the file holds whole blocks only, so a
// kill at any moment loses at most the batch in flight.
class RecordingWriter {
 public:
  // Refuses an unwritable place, a directory, and an existing file that is not a recording.
  [[nodiscard]] static Result<std::unique_ptr<RecordingWriter>> create(
      const std::filesystem::path& path, const std::map<std::string, std::string>& metadata);

  // Appends the batch. A failure (a full disk) is returned once, the file is cut back to its last whole block,
  // and later batches are only counted (blocks_lost()).
  Status write(const Batch& batch);
  // Writes the open slices as unfinished ones, the final loss counts and the footer; closes. The destructor does it too.
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

// Opens a recording. A cut-off or damaged tail is not an error: what is whole is there, the rest is counted in
// losses() (kFileTruncated, bytes). Errors: missing, a directory, not a recording, a newer version, nothing whole.
Result<Trace> load_recording(const std::filesystem::path& path, const Progress& progress = {});

// Opens any trace that we can read, by content, not by name. (Today: recordings and Chrome JSON that we wrote; formats later.)
Result<Trace> load_any(const std::filesystem::path& path, const Progress& progress = {});

}  // namespace runahead::trace::io
