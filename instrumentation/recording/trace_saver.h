// TraceSaver: passes traces to a writer as batches: one trace, or several parts of one recording.
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

  // total_rows: number of rows of all traces, for the progress. Both references must outlive this.
  TraceSaver(RecordingWriter& writer, std::uint64_t total_rows, const Progress& progress)
      : writer_(writer), progress_(progress), total_(total_rows + 1) {}

  // Adds the definitions that the previous trace did not have, then the rows. Strings, arguments and tracks
  // must have the same ids as in the previous trace. In each lane, all rows of the previous trace must be
  // earlier than the new rows.
  [[nodiscard]] Status add(const Trace& trace, const LeavesOut& leaves_out = {});
  // Writes the slices and ops that are still open in `last`, the losses of all traces, and `more`. Ends the
  // file.
  [[nodiscard]] Status finish(const Trace& last, const LossCounts& more = {});

  [[nodiscard]] static std::uint64_t rows_of(const Trace& trace);

 private:
  Status hand_over(Batch& batch, std::uint64_t rows);
  Status add_definitions(const Trace& trace);
  Status add_track(const Track& track, const LeavesOut& leaves_out);
  Status add_tables(const Trace& trace);
  // Passes rows [0, n) of a table: `add` puts row i into the batch.
  template <typename Add>
  Status add_rows(std::uint64_t n, Add add);

  RecordingWriter& writer_;
  const Progress& progress_;
  std::uint64_t total_ = 1, done_ = 0;
  std::uint64_t strings_ = 1, args_ = 0;  // number passed so far; string 0 does not have to be passed
  std::vector<TrackInfo> tracks_;         // as last passed, indexed by id
  LossCounts losses_;
};

// Writes a whole trace into `temporary`; messages use the name `shown`.
[[nodiscard]] Status save_into(const TemporaryFile& temporary, const std::filesystem::path& shown,
                               const Trace& trace, const Progress& progress, bool opening = true);

}  // namespace runahead::recordings
