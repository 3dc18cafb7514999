#include "tests/cupti/replay/timeline.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <variant>

namespace runahead::testing {
namespace {

using trace::SliceKind;

// The marks of the parts that are not in the timelines of imports. Names have no such characters.
constexpr std::string_view kOpen = "«", kClose = "»";

std::string text(std::int64_t number) { return std::to_string(number); }
std::string times(std::int64_t begin, std::int64_t end) { return " " + text(begin) + ".." + text(end) + " "; }
std::string thread(std::int64_t tid) { return "thread " + text(tid); }

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? plain.get() : name;
}

// ---- of a profile -----------------------------------------------------------------------------------------

std::string place_of(const ProfiledWork& work) {
  return "device " + text(work.device) + " «context " + text(work.context) + "» stream " + text(work.stream);
}

std::string size_of(const std::array<std::int32_t, 3>& size) {
  return "[" + text(size[0]) + ", " + text(size[1]) + ", " + text(size[2]) + "]";
}

// By CUPTI's numbers.
const std::string kMemoryWords[] = {"Unknown", "Pageable", "Pinned", "Device",
                                    "Array",   "Managed",  "Device", "Managed"};

std::string copy_name(const ProfiledWork& work) {
  static const std::map<std::uint32_t, const char*> kKinds{
      {1, " HtoD"}, {2, " DtoH"}, {8, " DtoD"}, {9, " HtoH"}, {10, " PtoP"}};
  const auto kind = kKinds.find(work.copy_kind);
  return std::string("Memcpy") + (kind != kKinds.end() ? kind->second : "") + " (" + kMemoryWords[work.from] +
         " -> " + kMemoryWords[work.to] + ")";
}

std::string direction_of(const ProfiledWork& work) {
  const bool to_host = work.copy_kind == 2 || work.copy_kind == 9;  // from the device, or from the host
  return work.copy_kind == 1 ? "to the device" : to_host ? "to the host" : "on a device";
}

void add_work(const ProfiledWork& work, Shown names, Timeline& out) {
  const std::string start = place_of(work) + times(work.begin, work.end);
  if (work.kind == WorkKind::kCopy) {
    out["copies"].push_back(start + copy_name(work) + " " + text(static_cast<std::int64_t>(work.bytes)) +
                            " B " + direction_of(work));
  } else if (work.kind == WorkKind::kMemset) {
    out["memsets"].push_back(start + "Memset (" + kMemoryWords[work.to] + ") " +
                             text(static_cast<std::int64_t>(work.bytes)) + " B");
  } else {
    out["kernels"].push_back(start + (names == Shown::kByUs ? demangled(work.name) : work.shown) + " «grid " +
                             size_of(work.grid) + " block " + size_of(work.block) + " registers " +
                             text(work.registers) + " shared " +
                             text(work.static_shared + work.dynamic_shared) + " node " +
                             text(static_cast<std::int64_t>(work.graph_node)) + "»");
  }
}

using CallOfId = std::unordered_map<std::uint32_t, const ProfiledCall*>;

void add_arrow(const ProfiledCall& call, const ProfiledWork& work, Timeline& out) {
  out["arrows"].push_back(thread(call.tid) + times(call.begin, work.begin) + "«device " + text(work.device) +
                          " stream " + text(work.stream) + "»");
}

// The decoder draws one arrow to each stream on which a call launched work, to the work that begins first.
// The importers draw one arrow to each work.
void add_arrows(const Profile& profile, const CallOfId& calls, Shown shown, Timeline& out) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, const ProfiledWork*> first;
  for (const ProfiledWork& work : profile.work) {
    const auto call = calls.find(work.correlation);
    if (call == calls.end()) continue;
    if (shown == Shown::kByTheOther) {
      add_arrow(*call->second, work, out);
      continue;
    }
    const ProfiledWork*& known = first[{work.correlation, work.context, work.stream}];
    if (known == nullptr || work.begin < known->begin) known = &work;
  }
  for (const auto& [key, work] : first) add_arrow(*calls.at(work->correlation), *work, out);
}

