#include "gui/web/reduced_recording.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include "instrumentation/base/format.h"
#include "instrumentation/trace/allocation_table.h"
#include "instrumentation/trace/lane_reader.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::gui {

namespace {

using trace::Allocation;
using trace::Arg;
using trace::Batch;
using trace::CounterSample;
using trace::Instant;
using trace::OpRow;
using trace::Slice;
using trace::Trace;

constexpr std::size_t kRowsPerBatch = 1u << 16;

// Gives new ids to the names and argument sets that are used, so that the others are not written.
class UsedNames {
 public:
  explicit UsedNames(const Trace& trace) : trace_(trace) {
    strings_.resize(trace.string_count());
    args_.resize(trace.args_count() + 1);
  }

  StringId string(StringId old, Batch& batch) {
    std::uint32_t& id = strings_[raw(old)];
    if (raw(old) != 0 && id == 0) {
      id = next_string_++;
      batch.strings.emplace_back(trace_.string(old));
    }
    return StringId{id};
  }
  StringId string(const std::string& text, Batch& batch) {
    const auto [found, is_new] = made_.try_emplace(text, next_string_);
    if (is_new) {
      ++next_string_;
      batch.strings.push_back(text);
    }
    return StringId{found->second};
  }
  ArgsId args(ArgsId old, Batch& batch) {
    if (old == kNoArgs) return old;
    std::uint32_t& id = args_[raw(old)];
    if (id == 0) {
      trace::ArgSet set;
      for (Arg arg : trace_.args(old)) {
        arg.key = string(arg.key, batch);
        if (const StringId* const value = std::get_if<StringId>(&arg.value))
          arg.value = string(*value, batch);
        set.push_back(arg);
      }
      id = ++last_args_;
      batch.args.push_back(std::move(set));
    }
    return ArgsId{id};
  }

 private:
  const Trace& trace_;
  std::vector<std::uint32_t> strings_, args_;  // by the old id; 0: not used yet
  std::unordered_map<std::string, std::uint32_t> made_;
  std::uint32_t next_string_ = 1, last_args_ = 0;
};

// Slices of one lane that become one slice.
struct JoinedSlices {
  Slice first;
  std::uint64_t count = 0;
  Timestamp end{};
  std::int64_t size_bytes = 0;
  Duration busy{};
  std::array<Duration, trace::kSliceKindCount> busy_of_kind{};

  void add(const Slice& slice) {
    if (count++ == 0) first = slice;
    end = slice.end;
    size_bytes += slice.size_bytes;
    busy += slice.duration();
    busy_of_kind[static_cast<std::size_t>(slice.kind)] += slice.duration();
  }
  [[nodiscard]] trace::SliceKind main_kind() const {
    return static_cast<trace::SliceKind>(std::ranges::max_element(busy_of_kind) - busy_of_kind.begin());
  }
};

class ReducedSaver {
 public:
  ReducedSaver(recordings::RecordingWriter& writer, const Trace& trace, const Reduction& reduction,
               const recordings::Progress& progress)
      : writer_(writer), trace_(trace), reduction_(reduction), progress_(progress), names_(trace) {
    const trace::TraceCounts counts = trace.counts();
    total_ = static_cast<double>(counts.slices + counts.counter_samples + counts.instants + counts.ops +
                                 counts.flows + counts.dependencies + counts.allocations + 1);
  }

  Status save() {
    batch_.strings.emplace_back();  // string 0, which every file has: the writer drops it
    for (const trace::Track& track : trace_.tracks()) {
      batch_.tracks.push_back(track.info);
      if (!count_row()) return status_;
    }
    for (const trace::Track& track : trace_.tracks()) {
      for (std::uint32_t depth = 0; depth < track.lanes.size() && status_; ++depth)
        add_lane(track.info.id, depth, track.lanes[depth]);
      if (status_) add_counter(track.info.id, track.counter);
    }
    if (status_) add_instants();
    if (status_) add_ops();
    if (status_) add_edges();
    if (status_) add_allocations();
    if (status_) finish();
    return status_;
  }

 private:
  [[nodiscard]] bool joins() const { return reduction_.joined_below > Duration::zero(); }
  [[nodiscard]] std::int64_t interval_of(Timestamp at) const {
    const std::int64_t ns = ns_from(at), t = reduction_.joined_below.count();
    return ns / t - (ns % t < 0 ? 1 : 0);
  }
  [[nodiscard]] bool in_range(Timestamp at) const {
    return !reduction_.range || (reduction_.range->begin <= at && at < reduction_.range->end);
  }
  [[nodiscard]] bool overlaps(Timestamp begin, Timestamp end) const {
    if (!reduction_.range) return true;
    return begin < reduction_.range->end &&
           (end > reduction_.range->begin || begin >= reduction_.range->begin);
  }
  [[nodiscard]] bool is_short(Timestamp begin, Timestamp end) const {
    return joins() && end - begin < reduction_.joined_below;
  }

