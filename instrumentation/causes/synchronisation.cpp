#include "instrumentation/causes/synchronisation.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "instrumentation/causes/call_place.h"
#include "instrumentation/trace/ranks.h"
#include "instrumentation/trace/rows/cuda_calls.h"

namespace runahead::causes {
namespace {

using trace::SliceKind;

// Times of calls and of devices come from different clocks, and some profilers round them to microseconds.
constexpr Duration kClockError = std::chrono::microseconds(1);

// CUDA holds about 1000 launches; then a launch waits until one of them has ended. Measured in traces of A100
// and H100: 966 to 1141 launched and not ended.
constexpr std::size_t kFullQueue = 900;

struct Awaited {
  enum class State : std::uint8_t { kWork, kNothing, kUnknown, kNoWait } state = State::kUnknown;
  WorkIndex work = kNone;
  Evidence evidence = Evidence::kInferred;
};

class Finder {
 public:
  Finder(const Execution& execution, TimeRange range)
      : execution_(execution), works_(execution.works()), range_(range), near_(execution.streams().size()) {}

  std::vector<Synchronisation> run() {
    TrackId thread = kNoTrack;
    Timestamp until{};  // end of the outermost call that waits
    for (std::size_t i = 0; i < execution_.calls().size(); ++i) {
      const HostCall& call = execution_.calls()[i];
      if (call.thread == thread && call.begin < until) continue;
      if (!call.range().overlaps(range_)) continue;
      const Awaited awaited = awaited_by(call);
      if (awaited.state == Awaited::State::kNoWait) continue;
      thread = call.thread;
      until = call.end;
      out_.push_back(explained(i, awaited));
    }
    find_idle_times();
    return std::move(out_);
  }

 private:
  // Of the idle time around several calls of a thread, each gets the part up to the next one.
  void find_idle_times() {
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const HostCall& call = execution_.calls()[out_[i].call];
      Timestamp until = Timestamp::max();
      if (i + 1 < out_.size() && execution_.calls()[out_[i + 1].call].thread == call.thread)
        until = execution_.calls()[out_[i + 1].call].begin;
      if (out_[i].parts.of(SyncPart::kUnknown) == Duration{})
        out_[i].idle_after = idle_after(call, out_[i].awaited, until);
    }
  }

  [[nodiscard]] Awaited awaited_by(const HostCall& call) const {
    switch (call.role) {
      case CallRole::kEventSync:
      case CallRole::kStreamSync:
      case CallRole::kDeviceSync:
        return awaited_by_synchronisation(call);
      case CallRole::kCopy:
      case CallRole::kAsyncCopy:
        return awaited_by_copy(call);
      case CallRole::kAllocate:
      case CallRole::kFree:
        return awaited_by_memory_call(call);
      case CallRole::kLaunch:
      case CallRole::kGraphLaunch:
      case CallRole::kMemset:
        return awaited_by_launch(call);
      default:
        return {Awaited::State::kNoWait};
    }
  }

  [[nodiscard]] Awaited awaited_by_synchronisation(const HostCall& call) const {
    if (call.op != kNoOp) {
      const WorkIndex work = execution_.work_of_op(call.op);
      if (work != kNone) return {Awaited::State::kWork, work, Evidence::kRecorded};
    }
    if (call.record) {
      if (const Awaited recorded = awaited_by_record(call); recorded.state != Awaited::State::kUnknown)
        return recorded;
    }
    const WorkIndex copy = call.role == CallRole::kDeviceSync ? kNone : copy_of_operator(call);
    if (copy == kNone) return latest_ended(call, kNone, Evidence::kInferred);
    if (call.role == CallRole::kStreamSync)
      return latest_ended(call, works_[copy].stream, Evidence::kInferred);
    return {works_[copy].end > call.begin ? Awaited::State::kWork : Awaited::State::kNothing, copy,
            Evidence::kInferred};
  }

