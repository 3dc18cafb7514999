#include "tests/support/kineto_writer.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace runahead::testing {
namespace {

using trace::Slice;
using trace::SliceKind;
using trace::Trace;
using trace::Track;
using trace::TrackKind;

constexpr std::int64_t kProcess = 4000;
constexpr std::int64_t kDefaultStream = 7;  // as CUDA numbers the legacy default stream
constexpr std::int64_t kFirstStream = 13;   // streams that a program makes

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

// Microseconds with three decimals.
std::string microseconds(Duration time) {
  const std::int64_t ns = time.count();
  char text[32];
  std::snprintf(text, sizeof text, "%lld.%03d", static_cast<long long>(ns / 1000),
                static_cast<int>(ns % 1000));
  return text;
}
std::string microseconds(Timestamp time) { return microseconds(time.time_since_epoch()); }

struct Place {
  std::int64_t pid = 0, tid = 0;
  friend bool operator==(const Place&, const Place&) = default;
};
// Where an op ran.
struct Ran {
  Place place;
  Slice slice;
  bool overtook = false;  // an op of the same stream that was enqueued earlier
};

bool is_stream(const Track& track) {
  return track.info.kind == TrackKind::kStream || track.info.kind == TrackKind::kWorker;
}
bool is_work(const Slice& slice) {
  return (slice.kind == SliceKind::kExecute || trace::is_copy(slice.kind)) &&
         (slice.flags & trace::kSlicePartOfOp) == 0;
}

template <typename Use>
void each_slice(const Track& track, const Use& use) {
  for (const trace::Lane& lane : track.lanes) {
    for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) use(lane.slice(row));
  }
}

class KinetoWriter {
 public:
  KinetoWriter(const Trace& trace, const KinetoOptions& options) : trace_(trace), options_(options) {
    find_frontends();
    find_work();
    find_dependencies();
  }

  std::string run() {
    for (const auto& [op, ran] : work_) add_work(op, ran);
    for (const Track& track : trace_.tracks()) {
      if (track.info.kind == TrackKind::kFrontend) add_frontend(track);
    }
    return R"({"schemaVersion":1,"deviceProperties":[],"displayTimeUnit":"ms","baseTimeNanoseconds":0,)"
           "\n\"traceEvents\":[\n" +
           events_ + "\n]}\n";
  }

 private:
  // ---- what the recording has -----------------------------------------------------------------------------
  void find_frontends() {
    for (const Track& track : trace_.tracks()) {
      const auto number = static_cast<std::int64_t>(frontends_.size());
      if (track.info.kind == TrackKind::kFrontend) frontends_[track.info.id] = {kProcess, kProcess + number};
    }
  }

  void find_work() {
    for (const Track& track : trace_.tracks()) {
      if (!is_stream(track)) continue;
      const Place place = next_stream(track);
      std::vector<Slice> works;
      each_slice(track, [&](const Slice& slice) {
        if (is_work(slice) && slice.op != kNoOp) works.push_back(slice);
      });
      std::ranges::sort(works, {}, &Slice::begin);
      Timestamp earliest = Timestamp::max();  // the launch of a later op of the stream
      for (auto slice = works.rbegin(); slice != works.rend(); ++slice) {
        const auto op = trace_.op(slice->op);
        const Timestamp launched = op ? op->enqueued : slice->begin;
        work_[slice->op] = {place, *slice, earliest < launched};
        earliest = std::min(earliest, launched);
      }
    }
    for (const auto& [op, ran] : work_)
      correlation_ = std::max(correlation_, static_cast<std::int64_t>(op_number(op)));
  }
  // CUDA executes the work of a stream in the order of launching. A stream of the engine starts the op that
  // became ready first. So ops that overtook others are written on further streams, as few as possible.
  static std::size_t stream_for(Timestamp launched, std::vector<Timestamp>& last) {
    auto at = std::ranges::find_if(last, [launched](Timestamp before) { return before <= launched; });
    if (at == last.end()) at = last.insert(at, launched);
    *at = launched;
    return static_cast<std::size_t>(at - last.begin());
  }
  Place next_stream(const Track& track) {
    const std::string device = track.info.device.empty() ? "cpu" : track.info.device;
    const auto next = static_cast<std::int64_t>(devices_.size());
    const std::int64_t pid = devices_.try_emplace(device, next).first->second;
    std::set<std::int64_t>& used = streams_[pid];
    const bool is_default =
        device != "cpu" && track.info.name.starts_with("compute") && !used.contains(kDefaultStream);
    const std::int64_t tid =
        is_default ? kDefaultStream : kFirstStream + 4 * static_cast<std::int64_t>(used.size());
    used.insert(tid);
    return {pid, tid};
  }
  // The ops after which an event is recorded: a wait, or an op of another stream, waits for it.
  void find_dependencies() {
    for (const auto& [op, ran] : work_) {
      std::vector<trace::Dependency> all;
      trace_.dependencies_of(op, 1000, all);
      std::set<OpId> waits;
      for (const trace::Dependency& dependency : all) {
        const auto on = work_.find(dependency.on);
        if (on != work_.end() && on->second.place != ran.place) waits.insert(dependency.on);
      }
      for (const OpId on : waits) recorded_[on] = 0;
      stream_waits_[op].assign(waits.begin(), waits.end());
    }
    for (const Track& track : trace_.tracks()) {
      if (track.info.kind != TrackKind::kFrontend) continue;
      each_slice(track, [&](const Slice& slice) {
        if (slice.kind == SliceKind::kWait && work_.contains(slice.op)) recorded_[slice.op] = 0;
      });
    }
    for (auto& [op, correlation] : recorded_) correlation = ++correlation_;
  }

