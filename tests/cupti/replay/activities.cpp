#include "tests/cupti/replay/activities.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "tests/cupti/fake_cupti.h"

namespace runahead::testing {
namespace {

template <typename Record>
std::string bytes_of(const Record& record) {
  static_assert(sizeof record % 8 == 0, "CUPTI aligns records to 8 bytes");
  std::string bytes(sizeof record, '\0');
  std::memcpy(bytes.data(), &record, sizeof record);
  return bytes;
}

using CallNumbers = std::map<std::string, std::uint32_t>;
// The calls of a domain, by their names with and without their versions.
CallNumbers read_numbers(CUpti_CallbackDomain domain) {
  CallNumbers numbers;
  for (std::uint32_t cbid = 1; cbid < 1500; ++cbid) {
    const std::string name = fake_cupti::real_call_name(domain, cbid);
    if (name.empty()) continue;
    numbers.try_emplace(name, cbid);
    numbers.try_emplace(without_version(name), cbid);
  }
  return numbers;
}

class Maker {
 public:
  Maker(const Profile& profile, std::int64_t shift_ns, const std::vector<bool>& recorded_calls)
      : profile_(profile), shift_ns_(shift_ns), recorded_calls_(recorded_calls) {
    for (const ProfiledCall& call : profile.calls) {
      const auto [known, is_new] = calls_.try_emplace(call.correlation, &call);
      if (!is_new && call.begin < known->second->begin) known->second = &call;
    }
  }

  std::vector<Activity> make() {
    make_places();
    for (std::size_t i = 0; i < profile_.calls.size(); ++i) {
      if (recorded_calls_[i]) make_call(profile_.calls[i]);
    }
    for (const ProfiledWork& work : profile_.work) make_work(work);
    for (const ProfiledWait& wait : profile_.waits) make_wait(wait);
    for (const ProfiledRange& range : profile_.ranges) make_range(range);
    for (const ProfiledOverhead& overhead : profile_.overheads) make_overhead(overhead);
    make_memory();
    return std::move(out_);
  }

 private:
  std::uint64_t at(std::int64_t ns) const { return static_cast<std::uint64_t>(ns + shift_ns_); }
  CUpti_ActivityObjectKindId thread(std::uint32_t tid) const {
    CUpti_ActivityObjectKindId id{};
    id.pt.processId = static_cast<std::uint32_t>(profile_.pid);
    id.pt.threadId = tid;
    return id;
  }
  const ProfiledCall* call_of(std::uint32_t correlation) const {
    const auto found = calls_.find(correlation);
    return correlation != 0 && found != calls_.end() ? found->second : nullptr;
  }
  template <typename Record>
  void put(const Record& record, std::int64_t begun, std::int64_t completed, std::uint32_t tid) {
    out_.push_back({bytes_of(record), begun, completed, tid});
  }

  // Devices and contexts, in the order in which a process makes them.
  void make_places() {
    std::set<std::pair<std::uint32_t, std::uint32_t>> contexts;
    for (const ProfiledWork& work : profile_.work) contexts.insert({work.device, work.context});
    std::set<std::uint32_t> devices;
    for (const auto& [device, context] : contexts) {
      if (devices.insert(device).second) {
        CUpti_ActivityDevice5 made{};
        made.kind = CUPTI_ACTIVITY_KIND_DEVICE;
        made.id = device;
        made.name = "a GPU of a file";
        put(made, 0, 0, 0);
      }
      CUpti_ActivityContext3 made{};
      made.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
      made.contextId = context;
      made.deviceId = device;
      made.nullStreamId = 7;
      put(made, 0, 0, 0);
    }
  }

  void make_call(const ProfiledCall& call) {
    const CallNumber number = number_of_call(call);
    CUpti_ActivityAPI made{};
    made.kind = number.domain == CUPTI_CB_DOMAIN_DRIVER_API ? CUPTI_ACTIVITY_KIND_DRIVER
                                                            : CUPTI_ACTIVITY_KIND_RUNTIME;
    made.cbid = number.cbid;
    made.start = at(call.begin);
    made.end = at(call.end);
    made.processId = static_cast<std::uint32_t>(profile_.pid);
    made.threadId = call.tid;
    made.correlationId = call.correlation;
    made.returnValue = call.result;
    put(made, call.begin, call.end, call.tid);
  }

  template <typename Record>
  void put_work(const ProfiledWork& work, Record& made) {
    made.start = at(work.begin);
    made.end = at(work.end);
    made.deviceId = work.device;
    made.contextId = work.context;
    made.streamId = work.stream;
    made.correlationId = work.correlation;
    made.graphId = work.graph;
    made.graphNodeId = work.graph_node;
    const ProfiledCall* const call = call_of(work.correlation);
    const std::int64_t begun = call != nullptr ? std::min(call->begin, work.begin) : work.begin;
    put(made, begun, work.end, call != nullptr ? call->tid : 0);
    out_.back().of_device = true;
  }