void add_waits(const Profile& profile, const CallOfId& calls, Timeline& out) {
  static constexpr const char* kNames[] = {"unknown", "event", "", "stream", "context"};
  std::map<std::uint32_t, std::uint32_t> devices;
  for (const ProfiledWork& work : profile.work) devices[work.context] = work.device;
  for (const ProfiledWait& wait : profile.waits) {
    if (wait.type == 2) {
      out["waits of streams"].push_back("device " + text(devices[wait.context]) + " stream " +
                                        text(wait.stream) + " " + text(wait.begin));
    } else if (const auto call = calls.find(wait.correlation); call != calls.end()) {
      out["waits"].push_back(kNames[std::min(wait.type, 4u)] + times(wait.begin, wait.end) + "«" +
                             thread(call->second->tid) + "»");
    }
  }
}

// The depth of a range: how many ranges of its thread are around it.
void add_ranges(std::vector<ProfiledRange> ranges, Timeline& out) {
  std::stable_sort(ranges.begin(), ranges.end(), [](const ProfiledRange& a, const ProfiledRange& b) {
    return std::tuple(a.begin, -a.end) < std::tuple(b.begin, -b.end);
  });
  std::map<std::uint32_t, std::vector<std::int64_t>> ends;
  for (const ProfiledRange& range : ranges) {
    std::vector<std::int64_t>& open = ends[range.tid];
    while (!open.empty() && open.back() <= range.begin) open.pop_back();
    out["ranges"].push_back(thread(range.tid) + times(range.begin, range.end) + range.text + " «depth " +
                            text(static_cast<std::int64_t>(open.size())) + "»");
    open.push_back(range.end);
  }
}

void add_memory(std::vector<ProfiledMemory> rows, Timeline& out) {
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ProfiledMemory& a, const ProfiledMemory& b) { return a.at < b.at; });
  std::map<std::uint32_t, std::int64_t> live;
  for (const ProfiledMemory& row : rows) {
    live[row.device] += row.bytes;
    out["memory"].push_back("device " + text(row.device) + " " + text(row.at) + ": " +
                            text(live[row.device]));
  }
}

std::string overhead_name(std::uint32_t kind) {
  return kind == 6u << 16 ? "command buffer full" : kind == 4u << 16 ? "module loading" : "overhead";
}

// ---- of a trace -------------------------------------------------------------------------------------------

class TraceReader {
 public:
  TraceReader(const trace::Trace& trace, std::int64_t shift_ns) : trace_(trace), shift_ns_(shift_ns) {}

  template <typename Visit>
  void each_slice(Visit visit) const {
    for (const trace::Track& track : trace_.tracks()) {
      for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
        const trace::Lane& lane = track.lanes[depth];
        for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row)
          visit(track.info, depth, lane.slice(row));
      }
    }
  }
  [[nodiscard]] std::int64_t ns(Timestamp at) const { return ns_from(at) - shift_ns_; }
  [[nodiscard]] std::string times_of(const trace::Slice& slice) const {
    return times(ns(slice.begin), ns(slice.end));
  }
  [[nodiscard]] std::string name(const trace::Slice& slice) const {
    return std::string(trace_.string(slice.name));
  }
  [[nodiscard]] std::string arg(const trace::Slice& slice, std::string_view key) const {
    for (const trace::Arg& arg : trace_.args(slice.args)) {
      if (trace_.string(arg.key) != key) continue;
      if (const auto* whole = std::get_if<std::int64_t>(&arg.value)) return text(*whole);
      if (const auto* said = std::get_if<StringId>(&arg.value)) return std::string(trace_.string(*said));
    }
    return "0";
  }
  [[nodiscard]] std::string place(const trace::Slice& slice) const {
    return "device " + arg(slice, "device") + " «context " + arg(slice, "context") + "» stream " +
           arg(slice, "stream");
  }
  // A kernel, copy or memset of a stream.
  void add_work(const trace::Slice& slice, Timeline& out) const {
    const std::string start = place(slice) + times_of(slice);
    const std::string bytes = " " + text(slice.size_bytes) + " B";
    if (is_copy(slice.kind)) {
      out["copies"].push_back(start + name(slice) + bytes +
                              (slice.kind == SliceKind::kCopyToDevice ? " to the device"
                               : slice.kind == SliceKind::kCopyToHost ? " to the host"
                                                                      : " on a device"));
    } else if (name(slice).starts_with("Memset")) {
      out["memsets"].push_back(start + name(slice) + bytes);
    } else {
      out["kernels"].push_back(start + name(slice) + " «grid " + arg(slice, "grid") + " block " +
                               arg(slice, "block") + " registers " + arg(slice, "registers per thread") +
                               " shared " + arg(slice, "shared memory") + " node " +
                               arg(slice, "graph node id") + "»");
    }
  }
  [[nodiscard]] const trace::Trace& trace() const { return trace_; }

 private:
  const trace::Trace& trace_;
  const std::int64_t shift_ns_;
};