  // ---- events ---------------------------------------------------------------------------------------------
  void add_event(std::string_view fields) {
    events_ += events_.empty() ? "{" : ",\n{";
    events_ += fields;
    events_ += '}';
  }
  static std::string at(Place place, Timestamp time) {
    return ",\"pid\":" + std::to_string(place.pid) + ",\"tid\":" + std::to_string(place.tid) +
           ",\"ts\":" + microseconds(time);
  }
  void add_slice(std::string_view category, std::string_view name, Place place, TimeRange range,
                 const std::string& args) {
    add_event("\"ph\":\"X\",\"cat\":" + quoted(category) + ",\"name\":" + quoted(name) +
              at(place, range.begin) + ",\"dur\":" + microseconds(range.end - range.begin) + ",\"args\":{" +
              args + "}");
  }
  void add_call(std::string_view name, Place place, TimeRange range, std::int64_t correlation) {
    add_slice("cuda_runtime", name, place, range, "\"correlation\":" + std::to_string(correlation));
  }
  void add_arrow_end(char phase, std::int64_t id, Place place, Timestamp time) {
    add_event(std::string("\"ph\":\"") + phase + "\",\"id\":" + std::to_string(id) + at(place, time) +
              R"(,"cat":"ac2g","name":"ac2g","bp":"e")");
  }
  // A record of CUPTI's activity SYNCHRONIZATION. -1: none.
  struct SyncRecord {
    std::string_view kind;
    std::int64_t device = 0, stream = -1, event_stream = -1, record_call = -1;
  };
  void add_record(const SyncRecord& record, TimeRange range, std::int64_t correlation) {
    if (!options_.sync_records) return;
    add_slice("cuda_sync", record.kind, {record.device, record.stream}, range,
              "\"cuda_sync_kind\":" + quoted(record.kind) +
                  ",\"wait_on_stream\":" + std::to_string(record.event_stream) +
                  ",\"wait_on_cuda_event_record_corr_id\":" + std::to_string(record.record_call) +
                  ",\"stream\":" + std::to_string(record.stream) +
                  ",\"correlation\":" + std::to_string(correlation));
  }

  void add_work(OpId op, const Ran& ran) {
    const auto number = static_cast<std::int64_t>(op_number(op));
    const Place place = ran.place;
    std::string args = "\"device\":" + std::to_string(place.pid) +
                       ",\"stream\":" + std::to_string(place.tid) +
                       ",\"correlation\":" + std::to_string(number);
    const TimeRange range{ran.slice.begin, ran.slice.end};
    if (trace::is_copy(ran.slice.kind)) {
      args += ",\"bytes\":" + std::to_string(ran.slice.size_bytes);
      add_slice("gpu_memcpy", copy_name(ran.slice.kind), place, range, args);
    } else {
      add_slice("kernel", trace_.string(ran.slice.name), place, range, args);
    }
    add_arrow_end('f', number, place, range.begin);
  }
  static std::string_view copy_name(SliceKind kind) {
    if (kind == SliceKind::kCopyToDevice) return "Memcpy HtoD (Pinned -> Device)";
    if (kind == SliceKind::kCopyToHost) return "Memcpy DtoH (Device -> Pinned)";
    return "Memcpy DtoD (Device -> Device)";
  }