  // Notes that a row was read. False: writing failed or was cancelled.
  bool count_row() {
    ++done_;
    if (++in_batch_ < kRowsPerBatch) return true;
    return hand_over();
  }
  bool hand_over() {
    in_batch_ = 0;
    if (Status written = writer_.write(batch_); !written) {
      status_ = written;
    } else if (progress_ && !progress_(std::min(1.0, static_cast<double>(done_) / total_))) {
      status_ = Error{"saving was cancelled"};
    }
    batch_ = Batch{};
    return status_.ok();
  }

  // ---- slices ---------------------------------------------------------------------------------------------
  void put(TrackId track, std::uint32_t depth, Slice slice) {
    if (batch_.lanes.empty() || batch_.lanes.back().track != track || batch_.lanes.back().depth != depth)
      batch_.lanes.push_back({track, depth, {}});
    slice.name = names_.string(slice.name, batch_);
    slice.args = names_.args(slice.args, batch_);
    batch_.lanes.back().rows.push_back(slice);
  }
  void put_joined(TrackId track, std::uint32_t depth, JoinedSlices& joined) {
    if (joined.count == 1) put(track, depth, joined.first);
    if (joined.count > 1) {
      Slice slice{.begin = joined.first.begin, .end = joined.end, .kind = joined.main_kind()};
      slice.size_bytes = joined.size_bytes;
      put(track, depth, slice);
      batch_.lanes.back().rows.back().name = names_.string(
          std::to_string(joined.count) + " slices, " + format_duration(joined.busy) + " busy", batch_);
      counts_.joined_slices += joined.count;
      ++counts_.blocks;
    }
    joined = {};
  }
  void add_lane(TrackId track, std::uint32_t depth, const trace::Lane& lane) {
    trace::LaneReader reader(lane);
    const auto& range = reduction_.range;
    const std::uint64_t begin = range ? lane.first_row_ending_after(range->begin) : lane.first_row();
    const std::uint64_t end = range ? lane.first_row_beginning_from(range->end) : lane.end_row();
    JoinedSlices joined;
    for (std::uint64_t row = begin; row < end; ++row) {
      const Slice slice = reader.slice(row);
      if (!is_short(slice.begin, slice.end)) {
        put_joined(track, depth, joined);
        put(track, depth, slice);
      } else {
        if (joined.count > 0 && interval_of(joined.first.begin) != interval_of(slice.begin))
          put_joined(track, depth, joined);
        joined.add(slice);
      }
      if (!count_row()) return;
    }
    put_joined(track, depth, joined);
  }

  // ---- counters -------------------------------------------------------------------------------------------
  void put(TrackId track, const CounterSample& sample) {
    if (batch_.counters.empty() || batch_.counters.back().track != track)
      batch_.counters.push_back({track, {}});
    batch_.counters.back().rows.push_back(sample);
  }
  void put_extremes(TrackId track, const std::vector<CounterSample>& samples) {
    if (samples.empty()) return;
    const auto [least, most] = std::ranges::minmax_element(samples, {}, &CounterSample::value);
    std::array kept{samples.begin(), least, most, samples.end() - 1};
    std::ranges::sort(kept);
    const auto repeated = std::ranges::unique(kept);
    const auto count = static_cast<std::size_t>(repeated.begin() - kept.begin());
    for (std::size_t i = 0; i < count; ++i) put(track, *kept[i]);
    counts_.samples += samples.size() - count;
  }
  void add_counter(TrackId track, const trace::CounterSeries& series) {
    trace::CounterReader reader(series);
    std::optional<CounterSample> before;  // the last sample before the range
    std::vector<CounterSample> interval;
    for (std::uint64_t row = series.first_row(); row < series.end_row(); ++row) {
      const CounterSample sample = reader.sample(row);
      if (!count_row()) return;
      if (reduction_.range && sample.at < reduction_.range->begin) {
        before = sample;
        continue;
      }
      if (!in_range(sample.at)) break;
      if (before) put(track, *std::exchange(before, std::nullopt));
      if (!joins()) {
        put(track, sample);
        continue;
      }
      if (!interval.empty() && interval_of(interval.front().at) != interval_of(sample.at)) {
        put_extremes(track, interval);
        interval.clear();
      }
      interval.push_back(sample);
    }
    if (before) put(track, *before);
    put_extremes(track, interval);
  }

