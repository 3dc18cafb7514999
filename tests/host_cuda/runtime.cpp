#include "tests/host_cuda/runtime.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <thread>
#include <utility>

#include "tests/host_cuda/grid.h"
#include "tests/host_cuda/host_cupti.h"

using runahead::host_cuda::HostStreamId;
using runahead::host_cuda::OrderModel;
using Clock = std::chrono::steady_clock;

namespace runahead::host_cuda {
namespace {

// The point in a stream at which an event was recorded. Every call of cudaEventRecord() makes a new one, so
// that earlier waits for the event do not change.
struct EventRecord {
  OrderModel::Clock order;
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
  [[nodiscard]] bool is_done() {
    const std::lock_guard lock(mutex);
    return done;
  }
};

}  // namespace
}  // namespace runahead::host_cuda

// A stream: a thread that runs tasks in order. In the simulation, a cudaStream_t also points to a
// HostStreamId.
struct CUstream_st : HostStreamId {
 public:
  explicit CUstream_st(HostStreamId id) : HostStreamId(id), thread_([this] { run(); }) {}
  ~CUstream_st() {
    put(nullptr);
    thread_.join();
  }
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

  std::uint64_t random_ = reinterpret_cast<std::uintptr_t>(this);
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::thread thread_;
};

struct CUmemPoolHandle_st {
  int device = 0;
};

struct CUevent_st {
  int device = 0;
  std::shared_ptr<runahead::host_cuda::EventRecord> record;  // null: never recorded
};

