// Communication: the collectives of a device (NCCL, RCCL and others), and how much of them other work of the
// device hid.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "instrumentation/causes/execution.h"

namespace runahead::causes {

// True if the name is that of a collective or of a transfer between ranks.
[[nodiscard]] bool is_communication(std::string_view name);

// is_communication() of the names of a trace, each computed once.
class CommunicationNames {
 public:
  explicit CommunicationNames(const trace::Trace& trace);  // must outlive this
  [[nodiscard]] bool has(StringId name) {
    State& state = states_[raw(name)];
    if (state == State::kUnknown)
      state = is_communication(trace_->string(name)) ? State::kCommunication : State::kOther;
    return state == State::kCommunication;
  }

 private:
  enum class State : std::uint8_t { kUnknown, kOther, kCommunication };
  const trace::Trace* trace_;
  std::vector<State> states_;  // by string id
};

struct CommunicationTimes {
  std::uint64_t count = 0;  // collectives that ran in the range
  Duration total{};         // at least one collective ran
  Duration hidden{};        // a compute kernel of the device ran too
  Duration exposed{};       // no other work of the device ran
  // the longest time without other work
  TimeRange longest;
  TrackId track = kNoTrack;  // a stream of a collective at that time
};

// O(n log n) for the n pieces of work of the device; O(n) if none is a collective.
[[nodiscard]] CommunicationTimes communication_times(const Execution& execution, DeviceIndex device,
                                                     TimeRange range);

}  // namespace runahead::causes