  // An operator that reads a value, such as aten::item, launches a copy and then synchronises the stream of
  // this copy, or waits for an event after it. aten::copy_ does so too. Returns the copy, if this operator is
  // the innermost slice around the call, and if the thread launched nothing between the copy and the call;
  // kNone: otherwise.
  [[nodiscard]] WorkIndex copy_of_operator(const HostCall& call) const {
    const WorkIndex last = execution_.last_launched_before(call.thread, call.begin);
    if (last == kNone || call.depth == 0 || works_[last].end > call.end + kClockError) return kNone;
    if (!trace::is_copy(works_[last].kind)) return kNone;
    const trace::Lane& around = execution_.trace().track(call.thread).lanes[call.depth - 1];
    const std::uint64_t row = around.first_row_ending_after(call.begin);
    if (row == around.end_row()) return kNone;
    const trace::Slice slice = around.slice(row);
    const bool contains_both = slice.begin <= works_[last].launched;
    return contains_both && zone_class(execution_.trace().string(slice.name)) == ZoneClass::kOperator ? last
                                                                                                      : kNone;
  }

  // What the trace states: a stream, or a stream and the call that recorded an event on it.
  [[nodiscard]] Awaited awaited_by_record(const HostCall& call) const {
    const SyncRecord& record = *call.record;
    if (call.role == CallRole::kEventSync) {
      const HostCall* const recorded = execution_.record_call(record.record_call, call);
      if (recorded == nullptr) return {};
      const StreamIndex stream = execution_.find_stream(record.event_stream, *recorded);
      if (stream == kNone) return {};
      const WorkIndex work = execution_.last_before_event(*recorded, stream);
      return work == kNone ? Awaited{Awaited::State::kNothing}
                           : Awaited{Awaited::State::kWork, work, Evidence::kRecorded};
    }
    // the record says that the call waited for the device: all its streams
    if (call.role == CallRole::kDeviceSync) return latest_ended(call, kNone, Evidence::kRecorded);
    if (call.role != CallRole::kStreamSync) return {};
    const StreamIndex stream = execution_.find_stream(record.stream, call, record.device);
    return stream == kNone ? Awaited{} : latest_ended(call, stream, Evidence::kRecorded);
  }

  // The rule of the header. `only`: the stream that the call covers; kNone: all streams of its process.
  [[nodiscard]] Awaited latest_ended(const HostCall& call, StreamIndex only, Evidence evidence) const {
    Awaited out{Awaited::State::kUnknown, kNone, evidence};
    bool knows_launches = false, still_runs = false;
    for (StreamIndex at = 0; at < execution_.streams().size(); ++at) {
      if (only == kNone ? !covers(call, at) : at != only) continue;
      knows_launches = knows_launches || execution_.knows_launches(at);
      const WorkIndex launched = execution_.last_launched_before(at, call.begin, near_[at].launched);
      if (launched != kNone && works_[launched].is_launched() &&
          works_[launched].end > call.end + kClockError)
        still_runs = true;
      const WorkIndex ended = execution_.last_ended_by(at, call.end + kClockError, near_[at].ended);
      const WorkIndex work = launched == kNone || ended == kNone ? kNone : std::min(ended, launched);
      if (work != kNone && (out.work == kNone || works_[work].end > works_[out.work].end)) out.work = work;
    }
    if (out.work != kNone && works_[out.work].end > call.begin) {
      out.state = Awaited::State::kWork;
    } else if (knows_launches && !(still_runs && (only != kNone || call.role == CallRole::kDeviceSync))) {
      // Everything that the call covers had ended. If some of it still ran after the call, the trace
      // contradicts itself, or the call covered something else.
      out.state = Awaited::State::kNothing;
    }
    return out;
  }