  // ---- tables ---------------------------------------------------------------------------------------------
  void add_instants() {
    trace::InstantReader reader(trace_.instants());
    std::unordered_map<std::uint32_t, std::int64_t> last;  // the interval of the last instant of each track
    for (std::uint64_t i = 0; i < reader.size(); ++i) {
      Instant instant = reader.instant(i);
      if (!count_row()) return;
      if (!in_range(instant.at)) continue;
      if (joins() && trace_.track(instant.track).info.kind != trace::TrackKind::kMarkers) {
        const std::int64_t now = interval_of(instant.at);
        const auto [at, is_new] = last.try_emplace(raw(instant.track), now);
        if (!is_new && std::exchange(at->second, now) == now) {
          ++counts_.instants;
          continue;
        }
      }
      instant.name = names_.string(instant.name, batch_);
      instant.args = names_.args(instant.args, batch_);
      batch_.instants.push_back(instant);
    }
  }
  [[nodiscard]] static Timestamp begin_of(const OpRow& op) {
    for (const Timestamp time : {op.enqueued, op.ready, op.started})
      if (time != trace::kNever) return time;
    return op.ended;
  }
  void add_ops() {
    for (std::uint64_t i = 0; i < trace_.op_count(); ++i) {
      OpRow op = trace_.op_row(i);
      if (!count_row()) return;
      if (!overlaps(begin_of(op), op.ended)) continue;
      if (op.started == trace::kNever ? joins() : is_short(op.started, op.ended)) {
        ++counts_.ops;
        continue;
      }
      kept_ops_.insert(raw(op.id));
      op.name = names_.string(op.name, batch_);
      batch_.ops.push_back(op);
    }
  }
  [[nodiscard]] bool keeps(OpId op) const { return kept_ops_.contains(raw(op)); }
  void add_edges() {
    for (std::uint64_t i = 0; i < trace_.flow_count(); ++i) {
      trace::Flow flow = trace_.flow(i);
      if (!count_row()) return;
      if (!in_range(flow.from_time) || !in_range(flow.to_time)) continue;
      if (joins() && !keeps(flow.op)) {
        ++counts_.flows;
        continue;
      }
      flow.name = names_.string(flow.name, batch_);
      batch_.flows.push_back(flow);
    }
    for (std::uint64_t i = 0; i < trace_.dependency_count(); ++i) {
      const trace::Dependency dependency = trace_.dependency(i);
      if (!count_row()) return;
      if (!in_range(dependency.at)) continue;
      if (!keeps(dependency.op) || !keeps(dependency.on)) {
        if (joins()) ++counts_.dependencies;
        continue;
      }
      batch_.dependencies.push_back(dependency);
    }
  }
  void add_allocations() {
    const trace::AllocationTable& table = trace_.allocations();
    for (std::uint64_t i = 0; i < table.size(); ++i) {
      Allocation block = table.row(i);
      if (!count_row()) return;
      const Timestamp end = block.end == trace::kNever ? trace_.watermark() : block.end;
      if (!overlaps(block.begin, end)) continue;
      if (block.end != trace::kNever && is_short(block.begin, block.end)) {
        ++counts_.allocations;
        continue;
      }
      block.category = names_.string(block.category, batch_);
      block.name = names_.string(block.name, batch_);
      batch_.allocations.push_back(block);
    }
  }

  void finish() {
    for (trace::OpenSlice open : trace_.open_slices()) {
      if (reduction_.range && open.slice.begin >= reduction_.range->end) continue;
      open.slice.name = names_.string(open.slice.name, batch_);
      open.slice.args = names_.args(open.slice.args, batch_);
      batch_.open_slices.push_back(open);
    }
    batch_.losses = trace_.losses();
    batch_.watermark = trace_.watermark();
    if (reduction_.range) batch_.watermark = std::min(batch_.watermark, reduction_.range->end);
    if (!hand_over()) return;
    std::map<std::string, std::string> facts;
    if (const auto& range = reduction_.range) {
      facts[kReducedRange] =
          std::to_string(ns_from(range->begin)) + " " + std::to_string(ns_from(range->end));
    }
    if (joins()) {
      facts[kReducedBelow] = std::to_string(reduction_.joined_below.count());
      std::string& counts = facts[kReducedCounts];
      for (const std::uint64_t count :
           {counts_.joined_slices, counts_.blocks, counts_.samples, counts_.instants, counts_.ops,
            counts_.flows, counts_.dependencies, counts_.allocations})
        counts += (counts.empty() ? "" : " ") + std::to_string(count);
    }
    if (Status added = writer_.add_metadata(facts); !added) status_ = added;
    if (status_) status_ = writer_.finish();
  }

  recordings::RecordingWriter& writer_;
  const Trace& trace_;
  const Reduction& reduction_;
  const recordings::Progress& progress_;
  UsedNames names_;
  std::unordered_set<std::uint64_t> kept_ops_;
  ReductionCounts counts_;
  Batch batch_;
  std::size_t in_batch_ = 0;
  std::uint64_t done_ = 0;
  double total_ = 1;
  Status status_ = Ok{};
};

}  // namespace

Status save_reduced(const TemporaryFile& file, const std::filesystem::path& shown, const Trace& trace,
                    const Reduction& reduction, const recordings::Progress& progress) {
  std::map<std::string, std::string> metadata = trace.metadata();
  // These two entries describe the file that was read.
  metadata.erase("format");
  metadata.erase("recording.ended");
  recordings::WriterOptions options;
  options.gather_time = std::chrono::hours(1);
  options.shown_path = shown;
  options.opening = false;
  options.compression = false;
  Result<std::unique_ptr<recordings::RecordingWriter>> writer =
      recordings::RecordingWriter::create(file.path(), metadata, options);
  if (!writer) return writer.error();
  return ReducedSaver(**writer, trace, reduction, progress).save();
}

}  // namespace runahead::gui
