// RocpdImport: what becomes of each row. Kernels, copies and calls become the same slices as those of
// PyTorch's profiler and of Nsight Systems.
#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "instrumentation/import/sqlite/rocpd_import.h"
#include "instrumentation/trace/rows/cuda_calls.h"

namespace runahead::importers {
using namespace trace;
namespace {

// The columns of known_tables(), by their index.
enum RocpdPlaceColumn : std::size_t {
  kRocpdEvent,
  kRocpdTrack,
  kRocpdPid,
  kRocpdTid,
  kRocpdAgent,
  kRocpdQueue,
  kRocpdStream,
  kRocpdFirstOfPlaced
};
enum RocpdRegionColumn : std::size_t { kRocpdName = kRocpdFirstOfPlaced };
enum RocpdKernelColumn : std::size_t {
  kRocpdKernel = kRocpdFirstOfPlaced,
  kRocpdRegionName,
  kRocpdScratch,
  kRocpdShared,
  kRocpdGridX,
  kRocpdGridY,
  kRocpdGridZ,
  kRocpdBlockX,
  kRocpdBlockY,
  kRocpdBlockZ,
};
enum RocpdCopyColumn : std::size_t { kRocpdCopySize = kRocpdFirstOfPlaced + 1, kRocpdSource, kRocpdTarget };
enum RocpdAllocationColumn : std::size_t {
  kRocpdType = kRocpdFirstOfPlaced,
  kRocpdLevel,
  kRocpdAddress,
  kRocpdSize
};

struct CopyWords {
  SliceKind kind = SliceKind::kCopyOnDevice;
  std::string_view name = "Memcpy";
};

CopyWords copy_between(bool from_gpu, bool to_gpu) {
  if (from_gpu && to_gpu) return {SliceKind::kCopyOnDevice, "Memcpy DtoD"};
  if (to_gpu) return {SliceKind::kCopyToDevice, "Memcpy HtoD"};
  if (from_gpu) return {SliceKind::kCopyToHost, "Memcpy DtoH"};
  return {SliceKind::kCopyOnDevice, "Memcpy HtoH"};
}

// The words of "MEMORY_COPY_HOST_TO_DEVICE". Other names say nothing about the direction.
std::optional<CopyWords> copy_named(std::string_view name) {
  const auto says = [name](std::string_view part) { return name.find(part) != name.npos; };
  if (says("HOST_TO_DEVICE")) return copy_between(false, true);
  if (says("DEVICE_TO_HOST")) return copy_between(true, false);
  if (says("DEVICE_TO_DEVICE")) return copy_between(true, true);
  if (says("HOST_TO_HOST")) return copy_between(false, false);
  return std::nullopt;
}

}  // namespace

// ---- what the rows share ----------------------------------------------------------------------------------

RocpdPlace RocpdImport::place_of(std::size_t process, const TimedTable& row) {
  RocpdPlace place = processes_[process]->track(row.integer(kRocpdTrack));
  const auto set = [&](std::optional<std::int64_t>& id, std::size_t column) {
    if (const auto value = row.integer(column)) id = value;
  };
  set(place.pid, kRocpdPid);
  set(place.tid, kRocpdTid);
  set(place.agent, kRocpdAgent);
  set(place.queue, kRocpdQueue);
  set(place.stream, kRocpdStream);
  return place;
}

TrackId RocpdImport::thread_of(std::size_t process, const RocpdPlace& place) {
  const RocpdProcess& tables = *processes_[process];
  const std::int64_t pid = tables.pid(place.pid.value_or(0));
  return tracks_.thread(names_.process_key(process, pid), tables.tid(place.tid.value_or(pid)));
}

void RocpdImport::put_event(const RocpdEvent& event) {
  put(keys_.correlation, event.stack);
  if (event.external != 0) put(keys_.external_id, event.external);
}

void RocpdImport::put_place(std::size_t process, const RocpdPlace& place, std::optional<std::int64_t> agent) {
  put(keys_.device, names_.device_number(names_.device_key(process, agent)));
  put(keys_.stream, place.stream.value_or(-1));
  if (place.queue) put(keys_.queue, *place.queue);
}

void RocpdImport::show_work(std::size_t process, const RocpdPlace& place, const RocpdEvent& event,
                            std::optional<std::int64_t> agent, Slice& slice) {
  slice.args = take_args();
  const std::int64_t pid = processes_[process]->pid(place.pid.value_or(0));
  const bool of_queue = !place.stream && place.queue;
  const DeviceStream stream{.device = names_.device_key(process, agent),
                            .process = names_.process_key(process, pid),
                            .context = of_queue ? kQueueContext : 0,
                            .stream = of_queue ? *place.queue : place.stream.value_or(0)};
  const TrackId track = tracks_.stream(stream);
  slices_.add(track, slice);
  // The stack ids of a call and of its work are equal.
  const std::int64_t call = event.stack != 0 ? event.stack : event.parent_stack;
  if (call != 0) add_launch({static_cast<std::int64_t>(process), call}, track, slice.begin);
}

bool RocpdImport::show_values(std::size_t process, std::int64_t event, Timestamp at,
                              std::optional<std::int64_t> agent, bool as_args) {
  RocpdProcess& tables = *processes_[process];
  const std::span<const EventValue> values = tables.values().take(event);
  for (std::size_t i = 0; i < values.size();) {
    const std::int64_t counter = values[i].counter;
    double sum = 0;  // of the instances of the counter
    for (; i < values.size() && values[i].counter == counter; ++i) sum += values[i].value;
    const std::string name = tables.counter_name(counter);
    const auto of = tables.counter_agent(counter);
    const std::int64_t device = names_.device_key(process, of ? of : agent);
    const StringId id = intern_.intern(name);
    if (as_args) put_real(id, sum);
    add_sample(tracks_.counter(device, static_cast<std::int64_t>(raw(id)), name), at, sum);
  }
  return !values.empty();
}

// ---- work of a device -------------------------------------------------------------------------------------

void RocpdImport::show_kernel(std::size_t process, const TimedTable& row) {
  RocpdProcess& tables = *processes_[process];
  const RocpdPlace place = place_of(process, row);
  const auto event_id = row.integer(kRocpdEvent);
  const RocpdEvent event = tables.event(event_id);
  const RocpdKernel kernel = tables.kernel(row.integer(kRocpdKernel));
  Slice slice = slice_of(row);
  slice.kind = SliceKind::kExecute;
  slice.name =
      kernel.name != kEmptyString ? kernel.name : tables.strings().find(row.integer(kRocpdRegionName));
  if (slice.name == kEmptyString) slice.name = intern_.intern("kernel");
  put_place(process, place, place.agent);
  put_event(event);
  if (kernel.registers) put(keys_.registers, *kernel.registers);
  if (const auto shared = row.integer(kRocpdShared)) put(keys_.shared_memory, *shared);
  if (const auto scratch = row.integer(kRocpdScratch); scratch.value_or(0) != 0)
    put(keys_.scratch_memory, *scratch);
  const auto size_at = [&](std::size_t x) {
    return std::array{row.integer_or(x, 1), row.integer_or(x + 1, 1), row.integer_or(x + 2, 1)};
  };
  std::array grid = size_at(kRocpdGridX);  // in work items
  const std::array block = size_at(kRocpdBlockX);
  for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = block[i] > 0 ? grid[i] / block[i] : grid[i];
  if (row.integer(kRocpdGridX)) put_size(keys_.grid, grid);
  if (row.integer(kRocpdBlockX)) put_size(keys_.block, block);
  if (event_id) show_values(process, *event_id, slice.begin, place.agent, true);
  show_work(process, place, event, place.agent, slice);
}

void RocpdImport::show_copy(std::size_t process, const TimedTable& row) {
  RocpdProcess& tables = *processes_[process];
  const RocpdPlace place = place_of(process, row);
  const RocpdEvent event = tables.event(row.integer(kRocpdEvent));
  const auto from = row.integer(kRocpdSource), to = row.integer(kRocpdTarget);
  const auto is_gpu = [&](std::optional<std::int64_t> agent) {
    return agent && names_.is_gpu(names_.device_key(process, agent));
  };
  Slice slice = slice_of(row);
  const StringId name = tables.strings().find(row.integer(kRocpdName));
  const CopyWords words = copy_named(intern_.text(name))
                              .value_or(from || to ? copy_between(is_gpu(from), is_gpu(to)) : CopyWords{});
  slice.name = intern_.intern(words.name);
  slice.kind = words.kind;
  // The copy is shown on the GPU of its two ends.
  const std::optional<std::int64_t> agent = is_gpu(to) ? to : is_gpu(from) ? from : to ? to : place.agent;
  put_place(process, place, agent);
  put_event(event);
  put_bytes(slice, row.integer_or(kRocpdCopySize, 0));
  show_work(process, place, event, agent, slice);
}

// ---- threads ----------------------------------------------------------------------------------------------

SliceKind RocpdImport::kind_of_region(StringId name, Duration duration) {
  const auto [kind, is_new] = region_kinds_.try_emplace(name);
  const std::string_view text = intern_.text(name);
  // A name that does not begin like a function of HIP may be a range of the program.
  if (is_new) kind->second = text.starts_with("hip") ? kind_of_call(text) : SliceKind::kZone;
  const bool waits = kind->second == SliceKind::kEnqueue && copy_call_waits(text, duration);
  return waits ? SliceKind::kWait : kind->second;
}

void RocpdImport::show_region(std::size_t process, const TimedTable& row) {
  RocpdProcess& tables = *processes_[process];
  const auto event_id = row.integer(kRocpdEvent);
  const RocpdEvent event = tables.event(event_id);
  const TrackId track = thread_of(process, place_of(process, row));
  Slice slice = slice_of(row);
  slice.name = event.message != kEmptyString ? event.message : tables.strings().find(row.integer(kRocpdName));
  if (slice.name == kEmptyString) slice.name = intern_.intern("region");
  if (event.is_marker) {
    if (intern_.text(slice.name).starts_with("ProfilerStep#")) slice.kind = SliceKind::kStep;
  } else {
    slice.kind = kind_of_region(slice.name, slice.end == kNeverClosed ? Duration{} : slice.duration());
    put_event(event);
    if (event.stack != 0)
      calls_.add({static_cast<std::int64_t>(process), event.stack}, {track, slice.name, slice.begin});
  }
  slice.args = take_args();
  slices_.add(track, slice);
}

void RocpdImport::show_sample(std::size_t process, const TimedTable& row) {
  RocpdProcess& tables = *processes_[process];
  const RocpdPlace place = place_of(process, row);
  const auto event_id = row.integer(kRocpdEvent);
  const Timestamp at = time_of(row);
  if (event_id && show_values(process, *event_id, at, place.agent, false)) return;
  const RocpdEvent event = tables.event(event_id);
  StringId name = event.message;
  if (name == kEmptyString) name = tables.strings().find(row.integer(kRocpdName));
  if (name == kEmptyString) name = tables.strings().find(place.name);
  if (name == kEmptyString) name = intern_.intern("sample");
  if (!event.is_marker) put_event(event);
  add_instant(at, thread_of(process, place), name);
}

// ---- memory -----------------------------------------------------------------------------------------------

void RocpdImport::add_block(std::size_t process, const RocpdPlace& place, std::int64_t kind,
                            const TimedTable& row) {
  const std::int64_t size_bytes = row.integer_or(kRocpdSize, 0);
  const std::int64_t pid = processes_[process]->pid(place.pid.value_or(0));
  const TrackId counter =
      tracks_.memory(names_.process_key(process, pid), names_.device_key(process, place.agent), kind);
  const auto address = row.integer(kRocpdAddress);
  LiveBlocks& blocks = live_blocks_[process];
  // The memory at this address was freed, but the file does not have this row.
  if (const auto old = blocks.find(address.value_or(0)); address && old != blocks.end())
    free_block(blocks, old, time_of(row));
  double& live = live_bytes_[counter];
  live += static_cast<double>(size_bytes);
  add_sample(counter, time_of(row), live);
  if (address) blocks[*address] = {size_bytes, ++blocks_, counter, time_of(row)};
}

void RocpdImport::free_block(LiveBlocks& blocks, LiveBlocks::iterator found, Timestamp at) {
  const LiveBlock block = found->second;
  blocks.erase(found);
  Allocation row{.block = block.block, .counter = block.counter, .size_bytes = block.size_bytes};
  row.begin = block.begin;
  row.end = at;
  batch_.allocations.push_back(row);
  if (at == kNever) return;  // still live
  double& live = live_bytes_[block.counter];
  live -= static_cast<double>(block.size_bytes);
  add_sample(block.counter, at, live);
}

void RocpdImport::show_allocation(std::size_t process, const TimedTable& row) {
  const std::string_view type = row.text(kRocpdType), level = row.text(kRocpdLevel);
  const std::int64_t kind = level == "SCRATCH"   ? kScratchMemory
                            : level == "VIRTUAL" ? kVirtualMemory
                                                 : kDeviceMemory;
  if (type == "ALLOC") {
    if (!is_storable_size(row.integer_or(kRocpdSize, 0))) return lose(LossCause::kImportBroken);
    return add_block(process, place_of(process, row), kind, row);
  }
  if (type != "FREE") return skip("memory_allocate_of_type_" + std::string(type));
  LiveBlocks& blocks = live_blocks_[process];
  const auto found = blocks.find(row.integer_or(kRocpdAddress, 0));
  if (found == blocks.end()) return skip("free_without_allocation");
  free_block(blocks, found, time_of(row));
}

}  // namespace runahead::importers
