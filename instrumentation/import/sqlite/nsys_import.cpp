#include "instrumentation/import/sqlite/nsys_import.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "instrumentation/import/common/trace_dates.h"

namespace runahead::importers {
using namespace trace;
namespace {

// Tables with a column of times that repeat or describe other rows.
constexpr std::array<std::string_view, 2> kNoEvents{"ANALYSIS_DETAILS", "TARGET_INFO_SESSION_START_TIME"};

}  // namespace

bool is_nsys_export(const SqliteDatabase& database) {
  return std::ranges::any_of(database.tables(), [](const SqliteTable& table) {
    const std::string_view name = table.name;
    return name.starts_with("CUPTI_ACTIVITY_KIND_") || name.starts_with("ENUM_NSYS_") ||
           name == "TARGET_INFO_SESSION_START_TIME" || name == "NVTX_EVENTS" || name == "META_DATA_EXPORT" ||
           name == "EXPORT_META_DATA";
  });
}

NsysImport::NsysImport(SqliteDatabase& database)
    : TimedImport(database),
      wait_keys_{intern_.intern("cuda_sync_kind"), intern_.intern("wait_on_stream"),
                 intern_.intern("wait_on_cuda_event_record_corr_id"),
                 intern_.intern("wait_on_cuda_event_id")},
      names_(database, intern_),
      tracks_(trace_, names_),
      waits_(database) {}

// ---- the tables -------------------------------------------------------------------------------------------

TimedImport::Show NsysImport::shows(ShowRow show) {
  return [this, show](const TimedTable& row) { (this->*show)(row); };
}

Status NsysImport::open_tables() {
  const std::vector<KnownTable> known = known_tables();
  for (const SqliteTable& table : database_.tables()) {
    const auto found = std::ranges::find(known, table.name, &KnownTable::name);
    if (found == known.end()) {
      open_other_table(table);
    } else if (table.has(found->start)) {
      const std::string_view where = table.has(found->where_column) ? found->where : "";
      read_table(table, found->columns, shows(found->show), {.start = found->start}, where);
    } else if (found->start == "start") {
      skip_table(table, table.name);
    }
  }
  read_domains();
  const SqliteTable* const calls = database_.table("CUPTI_ACTIVITY_KIND_RUNTIME");
  if (calls == nullptr) return Ok{};
  SqliteStatement first = database_.select(*calls, {"globalTid"}, "LIMIT 1");
  if (first.step()) only_pid_ = pid_of_global(first.integer(0).value_or(0));
  return Ok{};
}

// Other tables with calls of a thread, such as those of cuBLAS, cuDNN and MPI. Other tables with times are
// counted.
void NsysImport::open_other_table(const SqliteTable& table) {
  if (std::ranges::find(kNoEvents, table.name) != kNoEvents.end()) return;
  const bool calls = table.has("start") && table.has("end") && table.has("globalTid");
  const std::string_view name = table.has("nameId") ? "nameId" : "textId";
  if (calls && table.has(name)) {
    read_table(table, {"globalTid", name}, shows(&NsysImport::show_zone));
  } else if (table.has("start") || table.has("timestamp") || table.has("rawTimestamp")) {
    skip_table(table, table.name);
  }
}

void NsysImport::read_domains() {
  const SqliteTable* const table = database_.table("NVTX_EVENTS");
  if (table == nullptr || !table->has("eventType")) return;
  constexpr std::string_view kDomainCreate = "WHERE eventType = 75";
  SqliteStatement rows = database_.select(*table, {"domainId", "text", "textId"}, kDomainCreate);
  while (rows.step()) {
    const auto domain = rows.integer(0), text = rows.integer(2);
    if (!domain) continue;
    const StringId name = !rows.text(1).empty() ? intern_.intern(rows.text(1))
                          : text                ? names_.string(*text)
                                                : kEmptyString;
    if (name != kEmptyString) domains_[*domain] = name;
  }
}

void NsysImport::finish_rows() {
  for (const auto& [call, recording] : waits_.recordings()) {
    if (!recording.timed && calls_.find(call) == nullptr) skip("CUDA_event_without_time_and_call");
  }
  tracks_.tell_streams_apart();
  lose(LossCause::kImportUndefined, names_.undefined());
}

// ---- metadata ---------------------------------------------------------------------------------------------

void NsysImport::copy_metadata(std::string_view name) {
  const SqliteTable* const table = database_.table(name);
  if (table == nullptr) return;
  SqliteStatement rows = database_.select(*table, {"name", "value"});
  while (rows.step()) {
    const std::string_view value = rows.text(1);
    if (rows.text(0) == "EXPORT_SCHEMA_VERSION") trace_.set_metadata("nsys.schema", std::string(value));
    if (rows.text(0) == "EXPORT_PRODUCT_VERSION") trace_.set_metadata("nsys.version", std::string(value));
    if (rows.text(0) == "Hostname") trace_.set_metadata("host", std::string(value));
  }
}

void NsysImport::describe() {
  trace_.set_metadata("format", "nsys sqlite");
  for (const char* const table : {"EXPORT_META_DATA", "META_DATA_EXPORT", "TARGET_INFO_SYSTEM_ENV"})
    copy_metadata(table);
  const SqliteTable* const table = database_.table("TARGET_INFO_SESSION_START_TIME");
  if (table == nullptr) return;
  SqliteStatement rows = database_.select(*table, {"utcEpochNs"}, "LIMIT 1");
  const std::optional<std::int64_t> epoch = rows.step() ? rows.integer(0) : std::nullopt;
  if (!epoch) return;
  trace_.set_metadata("nsys.session_start_ns", std::to_string(*epoch));
  std::int64_t started_ns = 0;
  if (!__builtin_add_overflow(*epoch, base_ns(), &started_ns)) set_start(started_ns, trace_);
}

}  // namespace runahead::importers