namespace runahead::host_cuda {
namespace {

struct DeviceBlock {
  std::size_t bytes = 0;
  int device = 0;
  bool of_pool = false;
};

struct Runtime {
  HostCudaControls controls;
  std::atomic<bool> broken{false};  // one flag for all devices: a CUDA error breaks the process
  std::mutex mutex;                 // guards all members below
  OrderModel order;
  std::set<cudaStream_t> streams;
  std::set<cudaEvent_t> events;
  std::map<std::uintptr_t, DeviceBlock> blocks;  // key: the first byte
  std::map<std::uintptr_t, std::size_t> pinned;  // key: the first byte; value: bytes
  // Freed blocks are kept for a while, so that their use is found.
  std::map<std::uintptr_t, std::size_t> freed;
  std::deque<std::uintptr_t> freed_in_order;
  std::size_t freed_bytes = 0;
  // {a, b}: device a reaches the memory of device b, without and with the memory of b's pool
  std::set<std::pair<int, int>> peers, pool_peers;
  std::array<CUmemPoolHandle_st, kHostDevices> pools{{{0}, {1}}};
  std::string misuse;
};
// Never destroyed, because a thread may still use it when the process ends.
Runtime& runtime() {
  static Runtime& instance = *new Runtime;
  return instance;
}

constexpr std::size_t kMostFreedBytes = std::size_t{8} << 20, kMostFreed = 256, kPage = 4096,
                      kMostClearedBytes = std::size_t{16} << 20;
thread_local int current_device = 0;
thread_local cudaError_t last_error = cudaSuccess;
thread_local std::vector<Touch> launch_uses;
thread_local bool has_launch_uses = false;

cudaError_t give(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}
cudaError_t sticky() { return runtime().broken.load() ? cudaErrorIllegalAddress : cudaSuccess; }

// REQUIRES: the caller does not hold the runtime's mutex.
cudaError_t misuse(const std::string& text) {
  Runtime& r = runtime();
  ++r.controls.misuses;
  if (!r.controls.keep_going) {
    std::fprintf(stderr, "simulated CUDA: misuse: %s\n", text.c_str());
    std::abort();
  }
  const std::lock_guard lock(r.mutex);
  if (r.misuse.empty()) r.misuse = text;
  return give(cudaErrorInvalidValue);
}
cudaError_t unless_wrong(const std::string& wrong) { return wrong.empty() ? cudaSuccess : misuse(wrong); }

template <typename Map>
auto part_of(Map& map, std::uintptr_t at) {  // the entry whose bytes include `at`, or end()
  const auto next = map.upper_bound(at);
  return next == map.begin() ? map.end() : std::prev(next);
}

// ---- memory -----------------------------------------------------------------------------------------------

enum class Kind : std::uint8_t { kDevice, kPinned, kPageable };
struct Found {
  Kind kind = Kind::kPageable;
  int device = -1;
  bool of_pool = false;
  std::string wrong;
};

// REQUIRES: the runtime's mutex is held.
Found find_memory(const void* memory, std::size_t bytes) {
  Runtime& r = runtime();
  const auto at = reinterpret_cast<std::uintptr_t>(memory), end = at + bytes;
  if (const auto block = part_of(r.blocks, at);
      block != r.blocks.end() && at < block->first + block->second.bytes) {
    Found found{Kind::kDevice, block->second.device, block->second.of_pool, {}};
    if (end > block->first + block->second.bytes)
      found.wrong =
          std::to_string(end - block->first - block->second.bytes) + " bytes beyond a block of device memory";
    return found;
  }
  if (const auto old = part_of(r.freed, at); old != r.freed.end() && at < old->first + old->second)
    return {.kind = Kind::kDevice, .wrong = "device memory that was freed"};
  const auto pages = part_of(r.pinned, at);
  if (pages != r.pinned.end() && at < pages->first + pages->second) {
    if (end <= pages->first + pages->second) return {.kind = Kind::kPinned};
    return {.kind = Kind::kPinned, .wrong = "host memory of which only a part is pinned"};
  }
  const auto next = r.pinned.lower_bound(at);
  if (next != r.pinned.end() && next->first < end)
    return {.kind = Kind::kPageable, .wrong = "host memory of which only a part is pinned"};
  return {};
}

cudaError_t new_block(void** out, std::size_t bytes, bool of_pool) {
  if (const cudaError_t status = sticky(); status != cudaSuccess) return give(status);
  // exactly as large as asked for, so that the address sanitizer finds an access beyond it
  *out = ::operator new (std::max<std::size_t>(bytes, 1), std::align_val_t{256}, std::nothrow);
  if (*out == nullptr) return give(cudaErrorMemoryAllocation);
  // A read before the first write gives NaN. Of a large block, only the first bytes are set, because that
  // takes long.
  std::memset(*out, 0xff, std::min(bytes, kMostClearedBytes));
  Runtime& r = runtime();
  ++r.controls.blocks;
  const std::lock_guard lock(r.mutex);
  r.blocks[reinterpret_cast<std::uintptr_t>(*out)] = {bytes, current_device, of_pool};
  return cudaSuccess;
}

// REQUIRES: the runtime's mutex is held.
void keep_freed(std::uintptr_t at, std::size_t bytes) {
  Runtime& r = runtime();
  r.freed[at] = bytes;
  r.freed_in_order.push_back(at);
  r.freed_bytes += bytes;
  while (r.freed_bytes > kMostFreedBytes || r.freed.size() > kMostFreed) {
    const std::uintptr_t first = r.freed_in_order.front();
    r.freed_in_order.pop_front();
    r.freed_bytes -= r.freed[first];
    r.freed.erase(first);
    ::operator delete (reinterpret_cast<void*>(first), std::align_val_t{256});  // NOLINT
  }
}

cudaError_t free_block(void* memory, bool of_pool, cudaStream_t stream) {
  if (memory == nullptr) return cudaSuccess;
  Runtime& r = runtime();
  std::string wrong;
  {
    const std::lock_guard lock(r.mutex);
    const auto at = reinterpret_cast<std::uintptr_t>(memory);
    const auto block = r.blocks.find(at);
    if (block == r.blocks.end()) {
      wrong = "memory is freed that is not the start of a block of device memory";
    } else if (block->second.of_pool != of_pool) {
      wrong = "memory of a pool has to be freed by cudaFreeAsync, other memory by cudaFree";
    } else {
      const std::size_t bytes = block->second.bytes;
      OrderModel::Clock clock;
      if (stream != nullptr) clock = r.order.now(stream->stream);
      wrong = r.order.still_used(memory, bytes, stream != nullptr ? &clock : nullptr);
      if (!wrong.empty()) wrong = "device memory is freed: " + wrong;
      r.blocks.erase(block);
      keep_freed(at, bytes);
      --r.controls.blocks;
    }
  }
  return unless_wrong(wrong);
}

// ---- streams ----------------------------------------------------------------------------------------------

// What is wrong with a use of the stream by this thread.
std::string wrong_with(cudaStream_t stream, bool same_device) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  if (stream == nullptr) return "the default stream is used";
  if (!r.streams.contains(stream)) return "a stream is used that does not exist, or no longer";
  if (same_device && static_cast<int>(stream->device) != current_device)
    return "device " + std::to_string(current_device) + " is current, but the stream is of device " +
           std::to_string(stream->device);
  return {};
}
std::string wrong_with(cudaEvent_t event) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  return r.events.contains(event) ? "" : "an event is used that does not exist, or no longer";
}

