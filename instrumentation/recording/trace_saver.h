// TraceSaver: writes one trace, or several traces that are parts of one recording. It passes the rows to the
// writer of the file in batches.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/trace.h"

namespace runahead::recordings {
using namespace trace;

class TraceSaver {
 public:
  // Returns true if the saver must skip this slice of the lane (track, depth).
  using LeavesOut = std::function<bool(TrackId track, std::uint32_t depth, const Slice& slice)>;

  // total_rows: the number of rows of all traces. The progress is computed from it. `writer` and `progress`
  // must outlive the TraceSaver.
  TraceSaver(RecordingWriter& writer, std::uint64_t total_rows, const Progress& progress)
      : writer_(writer), progress_(progress), total_(total_rows + 1) {}

  // Writes the definitions (strings, argument sets and tracks) that the previous trace did not have, and then
  // the rows. A definition must have the same id as in the previous trace. In each lane, all rows of the
  // previous trace must be earlier than the new rows.
  [[nodiscard]] Status add(const Trace& trace, const LeavesOut& leaves_out = {});
  // Writes the slices and ops that are still open in `last` (the last trace), the losses of all traces, and
  // `more` (further losses). Then completes the file.
  [[nodiscard]] Status finish(const Trace& last, const LossCounts& more = {});

  [[nodiscard]] static std::uint64_t rows_of(const Trace& trace);

 private:
  Status hand_over(Batch& batch, std::uint64_t rows);
  Status add_definitions(const Trace& trace);
  Status add_track(const Track& track, const LeavesOut& leaves_out);
  Status add_tables(const Trace& trace);
  // Passes rows [0, n) of a table to the writer, in batches. add(batch, i) must put row i into the batch.
  template <typename Add>
  Status add_rows(std::uint64_t n, Add add);

  RecordingWriter& writer_;
  const Progress& progress_;
  std::uint64_t total_ = 1, done_ = 0;
  // The number of strings and argument sets passed so far. String 0 (empty) needs no definition and is not
  // passed.
  std::uint64_t strings_ = 1, args_ = 0;
  // Each track as it was last passed to the writer; the index is the track id.
  std::vector<TrackInfo> tracks_;
  LossCounts losses_;
};

// What a saved recording has (WriterOptions).
struct SavedForm {
  bool opening = true;
  bool compression = true;
};
// Writes a whole trace into the file `temporary`. Error messages call the file `shown`.
[[nodiscard]] Status save_into(const TemporaryFile& temporary, const std::filesystem::path& shown,
                               const Trace& trace, const Progress& progress, const SavedForm& form = {});

}  // namespace runahead::recordings
