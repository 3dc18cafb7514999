#include "tests/host_cuda/host_cuda.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "engine/array/host_arithmetic.h"
#include "engine/device/device_module.h"
#include "tests/host_cuda/host_cupti.h"

namespace runahead::host_cuda {
namespace {

using engine::Extent;
using engine::host_arithmetic;
using Clock = std::chrono::steady_clock;

enum Status : std::int32_t { kFine = 0, kBroken = 700, kRefused = 2, kMisused = 1 };

HostCudaControls controls;
constexpr std::uint64_t kHostMemoryBytes = std::uint64_t{1} << 30;
std::atomic<bool> broken{false};  // one flag for all devices: a CUDA error breaks the process

const char* error_text(std::int32_t status) {
  switch (status) {
    case kBroken:
      return "an illegal memory access was encountered";
    case kRefused:
      return "out of memory";
    default:
      return "invalid argument";
  }
}

std::int32_t sticky() { return broken.load() ? kBroken : kFine; }

// The point in a stream at which an event was recorded. Every call of record_event() makes a new EventRecord,
// so that earlier waits for the event do not change.
struct EventRecord {
  std::mutex mutex;
  std::condition_variable passed;
  bool done = false;
  Clock::time_point at;

  void pass() {
    const std::lock_guard lock(mutex);
    at = Clock::now();
    done = true;
    passed.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    passed.wait(lock, [this] { return done; });
  }
};

struct Event {
  std::mutex mutex;
  std::shared_ptr<EventRecord> record;  // null: never recorded
  std::shared_ptr<EventRecord> get() {
    const std::lock_guard lock(mutex);
    return record;
  }
};

class Stream {
 public:
  explicit Stream(HostStreamId id) : id_(id), thread_([this] { run(); }) {}
  ~Stream() {
    put(nullptr);
    thread_.join();
  }
  [[nodiscard]] HostStreamId& id() { return id_; }
  void put(std::function<void()> task) {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
    changed_.notify_one();
  }

 private:
  void run() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !tasks_.empty(); });
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      if (!task) return;
      yield_at_random();
      task();
    }
  }
  // Sometimes lets other threads run (yields). Therefore work items whose order is not enforced also run in
  // other orders.
  void yield_at_random() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    for (std::uint64_t i = (random_ >> 33) % 16 == 0 ? (random_ >> 40) % 16 : 0; i > 0; --i)
      std::this_thread::yield();
  }

  HostStreamId id_;
  std::uint64_t random_ = reinterpret_cast<std::uintptr_t>(this);
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
};

Stream& stream_of(void* stream) { return *static_cast<Stream*>(stream); }
Event& event_of(void* event) { return *static_cast<Event*>(event); }

// ---- devices ----------------------------------------------------------------------------------------------

struct OpenDevice {
  std::int32_t index;
};

std::int32_t open(std::int32_t index, void** out) {
  broken = false;
  *out = new OpenDevice{index};
  return kFine;
}
void close(void* device) { delete static_cast<OpenDevice*>(device); }

std::mutex blocks_mutex;
std::map<const char*, std::size_t> blocks;  // key: start of a device block; value: its bytes

bool is_device_memory(const void* memory) {
  const std::lock_guard lock(blocks_mutex);
  const auto* const at = static_cast<const char*>(memory);
  const auto next = blocks.upper_bound(at);
  return next != blocks.begin() && at < std::prev(next)->first + std::prev(next)->second;
}

std::int32_t take_memory(void*, std::size_t bytes, void** out) {
  if (const std::int32_t status = sticky(); status != kFine) return status;
  *out = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  if (*out == nullptr) return kRefused;
  std::memset(*out, 0xff, bytes);  // a read before the first write gives NaN
  ++controls.blocks;
  const std::lock_guard lock(blocks_mutex);
  blocks[static_cast<const char*>(*out)] = bytes;
  return kFine;
}
std::int32_t give_memory(void*, void* memory) {
  {
    const std::lock_guard lock(blocks_mutex);
    blocks.erase(static_cast<const char*>(memory));
  }
  std::free(memory);  // NOLINT: allocated by aligned_alloc
  --controls.blocks;
  return kFine;
}

