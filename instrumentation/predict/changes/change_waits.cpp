#include "instrumentation/predict/changes/change_waits.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "instrumentation/base/parse_number.h"

namespace runahead::predict {
namespace {

using causes::CallRole;

constexpr std::size_t kMostNames = 10;
// A call that launches a copy or a kernel, and does not wait.
constexpr Duration kLaunchCall = std::chrono::microseconds(5);

// What remains of the host's time in a call that does not wait any more.
Duration time_without_wait(CallRole role) {
  return causes::is_synchronisation(role) ? Duration{} : kLaunchCall;
}

// Removes the waits for which drops(set) is true, and returns their number.
template <typename Drops>
std::size_t drop_waits(Program& program, const Drops& drops) {
  std::size_t count = 0;
  for (Frontend& frontend : program.frontends) {
    std::vector<Event> kept;
    Duration own{};
    for (Event event : frontend.events) {
      if (event.action == Action::kWaitSet && drops(event.target)) {
        own += event.before + time_without_wait(program.recorded_waits[event.target].role);
        ++count;
        continue;
      }
      event.before += std::exchange(own, Duration{});
      kept.push_back(event);
    }
    frontend.events = std::move(kept);
  }
  return count;
}

// Moves waits to the end of their steps.
class WaitMover {
 public:
  explicit WaitMover(Program& program) : program_(program), by_queue_(program.queues.size()) {
    for (OpIndex op = 0; op < program.ops.size(); ++op) by_queue_[program.ops[op].queue].push_back(op);
  }

  template <typename Moves>
  std::size_t move(const Moves& moves) {
    std::size_t count = 0;
    for (Frontend& frontend : program_.frontends) {
      const auto last = std::ranges::find(frontend.events.rbegin(), frontend.events.rend(), Action::kEndStep,
                                          &Event::action);
      const auto steps_end = last.base();  // waits after it stay
      std::vector<Event> out, waits;
      Duration own{};
      for (auto at = frontend.events.begin(); at != frontend.events.end(); ++at) {
        Event event = *at;
        event.before += std::exchange(own, Duration{});
        if (at < steps_end && event.action == Action::kWaitSet && moves(event.target)) {
          own = std::exchange(event.before, Duration{});
          waits.push_back(event);
          continue;
        }
        if (event.action == Action::kEndStep && !waits.empty()) {
          waits.front().before = std::exchange(event.before, Duration{});
          count += waits.size();
          for (Event& wait : waits) {
            wait.target = later_set(wait.target, event.target);
            out.push_back(wait);
          }
          waits.clear();
        }
        out.push_back(event);
      }
      frontend.events = std::move(out);
    }
    return count;
  }

 private:
  // The last ops before `bound` on the queues of the set. A call for the device: on all queues of its
  // devices.
  std::uint32_t later_set(std::uint32_t set, OpIndex bound) {
    const RecordedWait wait = program_.recorded_waits[set];
    std::vector<std::uint8_t> chosen(program_.queues.size());
    for (const OpIndex op : program_.wait_sets.of(set)) chosen[program_.ops[op].queue] = 1;
    if (wait.role == CallRole::kDeviceSync) choose_devices(chosen);
    for (QueueIndex queue = 0; queue < chosen.size(); ++queue) {
      const auto after = std::ranges::lower_bound(by_queue_[queue], bound);
      if (chosen[queue] != 0 && after != by_queue_[queue].begin())
        program_.wait_sets.items.push_back(*std::prev(after));
    }
    program_.wait_sets.first.push_back(static_cast<std::uint32_t>(program_.wait_sets.items.size()));
    program_.recorded_waits.push_back(wait);
    return static_cast<std::uint32_t>(program_.wait_sets.count() - 1);
  }

  void choose_devices(std::vector<std::uint8_t>& chosen) const {
    const std::vector<std::uint8_t> before = chosen;
    for (QueueIndex of = 0; of < before.size(); ++of) {
      if (before[of] == 0) continue;
      for (QueueIndex queue = 0; queue < chosen.size(); ++queue) {
        if (program_.queues[queue].device == program_.queues[of].device) chosen[queue] = 1;
      }
    }
  }

