#include "tests/cupti/fake_cupti.h"

#include <dlfcn.h>
#include <link.h>

#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>

namespace runahead::testing::fake_cupti {
namespace {

constexpr std::uint32_t kFirstOwnCall = 1900;  // the real CUPTI has no calls with such numbers

using Call = std::pair<CUpti_CallbackDomain, std::uint32_t>;

struct State {
  std::mutex mutex;  // guards all members below; never locked during a callback
  std::uint32_t version = CUPTI_API_VERSION;
  std::map<int, CUptiResult> refused;
  std::set<int> on;
  std::size_t dropped = 0;
  std::vector<std::string> calls, records;
  int null_buffers = 0, flushes = 0;
  Buffer begun;
  std::function<void()> produce;
  std::set<Call> muted, alone;        // calls that are switched off or on by themselves
  std::deque<std::string> own_calls;  // the names of the calls from kFirstOwnCall on
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;
  CUpti_TimestampCallbackFunc clock = nullptr;
};
State& state = *new State;  // never destroyed: the module calls CUPTI until the process ends

template <typename Record>
std::string bytes_of(const Record& record) {
  static_assert(sizeof record % 8 == 0);
  std::string bytes(sizeof record, '\0');
  std::memcpy(bytes.data(), &record, sizeof record);
  return bytes;
}

template <typename Record>
void keep(const Record& record) {
  const std::lock_guard lock(state.mutex);
  state.records.push_back(bytes_of(record));
}

bool put(Buffer& buffer, const std::string& record) {
  if (buffer.used + record.size() > buffer.size) return false;
  std::memcpy(buffer.bytes + buffer.used, record.data(), record.size());
  buffer.used += record.size();
  return true;
}

// Fills one buffer. Returns the records that did not fit.
std::span<const std::string> fill_buffer(std::span<const std::string> records) {
  Buffer buffer = request_buffer();
  if (buffer.bytes == nullptr) {
    const std::lock_guard lock(state.mutex);
    ++state.null_buffers;
    return {};
  }
  while (!records.empty() && put(buffer, records.front())) records = records.subspan(1);
  complete_buffer(buffer);
  return records;
}

// A function of the real libcupti, to which the module is linked.
template <typename Function>
Function* real(const char* name) {
  static const std::string file = [] {
    std::string found;
    ::dl_iterate_phdr(
        [](dl_phdr_info* library, std::size_t, void* out) {
          const std::string path = library->dlpi_name;
          if (path.find("libcupti.so") == path.npos) return 0;
          *static_cast<std::string*>(out) = path;
          return 1;
        },
        &found);
    return found;
  }();
  void* const library = ::dlopen(file.empty() ? "libcupti.so" : file.c_str(), RTLD_LAZY | RTLD_LOCAL);
  return library != nullptr ? reinterpret_cast<Function*>(::dlsym(library, name)) : nullptr;
}

const char* real_name(CUpti_CallbackDomain domain, std::uint32_t cbid) {
  static auto* const function = real<decltype(cuptiGetCallbackName)>("cuptiGetCallbackName");
  const char* name = nullptr;
  return function != nullptr && function(domain, cbid, &name) == CUPTI_SUCCESS ? name : nullptr;
}

void switch_call(const Call& call, bool on) {
  const std::lock_guard lock(state.mutex);
  (on ? state.alone : state.muted).insert(call);
  (on ? state.muted : state.alone).erase(call);
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
  state.produce = nullptr;
  state.muted.clear();
  state.alone.clear();
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
  const std::string bytes = bytes_of(kernel);
  for (int i = 0; i < count; ++i) fill_buffer({&bytes, 1});
}
void begin_buffer() { state.begun = request_buffer(); }
void end_buffer(const CUpti_ActivityKernel10& kernel) {
  put(state.begun, bytes_of(kernel));
  complete_buffer(state.begun);
}
void set_producer(std::function<void()> produce) {
  const std::lock_guard lock(state.mutex);
  state.produce = std::move(produce);
}
Buffer request_buffer() {
  Buffer buffer;
  std::size_t most = 0;
  state.request(&buffer.bytes, &buffer.size, &most);
  return buffer;
}
void complete_buffer(const Buffer& buffer) {
  state.complete(nullptr, 0, buffer.bytes, buffer.size, buffer.used);
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
bool records_call(CUpti_CallbackDomain domain, std::uint32_t cbid) {
  const auto kind =
      domain == CUPTI_CB_DOMAIN_DRIVER_API ? CUPTI_ACTIVITY_KIND_DRIVER : CUPTI_ACTIVITY_KIND_RUNTIME;
  const std::lock_guard lock(state.mutex);
  return state.on.contains(kind) ? !state.muted.contains({domain, cbid})
                                 : state.alone.contains({domain, cbid});
}
std::string real_call_name(CUpti_CallbackDomain domain, std::uint32_t cbid) {
  const char* const name = real_name(domain, cbid);
  return name != nullptr ? name : "";
}
std::uint32_t number_for_call(CUpti_CallbackDomain, const std::string& name) {
  const std::lock_guard lock(state.mutex);
  std::uint32_t number = kFirstOwnCall;
  for (const std::string& known : state.own_calls) {
    if (known == name) return number;
    ++number;
  }
  state.own_calls.push_back(name);
  return number;
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
CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId cbid, std::uint8_t enable) {
  switch_call({CUPTI_CB_DOMAIN_DRIVER_API, cbid}, enable != 0);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableAllSyncRecords(std::uint8_t enable) {
  return called("all sync records " + std::to_string(enable));
}
CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId cbid, std::uint8_t enable) {
  switch_call({CUPTI_CB_DOMAIN_RUNTIME_API, cbid}, enable != 0);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  std::vector<std::string> records;
  std::function<void()> produce;
  {
    const std::lock_guard lock(state.mutex);
    records.swap(state.records);
    produce = state.produce;
  }
  if (produce) produce();
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
  static auto* const function = real<decltype(cuptiActivityGetNextRecord)>("cuptiActivityGetNextRecord");
  return function != nullptr ? function(buffer, used, record) : CUPTI_ERROR_NOT_INITIALIZED;
}
CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp) {
  *timestamp = state.clock() + 1000;
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetErrorMessage(CUptiResult, const char** text) {
  *text = "a fake's refusal";
  return CUPTI_SUCCESS;
}
CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t cbid, const char** name) {
  const std::lock_guard lock(state.mutex);
  const std::size_t own = std::size_t{cbid} - kFirstOwnCall;
  *name = cbid >= kFirstOwnCall && own < state.own_calls.size() ? state.own_calls[own].c_str()
                                                                : real_name(domain, cbid);
  return *name != nullptr ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
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