  // ---- the calls of a frontend ----------------------------------------------------------------------------
  void add_frontend(const Track& track) {
    const Place place = frontends_.at(track.info.id);
    std::vector<Slice> slices;
    each_slice(track, [&](const Slice& slice) { slices.push_back(slice); });
    std::ranges::stable_sort(slices, {}, &Slice::begin);
    const Slice* last_launch = nullptr;
    std::int64_t step = 0;
    for (const Slice& slice : slices) {
      const TimeRange range{slice.begin, slice.end};
      if (slice.kind == SliceKind::kEnqueue) {
        add_launch(slice, place);
        last_launch = &slice;
      } else if (slice.kind == SliceKind::kWait) {
        add_wait(slice, last_launch, place);
      } else if (slice.kind == SliceKind::kStep) {
        add_slice("user_annotation", "ProfilerStep#" + std::to_string(++step), place, range, "");
      } else {
        add_slice("user_annotation", trace_.string(slice.name), place, range, "");
      }
    }
  }

  void add_launch(const Slice& slice, Place place) {
    const auto found = work_.find(slice.op);
    if (found == work_.end()) return;
    const Ran& ran = found->second;
    const Place stream = ran.place;
    for (const OpId on : stream_waits_.at(slice.op)) {
      const TimeRange call{slice.begin, slice.begin};
      add_call("cudaStreamWaitEvent", place, call, ++correlation_);
      add_record({"Stream Wait Event", stream.pid, stream.tid, work_.at(on).place.tid, recorded_.at(on)},
                 call, correlation_);
    }
    const auto number = static_cast<std::int64_t>(op_number(slice.op));
    const bool copies = trace::is_copy(ran.slice.kind);
    add_call(copies ? "cudaMemcpyAsync" : "cudaLaunchKernel", place, {slice.begin, slice.end}, number);
    add_arrow_end('s', number, place, slice.begin);
    const auto record = recorded_.find(slice.op);
    if (options_.event_records && record != recorded_.end())
      add_call("cudaEventRecord", place, {slice.end, slice.end}, record->second);
  }

  void add_wait(const Slice& slice, const Slice* last_launch, Place place) {
    const TimeRange range{slice.begin, slice.end};
    const std::string_view name = trace_.string(slice.name);
    const bool reads_value = name == "item" || name == "asnumpy" || name == "print";
    const bool copies =
        reads_value && last_launch != nullptr && slice.op != kNoOp && last_launch->op == slice.op;
    if (reads_value) {
      const TimeRange whole{copies ? last_launch->begin : slice.begin, slice.end};
      add_slice("cpu_op", name == "item" ? "aten::item" : "aten::to", place, whole, "");
    }
    const std::int64_t correlation = ++correlation_;
    const auto ran = work_.find(slice.op);
    if (ran == work_.end()) {
      add_call("cudaDeviceSynchronize", place, range, correlation);
      return add_record({"Context Sync"}, range, correlation);
    }
    const Place stream = ran->second.place;
    if (copies && !ran->second.overtook) {
      add_call("cudaStreamSynchronize", place, range, correlation);
      return add_record({"Stream Sync", stream.pid, stream.tid}, range, correlation);
    }
    add_call("cudaEventSynchronize", place, range, correlation);
    add_record({"Event Sync", stream.pid, -1, stream.tid, recorded_.at(slice.op)}, range, correlation);
  }

  const Trace& trace_;
  const KinetoOptions options_;
  std::map<TrackId, Place> frontends_;
  std::map<std::string, std::int64_t> devices_;             // name, number
  std::map<std::int64_t, std::set<std::int64_t>> streams_;  // of each device
  std::map<OpId, Ran> work_;
  std::map<OpId, std::vector<OpId>> stream_waits_;
  std::map<OpId, std::int64_t> recorded_;  // the correlation id of the cudaEventRecord after the op's launch
  std::int64_t correlation_ = 0;           // the last one that was used
  std::string events_;
};

}  // namespace

std::string kineto_json(const Trace& trace, const KinetoOptions& options) {
  return KinetoWriter(trace, options).run();
}

}  // namespace runahead::testing