std::shared_ptr<EventRecord> record_of(cudaEvent_t event) {
  const std::lock_guard lock(runtime().mutex);
  return event->record;
}

void host_learns(const OrderModel::Clock& clock) {
  const std::lock_guard lock(runtime().mutex);
  runtime().order.host_learns(clock);
}

// The record of an event that somebody waits for or asks for.
cudaError_t recorded(cudaEvent_t event, std::shared_ptr<EventRecord>& out) {
  if (const std::string wrong = wrong_with(event); !wrong.empty()) return misuse(wrong);
  out = record_of(event);
  if (out == nullptr) return misuse("an event is awaited or queried that was never recorded");
  return cudaSuccess;
}

// Puts work on a stream. `is` describes the work item: it has the properties that the profiler will report.
// put_work() adds the device and the stream to `is`. The stream adds the times.
cudaError_t put_work(cudaStream_t stream, HostWork is, std::function<void()> work) {
  Runtime& r = runtime();
  if (const cudaError_t status = sticky(); status != cudaSuccess) return give(status);
  const std::int64_t number = ++r.controls.launches;
  if (number == r.controls.refuse_launch) return give(cudaErrorMemoryAllocation);
  if (number == r.controls.break_at_launch) {
    work = [] { runtime().broken = true; };
  }
  const HostCall call(is.kernel != nullptr ? "cudaLaunchKernel" : "cudaMemcpyAsync");
  is.device = stream->device;
  is.stream = stream->stream;
  is.correlation = call.correlation();
  stream->put([is, work = std::move(work)]() mutable {
    if (runtime().broken) return;
    is.begin_ns = host_cupti_now_ns();
    work();
    work_ended(is);
  });
  return cudaSuccess;
}

// REQUIRES: the runtime's mutex is held.
std::string wrong_with_uses(const char* kernel, const std::vector<Touch>& touches) {
  for (const Touch& touch : touches) {
    if (touch.bytes == 0) continue;
    const Found found = find_memory(touch.memory, touch.bytes);
    const std::string begin = std::string("the kernel '") + kernel + "' uses ";
    if (!found.wrong.empty()) return begin + found.wrong;
    if (found.kind != Kind::kDevice) return begin + "memory of the host";
    if (found.device != current_device) return begin + "memory of device " + std::to_string(found.device);
  }
  return {};
}

struct Copy {
  Found from, to;
  bool blocks = false;         // one end is pageable
  bool clear_at_once = false;  // no work in flight uses the destination
  std::string wrong;
};
// What is wrong with an end of a copy on the stream. REQUIRES: the runtime's mutex is held.
std::string wrong_with_end(const Found& end, const HostStreamId& stream, bool between_peers) {
  if (!end.wrong.empty()) return "a copy uses " + end.wrong;
  if (!end.of_pool || between_peers) return {};
  const int device = static_cast<int>(stream.device);
  if (device != current_device)
    return "a copy of a pool's memory is put on a stream of another device than the current one";
  if (end.device != device && !runtime().pool_peers.contains({device, end.device}))
    return "a copy on device " + std::to_string(device) + " uses memory of the pool of device " +
           std::to_string(end.device) + ", which it may not reach (cudaMemPoolSetAccess)";
  return {};
}
Copy plan_copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream, bool between_peers) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  Copy copy{.from = find_memory(from, bytes), .to = find_memory(to, bytes), .wrong = {}};
  for (const Found* const end : {&copy.from, &copy.to}) {
    if (copy.wrong.empty()) copy.wrong = wrong_with_end(*end, *stream, between_peers);
  }
  if (copy.from.kind != Kind::kDevice && copy.to.kind != Kind::kDevice)
    copy.wrong = "a copy from host to host";
  copy.blocks = copy.from.kind == Kind::kPageable || copy.to.kind == Kind::kPageable;
  copy.clear_at_once = r.order.still_used(to, bytes).empty();
  const std::string race = r.order.put(stream->stream, "a copy", {{from, bytes, false}, {to, bytes, true}});
  if (copy.wrong.empty()) copy.wrong = race;
  return copy;
}