  // True if the call's process can have launched the stream's work.
  [[nodiscard]] bool covers(const HostCall& call, StreamIndex at) const {
    const Stream& stream = execution_.streams()[at];
    if (stream.first == stream.last) return false;
    const std::int64_t pid = execution_.pid_of(call.thread);
    if (stream.pid != 0) return stream.pid == pid || pid == 0;
    const Work& last = works_[stream.last - 1];
    return last.launched_by == kNoTrack || execution_.pid_of(last.launched_by) == pid;
  }
  // A copy call waited for its own copy if the copy ended by the call's end. A copy of pinned memory may end
  // by then, but its call does not wait. A long call whose copy ended later waited until the copy was staged,
  // or for a place in the launch queue.
  [[nodiscard]] Awaited awaited_by_copy(const HostCall& call) const {
    const bool is_long = call.end - call.begin >= trace::kBlockingCopyCall;
    const bool is_async = call.role == CallRole::kAsyncCopy;
    const auto launched = execution_.launched_during(call.thread, {call.begin, call.end + Duration{1}});
    for (const WorkIndex work : launched) {
      if (!trace::is_copy(works_[work].kind)) continue;
      // An asynchronous copy of pinned memory is neither waited for nor staged.
      if (is_async && is_pinned(work))
        return is_long ? awaited_by_full_queue(call) : Awaited{Awaited::State::kNoWait};
      if (works_[work].end <= call.end + kClockError || (is_long && works_[work].begin < call.end))
        return {Awaited::State::kWork, work, Evidence::kRecorded};
    }
    if (!is_long) return {Awaited::State::kNoWait};
    // without its copy, the trace does not say whether the call waited
    return launched.empty() ? Awaited{} : latest_ended(call, kNone, Evidence::kInferred);
  }

  // True if the copy's name says that the host's memory is pinned, as in "Memcpy DtoH (Device -> Pinned)".
  [[nodiscard]] bool is_pinned(WorkIndex work) const {
    return execution_.trace().string(works_[work].name).find("Pinned") != std::string_view::npos;
  }

  // An allocation or a free that waited for the device returned only after everything that was launched
  // before it had ended, and something ended during it.
  [[nodiscard]] Awaited awaited_by_memory_call(const HostCall& call) const {
    for (StreamIndex at = 0; at < execution_.streams().size(); ++at) {
      if (!covers(call, at)) continue;
      const WorkIndex last = execution_.last_on_stream_launched_before(at, call.begin);
      if (last != kNone && works_[last].end > call.end + kClockError) return {Awaited::State::kNoWait};
    }
    const Awaited found = latest_ended(call, kNone, Evidence::kInferred);
    if (found.state != Awaited::State::kWork) return {Awaited::State::kNoWait};
    // If the call went on for longer than the work, the work is not the reason why it took long.
    const Timestamp ended = std::min(works_[found.work].end, call.end);
    return ended - call.begin >= call.end - ended ? found : Awaited{Awaited::State::kNoWait};
  }

  // A slow launch waited for its own work, if it returned only when this work had ended, and most of its time
  // was before this end. Or it waited for a place in the queue of launched work, if this queue was full.
  [[nodiscard]] Awaited awaited_by_launch(const HostCall& call) const {
    if (const WorkIndex own = own_work_that_ended(call); own != kNone)
      return {Awaited::State::kWork, own, Evidence::kRecorded};
    return awaited_by_full_queue(call);
  }
  [[nodiscard]] Awaited awaited_by_full_queue(const HostCall& call) const {
    std::size_t pending = 0;  // of the device that has most
    for (const Device& device : execution_.devices()) {
      std::size_t of_device = 0;
      for (const StreamIndex at : device.streams)
        of_device += covers(call, at) ? execution_.pending_at(at, call.begin, kFullQueue) : 0;
      pending = std::max(pending, of_device);
    }
    if (!call.queue_full && pending < kFullQueue) return {Awaited::State::kNoWait};
    const Awaited found = latest_ended(call, kNone, Evidence::kInferred);
    return found.state == Awaited::State::kWork ? found : Awaited{Awaited::State::kNoWait};
  }

  // The last of the call's own work, if all of it ended by the call's end, and it ran for most of the call.
  [[nodiscard]] WorkIndex own_work_that_ended(const HostCall& call) const {
    WorkIndex last = kNone;
    for (const WorkIndex work : execution_.launched_during(call.thread, call.range())) {
      if (works_[work].end > call.end + kClockError) return kNone;
      if (last == kNone || works_[work].end > works_[last].end) last = work;
    }
    if (last == kNone) return kNone;
    const Duration ran = works_[last].end - works_[last].begin;
    return 2 * ran >= call.end - call.begin ? last : kNone;
  }