// "thread 42" of the track "thread 42: CUDA calls".
std::string thread_of(const std::string& track) { return track.substr(0, track.find(':')); }
// "device 0 stream 7" of the track "stream 7, the default one" of "cuda:0".
std::string stream_of(const trace::TrackInfo& track) {
  const std::string digits = track.name.substr(track.name.find(' ') + 1);
  return "device " + track.device.substr(track.device.find(':') + 1) + " stream " +
         digits.substr(0, digits.find_first_not_of("0123456789"));
}

void add_recorded_slice(const TraceReader& reader, const trace::TrackInfo& track, std::size_t depth,
                        const trace::Slice& slice, Timeline& out) {
  static const std::map<std::string, std::string> kWaits{
      {"wait for an event", "event"}, {"wait for a stream", "stream"}, {"wait for the device", "context"}};
  if (track.kind == trace::TrackKind::kStream) return reader.add_work(slice, out);
  const std::string name = reader.name(slice);
  if (track.name.ends_with(": CUDA calls")) {
    if (const auto wait = kWaits.find(name); wait != kWaits.end()) {
      out["waits"].push_back(wait->second + reader.times_of(slice) + "«" + thread_of(track.name) + "»");
    } else {
      out["calls"].push_back(thread_of(track.name) + reader.times_of(slice) + name + " «result " +
                             reader.arg(slice, "result") + "»");
    }
  } else if (track.name.ends_with(": NVTX")) {
    out["ranges"].push_back(thread_of(track.name) + reader.times_of(slice) + name + " «depth " +
                            text(static_cast<std::int64_t>(depth)) + "»");
  } else if (track.name == "the profiler's own time") {
    out["overheads"].push_back("thread " + reader.arg(slice, "thread") + reader.times_of(slice) + "«" + name +
                               "»");
  }
}

void add_imported_slice(const TraceReader& reader, const trace::TrackInfo& track, const trace::Slice& slice,
                        Timeline& out) {
  static const std::map<std::string, std::string> kWaits{
      {"Event Sync", "event"}, {"Stream Sync", "stream"}, {"Context Sync", "context"}};
  const std::string name = reader.name(slice);
  // CUPTI has no negative numbers of threads, but files do.
  const std::string of_thread = thread(static_cast<std::uint32_t>(track.tid)) + reader.times_of(slice);
  if (name == "Stream Wait Event") {
    out["waits of streams"].push_back("device " + reader.arg(slice, "device") + " stream " +
                                      reader.arg(slice, "stream") + " " + text(reader.ns(slice.begin)));
  } else if (const auto wait = kWaits.find(name); wait != kWaits.end()) {
    out["waits"].push_back(wait->second + reader.times_of(slice));
  } else if (track.kind == trace::TrackKind::kStream) {
    // Others are ranges that PyTorch's profiler draws on the device, and ranges of counters.
    if (reader.arg(slice, "correlation") != "0") reader.add_work(slice, out);
  } else if ((name.starts_with("cu") || name.starts_with("hip") || name == "INVALID") &&
             reader.arg(slice, "correlation") != "0") {
    out["calls"].push_back(of_thread + name);
  } else if (name.starts_with("Command ")) {
    out["overheads"].push_back(of_thread);
  } else {
    out["ranges"].push_back(of_thread + name);
  }
}

}  // namespace

Timeline timeline_of_profile(const Profile& profile, Shown names, const std::vector<bool>& recorded) {
  Timeline out;
  CallOfId calls;
  for (std::size_t i = 0; i < profile.calls.size(); ++i) {
    const ProfiledCall& call = profile.calls[i];
    if (!recorded.empty() && !recorded[i]) continue;
    const auto [known, is_new] = calls.try_emplace(call.correlation, &call);
    if (!is_new && call.begin < known->second->begin) known->second = &call;
    out["calls"].push_back(thread(call.tid) + times(call.begin, call.end) + without_version(call.name) +
                           " «result " + text(call.result) + "»");
  }
  for (const ProfiledWork& work : profile.work) add_work(work, names, out);
  add_arrows(profile, calls, names, out);
  add_waits(profile, calls, out);
  add_ranges(profile.ranges, out);
  for (const ProfiledOverhead& row : profile.overheads)
    out["overheads"].push_back(thread(row.tid) + times(row.begin, row.end) + "«" + overhead_name(row.kind) +
                               "»");
  add_memory(profile.memory, out);
  return out;
}

