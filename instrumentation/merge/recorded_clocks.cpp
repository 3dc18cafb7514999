#include "instrumentation/merge/recorded_clocks.h"

#include <optional>
#include <utility>

#include "instrumentation/merge/message_joiner.h"
#include "instrumentation/recording/recording.h"

namespace runahead::merge {

using namespace trace;

namespace {

// More messages do not make the alignment better.
constexpr std::size_t kMostMessages = std::size_t{4} << 20;

// A process, and its place in the first process of its machine's time.
struct Placed {
  std::size_t machine = 0;
  ClockMap to_machine;
};

struct Machine {
  ClockFacts clock;  // of its first process, whose clock is the machine's
};

Placed place(const ClockFacts& clock, std::vector<Machine>& machines) {
  for (std::size_t machine = 0; machine < machines.size(); ++machine) {
    if (const auto map = shared_clock(clock, machines[machine].clock)) return {machine, *map};
  }
  machines.push_back({clock});
  return {machines.size() - 1, {}};
}

// Takes the halves of messages of one recording. A track says which machine a half belongs to, and its times
// become the machine's. False: stopped.
bool take_messages(const Trace& trace, const Placed& placed, MessageJoiner& joiner, std::vector<Flow>& whole,
                   const std::function<bool()>& stopped) {
  constexpr std::uint64_t kBetweenQuestions = 10'000;
  const TrackId machine{static_cast<std::uint32_t>(placed.machine)};
  for (std::uint64_t i = 0; i < trace.flow_count() && whole.size() < kMostMessages; ++i) {
    if (i % kBetweenQuestions == 0 && stopped && stopped()) return false;
    Flow flow = trace.flow(i);
    if (!MessageJoiner::is_half(flow)) continue;
    (flow.from_track == kNoTrack ? flow.to_track : flow.from_track) = machine;
    flow.from_time = timestamp_from_ns(placed.to_machine.to_reference(ns_from(flow.from_time)));
    flow.to_time = timestamp_from_ns(placed.to_machine.to_reference(ns_from(flow.to_time)));
    joiner.add(flow, whole);
    if (joiner.is_full()) static_cast<void>(joiner.take_oldest());
  }
  return true;
}

std::vector<Message> messages_between_machines(const std::vector<Flow>& flows) {
  std::vector<Message> messages;
  for (const Flow& flow : flows) {
    if (flow.from_track == flow.to_track) continue;
    messages.push_back(
        {raw(flow.from_track), raw(flow.to_track), ns_from(flow.from_time), ns_from(flow.to_time)});
  }
  return messages;
}

ProcessClock clock_of(const Placed& placed, const std::vector<std::optional<AlignedClock>>& machines) {
  if (placed.machine == 0) return {ClockSource::kShared, {placed.to_machine, 0}};
  const std::optional<AlignedClock>& machine = machines[placed.machine];
  if (!machine) return {ClockSource::kUnknown, {}};
  return {ClockSource::kMessages, {composed(placed.to_machine, machine->map), machine->error_ns}};
}

}  // namespace

ClockMap composed(const ClockMap& first, const ClockMap& second) {
  return {.base_ns = 0,
          .offset_ns = second.to_reference(first.to_reference(0)),
          .drift = (1 + first.drift) * (1 + second.drift) - 1};
}

Result<std::vector<ProcessClock>> clocks_of_recordings(std::span<const std::filesystem::path> recordings,
                                                       const std::function<bool()>& stopped) {
  std::vector<Machine> machines;
  std::vector<Placed> processes;
  for (const std::filesystem::path& path : recordings) {
    const Result<Trace> trace = recordings::open_recording(path);
    if (!trace) return trace.error();
    processes.push_back(place(clock_facts_of(trace->metadata()), machines));
  }
  std::vector<std::optional<AlignedClock>> aligned(machines.size());
  if (machines.size() > 1) {
    MessageJoiner joiner;
    std::vector<Flow> whole;
    for (std::size_t i = 0; i < recordings.size(); ++i) {
      const Result<Trace> trace = recordings::open_recording(recordings[i]);
      if (!trace) return trace.error();
      if (!take_messages(*trace, processes[i], joiner, whole, stopped)) return Error{"stopped"};
    }
    aligned = align_clocks(machines.size(), 0, messages_between_machines(whole));
  }
  std::vector<ProcessClock> clocks;
  for (const Placed& placed : processes) clocks.push_back(clock_of(placed, aligned));
  return clocks;
}

}  // namespace runahead::merge