  [[nodiscard]] Synchronisation explained(std::size_t index, const Awaited& awaited) {
    const HostCall& call = execution_.calls()[index];
    Synchronisation out{.call = index, .awaited = awaited.work, .evidence = awaited.evidence};
    if (awaited.state == Awaited::State::kUnknown) {
      out.awaited = kNone;  // the latest work that is known may have ended long before the call
      out.parts.of(SyncPart::kUnknown) = within(call).duration();
      return out;
    }
    split(call, awaited, out);
    if (out.parts.of(SyncPart::kFinished) == out.parts.total()) out.awaited = kNone;
    return out;
  }

  // Walks back from the return of the call, along the predecessors of the work that it waited for.
  void split(const HostCall& call, const Awaited& awaited, Synchronisation& out) const {
    const TimeRange part = within(call);
    Timestamp known_from = part.end;
    const auto spend = [&](Timestamp t, SyncPart kind) {
      t = std::clamp(t, part.begin, known_from);
      out.parts.of(kind) += known_from - t;
      known_from = t;
    };
    if (awaited.work == kNone || works_[awaited.work].end <= call.begin) {
      spend(call.begin, SyncPart::kFinished);
      return;
    }
    spend(works_[awaited.work].end, SyncPart::kWakeUp);
    for (WorkIndex at = awaited.work; at != kNone && known_from > part.begin;) {
      const Work& work = works_[at];
      spend(work.end, SyncPart::kQueued);
      spend(work.begin, trace::is_copy(work.kind) ? SyncPart::kCopying : SyncPart::kRunning);
      at = execution_.predecessor(at).work;
    }
    spend(call.begin, SyncPart::kQueued);
  }

  [[nodiscard]] Duration idle_after(const HostCall& call, WorkIndex awaited, Timestamp until) const {
    Duration longest{};
    for (const Device& device : execution_.devices()) {
      if (awaited != kNone && &device != &execution_.device_of(works_[awaited])) continue;
      const auto launched_here = [&](StreamIndex at) { return covers(call, at); };
      if (awaited == kNone && std::ranges::none_of(device.streams, launched_here)) continue;
      // the first range of work that ends after the call
      const auto next = std::ranges::upper_bound(device.busy, call.end, {}, &TimeRange::end);
      if (next == device.busy.end() || next == device.busy.begin() || next->begin <= call.end) continue;
      longest = std::max(longest, std::min(next->begin, until) - std::max(std::prev(next)->end, call.begin));
    }
    return longest;
  }

  [[nodiscard]] TimeRange within(const HostCall& call) const {
    return {std::max(call.begin, range_.begin), std::min(call.end, range_.end)};
  }

  const Execution& execution_;
  std::span<const Work> works_;
  TimeRange range_;
  // Where the searches in each stream ended for the call before.
  struct Near {
    WorkIndex launched = 0, ended = 0;
  };
  mutable std::vector<Near> near_;
  std::vector<Synchronisation> out_;
};

// What a group adds up while it is made.
struct GroupSum {
  SyncGroup group;
  std::map<std::pair<StringId, StreamIndex>, Duration> awaited;  // time by name and stream
  Duration longest{-1};
};

}  // namespace

std::string_view key_of(SyncPart part) {
  constexpr std::array<std::string_view, kSyncPartCount> kKeys{"running",  "copying", "queued",
                                                               "finished", "wake_up", "unknown"};
  return kKeys[static_cast<std::size_t>(part)];
}

Duration SyncParts::total() const { return std::accumulate(times.begin(), times.end(), Duration{}); }
void SyncParts::add(const SyncParts& other) {
  for (std::size_t i = 0; i < kSyncPartCount; ++i) times[i] += other.times[i];
}

analysis::WaitSplit wait_split(const SyncParts& parts) {
  using analysis::WaitPart;
  analysis::WaitSplit split;
  split.of(WaitPart::kExecuting) = parts.of(SyncPart::kRunning);
  split.of(WaitPart::kCopying) = parts.of(SyncPart::kCopying);
  split.of(WaitPart::kQueueing) = parts.of(SyncPart::kQueued);
  split.of(WaitPart::kWakeUp) = parts.of(SyncPart::kWakeUp);
  split.of(WaitPart::kFinished) = parts.of(SyncPart::kFinished);
  split.of(WaitPart::kOther) = parts.of(SyncPart::kUnknown);
  return split;
}