Timeline timeline_of_recording(const trace::Trace& trace, std::int64_t shift_ns) {
  Timeline out;
  const TraceReader reader(trace, shift_ns);
  reader.each_slice([&](const trace::TrackInfo& track, std::size_t depth, const trace::Slice& slice) {
    add_recorded_slice(reader, track, depth, slice, out);
  });
  for (std::uint64_t i = 0; i < trace.instant_count(); ++i) {
    const trace::Instant instant = trace.instant(i);
    const trace::TrackInfo& track = trace.track(instant.track).info;
    if (trace.string(instant.name) == "waits for an event")
      out["waits of streams"].push_back(stream_of(track) + " " + text(reader.ns(instant.at)));
  }
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const trace::Flow flow = trace.flow(i);
    if (flow.kind != trace::FlowKind::kLaunchToDevice) continue;
    out["arrows"].push_back(thread_of(trace.track(flow.from_track).info.name) +
                            times(reader.ns(flow.from_time), reader.ns(flow.to_time)) + "«" +
                            stream_of(trace.track(flow.to_track).info) + "»");
  }
  for (const trace::Track& track : trace.tracks()) {
    if (track.info.name != "memory allocated") continue;
    const trace::CounterSeries& series = track.counter;
    for (std::uint64_t row = series.first_row(); row < series.end_row(); ++row) {
      out["memory"].push_back("device " + track.info.device.substr(track.info.device.find(':') + 1) + " " +
                              text(reader.ns(series.sample(row).at)) + ": " +
                              text(static_cast<std::int64_t>(series.sample(row).value)));
    }
  }
  return out;
}

Timeline timeline_of_import(const trace::Trace& trace, std::int64_t first_ns) {
  std::optional<std::int64_t> first;
  const TraceReader raw(trace, 0);
  raw.each_slice([&](const trace::TrackInfo&, std::size_t, const trace::Slice& slice) {
    if (raw.arg(slice, "correlation") == "0") return;
    if (!first || raw.ns(slice.begin) < *first) first = raw.ns(slice.begin);
  });
  const TraceReader reader(trace, first.value_or(0) - first_ns);
  Timeline out;
  reader.each_slice([&](const trace::TrackInfo& track, std::size_t, const trace::Slice& slice) {
    add_imported_slice(reader, track, slice, out);
  });
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const trace::Flow flow = trace.flow(i);
    if (flow.kind != trace::FlowKind::kLaunchToDevice) continue;
    out["arrows"].push_back(thread(static_cast<std::uint32_t>(trace.track(flow.from_track).info.tid)) +
                            times(reader.ns(flow.from_time), reader.ns(flow.to_time)));
  }
  return shortened(std::move(out));
}

Timeline shortened(Timeline timeline) {
  for (auto& [kind, lines] : timeline) {
    for (std::string& line : lines) {
      for (std::size_t open = line.find(kOpen); open != line.npos; open = line.find(kOpen)) {
        const std::size_t close = line.find(kClose, open);
        if (close == line.npos) break;
        line.erase(open, close + kClose.size() - open);
      }
      line.erase(line.find_last_not_of(' ') + 1);
    }
  }
  return timeline;
}

void add(Timeline& to, Timeline&& from) {
  for (auto& [kind, lines] : from) {
    auto& all = to[kind];
    all.insert(all.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  }
}

std::map<std::string, Difference> compare(Timeline expected, Timeline found) {
  std::map<std::string, Difference> out;
  std::set<std::string> kinds;
  for (const auto* const each : {&expected, &found}) {
    for (const auto& [kind, lines] : *each) kinds.insert(kind);
  }
  for (const std::string& kind : kinds) {
    auto& a = expected[kind];
    auto& b = found[kind];
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<std::string> missing, extra;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(missing));
    std::set_difference(b.begin(), b.end(), a.begin(), a.end(), std::back_inserter(extra));
    Difference& difference = out[kind];
    difference.missing = missing.size();
    difference.extra = extra.size();
    difference.equal = a.size() - missing.size();
    for (std::size_t i = 0; i < std::min<std::size_t>(missing.size(), 3); ++i)
      difference.examples.push_back("- " + missing[i]);
    for (std::size_t i = 0; i < std::min<std::size_t>(extra.size(), 3); ++i)
      difference.examples.push_back("+ " + extra[i]);
  }
  return out;
}

}  // namespace runahead::testing
