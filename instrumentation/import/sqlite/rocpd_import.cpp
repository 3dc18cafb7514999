#include "instrumentation/import/sqlite/rocpd_import.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::string_view kRocpd = "rocpd_";
// Tables with times that describe rows of other tables.
constexpr std::string_view kRocpdInfo = "rocpd_info_";

// The tables whose names tell which processes a file has.
constexpr std::array<std::string_view, 8> kBaseNames{
    "rocpd_metadata", "rocpd_string",      "rocpd_info_process",    "rocpd_event",
    "rocpd_region",   "rocpd_memory_copy", "rocpd_kernel_dispatch", "rocpd_memory_allocate"};

// The end of the name that tells the process: "_0199f3a2_...". nullopt: the name has another begin.
std::optional<std::string> suffix_after(std::string_view name, std::string_view base) {
  if (!name.starts_with(base)) return std::nullopt;
  const std::string_view suffix = name.substr(base.size());
  const bool is_id = suffix.empty() || suffix[0] == '_' || (suffix[0] >= '0' && suffix[0] <= '9');
  return is_id ? std::optional(std::string(suffix)) : std::nullopt;
}

std::set<std::string> suffixes_of(const SqliteDatabase& database) {
  std::set<std::string> out;
  for (const SqliteTable& table : database.tables()) {
    for (const std::string_view base : kBaseNames) {
      if (auto suffix = suffix_after(table.name, base)) out.insert(std::move(*suffix));
    }
  }
  return out;
}

}  // namespace

bool is_rocpd(const SqliteDatabase& database) {
  return std::ranges::any_of(database.tables(), [](const SqliteTable& table) {
    const std::string_view name = table.name;
    return name.starts_with(kRocpdInfo) || name.starts_with("rocpd_kernel_dispatch") ||
           name.starts_with("rocpd_region");
  });
}

RocpdImport::RocpdImport(SqliteDatabase& database)
    : TimedImport(database), names_(processes_), tracks_(trace_, names_) {}

// ---- the tables -------------------------------------------------------------------------------------------

std::vector<RocpdImport::KnownTable> RocpdImport::known_tables() {
  const auto placed = [](std::vector<std::string_view> columns) {
    columns.insert(columns.begin(),
                   {"event_id", "track_id", "pid", "tid", "agent_id", "queue_id", "stream_id"});
    return columns;
  };
  return {
      {"rocpd_region", placed({"name_id"}), &RocpdImport::show_region},
      {"rocpd_sample", placed({"name_id"}), &RocpdImport::show_sample},
      {"rocpd_kernel_dispatch",
       placed({"kernel_id", "region_name_id", "private_segment_size", "group_segment_size", "grid_size_x",
               "grid_size_y", "grid_size_z", "workgroup_size_x", "workgroup_size_y", "workgroup_size_z"}),
       &RocpdImport::show_kernel},
      {"rocpd_memory_copy", placed({"name_id", "size", "src_agent_id", "dst_agent_id"}),
       &RocpdImport::show_copy},
      {"rocpd_memory_allocate", placed({"type", "level", "address", "size"}), &RocpdImport::show_allocation},
  };
}

Status RocpdImport::open_tables() {
  for (const std::string& suffix : suffixes_of(database_))
    processes_.push_back(std::make_unique<RocpdProcess>(database_, suffix, intern_));
  live_blocks_.resize(processes_.size());
  names_.add_devices();
  bool any = false;
  for (std::size_t process = 0; process < processes_.size(); ++process) {
    for (const KnownTable& known : known_tables()) any = open_table(process, known) || any;
  }
  skip_other_tables();
  if (any) return Ok{};
  const std::string schema = processes_.empty() ? "" : processes_[0]->schema();
  return Error{
      "is a rocpd database" + (schema.empty() ? "" : " of schema " + schema) +
      ", but has no table of events that this version knows; make a Perfetto trace of it: python3 -m "
      "rocpd convert -i FILE --output-format pftrace"};
}

bool RocpdImport::open_table(std::size_t process, const KnownTable& known) {
  const SqliteTable* const table = processes_[process]->table(known.name);
  if (table == nullptr) return false;
  const std::optional<TimeColumns> times = processes_[process]->times_of(*table);
  if (!times) {
    skip_table(*table, known.name);
    return false;
  }
  const ShowRow show = known.show;
  read_table(
      *table, known.columns, [this, process, show](const TimedTable& row) { (this->*show)(process, row); },
      *times);
  return true;
}

// Tables of newer versions with times.
void RocpdImport::skip_other_tables() {
  const std::vector<KnownTable> known = known_tables();
  for (const SqliteTable& table : database_.tables()) {
    const std::string_view name = table.name;
    const bool timed =
        table.has("start") || table.has("start_id") || table.has("timestamp") || table.has("timestamp_id");
    const bool is_known = std::ranges::any_of(
        known, [&](const KnownTable& other) { return suffix_after(name, other.name).has_value(); });
    if (timed && !is_known && name.starts_with(kRocpd) && !name.starts_with(kRocpdInfo))
      skip_table(table, name);
  }
}

// ---- the end ----------------------------------------------------------------------------------------------

void RocpdImport::finish_process(const RocpdProcess& process) {
  lose(LossCause::kImportUndefined, process.undefined());
  for (const std::string& table : process.damaged())
    report_damage(table, "its rows after the damage cannot be read");
}

void RocpdImport::finish_rows() {
  for (LiveBlocks& blocks : live_blocks_) {
    while (!blocks.empty()) free_block(blocks, blocks.begin(), kNever);
  }
  for (const auto& process : processes_) {
    if (const std::uint64_t left = process->values().left(); left > 0) skip("pmc_event_without_time", left);
    finish_process(*process);
  }
  tracks_.tell_streams_apart();
}

void RocpdImport::describe() {
  trace_.set_metadata("format", "rocpd sqlite");
  const RocpdProcess& first = *processes_[0];
  if (!first.schema().empty()) trace_.set_metadata("rocpd.schema", first.schema());
  const bool one_host =
      std::ranges::all_of(processes_, [&](const auto& process) { return process->host() == first.host(); });
  if (one_host && !first.host().empty()) trace_.set_metadata("host", first.host());
}

}  // namespace runahead::importers
