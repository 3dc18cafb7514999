// Idle time: when a device or a stream had no work, and why. The time of each gap is split into parts that
// add up to the gap. Method: the work that ended the gap says what the device waited for. Until the host
// began to launch it, the device waited for the host, and the slices of the launching thread say what the
// host did. After the launch, the work waited for another stream, or only for the launch to take effect.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "instrumentation/causes/execution.h"
#include "instrumentation/causes/steps.h"

namespace runahead::causes {

enum class IdleCause : std::uint8_t {
  // the host had not launched the next work yet; it
  kSynchronisation,  // waited for a device, or returned from this wait
  kDataLoading,      // loaded data
  kOperator,         // ran the host part of an operator
  kPython,           // ran Python
  kAllocation,       // allocated or freed memory
  kHost,             // did something that the trace does not name
  kLaunchCall,       // was in the call that launches the next work, or launched other work
  // the next work was launched, and
  kLaunchLatency,  // began soon, and nothing is known that it waited for
  kQueued,         // the same, but it began later than a launch takes: the reason is not in the trace
  kOtherStream,    // waited for a kernel of another stream or device
  kCopy,           // waited for a copy
  // others
  kShort,       // gaps that are too short to have a cause of their own
  kNoMoreWork,  // nothing was launched any more
  kUnknown,     // the launch of the next work is not in the trace
};
inline constexpr std::size_t kIdleCauseCount = 14;
[[nodiscard]] std::string_view key_of(IdleCause cause);       // "synchronisation" and so on
[[nodiscard]] std::string_view sentence_of(IdleCause cause);  // "the host waited for a device"

struct IdleParts {
  std::array<Duration, kIdleCauseCount> times{};

  [[nodiscard]] Duration of(IdleCause cause) const { return times[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] Duration& of(IdleCause cause) { return times[static_cast<std::size_t>(cause)]; }
  [[nodiscard]] Duration total() const;
  [[nodiscard]] IdleCause main_cause() const;  // the largest; the first of equals
  void add(const IdleParts& other);
};

struct IdleGap {
  TimeRange range;
  WorkIndex next = kNone;  // the work that ended the gap; kNone: none
  IdleParts parts{};
};

// Gaps that are shorter have the cause kShort. Between two kernels of a full queue, a GPU needs about 1 us.
inline constexpr Duration kShortestGap = std::chrono::microseconds(2);

// A launch takes effect within this time. Measured launches on GPUs take 3 to 20 us.
inline constexpr Duration kLongestLaunch = std::chrono::microseconds(50);

struct IdleReport {
  DeviceIndex device = 0;
  TimeRange range;
  Duration busy{};
  IdleParts idle{};             // busy + idle.total() is the length of the range
  std::vector<IdleGap> gaps{};  // longest first; at most `most_gaps`
  std::uint64_t gap_count = 0;
  std::array<std::uint64_t, kIdleCauseCount> counts{};  // number of gaps by their main cause
  // of_device(): the part of `idle` within each of Steps::ranges
  std::vector<IdleParts> steps{};
};

// One thread at a time: long times of the host are summed once and kept.
class IdleTimes {
 public:
  IdleTimes(const Execution& execution, const Steps& steps);  // `execution` must outlive this

  // The gaps of a device (none of its streams worked) or of one stream within `range`. O(works of the device
  // or stream + gaps * log n + host slices within the gaps).
  [[nodiscard]] IdleReport of_device(DeviceIndex device, TimeRange range, std::size_t most_gaps) const;
  [[nodiscard]] IdleReport of_stream(StreamIndex stream, TimeRange range, std::size_t most_gaps) const;

 private:
  void add_gaps(std::span<const StreamIndex> streams, const analysis::Ranges& busy, TimeRange range,
                std::size_t most_gaps, IdleReport& out) const;
  // The part of a gap within `within`. `next`: the work that ended the gap; kNone: none. `works_later`: the
  // streams worked after the gap.
  [[nodiscard]] IdleGap explain(TimeRange gap, WorkIndex next, bool works_later, TimeRange within) const;
  void add_to_steps(const IdleGap& gap, bool works_later, std::vector<IdleParts>& steps) const;
  // What the host did, up to the ends of equal cells of time. Without this, each of many idle streams would
  // read the slices of the host again.
  struct HostSums {
    Timestamp begin{};
    Duration cell{};
    std::vector<IdleParts> before{};  // before[i]: from `begin` to the begin of cell i
    [[nodiscard]] Timestamp begin_of(std::size_t i) const {
      return begin + static_cast<Duration::rep>(i) * cell;
    }
  };
  [[nodiscard]] HostSums& sums_of(TrackId thread) const;
  void fill(TrackId thread, HostSums& sums) const;
  void add_host_time(TrackId thread, TimeRange range, IdleParts& parts) const;
  // The same, always from the slices.
  void read_host_time(TrackId thread, TimeRange range, IdleParts& parts) const;
  void read_host_time(TrackId thread, TimeRange range, std::uint32_t depth, IdleCause inherited,
                      IdleParts& parts) const;
  [[nodiscard]] IdleCause cause_of(const trace::Slice& slice, IdleCause inherited) const;

  [[nodiscard]] TrackId copying_thread(WorkIndex copy) const;

  const Execution& execution_;
  TrackId main_;
  std::vector<TimeRange> steps_;
  std::vector<bool> copies_unstated_;  // by device: it has launches, but none of a copy
  std::vector<IdleCause> of_names_;    // of zones; index: string id
  mutable std::map<TrackId, HostSums> sums_;
};

// The call that launched the work: its begin and end. If the call is not on the thread any more, both are the
// time of the launch. If the call returned only after the work had ended, the end is the time at which it had
// launched the work: the begin of the call if the work waited for other work, otherwise the begin of the
// work. REQUIRES: work.is_launched(), and it is one of execution.works().
[[nodiscard]] TimeRange launch_call(const Execution& execution, const Work& work);
// True if this call returned only after the work had ended. REQUIRES: the same.
[[nodiscard]] bool returned_after_work(const Execution& execution, const Work& work);

}  // namespace runahead::causes