std::int32_t card_memory(void*, std::uint64_t* free_bytes, std::uint64_t* total_bytes) {
  const std::lock_guard lock(blocks_mutex);
  std::uint64_t used = static_cast<std::uint64_t>(controls.held_by_others.load());
  for (const auto& [begin, bytes] : blocks) used += bytes;
  *total_bytes = kHostMemoryBytes;
  *free_bytes = kHostMemoryBytes - std::min(used, kHostMemoryBytes);
  return sticky();
}

// ---- streams and events -----------------------------------------------------------------------------------

std::int32_t make_stream(void* device, void** out) {
  static std::atomic<std::uint32_t> latest{12};
  *out = new Stream({static_cast<std::uint32_t>(static_cast<OpenDevice*>(device)->index), ++latest});
  ++controls.streams;
  return kFine;
}
std::int32_t native_stream(void*, void* stream, void** out) {
  *out = &stream_of(stream).id();
  return kFine;
}
void free_stream(void*, void* stream) {
  delete &stream_of(stream);
  --controls.streams;
}
std::int32_t make_event(void*, void** out) {
  *out = new Event;
  ++controls.events;
  return kFine;
}
void free_event(void*, void* event) {
  delete &event_of(event);
  --controls.events;
}

std::int32_t record_event(void*, void* event, void* stream, std::int32_t /*where*/) {
  if (const std::int32_t status = sticky(); status != kFine) return status;
  auto record = std::make_shared<EventRecord>();
  {
    const std::lock_guard lock(event_of(event).mutex);
    event_of(event).record = record;
  }
  stream_of(stream).put([record] { record->pass(); });
  return kFine;
}
std::int32_t query_event(void*, void* event) {
  if (const std::int32_t status = sticky(); status != kFine) return status;
  const std::shared_ptr<EventRecord> record = event_of(event).get();
  if (record == nullptr) return kFine;
  const std::lock_guard lock(record->mutex);
  return record->done ? std::int32_t{kFine} : kRunaheadNotReady;
}
std::int32_t await_event(void*, void* event) {
  if (const std::shared_ptr<EventRecord> record = event_of(event).get()) record->wait();
  return sticky();
}
std::int32_t stream_awaits(void*, void* stream, void* event) {
  if (const std::int32_t status = sticky(); status != kFine) return status;
  if (const std::shared_ptr<EventRecord> record = event_of(event).get())
    stream_of(stream).put([record] { record->wait(); });
  return kFine;
}
std::int32_t elapsed_ms(void*, void* from, void* to, float* out) {
  const std::shared_ptr<EventRecord> a = event_of(from).get(), b = event_of(to).get();
  if (a == nullptr || b == nullptr) return kMisused;
  const std::scoped_lock lock(a->mutex, b->mutex);
  if (!a->done || !b->done) return kMisused;
  *out = std::chrono::duration<float, std::milli>(b->at - a->at).count();
  return kFine;
}

// ---- work -------------------------------------------------------------------------------------------------

void compute(const RunaheadPrimitive& p) {
  engine::Arithmetic& math = host_arithmetic();
  const Extent extent{p.rows, p.columns};
  switch (p.kind) {
    case kRunaheadFill:
      return math.fill(p.out, p.count, p.scalar);
    case kRunaheadUniform:
      return math.uniform(p.out, p.count, {p.seed, p.random_stream}, p.scalar, p.scalar2);
    case kRunaheadNormal:
      return math.normal(p.out, p.count, {p.seed, p.random_stream}, p.scalar, p.scalar2);
    case kRunaheadWithScalar:
      return math.map(static_cast<engine::WithScalar>(p.what), p.a, p.scalar, p.out, p.count);
    case kRunaheadOfTwo:
      return math.map(static_cast<engine::OfTwo>(p.what), p.a, p.b, p.out, p.count);
    case kRunaheadSubtractScaled:
      return math.subtract_scaled(p.out, p.a, p.scalar, p.count);
    case kRunaheadAddRow:
      return math.add_row(p.a, p.b, p.out, extent);
    case kRunaheadMultiply:
      return math.multiply({.m = p.m,
                            .n = p.n,
                            .k = p.k,
                            .transpose_a = p.transpose_a != 0,
                            .transpose_b = p.transpose_b != 0,
                            .beta = p.scalar},
                           p.a, p.b, p.out);
    case kRunaheadTotal:
      return math.total(p.a, p.count, p.divisor, p.out);
    case kRunaheadSumRows:
      return math.sum_rows(p.a, extent, p.out);
    case kRunaheadHalfSquaredError:
      return math.half_squared_error(p.a, p.b, extent, p.out);
    default:
      std::abort();
  }
}

