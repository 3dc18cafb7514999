#include "instrumentation/import/sqlite/rpd_import.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "instrumentation/trace/rows/cuda_calls.h"

namespace runahead::importers {
using namespace trace;
namespace {

// The columns that open_tables() reads, by their index.
enum RpdCallColumn : std::size_t {
  kRpdCallId,
  kRpdPid,
  kRpdTid,
  kRpdCallName,
  kRpdCallArgs,
  kRpdDomain,
  kRpdCategory
};
enum RpdOpColumn : std::size_t { kRpdOpId, kRpdGpu, kRpdQueue, kRpdDescription, kRpdOpType };
enum RpdMonitorColumn : std::size_t { kRpdDeviceType, kRpdDeviceId, kRpdMonitorType, kRpdValue };
enum RpdCopyColumn : std::size_t { kRpdCopyStream, kRpdSize };
enum RpdKernelColumn : std::size_t {
  kRpdKernelStream,
  kRpdGridX,
  kRpdGridY,
  kRpdGridZ,
  kRpdBlockX,
  kRpdBlockY,
  kRpdBlockZ,
  kRpdShared,
  kRpdScratch,
  kRpdKernelName,
};

// Tables that describe rows of other tables. The other tables with times are counted.
constexpr std::array<std::string_view, 3> kTimedTables{"rocpd_api", "rocpd_op", "rocpd_monitor"};

// The name of the call for a range or mark of a program. Its arguments are the text of the range.
constexpr std::string_view kUserMarker = "UserMarker";

// These calls count the grid in work items, and not in blocks.
bool counts_work_items(std::string_view call) {
  return call.starts_with("hipExtModuleLaunch") || call.starts_with("hipHccModuleLaunch");
}

// Schema 3 has the arguments of calls in a table of their own.
std::string_view args_table(const SqliteDatabase& database) {
  return database.table("rocpd_ustring") != nullptr ? "rocpd_ustring" : "rocpd_string";
}

std::optional<double> number_in(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

bool is_rpd(const SqliteDatabase& database) {
  return database.table("rocpd_api") != nullptr || database.table("rocpd_op") != nullptr;
}

std::string RpdNames::process(std::int64_t pid) const { return "process " + std::to_string(pid); }
std::string RpdNames::thread(std::int64_t, std::int64_t tid) const { return "thread " + std::to_string(tid); }
std::string RpdNames::device(std::int64_t device) const { return short_device(device); }
std::string RpdNames::memory_kind(std::int64_t kind) const { return "kind " + std::to_string(kind); }

RpdImport::RpdImport(SqliteDatabase& database)
    : TimedImport(database),
      tracks_(trace_, names_),
      strings_(database, database.table("rocpd_string"), "id", "string", intern_),
      call_args_(database, database.table(args_table(database)), "id", "string", intern_) {}

// ---- the tables -------------------------------------------------------------------------------------------

Status RpdImport::open_tables() {
  if (const SqliteTable* const table = database_.table("rocpd_api"))
    read_table(*table, {"id", "pid", "tid", "apiName_id", "args_id", "domain_id", "category_id"},
               [this](const TimedTable& row) { show_call(row); });
  if (const SqliteTable* const table = database_.table("rocpd_op"))
    read_table(*table, {"id", "gpuId", "queueId", "description_id", "opType_id"},
               [this](const TimedTable& row) { show_op(row); });
  if (const SqliteTable* const table = database_.table("rocpd_monitor"))
    read_table(*table, {"deviceType", "deviceId", "monitorType", "value"},
               [this](const TimedTable& row) { show_monitor(row); });
  if (const SqliteTable* const table = database_.table("rocpd_copyapi"))
    copies_ = KeyedRows(database_, *table, "api_ptr_id", {"stream", "size"});
  if (const SqliteTable* const table = database_.table("rocpd_kernelapi"))
    kernels_ = KeyedRows(database_, *table, "api_ptr_id",
                         {"stream", "gridX", "gridY", "gridZ", "workgroupX", "workgroupY", "workgroupZ",
                          "groupSegmentSize", "privateSegmentSize", "kernelName_id"});
  if (const SqliteTable* const table = database_.table("rocpd_counter"))
    values_ = EventValues(database_, *table, "op_id", "name_id", "value");
  for (const SqliteTable& table : database_.tables()) {
    const bool known = std::ranges::find(kTimedTables, table.name) != kTimedTables.end();
    if (!known && (table.has("start") || table.has("timestamp"))) skip_table(table, table.name);
  }
  read_op_calls();
  return Ok{};
}

void RpdImport::read_op_calls() {
  const SqliteTable* const table = database_.table("rocpd_api_ops");
  if (table == nullptr) return;
  SqliteStatement rows = database_.select(*table, {"op_id", "api_id"});
  while (rows.step()) {
    const auto op = rows.integer(0), call = rows.integer(1);
    if (op && call) {
      op_calls_.push_back({*op, *call});
    } else {
      lose(LossCause::kUnboundFlow);
    }
  }
  if (rows.failed()) report_damage(table->name, "its rows after the damage cannot be read");
  if (!std::ranges::is_sorted(op_calls_, {}, &OpCall::op))
    std::ranges::stable_sort(op_calls_, {}, &OpCall::op);
  shown_.resize(op_calls_.size());
}

void RpdImport::finish_rows() {
  lose(LossCause::kUnboundFlow, static_cast<std::uint64_t>(std::ranges::count(shown_, false)));
  lose(LossCause::kImportUndefined, strings_.undefined() + call_args_.undefined());
  if (values_.left() > 0) skip("rocpd_counter_without_op", values_.left());
  if (values_.damaged()) report_damage("rocpd_counter", "its rows after the damage cannot be read");
  tracks_.tell_streams_apart();
}

void RpdImport::describe() {
  trace_.set_metadata("format", "rpd sqlite");
  const SqliteTable* const table = database_.table("rocpd_metadata");
  if (table == nullptr) return;
  SqliteStatement rows = database_.select(*table, {"tag", "value"});
  while (rows.step()) {
    if (rows.text(0) == "schema_version") trace_.set_metadata("rpd.schema", std::string(rows.text(1)));
  }
}

// ---- calls ------------------------------------------------------------------------------------------------

SliceKind RpdImport::kind_of(std::int64_t name_id, StringId name, Duration duration) {
  const auto [kind, is_new] = call_kinds_.try_emplace(name_id);
  // A name that does not begin like a function of HIP is a range of the program or of the profiler.
  if (is_new)
    kind = intern_.text(name).starts_with("hip") ? kind_of_call(intern_.text(name)) : SliceKind::kZone;
  const bool waits = kind == SliceKind::kEnqueue && copy_call_waits(intern_.text(name), duration);
  return waits ? SliceKind::kWait : kind;
}

void RpdImport::show_call(const TimedTable& row) {
  const std::int64_t id = row.integer_or(kRpdCallId, 0), name_id = row.integer_or(kRpdCallName, -1);
  Slice slice = slice_of(row);
  slice.name = strings_.find(name_id);
  const StringId args = call_args_.find(row.integer(kRpdCallArgs));
  const TrackId track = tracks_.thread(row.integer_or(kRpdPid, 0), row.integer_or(kRpdTid, 0));
  const bool marker = intern_.text(slice.name) == kUserMarker;
  const StringId domain = strings_.find(row.integer(kRpdDomain));
  if (domain != kEmptyString) put_name(keys_.domain, domain);
  const StringId category = strings_.find(row.integer(kRpdCategory));
  if (category != kEmptyString) put_name(keys_.category, category);
  if (marker) {
    if (args != kEmptyString) slice.name = args;
    if (slice.end == slice.begin) return add_instant(slice.begin, track, slice.name);
    if (intern_.text(slice.name).starts_with("ProfilerStep#")) slice.kind = SliceKind::kStep;
  } else {
    if (slice.name == kEmptyString) slice.name = intern_.intern("HIP call");
    const Duration duration = slice.end == kNeverClosed ? Duration{} : slice.duration();
    slice.kind = kind_of(name_id, slice.name, duration);
    put(keys_.correlation, id);
    if (args != kEmptyString) put_name(keys_.call_args, args);
    calls_.add({0, id}, {track, slice.name, slice.begin});
  }
  slice.args = take_args();
  slices_.add(track, slice);
}

// ---- work of a device -------------------------------------------------------------------------------------

const RpdImport::OpType& RpdImport::type_of(std::int64_t id) {
  const auto [type, is_new] = types_.try_emplace(id);
  const StringId name = strings_.find(id);  // also counts an id without a string
  if (!is_new) return type;
  const std::string_view text = intern_.text(name);
  const auto says = [text](std::string_view part) { return text.find(part) != text.npos; };
  std::string_view word;
  if (says("HostToDevice")) {
    type = {{}, SliceKind::kCopyToDevice, true};
    word = "Memcpy HtoD";
  } else if (says("DeviceToHost")) {
    type = {{}, SliceKind::kCopyToHost, true};
    word = "Memcpy DtoH";
  } else if (says("Copy")) {
    type = {{}, SliceKind::kCopyOnDevice, true};
    word = says("DeviceToDevice") ? "Memcpy DtoD" : "Memcpy";
  } else if (says("Fill")) {
    word = "Memset";
  } else if (says("Barrier") || says("Marker")) {
    type.kind = SliceKind::kZone;  // packets that only order the work of a queue
  }
  type.name = word.empty() ? name : intern_.intern(word);
  if (type.name == kEmptyString) type.name = intern_.intern("kernel");
  return type;
}

void RpdImport::put_copy(std::int64_t call, Slice& slice) {
  if (copies_.find(call)) put_bytes(slice, copies_.integer_or(kRpdSize, 0));
}

void RpdImport::put_kernel(std::int64_t call) {
  if (!kernels_.find(call)) return;
  if (const auto shared = kernels_.integer(kRpdShared)) put(keys_.shared_memory, *shared);
  if (const auto scratch = kernels_.integer(kRpdScratch); scratch.value_or(0) != 0)
    put(keys_.scratch_memory, *scratch);
  const auto size_at = [&](std::size_t x) {
    return std::array{kernels_.integer_or(x, 1), kernels_.integer_or(x + 1, 1),
                      kernels_.integer_or(x + 2, 1)};
  };
  std::array grid = size_at(kRpdGridX);
  const std::array block = size_at(kRpdBlockX);
  const LaunchCall* const launch = calls_.find({0, call});
  if (launch != nullptr && counts_work_items(intern_.text(launch->name))) {
    for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = block[i] > 0 ? grid[i] / block[i] : grid[i];
  }
  if (kernels_.integer(kRpdGridX)) put_size(keys_.grid, grid);
  if (kernels_.integer(kRpdBlockX)) put_size(keys_.block, block);
}

void RpdImport::show_op(const TimedTable& row) {
  const std::int64_t device = row.integer_or(kRpdGpu, 0), queue = row.integer_or(kRpdQueue, 0);
  Slice slice = slice_of(row);
  const OpType& type = type_of(row.integer_or(kRpdOpType, -1));
  slice.kind = type.kind;
  slice.name = strings_.find(row.integer(kRpdDescription));
  if (slice.name == kEmptyString) slice.name = type.name;
  const auto of_op = std::ranges::equal_range(op_calls_, row.integer_or(kRpdOpId, 0), {}, &OpCall::op);
  put(keys_.device, device);
  put(keys_.stream, queue);
  put(keys_.correlation, of_op.empty() ? 0 : of_op.front().call);
  if (!of_op.empty() && type.has_bytes) {
    put_copy(of_op.front().call, slice);
  } else if (!of_op.empty()) {
    put_kernel(of_op.front().call);
  }
  show_values(row.integer_or(kRpdOpId, 0), device, slice.begin);
  slice.args = take_args();
  const TrackId track = tracks_.stream({device, 0, 0, queue});
  slices_.add(track, slice);
  for (auto call = of_op.begin(); call != of_op.end(); ++call) {
    const auto at = static_cast<std::size_t>(call - op_calls_.begin());
    if (shown_[at]) break;  // an earlier op has the same id
    shown_[at] = true;
    add_launch({0, call->call}, track, slice.begin);
  }
}

TrackId RpdImport::counter_of(std::int64_t device, std::string name) {
  const auto [counter, is_new] = counters_.try_emplace({std::move(name), device});
  const auto id = static_cast<std::int64_t>(counters_.size());
  if (is_new) counter->second = tracks_.counter(device, id, counter->first.first);
  return counter->second;
}

void RpdImport::show_values(std::int64_t op, std::int64_t device, Timestamp at) {
  const std::span<const EventValue> values = values_.take(op);
  for (std::size_t i = 0; i < values.size();) {
    const std::int64_t counter = values[i].counter;
    double sum = 0;
    for (; i < values.size() && values[i].counter == counter; ++i) sum += values[i].value;
    const StringId name = strings_.find(counter);
    put_real(name, sum);
    add_sample(counter_of(device, std::string(intern_.text(name))), at, sum);
  }
}

// ---- counters ---------------------------------------------------------------------------------------------

void RpdImport::show_monitor(const TimedTable& row) {
  const std::optional<double> written = row.real(kRpdValue);
  const std::optional<double> value = written ? written : number_in(row.text(kRpdValue));
  if (!value || !std::isfinite(*value)) return skip("rocpd_monitor_without_number");
  std::string name = std::string(row.text(kRpdMonitorType));
  if (row.text(kRpdDeviceType) != "gpu") name = std::string(row.text(kRpdDeviceType)) + " " + name;
  const std::int64_t device = row.integer_or(kRpdDeviceId, 0);
  add_sample(counter_of(device, std::move(name)), time_of(row), *value);
}

}  // namespace runahead::importers
