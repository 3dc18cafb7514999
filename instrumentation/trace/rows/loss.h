// What was lost or odd, by cause. Nothing is dropped in silence: every drop adds to one of these, and each
// has a sentence for the user.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace runahead::trace {

enum class LossCause : std::uint8_t {
  kBufferFull,       // a thread's event buffer was full: the event was not recorded
  kCollectorBehind,  // the owner did not take batches in time: the batch was dropped
  kLateRow,          // came after its track's watermark: shown on an extra lane (nothing is missing)
  kUnmatchedEnd,     // an end without its begin
  kUnfinishedSlice,  // a begin whose end never came
  kClockWentBack,    // an end before its begin: made a slice of length zero
  kEvicted,          // older than what the live view, or a recording, is to keep
  kFileWrite,        // a block that could not be written to the recording
  kFileTruncated,    // bytes after the last whole block of a recording that was cut off
  kFileUnknown,      // a block of a kind this version does not know, skipped
  kUnboundFlow,      // an arrow with one end only
  kImportSkipped,    // an event of an import that has no place in a trace
  kImportBroken,     // an event of an import that cannot be read, or lacks what it needs
  kImportCut,        // bytes of an import that belong to events without an end
  kImportUndefined,  // a name, clock or state that an import refers to and does not hold
  kFileUnreadable,   // 1024 rows of a recording that were to be loaded and are damaged
  kDeviceNoTimes,    // a kernel, copy or memset whose times the device could not keep
  kDeviceRecords,    // records of a device's profiler (CUPTI) that it, or we, had no room for
  kImportStale,      // a recording that an export of ours carries and that cannot be taken for its events
  kFileDamaged,      // bytes of a recording that are not as they were written, and were passed over
  kImportFiles,      // another trace in the file of an import, which shows one of them
};
inline constexpr int kLossCauseCount = 21;

// A short key for JSON ("buffer_full") and a sentence for a person, with what to do about it.
[[nodiscard]] std::string_view loss_key(LossCause cause);
[[nodiscard]] std::string_view loss_sentence(LossCause cause);

// Counts by cause. A value; the threads that count keep their own and add them up.
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
  // True where facts are missing (not late rows, nor what the live view let go on purpose).
  [[nodiscard]] bool facts_missing() const;
  friend bool operator==(const LossCounts&, const LossCounts&) = default;

 private:
  std::array<std::uint64_t, kLossCauseCount> counts_{};
};

}  // namespace runahead::trace
