#include "instrumentation/import/chrome/event_meaning.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "instrumentation/recording/format/payload.h"
#include "instrumentation/trace/labels.h"
#include "instrumentation/trace/rows/cuda_calls.h"

namespace runahead::importers {
using namespace trace;
namespace {

bool contains(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// "Memcpy HtoD (Pageable -> Device)". On an XPU "Memcpy M2D (...)": M is memory of the host, H is pinned
// memory.
SliceKind kind_of_copy(std::string_view name) {
  if (contains(name, "HtoD") || contains(name, " H2D") || contains(name, " M2D"))
    return SliceKind::kCopyToDevice;
  if (contains(name, "DtoH") || contains(name, " D2H") || contains(name, " D2M"))
    return SliceKind::kCopyToHost;
  return SliceKind::kCopyOnDevice;
}

std::uint8_t flags_of_keys(std::string_view keys) {
  std::uint8_t flags = 0;
  for (int bit = 1; bit < 256; bit *= 2) {
    const std::string key = slice_flag_keys(static_cast<std::uint8_t>(bit));
    if (!key.empty() && contains('|' + std::string(keys) + '|', '|' + key + '|')) {
      flags |= static_cast<std::uint8_t>(bit);
    }
  }
  return flags;
}

}  // namespace

EventMeanings::EventMeanings(ImportNames& names)
    : names_(names),
      bytes_(names.intern("bytes")),
      bytes_capital_(names.intern("Bytes")),
      op_(names.intern("op")),
      flags_(names.intern("flags")),
      memory_(names.intern("[memory]")),
      total_allocated_(names.intern("Total Allocated")),
      total_reserved_(names.intern("Total Reserved")),
      device_type_(names.intern("Device Type")),
      device_id_(names.intern("Device Id")),
      address_(names.intern("Addr")),
      direction_(names.intern("direction")),
      size_(names.intern("size")),
      dma_request_(names.intern("dma_request")) {}

EventMeanings::Known EventMeanings::look_up(std::string_view category) const {
  struct Word {
    std::string_view word;
    Category category;
  };
  // "Kernel", "Memset", "Memcpy", "Runtime" and "Operator" are from PyTorch 1.8 and 1.9. Before version 1.0,
  // MXNet wrote "category" instead of "operator".
  static constexpr Word kWords[] = {{"kernel", Category::kKernel},
                                    {"Kernel", Category::kKernel},
                                    {"gpu_memset", Category::kKernel},
                                    {"Memset", Category::kKernel},
                                    {"gpu_memcpy", Category::kMemcpy},
                                    {"Memcpy", Category::kMemcpy},
                                    {"mtia_ccp_events", Category::kMtiaDevice},
                                    {"cuda_runtime", Category::kRuntime},
                                    {"cuda_driver", Category::kRuntime},
                                    {"Runtime", Category::kRuntime},
                                    {"mtia_runtime", Category::kRuntime},
                                    {"glow_runtime", Category::kRuntime},
                                    {"xpu_runtime", Category::kRuntime},
                                    {"xpu_driver", Category::kRuntime},
                                    {"privateuse1_runtime", Category::kRuntime},
                                    {"privateuse1_driver", Category::kRuntime},
                                    {"cuda_sync", Category::kDeviceSync},
                                    {"xpu_sync", Category::kDeviceSync},
                                    {"gpu_user_annotation", Category::kOnDevice},
                                    {"cuda_profiler_range", Category::kKernel},
                                    {"user_annotation", Category::kUserAnnotation},
                                    {"Operator", Category::kUserAnnotation},
                                    {"operator", Category::kMxnetOp},
                                    {"Custom Operator", Category::kMxnetOp},
                                    {"category", Category::kMxnetOp},
                                    {"MXNET_C_API", Category::kMxnetCall},
                                    {"Device Storage", Category::kMxnetMemory},
                                    {"Op", Category::kTensorflowOp},
                                    {"Memory", Category::kTensorflowMemory},
                                    {"ac2g", Category::kLaunchFlow},
                                    {"async", Category::kLaunchFlow},
                                    {"fwdbwd", Category::kUniqueFlow}};
  for (const Word& word : kWords) {
    if (word.word == category) return {word.category};
  }
  for (int i = 0; i < kSliceKindCount; ++i) {
    const auto kind = static_cast<SliceKind>(i);
    if (category == slice_kind_key(kind)) return {Category::kOwnSlice, kind};
  }
  for (int i = 0; i < kFlowKindCount; ++i) {
    const auto kind = static_cast<FlowKind>(i);
    if (category == flow_kind_key(kind)) return {Category::kOwnFlow, SliceKind::kZone, kind};
  }
  return {};
}

EventMeanings::Known EventMeanings::known(StringId category) {
  if (category == kEmptyString) return {};
  if (category == last_category_) return last_;
  const auto [entry, is_new] = known_.try_emplace(raw(category));
  if (is_new) entry->second = look_up(names_.text(category));
  last_category_ = category;
  last_ = entry->second;
  return last_;
}

std::int64_t EventMeanings::integer(const ArgValue& value) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  const double real = names_.number(value).value_or(0);
  return std::abs(real) < 9e18 ? static_cast<std::int64_t>(real) : 0;
}

std::optional<std::int64_t> EventMeanings::size(const ArgValue& value) const {
  const std::optional<double> number = names_.number(value);
  if (!number || !(std::abs(*number) <= static_cast<double>(recordings::kMaxSizeBytes))) return std::nullopt;
  const std::int64_t bytes = integer(value);
  return bytes >= -recordings::kMaxSizeBytes && bytes <= recordings::kMaxSizeBytes ? std::optional(bytes)
                                                                                   : std::nullopt;
}

std::optional<std::int64_t> EventMeanings::address(const ArgValue& value) const {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  const auto* word = std::get_if<StringId>(&value);
  if (word == nullptr) return std::nullopt;
  const EventKey key = number_key(names_.text(*word));
  return key.kind == EventKey::Kind::kNone ? std::nullopt : std::optional(key.value);
}

const Arg* EventMeanings::find(const ChromeEvent& event, StringId key) const {
  const auto found =
      std::find_if(event.args.begin(), event.args.end(), [key](const Arg& arg) { return arg.key == key; });
  return found == event.args.end() ? nullptr : &*found;
}

// Our own exports write the fields of a slice as arguments: size, number of the op, flags. Moves these
// arguments to `out`. Other arguments stay in the event.
void EventMeanings::take_own_args(ChromeEvent& event, SliceMeaning& out) const {
  std::erase_if(event.args, [&](const Arg& arg) {
    if (arg.key == bytes_) {
      const std::optional<std::int64_t> bytes = size(arg.value);
      if (!bytes) return false;
      out.size_bytes = *bytes;
    } else if (arg.key == op_) {
      const std::int64_t number = integer(arg.value);
      if (number <= 0 ||
          op_number(OpId{static_cast<std::uint64_t>(number)}) != static_cast<std::uint64_t>(number))
        return false;
      out.op = OpId{static_cast<std::uint64_t>(number)};
    } else if (arg.key == flags_ && std::holds_alternative<StringId>(arg.value)) {
      out.flags = flags_of_keys(names_.text(std::get<StringId>(arg.value)));
    } else {
      return false;
    }
    return true;
  });
}

// An event of MTIA (an accelerator) states the direction of a transfer in an argument.
SliceKind EventMeanings::kind_of_transfer(const ChromeEvent& event) const {
  const Arg* direction = find(event, direction_);
  const auto* word = direction == nullptr ? nullptr : std::get_if<StringId>(&direction->value);
  if (word == nullptr) return SliceKind::kCopyOnDevice;
  const std::string_view text = names_.text(*word);
  if (text == "HOST_TO_DEVICE") return SliceKind::kCopyToDevice;
  return text == "DEVICE_TO_HOST" ? SliceKind::kCopyToHost : SliceKind::kCopyOnDevice;
}

SliceMeaning EventMeanings::of_category(const Known& what, const ChromeEvent& event) const {
  switch (what.category) {
    case Category::kKernel:
      return {.kind = SliceKind::kExecute, .on_device = true};
    case Category::kMemcpy:
      return {.kind = kind_of_copy(names_.text(event.name)), .on_device = true};
    case Category::kMtiaDevice:
      return {.kind = event.name == dma_request_ ? kind_of_transfer(event) : SliceKind::kExecute,
              .on_device = true};
    case Category::kRuntime:
      return {.kind = kind_of_call(names_.text(event.name))};
    case Category::kDeviceSync:
      return {.kind = SliceKind::kWait, .on_device = true};
    case Category::kOnDevice:
      return {.on_device = true};
    case Category::kUserAnnotation:
      return {.kind =
                  names_.text(event.name).starts_with("ProfilerStep#") ? SliceKind::kStep : SliceKind::kZone};
    case Category::kMxnetOp:
      return {.ops = OpSource::kMxnet};
    case Category::kTensorflowOp:
      return {.ops = OpSource::kTensorflow};
    case Category::kOwnSlice:
      return {.kind = what.slice_kind};
    default:
      return {};
  }
}

SliceMeaning EventMeanings::of_slice(ChromeEvent& event) {
  const Known what = known(event.category);
  SliceMeaning out = of_category(what, event);
  if (what.category == Category::kOwnSlice) {
    take_own_args(event, out);
  } else if (what.category == Category::kKernel || what.category == Category::kMemcpy) {
    if (const Arg* bytes = find(event, bytes_)) out.size_bytes = size(bytes->value).value_or(0);
  } else if (what.category == Category::kMtiaDevice && is_copy(out.kind)) {
    if (const Arg* bytes = find(event, size_)) out.size_bytes = size(bytes->value).value_or(0);
  }
  return out;
}

SliceMeaning EventMeanings::of_edge(const ChromeEvent& event) {
  return of_category(known(event.category), event);
}

SliceKind EventMeanings::of_async(const ChromeEvent& event) {
  if (known(event.category).category != Category::kMxnetCall) return SliceKind::kZone;
  return kind_of_mxnet_call(names_.text(event.name));
}

CounterMeaning EventMeanings::of_counter(const ChromeEvent& event, std::string_view process) {
  const Category category = known(event.category).category;
  const bool mxnet = category == Category::kMxnetMemory && names_.text(event.name).starts_with("Memory: ");
  const bool tensorflow = category == Category::kTensorflowMemory && process == "Allocators";
  if (!mxnet && !tensorflow) return {};
  return {Unit::kBytes, CounterRole::kLiveBytes};
}

FlowMeaning EventMeanings::of_flow(const ChromeEvent& event) {
  const Known what = known(event.category);
  FlowMeaning out{FlowKind::kOther, event.name, false};
  if (what.category == Category::kLaunchFlow) {
    // Other writers also use the old category "async", so its flows are launches only if they have the name
    // "launch".
    const bool launch = names_.text(event.category) == "ac2g" || names_.text(event.name) == "launch";
    out.kind = launch ? FlowKind::kLaunchToDevice : FlowKind::kOther;
    out.unique_ids = launch;
  } else if (what.category == Category::kUniqueFlow) {
    out.unique_ids = true;
  } else if (what.category == Category::kOwnFlow) {
    out.kind = what.flow_kind;
    // if a flow has no name, our export writes the category as its name
    if (event.name == event.category) out.name = kEmptyString;
  }
  return out;
}

std::optional<MemoryMeaning> EventMeanings::of_memory(const ChromeEvent& event) const {
  if (event.name != memory_) return std::nullopt;
  const Arg* bytes = find(event, bytes_capital_);
  if (bytes == nullptr) return std::nullopt;
  MemoryMeaning out;
  out.size_bytes = integer(bytes->value);
  if (const Arg* type = find(event, device_type_)) out.device_type = integer(type->value);
  if (const Arg* device = find(event, device_id_)) out.device_id = integer(device->value);
  if (const Arg* live = find(event, total_allocated_)) out.live_bytes = names_.finite(live->value);
  if (const Arg* reserved = find(event, total_reserved_)) out.reserved_bytes = names_.finite(reserved->value);
  if (const Arg* block = find(event, address_)) out.address = address(block->value);
  return out;
}

}  // namespace runahead::importers