cudaError_t put_copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream, const Copy& copy) {
  const bool from_device = copy.from.kind == Kind::kDevice, to_device = copy.to.kind == Kind::kDevice;
  const HostWork is{.bytes = bytes,
                    .kind = from_device && to_device ? runahead::cupti::CopyKind::kOnDevice
                            : to_device              ? runahead::cupti::CopyKind::kToDevice
                                                     : runahead::cupti::CopyKind::kToHost};
  // Until the copy has ended, host memory that it writes has NaN: a read that does not wait gives NaN.
  const bool clears = !to_device && to != from, at_once = copy.clear_at_once;
  if (clears && at_once && sticky() == cudaSuccess) std::memset(to, 0xff, bytes);
  const cudaError_t status = put_work(stream, is, [=] {
    if (clears && !at_once) std::memset(to, 0xff, bytes);
    std::memcpy(to, from, bytes);
  });
  if (status != cudaSuccess || !copy.blocks) return status;
  return cudaStreamSynchronize(stream);
}

}  // namespace

HostCudaControls& controls() { return runtime().controls; }
void mend_card() { runtime().broken = false; }

std::string take_misuse() {
  const std::lock_guard lock(runtime().mutex);
  return std::exchange(runtime().misuse, {});
}

LaunchUses::LaunchUses(std::vector<Touch> touches) {
  launch_uses = std::move(touches);
  has_launch_uses = true;
}
LaunchUses::~LaunchUses() { has_launch_uses = false; }

cudaError_t put_kernel(const char* name, cudaStream_t stream, std::function<std::string()> run) {
  if (const std::string wrong = wrong_with(stream, true); !wrong.empty()) return misuse(wrong);
  std::string wrong;
  {
    const std::lock_guard lock(runtime().mutex);
    const std::vector<Touch> touches = has_launch_uses ? launch_uses : std::vector<Touch>{};
    wrong = wrong_with_uses(name, touches);
    const std::string race = runtime().order.put(stream->stream, name, touches);
    if (wrong.empty()) wrong = race;
  }
  if (!wrong.empty()) return misuse(wrong);
  return put_work(stream, {.kernel = name}, [name, run = std::move(run)] {
    const std::string fault = run();
    if (!fault.empty()) (void)misuse(std::string("the kernel '") + name + "': " + fault);
  });
}

void launch_grid(const char* kernel, const dim3& blocks, const dim3& threads, std::size_t shared_bytes,
                 cudaStream_t stream, std::function<void()> body) {
  const std::uint64_t size = std::uint64_t{threads.x} * threads.y * threads.z;
  if (blocks.x == 0 || blocks.y == 0 || blocks.z == 0 || size == 0 || blocks.x > 0x7fffffffu ||
      blocks.y > 65535 || blocks.z > 65535 || size > 1024 || threads.z > 64 || shared_bytes > 48 * 1024) {
    (void)give(cudaErrorInvalidConfiguration);
    return;
  }
  const std::uint64_t seed = controls().order_seed + static_cast<std::uint64_t>(controls().launches.load());
  (void)put_kernel(kernel, stream,
                   [=, body = std::move(body)] { return run_grid(blocks, threads, seed, body); });
}

}  // namespace runahead::host_cuda

using namespace runahead::host_cuda;  // NOLINT: CUDA's functions are in no namespace

cudaError_t cudaGetLastError() { return std::exchange(last_error, cudaSuccess); }

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return "no error";
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    case cudaErrorInvalidDevice:
      return "invalid device ordinal";
    case cudaErrorInvalidResourceHandle:
      return "invalid resource handle";
    case cudaErrorNotReady:
      return "device not ready";
    case cudaErrorIllegalAddress:
      return "an illegal memory access was encountered";
    case cudaErrorPeerAccessAlreadyEnabled:
      return "peer access is already enabled";
    case cudaErrorHostMemoryAlreadyRegistered:
      return "part or all of the requested memory range is already mapped";
    case cudaErrorHostMemoryNotRegistered:
      return "pointer does not correspond to a registered memory region";
    default:
      return "invalid argument";
  }
}

// ---- devices ----------------------------------------------------------------------------------------------

cudaError_t cudaGetDeviceCount(int* count) {
  *count = kHostDevices;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= kHostDevices) return give(cudaErrorInvalidDevice);
  current_device = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "%s", kHostDeviceName);
  properties->totalGlobalMem = kHostMemoryBytes;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetPCIBusId(char*, int, int) { return give(cudaErrorInvalidValue); }
cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  *can = device != peer && !controls().no_peers ? 1 : 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned) {
  const std::lock_guard lock(runtime().mutex);
  return runtime().peers.insert({current_device, peer}).second ? cudaSuccess
                                                               : give(cudaErrorPeerAccessAlreadyEnabled);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  if (device < 0 || device >= kHostDevices) return give(cudaErrorInvalidDevice);
  *pool = &runtime().pools[static_cast<std::size_t>(device)];
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, std::size_t count) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  for (std::size_t i = 0; i < count; ++i) {
    if (r.controls.no_peers) return give(cudaErrorInvalidDevice);
    const std::pair pair(access[i].location.id, pool->device);
    if (access[i].flags == cudaMemAccessFlagsProtNone) {
      r.pool_peers.erase(pair);
    } else if (!r.controls.ignore_pool_access) {
      r.pool_peers.insert(pair);
    }
  }
  return cudaSuccess;
}

// ---- memory -----------------------------------------------------------------------------------------------

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  const std::lock_guard lock(runtime().mutex);
  const Found found = find_memory(memory, 1);
  *attributes = {.type = found.kind == Kind::kDevice   ? cudaMemoryTypeDevice
                         : found.kind == Kind::kPinned ? cudaMemoryTypeHost
                                                       : cudaMemoryTypeUnregistered,
                 .device = found.device};
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) { return new_block(memory, bytes, false); }
cudaError_t cudaFree(void* memory) { return free_block(memory, false, nullptr); }
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t stream) {
  if (const std::string wrong = wrong_with(stream, true); !wrong.empty()) return misuse(wrong);
  return new_block(memory, bytes, true);
}
cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  if (const std::string wrong = wrong_with(stream, true); !wrong.empty()) return misuse(wrong);
  return free_block(memory, true, stream);
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  auto used = static_cast<std::uint64_t>(r.controls.held_by_others.load());
  for (const auto& [begin, block] : r.blocks) used += block.device == current_device ? block.bytes : 0;
  *total = kHostMemoryBytes;
  *free = kHostMemoryBytes - std::min(used, kHostMemoryBytes);
  return give(sticky());
}

cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned) {
  const auto at = reinterpret_cast<std::uintptr_t>(memory);
  if (at % kPage != 0) return misuse("host memory is pinned that is not the start of a page");
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  const std::size_t whole = (bytes + kPage - 1) / kPage * kPage;
  const auto before = part_of(r.pinned, at + whole - 1);
  if (before != r.pinned.end() && at < before->first + before->second)
    return give(cudaErrorHostMemoryAlreadyRegistered);
  r.pinned[at] = whole;
  ++r.controls.pinned;
  return cudaSuccess;
}
cudaError_t cudaHostUnregister(void* memory) {
  Runtime& r = runtime();
  std::string wrong;
  {
    const std::lock_guard lock(r.mutex);
    const auto found = r.pinned.find(reinterpret_cast<std::uintptr_t>(memory));
    if (found == r.pinned.end()) return give(cudaErrorHostMemoryNotRegistered);
    wrong = r.order.still_used(memory, found->second);
    if (!wrong.empty()) wrong = "host memory is unpinned: " + wrong;
    r.pinned.erase(found);
    --r.controls.pinned;
  }
  return unless_wrong(wrong);
}

