#include "instrumentation/import/sqlite/timed_import.h"

#include <algorithm>
#include <utility>

#include "instrumentation/import/common/trace_dates.h"
#include "instrumentation/recording/format/payload.h"

namespace runahead::importers {
using namespace trace;
namespace {

constexpr std::size_t kRowsPerTimedBatch = 1u << 15;

std::size_t hash_of(const std::array<std::int64_t, 3>& size) {
  const auto number = [&](std::size_t i) { return static_cast<std::uint64_t>(size[i]); };
  // 2^64 / the golden ratio
  return static_cast<std::size_t>((number(0) + 31 * number(1) + 961 * number(2)) * 0x9e3779b97f4a7c15u >> 56);
}

}  // namespace

bool is_storable_size(std::int64_t bytes) {
  return bytes >= -recordings::kMaxSizeBytes && bytes <= recordings::kMaxSizeBytes;
}

TimedImport::TimedImport(SqliteDatabase& database)
    : database_(database), intern_(trace_), keys_(intern_), slices_(trace_) {}

Result<Trace> TimedImport::run() {
  const Status opened = open_tables();
  if (database_.cancelled()) return Error{"was not opened: cancelled"};
  if (!opened) return opened.error();
  show_rows();
  if (database_.cancelled()) return Error{"was not opened: cancelled"};
  finish_tables();
  finish_flows();
  finish_rows();
  flush();
  slices_.finish(last_);
  intern_.flush();
  describe();
  trace_.set_metadata("import.events", std::to_string(rows_shown_));
  trace_.set_metadata("import.first_us", microseconds_text(base_ns_));
  append_losses();
  return std::move(trace_);
}

void TimedImport::append_losses() {
  lose(LossCause::kUnfinishedSlice, slices_.unfinished());
  lose(LossCause::kClockWentBack, slices_.backwards());
  skip("slice_too_deep", slices_.too_deep());
  skipped_.add_to(trace_);
  Batch end;
  end.losses = losses_;
  end.watermark = last_;
  trace_.append(std::move(end));
}

// ---- the tables -------------------------------------------------------------------------------------------

void TimedImport::read_table(const SqliteTable& table, std::vector<std::string_view> columns, Show show,
                             const TimeColumns& times, std::string_view where) {
  auto rows = std::make_unique<TimedTable>(database_, table, std::move(columns), times, where);
  rows_ += rows->rows();
  events_.push_back({std::move(rows), std::move(show)});
}

void TimedImport::skip_table(const SqliteTable& table, std::string_view kind) {
  const std::optional<std::uint64_t> count = database_.count_rows(table);
  skip(kind, count.value_or(0));
  if (!count) report_damage(table.name, database_.failure());
}

// How many rows are lost is not known. So a damaged table counts as one loss.
void TimedImport::report_damage(std::string_view table, std::string message) {
  lose(LossCause::kImportBroken);
  trace_.set_metadata("import.damaged." + std::string(table), std::move(message));
}

void TimedImport::finish_tables() {
  for (const Events& events : events_) {
    lose(LossCause::kImportBroken, events.table->without_time());
    if (events.table->damaged())
      report_damage(events.table->name(), "its rows after the damage cannot be read");
  }
}

// ---- the rows ---------------------------------------------------------------------------------------------

TimedImport::Events* TimedImport::next_events() {
  Events* next = nullptr;
  for (Events& events : events_) {
    const bool earlier =
        events.table->has_row() && (next == nullptr || events.table->comes_before(*next->table));
    if (earlier) next = &events;
  }
  return next;
}

void TimedImport::show_rows() {
  if (Events* const first = next_events()) base_ns_ = first->table->start_ns();
  while (Events* const events = next_events()) {
    show_row(*events);
    events->table->next();
  }
  flush();
}

void TimedImport::show_row(Events& events) {
  if (events.table->start_ns() - base_ns_ > recordings::kMaxTimeNs) {
    lose(LossCause::kImportBroken);
  } else {
    events.show(*events.table);
  }
  if (++rows_shown_ % kRowsPerTimedBatch != 0) return;
  database_.set_done(static_cast<double>(rows_shown_) /
                     static_cast<double>(std::max<std::uint64_t>(rows_, 1)));
  flush();
}

void TimedImport::flush() {
  for (std::size_t track = 0; track < samples_.size(); ++track) {
    if (samples_[track].empty()) continue;
    batch_.counters.push_back(
        {TrackId{static_cast<std::uint32_t>(track)}, std::exchange(samples_[track], {})});
  }
  trace_.append(std::exchange(batch_, {}));
}

void TimedImport::finish_flows() {
  for (const LateLaunch& late : late_launches_) {
    if (const LaunchCall* const call = calls_.find(late.call)) {
      add_flow(*call, late.track, late.begin);
    } else {
      lose(LossCause::kUnboundFlow);
    }
  }
}

// ---- what a row becomes -----------------------------------------------------------------------------------

Timestamp TimedImport::time_of(const TimedTable& row) const {
  return timestamp_from_ns(row.start_ns() - base_ns_);
}

Slice TimedImport::slice_of(const TimedTable& row) {
  Slice slice;
  slice.begin = time_of(row);
  const std::int64_t end_ns = row.end_ns().value_or(row.start_ns());
  const bool closed = row.end_ns() && end_ns - base_ns_ <= recordings::kMaxTimeNs;
  slice.end = closed ? timestamp_from_ns(end_ns - base_ns_) : kNeverClosed;
  last_ = std::max({last_, slice.begin, closed ? slice.end : slice.begin});
  return slice;
}

void TimedImport::put_size(StringId key, const std::array<std::int64_t, 3>& size) {
  SizeText& known = sizes_[hash_of(size)];
  if (known.text == kEmptyString || known.size != size) {
    known.size = size;
    known.text = intern_.intern("[" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " +
                                std::to_string(size[2]) + "]");
  }
  put_name(key, known.text);
}

void TimedImport::put_bytes(Slice& slice, std::int64_t bytes) {
  if (is_storable_size(bytes)) slice.size_bytes = bytes;
  put(keys_.bytes, slice.size_bytes);
  const auto duration_ns = slice.end == kNeverClosed ? 0 : slice.duration().count();
  if (duration_ns <= 0) return;
  put_real(keys_.bandwidth, static_cast<double>(slice.size_bytes) / static_cast<double>(duration_ns));
}

ArgsId TimedImport::take_args() {
  const ArgsId id = intern_.add_args(args_);
  args_.clear();
  return id;
}

void TimedImport::add_instant(Timestamp at, TrackId track, StringId name) {
  last_ = std::max(last_, at);
  batch_.instants.push_back({at, track, name, kNoOp, take_args()});
}

void TimedImport::add_sample(TrackId counter, Timestamp at, double value) {
  last_ = std::max(last_, at);
  if (raw(counter) >= samples_.size()) samples_.resize(std::size_t{raw(counter)} + 1);
  samples_[raw(counter)].push_back({at, value});
}

void TimedImport::add_flow(const LaunchCall& call, TrackId to, Timestamp at) {
  batch_.flows.push_back({FlowKind::kLaunchToDevice, call.track, to, call.begin, at, kNoOp, keys_.flow});
}

void TimedImport::add_launch(const CallKey& key, TrackId to, Timestamp at) {
  if (const LaunchCall* const call = calls_.find(key)) {
    add_flow(*call, to, at);
  } else {
    late_launches_.push_back({key, to, at});
  }
}

void TimedImport::skip(std::string_view kind, std::uint64_t count) {
  lose(LossCause::kImportSkipped, count);
  skipped_.add("row", kind, count);
}

}  // namespace runahead::importers
