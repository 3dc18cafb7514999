#include "tests/host_cuda/host_cupti.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "instrumentation/cupti/cupti_module.h"
#include "tests/host_cuda/host_cuda.h"

namespace runahead::host_cuda {
namespace {

using cupti::Record;
using cupti::RecordKind;

// The process has one instance. It is never destroyed, because a stream may still use it after the recording
// has ended.
struct HostCupti {
  std::mutex mutex;  // guards all members except `now`
  std::condition_variable wake;
  std::vector<Record> records;  // records since the last delivery
  RunaheadCuptiSink sink{};
  std::chrono::milliseconds period{50};
  bool stopping = false;
  std::uint32_t correlations = 0;
  std::thread reader;
  // written under mutex, read by any thread; null: no recording is active
  std::atomic<std::uint64_t (*)()> now{nullptr};
};
HostCupti& host() {
  static HostCupti& instance = *new HostCupti;
  return instance;
}

// The calling thread's stack of op ids (push_op(), pop_op()). A call belongs to the op on top of the stack.
thread_local std::vector<std::uint64_t> ops;

// The time on the clock of the simulated CUPTI. REQUIRES: a caller that stores this time as the end of a
// record holds HostCupti's mutex. deliver() reads complete_ns, the time up to which all records have been
// delivered, under the same mutex. Therefore no record of a later delivery ends before complete_ns.
std::int64_t now_ns() {
  const auto now = host().now.load(std::memory_order_acquire);
  return now != nullptr ? static_cast<std::int64_t>(now()) : 0;
}

void deliver(std::unique_lock<std::mutex>& lock) {
  HostCupti& h = host();
  const std::vector<Record> records = std::exchange(h.records, {});
  const std::int64_t complete_ns = now_ns();
  // Only one thread at a time calls the sink, so the calls need no lock. Without the lock, streams can add
  // records during the calls.
  lock.unlock();
  for (const Record& record : records) h.sink.take(h.sink.user, &record);
  h.sink.delivered(h.sink.user, 0, complete_ns);
  lock.lock();
}

void read_until_stopped() {
  HostCupti& h = host();
  std::unique_lock lock(h.mutex);
  while (!h.stopping) {
    h.wake.wait_for(lock, h.period);
    deliver(lock);
  }
}

void fill_status(RunaheadCuptiStatus* out) {
  *out = {};
  out->module_version = kRunaheadCuptiModuleVersion;
}
void probe(const RunaheadCuptiOptions*, RunaheadCuptiStatus* out) { fill_status(out); }

void add_devices() {
  for (std::uint32_t device = 0; device < kHostDevices; ++device) {
    Record record{.kind = RecordKind::kDevice, .kernel = {}};
    record.device = {device, kHostDeviceName, true};
    host().records.push_back(record);
  }
}

int start(const RunaheadCuptiSink* sink, const RunaheadCuptiOptions* options, RunaheadCuptiStatus* out) {
  HostCupti& h = host();
  const std::lock_guard lock(h.mutex);
  fill_status(out);
  if (h.now.load() != nullptr) {
    std::snprintf(out->reason, sizeof out->reason, "it records already");
    return 0;
  }
  h.sink = *sink;
  h.period = std::chrono::milliseconds(options->flush_period_ms);
  h.stopping = false;
  add_devices();
  h.now.store(options->now_ns, std::memory_order_release);
  h.reader = std::thread(read_until_stopped);
  return 1;
}

void stop() {
  HostCupti& h = host();
  {
    const std::lock_guard lock(h.mutex);
    h.stopping = true;
    h.wake.notify_all();
  }
  h.reader.join();
  std::unique_lock lock(h.mutex);
  deliver(lock);
  h.now.store(nullptr, std::memory_order_release);
  h.records.clear();
}

void push_op(std::uint64_t op) { ops.push_back(op); }
void pop_op() { ops.pop_back(); }
int find_stream(void* stream, RunaheadCuptiStream* out) {
  const HostStreamId& id = *static_cast<HostStreamId*>(stream);
  *out = {id.device, id.stream};
  return 1;
}

constexpr RunaheadCuptiModule kModule{.module_version = kRunaheadCuptiModuleVersion,
                                      .probe = probe,
                                      .start = start,
                                      .stop = stop,
                                      .status = fill_status,
                                      .push_op = push_op,
                                      .pop_op = pop_op,
                                      .find_stream = find_stream};

cupti::Work place_of(const HostWork& work, std::int64_t end_ns) {
  return {.begin_ns = work.begin_ns,
          .end_ns = end_ns,
          .device = work.device,
          .context = work.device + 1,
          .stream = work.stream,
          .correlation = work.correlation};
}

}  // namespace

std::int64_t host_cupti_now_ns() { return now_ns(); }

HostCall::HostCall(const char* name) : name_(name), begin_ns_(now_ns()) {
  if (begin_ns_ == 0) return;
  HostCupti& h = host();
  const std::lock_guard lock(h.mutex);
  correlation_ = ++h.correlations;
  if (ops.empty()) return;
  Record record{.kind = RecordKind::kExternalCorrelation, .kernel = {}};
  record.external = {ops.back(), correlation_};
  h.records.push_back(record);
}

HostCall::~HostCall() {
  if (correlation_ == 0) return;
  const std::lock_guard lock(host().mutex);
  Record record{.kind = RecordKind::kCall, .kernel = {}};
  record.call = {.begin_ns = begin_ns_,
                 .end_ns = now_ns(),
                 .name = name_,
                 .correlation = correlation_,
                 .tid = ::gettid()};
  if (record.call.end_ns != 0) host().records.push_back(record);
}

void work_ended(const HostWork& work) {
  if (work.correlation == 0 || work.begin_ns == 0) return;
  const std::lock_guard lock(host().mutex);
  const std::int64_t end_ns = now_ns();
  if (end_ns == 0) return;
  Record record{.kind = work.kernel != nullptr ? RecordKind::kKernel : RecordKind::kCopy, .kernel = {}};
  if (work.kernel != nullptr) {
    record.kernel.work = place_of(work, end_ns);
    record.kernel.name = work.kernel;
  } else {
    const bool to_device = work.kind == cupti::CopyKind::kToDevice;
    record.copy = {.work = place_of(work, end_ns),
                   .bytes = work.bytes,
                   .kind = work.kind,
                   .from = to_device ? cupti::MemoryKind::kPinned : cupti::MemoryKind::kDevice,
                   .to = to_device ? cupti::MemoryKind::kDevice : cupti::MemoryKind::kPinned,
                   .asynchronous = true};
  }
  host().records.push_back(record);
}

extern "C" __attribute__((visibility("default"))) const RunaheadCuptiModule* runahead_cupti_module() {
  return &kModule;
}

}  // namespace runahead::host_cuda