  Program& program_;
  std::vector<std::vector<OpIndex>> by_queue_;
};

std::vector<std::uint8_t> matching_places(const Program& program, std::string_view wanted) {
  std::vector<std::uint8_t> out;
  for (const SyncPlace& at : program.sync_places)
    out.push_back(wanted == at.place || wanted == at.call || wanted == at.call + "@" + at.place ? 1 : 0);
  return out;
}

// Bytes per ns of the pinned copies in one direction.
std::optional<double> pinned_rate(const Program& program, bool to_device) {
  double bytes = 0, time = 0;
  for (const HostCopy& copy : program.host_copies) {
    if (!copy.pinned || copy.pageable || copy.to_device != to_device) continue;
    const auto duration = static_cast<double>(program.ops[copy.op].duration.count());
    if (copy.size_bytes <= 0 || duration <= 0) continue;
    bytes += static_cast<double>(copy.size_bytes);
    time += duration;
  }
  return time > 0 ? std::optional(bytes / time) : std::nullopt;
}

}  // namespace

Error wrong_change(const Change& change, const std::string& wanted) {
  return Error{"'" + to_string(change) + "': " + wanted};
}

std::string some_of(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) out += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMostNames) out += " and " + std::to_string(names.size() - kMostNames) + " more";
  return out;
}

Status change_sync(const Change& change, std::string_view place, Program& program) {
  const bool drops = change.value == "drop";
  if (!drops && change.value != "end") return wrong_change(change, "the value must be drop or end");
  if (program.sync_places.empty())
    return wrong_change(change, "the run has no synchronisation that can be changed by its place");
  const std::vector<std::uint8_t> matches = matching_places(program, place);
  if (std::ranges::find(matches, 1) == matches.end()) {
    std::vector<std::string> known;
    for (const SyncPlace& at : program.sync_places) known.push_back("'" + at.call + "@" + at.place + "'");
    return wrong_change(change, "no synchronisation has this place; the run has " + some_of(known));
  }
  const auto chosen = [&](std::uint32_t set) { return matches[program.recorded_waits[set].place] != 0; };
  const std::size_t count = drops ? drop_waits(program, chosen) : WaitMover(program).move(chosen);
  if (count == 0) return wrong_change(change, "no step ends after it on its thread");
  return Ok{};
}

Status scale_bandwidth(const Change& change, double factor, Program& program) {
  if (factor <= 0) return wrong_change(change, "the value must be a factor above 0");
  if (program.host_copies.empty())
    return wrong_change(change, "the run has no copies between host and device whose rate could change");
  for (const HostCopy& copy : program.host_copies) {
    Duration& time = program.ops[copy.op].duration;
    const Duration overhead = std::min(time, kCopyOverhead);
    time = overhead + scaled(time - overhead, 1 / factor);
  }
  return Ok{};
}

Status pin_copies(const Change& change, Program& program) {
  const std::optional<std::int64_t> given = parse_positive_bytes(change.value);
  if (!given) return wrong_change(change, "the value must be 1, or a rate in bytes per second (such as 25G)");
  if (std::ranges::none_of(program.host_copies, &HostCopy::pageable))
    return wrong_change(change, "the trace has no copies of pageable memory");
  std::array<std::optional<double>, 2> rates{pinned_rate(program, false), pinned_rate(program, true)};
  if (*given != 1) rates.fill(static_cast<double>(*given) / 1e9);
  std::vector<std::uint8_t> pageable(program.ops.size());
  for (const HostCopy& copy : program.host_copies) {
    if (!copy.pageable) continue;
    pageable[copy.op] = 1;
    const std::optional<double> rate = rates[copy.to_device ? 1 : 0];
    if (!rate)
      return wrong_change(
          change, std::string("the trace has no copy of pinned memory ") + (copy.to_device ? "to" : "from") +
                      " a device: their rate is not known; pinned=25G states it in bytes per second");
    const auto pinned = Duration(
        static_cast<Duration::rep>(static_cast<double>(std::max<std::int64_t>(copy.size_bytes, 0)) / *rate));
    Duration& time = program.ops[copy.op].duration;
    if (copy.size_bytes > 0) time = std::min(time, kCopyOverhead + pinned);
  }
  drop_waits(program, [&](std::uint32_t set) {
    return program.recorded_waits[set].role == CallRole::kAsyncCopy &&
           std::ranges::any_of(program.wait_sets.of(set), [&](OpIndex op) { return pageable[op] != 0; });
  });
  return Ok{};
}

}  // namespace runahead::predict
