// Lost or doubtful data, counted by cause. Nothing is dropped silently: every drop is counted here, and each
// cause has a sentence for the user.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace runahead::trace {

enum class LossCause : std::uint8_t {
  kBufferFull,       // a thread's event buffer was full: the event was not recorded
  kCollectorBehind,  // the owner took batches too late: rows are missing from its trace, not from a recording
  kLateRow,          // a row came after its track's watermark: it is on an extra lane (nothing is missing)
  kUnmatchedEnd,     // an end without a begin
  kUnfinishedSlice,  // a begin without an end
  kClockWentBack,    // an end before its begin: became a slice of length zero
  kEvicted,          // an evicted row: older than what the live view or a recording retains
  kFileWrite,        // a block that could not be written to the recording
  kFileTruncated,    // bytes after the last complete block of a cut-off recording
  kFileUnknown,      // a block of a kind that this version does not know, skipped
  kUnboundFlow,      // an arrow with only one end
  kImportSkipped,    // an imported event that a trace cannot represent
  kImportBroken,     // an imported event that is unreadable or incomplete
  kImportCut,        // bytes of imported events that are cut off (their end is missing)
  kImportUndefined,  // a name, clock or state that an import refers to but does not define
  kFileUnreadable,   // a damaged block (1024 rows) of a recording, found when it was loaded
  kDeviceNoTimes,    // a kernel, copy or memset whose times the device could not record
  kDeviceRecords,    // records of a device's profiler (CUPTI) for which CUPTI or this program had no room
  kImportStale,      // a recording inside an exported file that does not match the file's events
  kFileDamaged,      // damaged bytes of a recording that were skipped
  kImportFiles,      // a further trace in an imported file: only one trace of a file is shown
};
inline constexpr int kLossCauseCount = 21;

// A short key for JSON ("buffer_full"), and a sentence that tells the user what was lost and, if something
// can be done about it, what to do.
[[nodiscard]] std::string_view loss_key(LossCause cause);
[[nodiscard]] std::string_view loss_sentence(LossCause cause);

// Counts by cause. A value type: each counting thread has its own LossCounts, and they are added up.
class LossCounts {
 public:
  void add(LossCause cause, std::uint64_t count = 1) { counts_[static_cast<std::size_t>(cause)] += count; }
  [[nodiscard]] std::uint64_t of(LossCause cause) const { return counts_[static_cast<std::size_t>(cause)]; }
  void add(const LossCounts& other) {
    for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  }
  [[nodiscard]] bool none() const {
    for (const std::uint64_t count : counts_)
      if (count != 0) return false;
    return true;
  }
  // True if data is missing. Late rows and rows that were evicted on purpose do not count.
  [[nodiscard]] bool facts_missing() const;
  friend bool operator==(const LossCounts&, const LossCounts&) = default;

 private:
  std::array<std::uint64_t, kLossCauseCount> counts_{};
};

}  // namespace runahead::trace
