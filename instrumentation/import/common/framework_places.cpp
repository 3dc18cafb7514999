#include "instrumentation/import/common/framework_places.h"

#include <algorithm>
#include <optional>

#include "instrumentation/trace/rows/cuda_calls.h"

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::string_view kCompute = " Compute", kStream = "/stream:", kMemcpy = "/memcpy";

bool says(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
bool is_capital(char c) { return c >= 'A' && c <= 'Z'; }

bool starts_with_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words, [text](std::string_view word) { return text.starts_with(word); });
}

// Returns the device: the part of the process's name before `word`. Empty: the name does not contain `word`,
// or does not end in " Compute".
std::string_view device_before(std::string_view process, std::string_view word) {
  if (!process.ends_with(kCompute)) return {};
  process.remove_suffix(kCompute.size());
  const std::size_t at = process.rfind(word);
  return at == process.npos ? std::string_view() : process.substr(0, at);
}

// Matches "MEMCPYHtoD", "MemcpyD2H", "CopyCPU2GPU", "_copyto_GPU2CPU".
std::optional<SliceKind> kind_of_named_copy(std::string_view name) {
  const bool memcpy = starts_with_any(name, {"MEMCPY", "Memcpy", "memcpy"});
  if (!memcpy && !says(name, "Copy") && !says(name, "_copyto_")) return std::nullopt;
  for (const std::string_view word : {"HtoD", "H2D", "CPU2GPU"}) {
    if (says(name, word)) return SliceKind::kCopyToDevice;
  }
  for (const std::string_view word : {"DtoH", "D2H", "GPU2CPU"}) {
    if (says(name, word)) return SliceKind::kCopyToHost;
  }
  if (memcpy || says(name, "GPU2GPU")) return SliceKind::kCopyOnDevice;
  return std::nullopt;
}

// Matches "cuLaunchKernel", "cudaMalloc", "hipMemcpyAsync"; not "custom_call".
bool is_runtime_call(std::string_view name) {
  for (const std::string_view maker : {"cuda", "cu", "hip"}) {
    if (name.starts_with(maker) && name.size() > maker.size() && is_capital(name[maker.size()])) return true;
  }
  return false;
}

PlaceMeaning timeline_place(std::string_view process, bool streams_apart) {
  using Does = PlaceMeaning::Does;
  if (!process.ends_with(kCompute)) return {};
  if (const auto device = timeline_summary_of(process); !device.empty()) {
    if (streams_apart) return {};
    return {Does::kExecutes, true, std::string(device)};
  }
  if (const auto device = timeline_stream_of(process); !device.empty())
    return {Does::kExecutes, true, std::string(device)};
  const std::string_view device = process.substr(0, process.size() - kCompute.size());
  // The slices show when the host launched the op's kernels, not when the kernels ran.
  if (says(device, "GPU:") || says(device, "/gpu:")) return {Does::kLaunches, false, {}};
  const bool cpu = says(device, "CPU:") || says(device, "/cpu:");
  return {Does::kExecutes, !cpu, std::string(device)};
}

PlaceMeaning viewer_place(std::string_view process, std::string_view thread) {
  using Does = PlaceMeaning::Does;
  if (process.ends_with("/host:CPU")) return {Does::kCalls, false, {}};
  const std::size_t device = process.find("/device:");
  if (device == process.npos) return {};
  const std::string_view kind = process.substr(device);
  const bool stream = kind.starts_with("/device:GPU:") && starts_with_any(thread, {"Stream #", "stream:"});
  const bool ops = kind.starts_with("/device:TPU:") && thread == "XLA Ops";
  if (!stream && !ops) return {};
  return {Does::kExecutes, true, std::string(process)};
}

}  // namespace

std::string_view timeline_summary_of(std::string_view process) {
  if (const auto device = device_before(process, "/stream:all"); !device.empty()) return device;
  return device_before(process, kMemcpy);
}

std::string_view timeline_stream_of(std::string_view process) {
  const std::string_view device = device_before(process, kStream);
  const std::size_t number = device.size() + kStream.size();
  const bool numbered =
      !device.empty() && number < process.size() && process[number] >= '0' && process[number] <= '9';
  return numbered ? device : std::string_view();
}

PlaceMeaning meaning_of_place(OpSource ops, std::string_view process, std::string_view thread,
                              bool streams_apart) {
  switch (ops) {
    case OpSource::kMxnet:
      if (!starts_with_any(process, {"cpu/", "gpu/", "cpu pinned/", "cpu shared/"})) return {};
      return {PlaceMeaning::Does::kExecutes, process.starts_with("gpu/"), std::string(process)};
    case OpSource::kTensorflow:
      return timeline_place(process, streams_apart);
    case OpSource::kUnknown:
      break;
  }
  return viewer_place(process, thread);
}

SliceKind kind_at(const PlaceMeaning& place, std::string_view name) {
  switch (place.does) {
    case PlaceMeaning::Does::kUnknown:
      return SliceKind::kZone;
    case PlaceMeaning::Does::kCalls:
      return is_runtime_call(name) ? kind_of_call(name) : SliceKind::kZone;
    case PlaceMeaning::Does::kLaunches:
      return name == "RecvTensor" ? SliceKind::kZone : SliceKind::kEnqueue;
    case PlaceMeaning::Does::kExecutes:
      break;
  }
  if (name == "RecvTensor") return SliceKind::kZone;  // a transfer over the network
  return kind_of_named_copy(name).value_or(SliceKind::kExecute);
}

SliceKind kind_of_mxnet_call(std::string_view name) {
  if (starts_with_any(name, {"MXNDArrayWait", "MXNDArraySync", "MXKVStoreBarrier"})) return SliceKind::kWait;
  if (name == "MXNDArrayCreateNone") return SliceKind::kZone;  // creates only a handle
  if (starts_with_any(name, {"MXNDArrayCreate", "MXNDArrayFree", "MXStorageEmptyCache"}))
    return SliceKind::kAllocation;
  if (starts_with_any(
          name, {"MXImperativeInvoke", "MXInvokeCachedOp", "MXFuncInvoke", "MXExecutorForward",
                 "MXExecutorBackward", "MXAutogradBackward", "MXAutogradComputeGradient", "MXKVStoreInit",
                 "MXKVStorePush", "MXKVStorePull", "MXKVStoreBroadcast", "MXEnginePush"}))
    return SliceKind::kEnqueue;
  return SliceKind::kZone;
}

}  // namespace runahead::importers
