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
     "A thread recorded faster than the collector could drain it, so these events are missing. Record fewer "
     "zones, or give each thread a larger buffer."},
    {LossCause::kCollectorBehind, "collector_behind",
     "The window read batches too late, so these rows are missing from the live view. A recording written "
     "meanwhile has them."},
    {LossCause::kLateRow, "late_row",
     "These rows arrived too late for their place in time and lie on an extra lane. Nothing is missing."},
    {LossCause::kUnmatchedEnd, "unmatched_end",
     "These slices ended, but their begin was not seen, mostly because the capture began inside them. Start "
     "recording before the work."},
    {LossCause::kUnfinishedSlice, "unfinished_slice",
     "These slices did not end within the capture and are drawn to its end. To see their true length, stop "
     "the work before the recording."},
    {LossCause::kClockWentBack, "clock_went_back",
     "These slices ended before they began and are shown with length zero. Clocks of this machine or of the "
     "trace disagree: do not trust times near them."},
    {LossCause::kEvicted, "let_go",
     "These rows were evicted because they were older than the limit allows. Raise the live view's memory "
     "limit or the recording's --keep-last, or record to a file without a limit."},
    {LossCause::kFileWrite, "file_write",
     "These blocks could not be written to the recording, mostly because the disk is full. Free disk space "
     "and record again."},
    {LossCause::kFileTruncated, "file_truncated",
     "The recording's writer was cut off, so these bytes after the last whole block cannot be read. "
     "Everything before them is shown."},
    {LossCause::kFileUnknown, "file_unknown",
     "This version does not know the kind of these blocks of the recording and skipped them. Open it with a "
     "newer Runahead."},
    {LossCause::kUnboundFlow, "unbound_flow",
     "These arrows are not drawn, because the slice at one end was not recorded."},
    {LossCause::kImportSkipped, "import_skipped",
     "These events of the imported file cannot be shown in this timeline and were skipped. The tool that "
     "wrote the file still shows them."},
    {LossCause::kImportBroken, "import_broken",
     "These events of the imported file are missing: they cannot be read, or lack a time or an id. Check the "
     "program that wrote the file."},
    {LossCause::kImportCut, "import_cut",
     "These bytes of the imported file belong to events without an end, mostly because the writer was cut "
     "off. Everything around them is shown."},
    {LossCause::kImportUndefined, "import_undefined",
     "The imported file uses these names, clocks or states but does not define them, mostly because its "
     "start was overwritten. Events have no name, or are missing if their time is unknown."},
    {LossCause::kFileUnreadable, "file_unreadable",
     "These blocks of the recording, of 1024 rows each, are damaged or were lost after it was opened. Each "
     "is drawn as a gap. Copy the file again from its source."},
    {LossCause::kDeviceNoTimes, "device_no_times",
     "The device had no room for the times of these kernels and copies, or gave times that cannot be right, "
     "so they are "
     "missing. Without room: launch less at once, or synchronise more often while recording."},
    {LossCause::kDeviceRecords, "device_records",
     "The profiler's buffers had no room for these records of GPU activity, so the GPU's rows have gaps. "
     "Record a shorter time or fewer calls, or raise the buffer limit."},
    {LossCause::kImportStale, "import_stale",
     "This export contains its recording, but the events were changed since, or that recording is damaged. "
     "Only the events are shown. Open the recording itself to see everything."},
    {LossCause::kFileDamaged, "file_damaged",
     "These bytes of the recording are damaged and were skipped. Rows, names and tracks that only they "
     "contained are missing. Copy the file again from its source."},
    {LossCause::kImportFiles, "import_files",
     "These other traces in the zip were not opened. The metadata import.file names the one that is shown. "
     "Unpack the zip to open the others."},
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
