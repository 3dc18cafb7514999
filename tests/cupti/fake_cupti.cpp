#include "tests/cupti/fake_cupti.h"

#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <span>

namespace runahead::testing::fake_cupti {
namespace {

constexpr std::size_t kSlot = 256;  // each record takes this number of bytes in a buffer

struct State {
  std::mutex mutex;  // guards all members below; never locked during a callback
  std::uint32_t version = CUPTI_API_VERSION;
  std::map<int, CUptiResult> refused;
  std::set<int> on;
  std::size_t dropped = 0;
  std::vector<std::string> calls, records;
  int null_buffers = 0, flushes = 0;
  std::uint8_t* begun = nullptr;
  std::size_t begun_size = 0;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  CUpti_TimestampCallbackFunc clock = nullptr;
};
State& state = *new State;  // never destroyed: the module calls CUPTI until the process ends

template <typename Record>
void keep(const Record& record) {
  static_assert(sizeof record <= kSlot);
  std::string bytes(kSlot, '\0');
  std::memcpy(bytes.data(), &record, sizeof record);
  const std::lock_guard lock(state.mutex);
  state.records.push_back(std::move(bytes));
}

// Fills one buffer. Returns the records that did not fit.
std::span<const std::string> fill_buffer(std::span<const std::string> records) {
  std::uint8_t* buffer = nullptr;
  std::size_t size = 0, most = 0, used = 0;
  state.request(&buffer, &size, &most);
  if (buffer == nullptr) {
    const std::lock_guard lock(state.mutex);
    ++state.null_buffers;
    return {};
  }
  for (; !records.empty() && used + kSlot <= size; records = records.subspan(1), used += kSlot)
    std::memcpy(buffer + used, records.front().data(), kSlot);
  state.complete(nullptr, 0, buffer, size, used);
  return records;
}

CUptiResult called(const std::string& what) {
  const std::lock_guard lock(state.mutex);
  state.calls.push_back(what);
  return CUPTI_SUCCESS;
}

}  // namespace

void reset() {
  const std::lock_guard lock(state.mutex);
  state.version = CUPTI_API_VERSION;
  state.refused.clear();
  state.on.clear();
  state.dropped = 0;
  state.calls.clear();
  state.records.clear();
  state.null_buffers = 0;
  state.flushes = 0;
}
void set_version(std::uint32_t version) {
  const std::lock_guard lock(state.mutex);
  state.version = version;
}
void refuse(CUpti_ActivityKind kind, CUptiResult result) {
  const std::lock_guard lock(state.mutex);
  state.refused[kind] = result;
}
void drop(std::size_t records) {
  const std::lock_guard lock(state.mutex);
  state.dropped += records;
}
void happen(const CUpti_ActivityKernel10& kernel) { keep(kernel); }
void happen(const CUpti_ActivityMemcpy6& copy) { keep(copy); }
void happen(const CUpti_ActivityAPI& call) { keep(call); }
void fill_buffers(int count) {
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  std::string bytes(kSlot, '\0');
  std::memcpy(bytes.data(), &kernel, sizeof kernel);
  for (int i = 0; i < count; ++i) fill_buffer({&bytes, 1});
}
void begin_buffer() {
  std::size_t most = 0;
  state.request(&state.begun, &state.begun_size, &most);
}
void end_buffer(const CUpti_ActivityKernel10& kernel) {
  std::memcpy(state.begun, &kernel, sizeof kernel);
  state.complete(nullptr, 0, state.begun, state.begun_size, kSlot);
}
int flushes() {
  const std::lock_guard lock(state.mutex);
  return state.flushes;
}
std::uint64_t clock_ns() { return state.clock(); }
std::vector<std::string> calls() {
  const std::lock_guard lock(state.mutex);
  return state.calls;
}
int null_buffers() {
  const std::lock_guard lock(state.mutex);
  return state.null_buffers;
}
bool is_on(CUpti_ActivityKind kind) {
  const std::lock_guard lock(state.mutex);
  return state.on.contains(kind);
}

}  // namespace runahead::testing::fake_cupti

using namespace runahead::testing::fake_cupti;

extern "C" {

CUptiResult cuptiGetVersion(std::uint32_t* version) {
  const std::lock_guard lock(state.mutex);
  *version = state.version;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc clock) {
  state.clock = clock;
  return called("clock");
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  state.request = request;
  state.complete = complete;
  return called("callbacks");
}
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  called("enable " + std::to_string(kind));
  const std::lock_guard lock(state.mutex);
  if (const auto refused = state.refused.find(kind); refused != state.refused.end()) return refused->second;
  state.on.insert(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  called("disable " + std::to_string(kind));
  const std::lock_guard lock(state.mutex);
  state.on.erase(kind);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId, std::uint8_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityEnableAllSyncRecords(std::uint8_t enable) {
  return called("all sync records " + std::to_string(enable));
}
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId, std::uint8_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  std::vector<std::string> records;
  {
    const std::lock_guard lock(state.mutex);
    records.swap(state.records);
  }
  for (std::span<const std::string> left(records); !left.empty();) left = fill_buffer(left);
  const std::lock_guard lock(state.mutex);
  ++state.flushes;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  const std::lock_guard lock(state.mutex);
  *dropped = state.dropped;
  state.dropped = 0;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t used, CUpti_Activity** record) {
  std::uint8_t* const next = *record == nullptr ? buffer : reinterpret_cast<std::uint8_t*>(*record) + kSlot;
  if (next >= buffer + used) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp) {
  *timestamp = state.clock() + 1000;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetErrorMessage(CUptiResult, const char** text) {
  *text = "a fake's refusal";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain, std::uint32_t, const char** name) {
  *name = "cudaLaunchKernel";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind, std::uint64_t id) {
  return called("push " + std::to_string(id));
}
CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind, std::uint64_t*) {
  return called("pop");
}
CUptiResult cuptiGetStreamIdEx(CUcontext, CUstream, std::uint8_t, std::uint32_t* id) {
  *id = 7;
  return CUPTI_SUCCESS;
}

}  // extern "C"
