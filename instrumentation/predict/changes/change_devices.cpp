#include "instrumentation/predict/changes/change_devices.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/base/parse_number.h"
#include "instrumentation/predict/changes/change_waits.h"

namespace runahead::predict {
namespace {

constexpr std::int64_t kMostStreams = 64;
constexpr int kMostInAll = 4096;

// In a trace of another tool, the order of the kernels on a stream is all that is known of their
// dependencies.
Status check_devices(const Change& change, const Program& program) {
  if (program.settings.of_graph)
    return wrong_change(change, "the trace does not say which kernels of a stream depend on each other");
  if (std::ranges::all_of(program.queues, &Queue::workers))
    return wrong_change(change, "no device of the run has streams; workers=N changes those of device cpu");
  return Ok{};
}

}  // namespace

Status set_streams(const Change& change, Program& program) {
  if (Status status = check_devices(change, program); !status) return status;
  const auto count = parse_positive_bytes(change.value);
  if (!count || *count > kMostStreams)
    return wrong_change(change, "the value must be a number from 1 to " + std::to_string(kMostStreams));
  for (Queue& queue : program.queues) {
    if (!queue.workers && computes(queue)) queue.servers = static_cast<int>(*count);
  }
  program.notes.emplace_back(
      "streams=N gives an upper bound: ops that run at once share the device, and the model runs each as "
      "fast "
      "as alone");
  return Ok{};
}

Status add_devices(const Change& change, Program& program) {
  if (Status status = check_devices(change, program); !status) return status;
  const std::string_view value = change.value;
  const auto count = value.starts_with('+') ? parse_positive_bytes(value.substr(1)) : std::nullopt;
  if (!count || *count >= kMostStreams) return wrong_change(change, "the value must be +1, +2, ...");
  for (Queue& queue : program.queues) {
    if (queue.workers) continue;
    queue.servers *= static_cast<int>(*count + 1);
    if (queue.servers > kMostInAll)
      return wrong_change(change, "at most " + std::to_string(kMostInAll) + " streams in all");
  }
  program.notes.emplace_back(
      "device=+N gives an upper bound: in the model, nothing has to be copied between the devices");
  return Ok{};
}

}  // namespace runahead::predict