  void make_work(const ProfiledWork& work) {
    if (work.kind == WorkKind::kKernel) return make_kernel(work);
    if (work.kind == WorkKind::kMemset) {
      CUpti_ActivityMemset4 made{};
      made.kind = CUPTI_ACTIVITY_KIND_MEMSET;
      made.bytes = work.bytes;
      made.memoryKind = static_cast<std::uint16_t>(work.to);
      return put_work(work, made);
    }
    CUpti_ActivityMemcpy6 made{};
    made.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    made.copyKind = static_cast<std::uint8_t>(work.copy_kind);
    made.srcKind = static_cast<std::uint8_t>(work.from);
    made.dstKind = static_cast<std::uint8_t>(work.to);
    made.bytes = work.bytes;
    made.copyCount = 1;
    put_work(work, made);
  }
  void make_kernel(const ProfiledWork& work) {
    CUpti_ActivityKernel10 made{};
    made.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    made.name = work.name.c_str();
    made.gridX = work.grid[0], made.gridY = work.grid[1], made.gridZ = work.grid[2];
    made.blockX = work.block[0], made.blockY = work.block[1], made.blockZ = work.block[2];
    made.registersPerThread = static_cast<std::uint16_t>(work.registers);
    made.staticSharedMemory = work.static_shared;
    made.dynamicSharedMemory = work.dynamic_shared;
    put_work(work, made);
  }

  void make_wait(const ProfiledWait& wait) {
    CUpti_ActivitySynchronization2 made{};
    made.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    made.type = static_cast<CUpti_ActivitySynchronizationType>(wait.type);
    made.start = at(wait.begin);
    made.end = at(wait.end);
    made.correlationId = wait.correlation;
    made.contextId = wait.context;
    made.streamId = wait.stream;
    made.cudaEventId = wait.event;
    const ProfiledCall* const call = call_of(wait.correlation);
    put(made, wait.begin, wait.end, call != nullptr ? call->tid : 0);
  }

  void make_range(const ProfiledRange& range) {
    CUpti_ActivityMarker2 made{};
    made.kind = CUPTI_ACTIVITY_KIND_MARKER;
    made.id = ++ranges_;
    made.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    made.objectId = thread(range.tid);
    made.flags = CUPTI_ACTIVITY_FLAG_MARKER_START;
    made.timestamp = at(range.begin);
    made.name = range.text.c_str();
    put(made, range.begin, range.begin, range.tid);
    made.flags = CUPTI_ACTIVITY_FLAG_MARKER_END;
    made.timestamp = at(range.end);
    made.name = nullptr;
    put(made, range.end, range.end, range.tid);
  }

  void make_overhead(const ProfiledOverhead& overhead) {
    CUpti_ActivityOverhead3 made{};
    made.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    made.overheadKind = static_cast<CUpti_ActivityOverheadKind>(overhead.kind);
    made.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
    made.objectId = thread(overhead.tid);
    made.start = at(overhead.begin);
    made.end = at(overhead.end);
    put(made, overhead.begin, overhead.end, overhead.tid);
  }

  // The file has no addresses. A free belongs to a live block of its size, the last one first.
  void make_memory() {
    std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<std::uint64_t>> live;
    std::uint64_t next = 0x7f0000000000;
    for (const ProfiledMemory& memory : profile_.memory) {
      auto& blocks = live[{memory.device, memory.bytes > 0 ? memory.bytes : -memory.bytes}];
      CUpti_ActivityMemory4 made{};
      made.kind = CUPTI_ACTIVITY_KIND_MEMORY2;
      made.memoryOperationType = memory.bytes > 0 ? CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_ALLOCATION
                                                  : CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE;
      made.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
      made.timestamp = at(memory.at);
      made.deviceId = memory.device;
      made.contextId = 1;
      if (memory.bytes > 0) {
        blocks.push_back(next += 0x1000);
        made.address = next;
      } else if (!blocks.empty()) {
        made.address = blocks.back();
        blocks.pop_back();
      }
      made.bytes = static_cast<std::uint64_t>(memory.bytes > 0 ? memory.bytes : -memory.bytes);
      put(made, memory.at, memory.at, memory.tid);
    }
  }

  const Profile& profile_;
  const std::int64_t shift_ns_;
  const std::vector<bool>& recorded_calls_;
  std::unordered_map<std::uint32_t, const ProfiledCall*> calls_;
  std::uint32_t ranges_ = 0;
  std::vector<Activity> out_;
};

}  // namespace

CallNumber number_of_call(const ProfiledCall& call) {
  static const CallNumbers kRuntime = read_numbers(CUPTI_CB_DOMAIN_RUNTIME_API);
  static const CallNumbers kDriver = read_numbers(CUPTI_CB_DOMAIN_DRIVER_API);
  const bool driver = call.name.starts_with("cu") && !call.name.starts_with("cuda");
  const CUpti_CallbackDomain domain = driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API;
  if (call.cbid != 0 && without_version(fake_cupti::real_call_name(domain, call.cbid)) == call.name)
    return {domain, call.cbid};
  const CallNumbers& numbers = driver ? kDriver : kRuntime;
  const auto known = numbers.find(call.name);
  return {domain, known != numbers.end() ? known->second : fake_cupti::number_for_call(domain, call.name)};
}

std::vector<Activity> make_activities(const Profile& profile, std::int64_t shift_ns,
                                      const std::vector<bool>& recorded_calls) {
  return Maker(profile, shift_ns, recorded_calls).make();
}

}  // namespace runahead::testing