// ---- streams and events -----------------------------------------------------------------------------------

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  static std::atomic<std::uint32_t> latest{12};
  *stream = new CUstream_st({static_cast<std::uint32_t>(current_device), ++latest});
  Runtime& r = runtime();
  ++r.controls.streams;
  const std::lock_guard lock(r.mutex);
  r.streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  if (const std::string wrong = wrong_with(stream, false); !wrong.empty()) return misuse(wrong);
  Runtime& r = runtime();
  {
    const std::lock_guard lock(r.mutex);
    r.streams.erase(stream);
  }
  const OrderModel::StreamNumber number = stream->stream;
  delete stream;
  --r.controls.streams;
  const std::lock_guard lock(r.mutex);
  r.order.stream_ends(number);
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  if (const std::string wrong = wrong_with(stream, false); !wrong.empty()) return misuse(wrong);
  OrderModel::Clock clock;
  {
    const std::lock_guard lock(runtime().mutex);
    clock = runtime().order.now(stream->stream);
  }
  std::promise<void> reached;
  stream->put([&] { reached.set_value(); });
  reached.get_future().wait();
  host_learns(clock);
  if (++controls().synchronizes == controls().fail_synchronize) return give(cudaErrorIllegalAddress);
  return give(sticky());
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  *event = new CUevent_st{.device = current_device, .record = nullptr};
  Runtime& r = runtime();
  ++r.controls.events;
  const std::lock_guard lock(r.mutex);
  r.events.insert(*event);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  if (const std::string wrong = wrong_with(event); !wrong.empty()) return misuse(wrong);
  Runtime& r = runtime();
  const std::lock_guard lock(r.mutex);
  r.events.erase(event);
  delete event;
  --r.controls.events;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (const cudaError_t status = sticky(); status != cudaSuccess) return give(status);
  if (const std::string wrong = wrong_with(stream, false); !wrong.empty()) return misuse(wrong);
  if (const std::string wrong = wrong_with(event); !wrong.empty()) return misuse(wrong);
  if (event->device != static_cast<int>(stream->device))
    return misuse("an event of device " + std::to_string(event->device) +
                  " is recorded on a stream of device " + std::to_string(stream->device));
  if (++controls().records == controls().refuse_record) return give(cudaErrorMemoryAllocation);
  auto record = std::make_shared<EventRecord>();
  {
    const std::lock_guard lock(runtime().mutex);
    record->order = runtime().order.now(stream->stream);
    event->record = record;
  }
  stream->put([record] { record->pass(); });
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (const cudaError_t status = sticky(); status != cudaSuccess) return give(status);
  std::shared_ptr<EventRecord> record;
  if (const cudaError_t status = recorded(event, record); status != cudaSuccess) return status;
  if (!record->is_done()) return cudaErrorNotReady;
  host_learns(record->order);
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  std::shared_ptr<EventRecord> record;
  if (const cudaError_t status = recorded(event, record); status != cudaSuccess) return status;
  record->wait();
  host_learns(record->order);
  return give(sticky());
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  if (const cudaError_t status = sticky(); status != cudaSuccess) return give(status);
  if (const std::string wrong = wrong_with(stream, false); !wrong.empty()) return misuse(wrong);
  std::shared_ptr<EventRecord> record;
  if (const cudaError_t status = recorded(event, record); status != cudaSuccess) return status;
  {
    const std::lock_guard lock(runtime().mutex);
    runtime().order.stream_waits(stream->stream, record->order);
  }
  stream->put([record] { record->wait(); });
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t from, cudaEvent_t to) {
  std::shared_ptr<EventRecord> a, b;
  if (const cudaError_t status = recorded(from, a); status != cudaSuccess) return status;
  if (const cudaError_t status = recorded(to, b); status != cudaSuccess) return status;
  if (!a->is_done() || !b->is_done()) return cudaErrorNotReady;
  *ms = std::chrono::duration<float, std::milli>(b->at - a->at).count();
  return cudaSuccess;
}

// ---- work -------------------------------------------------------------------------------------------------

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                            cudaStream_t stream) {
  if (const std::string wrong = wrong_with(stream, false); !wrong.empty()) return misuse(wrong);
  const Copy copy = plan_copy(to, from, bytes, stream, false);
  return copy.wrong.empty() ? put_copy(to, from, bytes, stream, copy) : misuse(copy.wrong);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                                cudaStream_t stream) {
  if (const std::string wrong = wrong_with(stream, false); !wrong.empty()) return misuse(wrong);
  ++controls().peer_copies;
  Copy copy = plan_copy(to, from, bytes, stream, true);
  if (copy.wrong.empty() && (copy.to.device != to_device || copy.from.device != from_device))
    copy.wrong = "a copy between devices names another device than that of its memory";
  return copy.wrong.empty() ? put_copy(to, from, bytes, stream, copy) : misuse(copy.wrong);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, void (*function)(void* data), void* data) {
  if (const std::string wrong = wrong_with(stream, false); !wrong.empty()) return misuse(wrong);
  OrderModel::Clock clock;
  {
    const std::lock_guard lock(runtime().mutex);
    clock = runtime().order.now(stream->stream);
  }
  stream->put([=] {
    host_learns(clock);
    function(data);
  });
  return cudaSuccess;
}
