#include "instrumentation/import/sqlite/nsys_import.h"

#include <algorithm>
#include <array>
#include <utility>

#include "instrumentation/import/common/trace_dates.h"
#include "instrumentation/recording/format/payload.h"

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::size_t kRowsPerNsysBatch = 1u << 15;

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
    : database_(database),
      intern_(trace_),
      names_(database, intern_),
      tracks_(trace_, names_),
      waits_(database),
      slices_(trace_) {}

Result<Trace> NsysImport::run() {
  open_tables();
  read_domains();
  show_rows();
  if (database_.cancelled()) return Error{"was not opened: cancelled"};
  finish_tables();
  finish_flows();
  slices_.finish(last_);
  tracks_.tell_streams_apart();
  intern_.flush();
  losses_.add(LossCause::kImportUndefined, names_.undefined());
  losses_.add(LossCause::kUnfinishedSlice, slices_.unfinished());
  losses_.add(LossCause::kClockWentBack, slices_.backwards());
  skip("slice_too_deep", slices_.too_deep());
  skipped_.add_to(trace_);
  describe();
  Batch end;
  end.losses = losses_;
  end.watermark = last_;
  trace_.append(std::move(end));
  return std::move(trace_);
}

// ---- the tables -------------------------------------------------------------------------------------------

void NsysImport::open_tables() {
  const std::vector<KnownTable> known = known_tables();
  for (const SqliteTable& table : database_.tables()) {
    const auto found = std::ranges::find(known, table.name, &KnownTable::name);
    if (found == known.end()) {
      open_other_table(table);
    } else if (table.has(found->start)) {
      const std::string_view where = table.has(found->where_column) ? found->where : "";
      events_.push_back(
          {std::make_unique<TimedTable>(database_, table, found->columns, found->start, where), found->show});
    } else if (found->start == "start") {
      skip_table(table);
    }
  }
  for (const Events& events : events_) rows_ += events.table->rows();
  const SqliteTable* const calls = database_.table("CUPTI_ACTIVITY_KIND_RUNTIME");
  if (calls == nullptr) return;
  SqliteStatement first = database_.select(*calls, {"globalTid"}, "LIMIT 1");
  if (first.step()) only_pid_ = pid_of_global(first.integer(0).value_or(0));
}

// Other tables with calls of a thread, such as those of cuBLAS, cuDNN and MPI. Other tables with times are
// counted.
void NsysImport::open_other_table(const SqliteTable& table) {
  if (std::ranges::find(kNoEvents, table.name) != kNoEvents.end()) return;
  const bool calls = table.has("start") && table.has("end") && table.has("globalTid");
  const std::string_view name = table.has("nameId") ? "nameId" : "textId";
  if (calls && table.has(name)) {
    std::vector<std::string_view> columns{"globalTid", name};
    events_.push_back({std::make_unique<TimedTable>(database_, table, columns), &NsysImport::show_zone});
  } else if (table.has("start") || table.has("timestamp") || table.has("rawTimestamp")) {
    skip_table(table);
  }
}

void NsysImport::skip_table(const SqliteTable& table) {
  const std::optional<std::uint64_t> count = database_.count_rows(table);
  skip(table.name, count.value_or(0));
  if (!count) report_damage(table.name, database_.failure());
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

// ---- the rows ---------------------------------------------------------------------------------------------

void NsysImport::show_rows() {
  bool first = true;
  for (;;) {
    Events* next = nullptr;
    for (Events& events : events_) {
      const bool earlier =
          events.table->has_row() && (next == nullptr || events.table->comes_before(*next->table));
      if (earlier) next = &events;
    }
    if (next == nullptr) break;
    if (std::exchange(first, false)) base_ns_ = next->table->start_ns();
    show(*next);
    next->table->next();
  }
  flush();
}

void NsysImport::show(Events& events) {
  if (events.table->start_ns() - base_ns_ > recordings::kMaxTimeNs) {
    losses_.add(LossCause::kImportBroken);
  } else {
    (this->*events.show)(*events.table);
  }
  if (++rows_shown_ % kRowsPerNsysBatch != 0) return;
  database_.set_done(static_cast<double>(rows_shown_) /
                     static_cast<double>(std::max<std::uint64_t>(rows_, 1)));
  flush();
}

void NsysImport::flush() {
  for (auto& [counter, use] : memory_) {
    if (!use.samples.empty()) batch_.counters.push_back({counter, std::exchange(use.samples, {})});
  }
  trace_.append(std::exchange(batch_, {}));
}

void NsysImport::finish_tables() {
  for (const Events& events : events_) {
    losses_.add(LossCause::kImportBroken, events.table->without_time());
    if (events.table->damaged())
      report_damage(events.table->name(), "its rows after the damage cannot be read");
  }
  for (const auto& [call, recording] : waits_.recordings()) {
    if (!recording.timed && !calls_.contains(call)) skip("CUDA_event_without_time_and_call");
  }
}

// How many rows are lost is not known. So a damaged table counts as one loss.
void NsysImport::report_damage(std::string_view table, std::string message) {
  losses_.add(LossCause::kImportBroken);
  trace_.set_metadata("import.damaged." + std::string(table), std::move(message));
}

void NsysImport::finish_flows() {
  for (const LateLaunch& late : late_launches_) {
    const auto found = calls_.find(late.call);
    if (found == calls_.end()) {
      losses_.add(LossCause::kUnboundFlow);
    } else {
      add_flow(found->second, late.track, late.begin);
    }
  }
  flush();
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
  trace_.set_metadata("import.events", std::to_string(rows_shown_));
  trace_.set_metadata("import.first_us", microseconds_text(base_ns_));
  for (const char* const table : {"EXPORT_META_DATA", "META_DATA_EXPORT", "TARGET_INFO_SYSTEM_ENV"})
    copy_metadata(table);
  const SqliteTable* const table = database_.table("TARGET_INFO_SESSION_START_TIME");
  if (table == nullptr) return;
  SqliteStatement rows = database_.select(*table, {"utcEpochNs"}, "LIMIT 1");
  const std::optional<std::int64_t> epoch = rows.step() ? rows.integer(0) : std::nullopt;
  if (!epoch) return;
  trace_.set_metadata("nsys.session_start_ns", std::to_string(*epoch));
  std::int64_t started_ns = 0;
  if (!__builtin_add_overflow(*epoch, base_ns_, &started_ns) && is_date(started_ns))
    trace_.set_metadata("started_at", iso8601(started_ns));
}

}  // namespace runahead::importers
