#include "instrumentation/import/sqlite/nsys_waits.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "instrumentation/import/sqlite/nsys_names.h"

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::int64_t kNoId = 4294967295;  // the largest 32-bit number

std::int64_t id_or_none(std::optional<std::int64_t> id) { return id && *id != kNoId ? *id : -1; }

}  // namespace

std::int64_t stream_number(std::int64_t id) { return id == kNoId ? -1 : id; }

const char* wait_name(std::int64_t type) {
  switch (type) {
    case 1:
      return "Event Sync";
    case 2:
      return "Stream Wait Event";
    case 3:
      return "Stream Sync";
    case 4:
      return "Context Sync";
    default:
      return "Unknown Sync";
  }
}

NsysWaits::NsysWaits(SqliteDatabase& database) {
  if (database.table("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION") != nullptr) read_contexts(database);
  read_events(database);
  read_waits(database);
}

void NsysWaits::read_contexts(SqliteDatabase& database) {
  for (const char* name :
       {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY", "CUPTI_ACTIVITY_KIND_MEMSET"}) {
    const SqliteTable* const table = database.table(name);
    if (table == nullptr) continue;
    SqliteStatement rows = database.select(*table, {"globalPid", "contextId", "deviceId"});
    std::pair<std::int64_t, std::int64_t> last{-1, -1};
    while (rows.step()) {
      const auto pid = rows.integer(0), context = rows.integer(1), device = rows.integer(2);
      if (!pid || !context || !device || last == std::pair{*pid, *context}) continue;
      last = {*pid, *context};
      devices_.try_emplace({pid_of_global(*pid), *context}, *device);
    }
  }
}

void NsysWaits::read_events(SqliteDatabase& database) {
  const SqliteTable* const table = database.table("CUPTI_ACTIVITY_KIND_CUDA_EVENT");
  if (table == nullptr) return;
  SqliteStatement rows = database.select(
      *table, {"globalPid", "correlationId", "contextId", "streamId", "eventId", "eventSyncId", "timestamp"});
  while (rows.step()) {
    const std::int64_t pid = pid_of_global(rows.integer(0).value_or(0));
    const auto correlation = rows.integer(1), event = rows.integer(4), sync_id = rows.integer(5);
    if (!correlation || !event) continue;
    const Recorded recorded{*correlation, id_or_none(rows.integer(3))};
    by_event_[{pid, rows.integer(2).value_or(0), *event}].push_back(recorded);
    if (sync_id && *sync_id != 0) by_sync_id_[{pid, *sync_id}] = recorded;
    recordings_[{pid, *correlation}] = {*event, recorded.stream, rows.integer(6).value_or(0) != 0};
  }
  for (auto& [key, list] : by_event_) std::ranges::sort(list, {}, &Recorded::correlation);
}

void NsysWaits::read_waits(SqliteDatabase& database) {
  const SqliteTable* const table = database.table("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION");
  if (table == nullptr) return;
  SqliteStatement rows = database.select(*table, {"globalPid", "correlationId", "contextId", "streamId",
                                                  "eventId", "eventSyncId", "syncType", "deviceId"});
  while (rows.step()) {
    const std::int64_t pid = pid_of_global(rows.integer(0).value_or(0));
    const auto correlation = rows.integer(1);
    if (!correlation) continue;
    NsysWait wait{.type = rows.integer(6).value_or(0),
                  .stream = id_or_none(rows.integer(3)),
                  .event = id_or_none(rows.integer(4)),
                  .context = rows.integer(2).value_or(-1)};
    wait.device = device_of(pid, wait.context).value_or(rows.integer(7).value_or(-1));
    find_recording(pid, *correlation, rows.integer(5), wait);
    waits_[{pid, *correlation}] = wait;
  }
}

// An event can be recorded several times. The wait is for the last recording before it.
void NsysWaits::find_recording(std::int64_t pid, std::int64_t correlation,
                               std::optional<std::int64_t> sync_id, NsysWait& wait) const {
  if (wait.event < 0) return;
  if (const auto found = by_sync_id_.find({pid, sync_id.value_or(0)}); found != by_sync_id_.end()) {
    wait.recorded_on = found->second.stream;
    wait.recorded_by = found->second.correlation;
    return;
  }
  const auto list = by_event_.find({pid, wait.context, wait.event});
  if (list == by_event_.end()) return;
  const auto later = std::ranges::lower_bound(list->second, correlation, {}, &Recorded::correlation);
  if (later == list->second.begin()) return;
  wait.recorded_on = std::prev(later)->stream;
  wait.recorded_by = std::prev(later)->correlation;
}

const NsysWait* NsysWaits::of(const CallKey& call) const {
  const auto found = waits_.find(call);
  return found == waits_.end() ? nullptr : &found->second;
}

std::optional<std::int64_t> NsysWaits::device_of(std::int64_t pid, std::int64_t context) const {
  const auto found = devices_.find({pid, context});
  return found == devices_.end() ? std::nullopt : std::optional(found->second);
}

const NsysRecording* NsysWaits::recorded_by(const CallKey& call) const {
  const auto found = recordings_.find(call);
  return found == recordings_.end() ? nullptr : &found->second;
}

}  // namespace runahead::importers
