// TraceSaver: hands traces to a writer as batches: one, or several that are parts of one recording.
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
  // Of a slice of the lane (track, depth): whether it stays out.
  using LeavesOut = std::function<bool(TrackId track, std::uint32_t depth, const Slice& slice)>;

  // total_rows: of all traces, for the progress. Both arguments must outlive this.
  TraceSaver(RecordingWriter& writer, std::uint64_t total_rows, const Progress& progress)
      : writer_(writer), progress_(progress), total_(total_rows + 1) {}

  // Definitions that the trace before lacked, then its rows. Strings, arguments and tracks have the ids that
  // they had in the trace before, whose rows all come earlier, lane by lane.
  [[nodiscard]] Status add(const Trace& trace, const LeavesOut& leaves_out = {});
  // What is still open in `last`, the losses of all, and `more`; ends the file.
  [[nodiscard]] Status finish(const Trace& last, const LossCounts& more = {});

  [[nodiscard]] static std::uint64_t rows_of(const Trace& trace);

 private:
  Status hand_over(Batch& batch, std::uint64_t rows);
  Status add_definitions(const Trace& trace);
  Status add_track(const Track& track, const LeavesOut& leaves_out);
  Status add_tables(const Trace& trace);
  // Hands over rows [0, n) of a table: `add` puts row i into the batch.
  template <typename Add>
  Status add_rows(std::uint64_t n, Add add);

  RecordingWriter& writer_;
  const Progress& progress_;
  std::uint64_t total_ = 1, done_ = 0;
  std::uint64_t strings_ = 1, args_ = 0;  // handed over; string 0 needs not be
  std::vector<TrackInfo> tracks_;         // as handed over last, by id
  LossCounts losses_;
};

// Writes a whole trace into `temporary`, which messages call `shown`.
[[nodiscard]] Status save_into(const TemporaryFile& temporary, const std::filesystem::path& shown,
                               const Trace& trace, const Progress& progress, bool opening = true);

}  // namespace runahead::recordings
