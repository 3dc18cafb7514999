#include "instrumentation/trace/rows/loss.h"

#include "instrumentation/base/check.h"

namespace runahead::trace {
namespace {

struct LossText {
  LossCause cause;
  std::string_view key;
  std::string_view sentence;
};

constexpr std::array<LossText, kLossCauseCount> kTexts{{
    {LossCause::kBufferFull, "buffer_full",
     "A thread recorded faster than the collector could drain it, so these events are missing; record fewer "
     "zones, or give each thread a larger buffer."},
    {LossCause::kCollectorBehind, "collector_behind",
     "The window did not take batches in time, so these rows are missing from the live view; a recording "
     "written meanwhile has them."},
    {LossCause::kLateRow, "late_row",
     "These rows came after their place in time had passed and lie on an extra lane; nothing is missing."},
    {LossCause::kUnmatchedEnd, "unmatched_end",
     "These slices ended without a begin that was seen, mostly because the capture started in their midst; "
     "start recording before the work."},
    {LossCause::kUnfinishedSlice, "unfinished_slice",
     "These slices never ended within the capture and are drawn to its end; stop the work before the "
     "recording to see their true length."},
    {LossCause::kClockWentBack, "clock_went_back",
     "These slices ended before they began and are shown with length zero; the clocks of this machine or of "
     "the trace disagree, so read times near them with care."},
    {LossCause::kEvicted, "let_go",
     "These rows are older than what was to be kept; raise the live view's memory limit (or the recording's "
     "--keep-last), or record to a file without a limit to keep everything."},
    {LossCause::kFileWrite, "file_write",
     "These blocks could not be written to the recording, mostly because the disk is full; free space and "
     "record again."},
    {LossCause::kFileTruncated, "file_truncated",
     "These bytes after the last whole block of the recording could not be read, as its writer was cut off; "
     "everything before them is shown."},
    {LossCause::kFileUnknown, "file_unknown",
     "These blocks of the recording are of a kind that this version does not know and were skipped; open it "
     "with a newer Runahead."},
    {LossCause::kUnboundFlow, "unbound_flow",
     "These arrows have only one end, as the slice at the other was not recorded, and are not drawn."},
    {LossCause::kImportSkipped, "import_skipped",
     "These events of the imported file have no place in a timeline here and were skipped; the tool that "
     "wrote the file still shows them."},
    {LossCause::kImportBroken, "import_broken",
     "These events of the imported file cannot be read, or lack a time or an id that they need, and are "
     "missing; look at what wrote the file."},
    {LossCause::kImportCut, "import_cut",
     "These bytes of the imported file belong to events that never end, mostly because its writer was cut "
     "off; "
     "everything around them is shown."},
    {LossCause::kImportUndefined, "import_undefined",
     "These names, clocks or states are used in the imported file and not defined in it, mostly because its "
     "start was overwritten; the events are nameless, or missing where their time is not known."},
    {LossCause::kFileUnreadable, "file_unreadable",
     "These pieces of the recording, of 1024 rows each, are damaged or have gone since it was opened, and "
     "are "
     "drawn as a gap between their ends; copy the file again from where it came."},
    {LossCause::kDeviceNoTimes, "device_no_times",
     "These kernels and copies ran, but the device had no room left to keep their times, so they are "
     "missing; launch less at once, or synchronise more often while recording."},
    {LossCause::kDeviceRecords, "device_records",
     "These records of the GPU's activity found no room in the profiler's buffers and are missing, so its "
     "rows have gaps; record a shorter time or fewer calls, or raise the buffers' limit."},
    {LossCause::kImportStale, "import_stale",
     "This export carries the recording that it was made of, but its events were changed since, or that "
     "recording is damaged: its events are shown, without what only the recording holds; open the recording "
     "itself."},
    {LossCause::kFileDamaged, "file_damaged",
     "These bytes of the recording are damaged and were passed over, so the rows, names and tracks that only "
     "they held are missing; copy the file again from where it came."},
    {LossCause::kImportFiles, "import_files",
     "These other traces in the zip were not opened; the metadata's import.file names the one that is shown: "
     "unpack the zip to open the others."},
}};

const LossText& text_of(LossCause cause) {
  const auto index = static_cast<std::size_t>(cause);
  RUNAHEAD_CHECK_OP(index, <, kTexts.size());
  return kTexts[index];
}

constexpr bool in_order() {
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (static_cast<std::size_t>(kTexts[i].cause) != i) return false;
  }
  return true;
}
static_assert(in_order(), "kTexts is indexed by cause");

}  // namespace

std::string_view loss_key(LossCause cause) { return text_of(cause).key; }
std::string_view loss_sentence(LossCause cause) { return text_of(cause).sentence; }

bool LossCounts::facts_missing() const {
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    const auto cause = static_cast<LossCause>(i);
    if (cause != LossCause::kLateRow && cause != LossCause::kEvicted && counts_[i] != 0) return true;
  }
  return false;
}

}  // namespace runahead::trace