std::vector<Synchronisation> find_synchronisations(const Execution& execution, TimeRange range) {
  return Finder(execution, range).run();
}

bool waited_for_own_work(const Execution& execution, const Synchronisation& sync) {
  if (sync.awaited == kNone) return false;
  const HostCall& call = execution.calls()[sync.call];
  const Work& work = execution.works()[sync.awaited];
  return work.launched_by == call.thread && call.range().contains(work.launched);
}

Synchronisations::Synchronisations(const trace::Trace& trace) {
  const auto add = [&](TrackId group) {
    Execution execution(trace, group);
    std::vector<Synchronisation> all = find_synchronisations(execution);
    parts_.push_back({std::move(execution), std::move(all), group});
  };
  const std::vector<trace::Rank> ranks = trace::ranks_of(trace);
  for (const trace::Rank& rank : ranks) add(rank.group);
  if (ranks.empty()) add(kNoTrack);
}

const Synchronisations::Part* Synchronisations::part_of(TrackId track) const {
  if (parts_.size() == 1) return &parts_.front();
  const TrackId root = trace::root_of(parts_.front().execution.trace(), track);
  const auto found = std::ranges::find(parts_, root, &Part::group);
  return found == parts_.end() ? nullptr : &*found;
}

Synchronisations::Found Synchronisations::find(TrackId thread, const trace::Slice& slice) const {
  const Part* const part = part_of(thread);
  if (part == nullptr) return {};
  const auto key = [part](const Synchronisation& sync) {
    const HostCall& call = part->execution.calls()[sync.call];
    return std::pair(call.thread, call.begin);
  };
  const auto found = std::ranges::lower_bound(part->all, std::pair(thread, slice.begin), {}, key);
  if (found == part->all.end() || key(*found) != std::pair(thread, slice.begin)) return {};
  const HostCall& call = part->execution.calls()[found->call];
  if (call.name != slice.name || (!call.open && call.end != slice.end)) return {};
  return {&part->execution, &*found};
}

std::vector<SyncGroup> group_by_place(const Execution& execution, const std::vector<Synchronisation>& all) {
  std::map<std::pair<StringId, std::string>, GroupSum> sums;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Synchronisation& sync = all[i];
    const HostCall& call = execution.calls()[sync.call];
    const CallPlace place = place_of(execution.trace(), call);
    GroupSum& sum = sums[{call.name, place.text()}];
    SyncGroup& group = sum.group;
    if (group.count++ == 0) {
      group.call = execution.trace().string(call.name);
      group.place = place.text();
      group.is_explicit = is_synchronisation(call.role) && place.op.empty();
    }
    if (sync.awaited != kNone) ++(sync.evidence == Evidence::kInferred ? group.inferred : group.recorded);
    group.parts.add(sync.parts);
    group.idle_after += sync.idle_after;
    const Duration blocked = sync.parts.total();
    if (sync.awaited != kNone) {
      const Work& work = execution.works()[sync.awaited];
      sum.awaited[{work.name, work.stream}] += blocked;
    }
    if (blocked > sum.longest) {
      sum.longest = blocked;
      group.worst = i;
    }
  }
  std::vector<SyncGroup> out;
  for (auto& [key, sum] : sums) {
    const auto most =
        std::ranges::max_element(sum.awaited, {}, [](const auto& entry) { return entry.second; });
    if (most != sum.awaited.end()) {
      sum.group.awaited = execution.trace().string(most->first.first);
      sum.group.stream = execution.trace().track(execution.streams()[most->first.second].track).info.name;
    }
    out.push_back(std::move(sum.group));
  }
  std::ranges::stable_sort(out, std::greater<>(), [](const SyncGroup& group) { return group.parts.total(); });
  return out;
}

}  // namespace runahead::causes
