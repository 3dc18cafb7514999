#include "instrumentation/merge/process_merger.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include "instrumentation/base/format.h"
#include "instrumentation/base/tick_clock.h"

namespace runahead::merge {

using namespace trace;
using link::FileFollower;

namespace {

// How much of a process's recording stays in memory. The rows are in the joined recording.
constexpr std::size_t kRetainedBytes = std::size_t{64} << 20;
// How much of one recording is read before the others.
constexpr std::size_t kTurnBytes = std::size_t{64} << 10;
// A program writes its clock into its recording with one of its first commits.
constexpr std::uint64_t kMostCommitsWithoutClock = 8;
constexpr const char* kClockKey = "clock.origin_monotonic_ns";
constexpr std::int32_t kOrderWithoutRank = 1 << 24;

// The largest number of round trips of a process that are kept: about one in a second.
constexpr std::size_t kMostTrips = 4096;
constexpr Duration kUntilNextTrip = std::chrono::seconds(1);
// The name of a group never says less than the error. If the error shrinks below this part of what the name
// says, the name changes too.
constexpr double kWorthASmallerName = 0.7;

bool is_estimated(const ProcessClock& clock) {
  return clock.source == ClockSource::kMessages || clock.source == ClockSource::kRoundTrips ||
         clock.source == ClockSource::kCollectives;
}

// The name of a process's group says how far its times may be wrong.
std::string group_name(const ProcessFacts& facts, const ProcessClock& clock) {
  const std::string name = name_of_process(facts);
  if (clock.source == ClockSource::kUnknown) return name + ", clock unknown";
  if (clock.source == ClockSource::kDates) return name + ", placed by its date";
  if (!is_estimated(clock)) return name;
  return name + ", \xc2\xb1 " + format_duration(Duration{clock.aligned.error_ns}) +
         (facts.host.empty() ? "" : " on " + facts.host);
}

Metadata metadata_of(const ProcessFacts& facts, const ProcessClock& clock, std::size_t index, TrackId group,
                     std::size_t processes) {
  const std::string key = "process." + std::to_string(index) + ".";
  Metadata metadata{{"processes", std::to_string(processes)},
                    {key + "name", name_of_process(facts)},
                    {key + "track", std::to_string(raw(group))},
                    {key + "clock", std::string(clock_word(clock.source))}};
  if (facts.rank) metadata[key + "rank"] = std::to_string(*facts.rank);
  if (facts.world_size) metadata[key + "world_size"] = std::to_string(*facts.world_size);
  if (is_estimated(clock)) metadata[key + "clock_error_ns"] = std::to_string(clock.aligned.error_ns);
  if (clock.source != ClockSource::kUnknown) {
    metadata[key + "clock_offset_ns"] = std::to_string(clock.aligned.map.to_reference(0));
    metadata[key + "clock_drift_ppm"] = std::to_string(clock.aligned.map.drift * 1e6);
  }
  return metadata;
}

// What the joined recording takes from the reference: its clock, the machine, the program.
Metadata metadata_of_reference(Metadata metadata) {
  metadata.erase("pid");
  metadata.erase("processes");
  std::erase_if(metadata, [](const auto& entry) {
    return entry.first.starts_with("process.") || entry.first.starts_with("recording.");
  });
  return metadata;
}

}  // namespace

std::string_view clock_word(ClockSource source) {
  switch (source) {
    case ClockSource::kReference:
      return "reference";
    case ClockSource::kShared:
      return "shared";
    case ClockSource::kMessages:
      return "messages";
    case ClockSource::kRoundTrips:
      return "round trips";
    case ClockSource::kCollectives:
      return "collectives";
    case ClockSource::kDates:
      return "dates";
    case ClockSource::kUnknown:
      break;
  }
  return "unknown";
}

struct ProcessMerger::Source {
  std::filesystem::path recording;
  std::optional<ProcessClock> given_clock;
  std::vector<link::RoundTrip> trips;
  std::vector<Batch> waiting;  // batches that are not converted yet
  std::unique_ptr<FileFollower> follower;
  std::uint64_t size_when_added = 0;
  std::size_t index = 0;
  bool failed = false, end_counted = false;
  // From the time when its metadata is known:
  ProcessFacts facts;
  ClockFacts clock_facts;
  ProcessClock clock;  // with the largest error of all times so far
  AlignedClock known;  // with ClockSource::kRoundTrips: by the round trips so far
  TrackInfo group;
  std::int64_t named_error_ns = 0;  // in the name of the group
  Timestamp stated_until{};         // the error holds for times before it
  std::optional<ProcessRows> rows;