// The names of the kernels, in the order of RunaheadPrimitiveKind.
constexpr const char* kKernels[] = {
    "fill",     "uniform", "normal",   "with_scalar",       "of_two", "subtract_scaled", "add_row",
    "multiply", "total",   "sum_rows", "half_squared_error"};

// Puts work on a stream. `is` describes the work item: it has the properties that the profiler will report.
// put_work() adds the device and the stream to `is`. The stream adds the times.
std::int32_t put_work(void* stream, HostWork is, std::function<void()> work) {
  if (const std::int32_t status = sticky(); status != kFine) return status;
  const std::int64_t number = ++controls.launches;
  if (number == controls.refuse_launch) return kRefused;
  if (number == controls.break_at_launch) {
    work = [] { broken = true; };
  }
  const HostCall call(is.kernel != nullptr ? "cudaLaunchKernel" : "cudaMemcpyAsync");
  const HostStreamId& on = stream_of(stream).id();
  is.device = on.device;
  is.stream = on.stream;
  is.correlation = call.correlation();
  stream_of(stream).put([is, work = std::move(work)]() mutable {
    if (broken) return;
    is.begin_ns = host_cupti_now_ns();
    work();
    work_ended(is);
  });
  return kFine;
}

std::int32_t launch(void*, void* stream, const RunaheadPrimitive* primitive) {
  const HostWork is{.kernel = kKernels[primitive->kind]};
  return put_work(stream, is, [p = *primitive] { compute(p); });
}
std::int32_t copy(void*, void* stream, void* to, const void* from, std::size_t bytes) {
  const bool from_device = is_device_memory(from), to_device = is_device_memory(to);
  const HostWork is{.bytes = bytes,
                    .kind = from_device && to_device ? cupti::CopyKind::kOnDevice
                            : to_device              ? cupti::CopyKind::kToDevice
                                                     : cupti::CopyKind::kToHost};
  return put_work(stream, is, [=] { std::memcpy(to, from, bytes); });
}
std::int32_t call(void*, void* stream, void (*function)(void* data), void* data) {
  stream_of(stream).put([=] { function(data); });
  return kFine;
}
std::int32_t pin(void* memory, std::size_t) {
  if (reinterpret_cast<std::uintptr_t>(memory) % 4096 != 0) return kMisused;
  ++controls.pinned;
  return kFine;
}
std::int32_t unpin(void*) {
  --controls.pinned;
  return kFine;
}

void discover(RunaheadDiscovery* out) {
  *out = {};
  out->simulated = 1;
  out->device_count = kHostDevices;
  for (int i = 0; i < out->device_count; ++i) {
    std::snprintf(out->devices[i].name, sizeof out->devices[i].name, "%s", kHostDeviceName);
    out->devices[i].memory_bytes = kHostMemoryBytes;
  }
}

constexpr RunaheadDeviceApi kApi{.module_version = kRunaheadDeviceModuleVersion,
                                 .discover = discover,
                                 .error_text = error_text,
                                 .open = open,
                                 .close = close,
                                 .take_memory = take_memory,
                                 .give_memory = give_memory,
                                 .card_memory = card_memory,
                                 .make_stream = make_stream,
                                 .free_stream = free_stream,
                                 .native_stream = native_stream,
                                 .make_event = make_event,
                                 .free_event = free_event,
                                 .record_event = record_event,
                                 .query_event = query_event,
                                 .await_event = await_event,
                                 .stream_awaits = stream_awaits,
                                 .elapsed_ms = elapsed_ms,
                                 .launch = launch,
                                 .copy = copy,
                                 .call = call,
                                 .pin = pin,
                                 .unpin = unpin};

}  // namespace

extern "C" __attribute__((visibility("default"))) HostCudaControls* runahead_host_cuda_controls() {
  return &controls;
}

extern "C" __attribute__((visibility("default"))) const RunaheadDeviceApi* runahead_device_api() {
  return &kApi;
}

}  // namespace runahead::host_cuda