  [[nodiscard]] bool ended() const { return failed || follower->ended(); }
  [[nodiscard]] const Trace& trace() const { return follower->reader().trace(); }
  [[nodiscard]] Timestamp last_time() const {
    return trace().extent().empty() ? trace().watermark()
                                    : std::max(trace().watermark(), trace().extent().end);
  }
  [[nodiscard]] bool metadata_is_known() const {
    return trace().metadata().contains(kClockKey) || ended() ||
           follower->reader().commits() >= kMostCommitsWithoutClock;
  }
};

ProcessMerger::ProcessMerger(std::unique_ptr<recordings::RecordingWriter> writer)
    : writer_(std::move(writer)), our_boot_(boot_id()) {}

ProcessMerger::~ProcessMerger() = default;

Result<std::unique_ptr<ProcessMerger>> ProcessMerger::create(const std::filesystem::path& out,
                                                             recordings::WriterOptions options) {
  Result<std::unique_ptr<recordings::RecordingWriter>> writer =
      recordings::RecordingWriter::create(out, {{"format", "runahead"}}, options);
  if (!writer) return writer.error();
  std::unique_ptr<ProcessMerger> merger(new ProcessMerger(std::move(*writer)));
  Batch first;
  static_cast<void>(merger->definitions_.string("", first));
  if (const Status written = merger->writer_->write(first); !written) return written.error();
  return merger;
}

Status ProcessMerger::add(const std::filesystem::path& recording, Known known) {
  auto source = std::make_unique<Source>();
  source->recording = recording;
  source->given_clock = known.clock;
  source->trips = std::move(known.trips);
  source->index = sources_.size();
  Result<std::unique_ptr<FileFollower>> follower = FileFollower::open(
      recording, {},
      {.see = [&waiting = source->waiting](const Batch& batch) { waiting.push_back(batch); },
       .writer_lives = std::move(known.writer_lives)});
  if (!follower) return follower.error();
  source->follower = std::move(*follower);
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(recording, missing);
  source->size_when_added = missing ? 0 : size;
  sources_.push_back(std::move(source));
  return Ok{};
}

ProcessClock ProcessMerger::clock_of(const Source& source) const {
  if (source.index == 0) return {ClockSource::kReference, {}};
  if (source.given_clock) return *source.given_clock;
  if (const auto map = shared_clock(source.clock_facts, sources_.front()->clock_facts))
    return {ClockSource::kShared, {*map, 0}};
  if (const auto clock = clock_from_trips(linked(source), linked(*sources_.front())))
    return {ClockSource::kRoundTrips, *clock};
  return {ClockSource::kUnknown, {}};
}

LinkedProcess ProcessMerger::linked(const Source& source) const {
  const bool is_here = !our_boot_.empty() && source.clock_facts.boot == our_boot_;
  return {source.clock_facts, source.trips, is_here};
}

void ProcessMerger::add_trips(std::size_t process, const std::vector<link::RoundTrip>& trips) {
  std::vector<link::RoundTrip>& known = sources_.at(process)->trips;
  bool news = false;
  for (const link::RoundTrip& trip : trips) {
    if (!known.empty() && trip.asked.monotonic_ns <= known.back().asked.monotonic_ns) continue;
    known.push_back(trip);
    news = true;
  }
  if (!news) return;
  if (known.size() > kMostTrips) {  // every second one goes
    for (std::size_t i = 0; 2 * i < known.size(); ++i) known[i] = known[2 * i];
    known.resize((known.size() + 1) / 2);
  }
  for (const auto& source : sources_) steer(*source);
}

// Rows so far have times before now, so they stay where they are.
void ProcessMerger::steer(Source& source) {
  if (!source.rows || source.clock.source != ClockSource::kRoundTrips || source.ended()) return;
  const auto now_ns = time_now(linked(source));
  const auto known = clock_from_trips(linked(source), linked(*sources_.front()));
  if (!now_ns || !known) return;
  const Timestamp now = timestamp_from_ns(*now_ns);
  source.known = *known;
  source.rows->steer(now, known->map);
  state_error(source, now + kUntilNextTrip);
}

// States how far the times of the process, up to `end`, may be wrong.
void ProcessMerger::state_error(Source& source, Timestamp end) {
  if (!source.rows || source.clock.source != ClockSource::kRoundTrips) return;
  source.clock.aligned = source.known;
  source.stated_until = std::max(source.stated_until, end);
  source.clock.aligned.error_ns = source.rows->error_ns_until(source.stated_until, source.known);
  const std::int64_t now_ns = source.clock.aligned.error_ns;
  const bool is_much_less =
      static_cast<double>(now_ns) < kWorthASmallerName * static_cast<double>(source.named_error_ns);
  if (now_ns <= source.named_error_ns && !is_much_less) return;
  Batch batch;
  name_group(source, batch);
  batches_.push_back(std::move(batch));
}

// Gives the group its name, or a new one, and says in the metadata what is known of the clock.
void ProcessMerger::name_group(Source& source, Batch& batch) {
  source.named_error_ns = source.clock.aligned.error_ns;
  source.group.name = group_name(source.facts, source.clock);
  if (source.rows) batch.tracks.push_back(source.group);
  note(writer_->add_metadata(metadata_of(source.facts, source.clock, source.index, source.group.id, begun_)));
}

// Gives the process its group. False: its metadata, or that of the reference, is not known yet.
bool ProcessMerger::begin(Source& source) {
  if (source.rows) return true;
  if (!source.metadata_is_known() || (source.index != 0 && !sources_.front()->rows)) return false;
  const Metadata& metadata = source.trace().metadata();
  source.facts = process_facts_of(metadata);
  source.clock_facts = clock_facts_of(metadata);
  source.clock = clock_of(source);
  if (source.clock.source == ClockSource::kRoundTrips) {
    source.known = source.clock.aligned;
    const std::int64_t end_ns =
        std::max(time_now(linked(source)).value_or(0), ns_from(source.last_time())) + ns_from(kUntilNextTrip);
    source.stated_until = timestamp_from_ns(end_ns);
    source.clock.aligned.error_ns =
        SteeredClock(source.known.map).error_within(std::min<std::int64_t>(0, end_ns), end_ns, source.known);
  }
  Batch batch;
  ++begun_;
  if (source.index == 0) note(writer_->add_metadata(metadata_of_reference(metadata)));
  source.group.name = group_name(source.facts, source.clock);
  source.group.kind = TrackKind::kGroup;
  source.group.pid = source.facts.pid;
  source.group.sort_order =
      source.facts.rank
          ? static_cast<std::int32_t>(std::clamp<std::int64_t>(*source.facts.rank, 0, kOrderWithoutRank - 1))
          : kOrderWithoutRank + static_cast<std::int32_t>(source.index);
  source.group.id = definitions_.track(source.group, batch);
  name_group(source, batch);
  source.rows.emplace(definitions_, static_cast<std::uint32_t>(source.index), source.group.id,
                      source.clock.aligned.map);
  batches_.push_back(std::move(batch));
  return true;
}

void ProcessMerger::join_messages(Batch& batch) {
  std::vector<Flow> flows;
  for (const Flow& flow : std::exchange(batch.flows, {})) {
    if (MessageJoiner::is_half(flow)) {
      messages_.add(flow, flows);
    } else {
      flows.push_back(flow);
    }
  }
  batch.flows = std::move(flows);
  if (messages_.is_full()) give_up(messages_.take_oldest(), batch);
}

// The other halves will not come.
void ProcessMerger::give_up(const std::vector<Flow>& halves, Batch& batch) {
  batch.losses.add(LossCause::kUnboundFlow, halves.size());
  batch.flows.insert(batch.flows.end(), halves.begin(), halves.end());
}

// The halves of messages wait for each other. Few wait if all recordings are read up to about the same time.
bool ProcessMerger::waits_for_another(const Source& source) const {
  if (!source.rows) return false;
  const Timestamp here = source.rows->at(source.trace().watermark());
  return std::ranges::any_of(sources_, [&](const auto& other) {
    if (other.get() == &source || other->ended() || other->follower->behind_bytes() == 0) return false;
    return !other->rows || other->rows->at(other->trace().watermark()) < here;
  });
}

void ProcessMerger::read(Source& source) {
  if (!source.ended() && !waits_for_another(source)) {
    if (const Result<bool> rows = source.follower->poll(kTurnBytes); !rows) {
      source.failed = true;
      problems_.push_back(rows.error().message);
    }
    source.follower->reader().trace().retain_at_most(kRetainedBytes);
  }
  if (!begin(source)) return;
  for (const Batch& batch : std::exchange(source.waiting, {})) {
    Batch converted = source.rows->convert(batch);
    join_messages(converted);
    if (converted.has_rows()) batches_.push_back(std::move(converted));
  }
  if (source.last_time() > source.stated_until) state_error(source, source.last_time() + kUntilNextTrip);
  if (source.ended() && !std::exchange(source.end_counted, true)) end(source);
}

// The batches do not have what the reader has lost.
void ProcessMerger::end(Source& source) {
  state_error(source, source.last_time());
  Batch batch;
  for (const LossCause cause : {LossCause::kFileDamaged, LossCause::kFileTruncated})
    batch.losses.add(cause, source.trace().losses().of(cause));
  if (batch.has_rows()) batches_.push_back(std::move(batch));
  if (source.follower->reader().ended()) return;
  note(writer_->add_metadata({{"process." + std::to_string(source.index) + ".ended", "no"}}));
}

void ProcessMerger::note(const Status& status) {
  if (!status && failure_) failure_ = status;
}

// The time to which all processes are complete.
Timestamp ProcessMerger::common_watermark(std::optional<Timestamp> all_times_before) const {
  std::optional<Timestamp> earliest = all_times_before;
  Timestamp latest = watermark_;
  for (const auto& source : sources_) {
    if (!source->rows) return watermark_;
    const Timestamp here = source->rows->at(source->trace().watermark());
    latest = std::max(latest, here);
    if (!source->ended()) earliest = std::min(earliest.value_or(here), here);
  }
  return std::max(watermark_, earliest.value_or(latest));
}

Result<bool> ProcessMerger::poll(std::optional<Timestamp> all_times_before) {
  for (const auto& source : sources_) read(*source);
  const Timestamp watermark = common_watermark(all_times_before);
  const bool news = !batches_.empty() || watermark > watermark_;
  watermark_ = watermark;
  if (news) batches_.emplace_back().watermark = watermark;
  write_batches();
  if (!failure_) return failure_.error();
  return news;
}

// Each batch gets the lists of all open rows, because they replace those of the batch before.
void ProcessMerger::write_batches() {
  if (batches_.empty()) return note(writer_->write({.watermark = watermark_}));  // writes what is old enough
  std::vector<OpenSlice> slices;
  std::vector<OpRow> ops;
  for (const auto& source : sources_) {
    if (!source->rows || source->ended()) continue;
    const std::vector<OpenSlice> more = source->rows->convert_open(source->trace().open_slices());
    slices.insert(slices.end(), more.begin(), more.end());
    const std::vector<OpRow> more_ops = source->rows->convert_open(source->trace().open_ops());
    ops.insert(ops.end(), more_ops.begin(), more_ops.end());
  }
  for (Batch& batch : std::exchange(batches_, {})) {
    batch.open_slices = slices;
    batch.open_ops = ops;
    note(writer_->write(batch));
  }
}

bool ProcessMerger::has_begun() const { return !sources_.empty() && sources_.front()->rows.has_value(); }

bool ProcessMerger::has_caught_up() const {
  return has_begun() && std::ranges::all_of(sources_, [](const auto& source) {
           return source->ended() ||
                  (source->rows && source->follower->reader().position() >= source->size_when_added);
         });
}

std::optional<std::int64_t> ProcessMerger::reference_origin_ns() const {
  return has_begun() ? sources_.front()->clock_facts.origin_monotonic : std::nullopt;
}

bool ProcessMerger::ended() const {
  return std::ranges::all_of(sources_,
                             [](const auto& source) { return source->ended() && source->waiting.empty(); });
}

Status ProcessMerger::finish() {
  Batch last;
  give_up(messages_.take_all(), last);
  for (const auto& source : sources_) {
    state_error(*source, source->last_time());
    if (source->rows && source->named_error_ns != source->clock.aligned.error_ns) name_group(*source, last);
  }
  last.watermark = watermark_;
  if (last.has_rows()) batches_.push_back(std::move(last));
  write_batches();
  note(writer_->finish());
  return failure_;
}

std::vector<ProcessMerger::Process> ProcessMerger::processes() const {
  std::vector<Process> processes;
  for (const auto& source : sources_)
    processes.push_back({source->recording, source->facts, source->clock, source->ended(),
                         !source->failed && source->end_counted && source->follower->reader().ended()});
  return processes;
}

}  // namespace runahead::merge
