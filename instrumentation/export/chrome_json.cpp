#include "instrumentation/export/chrome_json.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "instrumentation/export/chrome_layout.h"
#include "instrumentation/export/embedded_recording.h"
#include "instrumentation/export/export_file.h"
#include "instrumentation/export/flow_binding.h"
#include "instrumentation/files/base64.h"
#include "instrumentation/files/json_text.h"
#include "instrumentation/trace/labels.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::exporters {
using namespace trace;
namespace {

class ChromeExporter {
 public:
  ChromeExporter(const Trace& trace, ExportFile& file, const recordings::Progress& progress, bool embeds)
      : trace_(trace),
        layout_(lay_out_for_chrome(trace)),
        file_(file),
        out_(file.text()),
        pace_(file, progress, exported_rows(trace)),
        base_(trace.extent().begin),
        embeds_(embeds) {}

  // Call the next three functions in this order. Each returns false if the export was cancelled or writing
  // failed.
  bool write();
  bool write_recording(const recordings::Progress& progress);
  bool end();
  [[nodiscard]] const ExportCounts& counts() const { return counts_; }

 private:
  // Starts an event: {"ph":"X","pid":1,"tid":2,"ts":... The caller ends it.
  void begin_event(char phase, int pid, int tid, Timestamp at);
  void end_event() {
    out_ += '}';
    file_.flush_if_large();
  }
  void text_member(std::string_view key, std::string_view value);
  void name_event(std::string_view what, int pid, int tid, std::string_view value);
  void rank_event(std::string_view what, int pid, int tid, std::int32_t rank);
  void write_names();
  bool write_track(const TrackPlace& place, const Track& track);
  void write_complete(const TrackPlace& place, int tid, const Slice& slice);
  void write_async(const TrackPlace& place, const Slice& slice);
  void write_sample(const TrackPlace& place, const CounterSample& sample);
  void write_instant(const Instant& instant);
  void write_flow(const Flow& flow);
  void write_flow_end(char phase, const Flow& flow, const FlowEnd& end);
  void write_args(OpId op, std::int64_t size_bytes, std::uint8_t flags, ArgsId args);
  void write_arg(const Arg& arg, std::set<std::string, std::less<>>& keys);
  void write_other_data();

  const Trace& trace_;
  const ChromeLayout layout_;
  ExportFile& file_;
  std::string& out_;
  ExportPace pace_;
  const Timestamp base_;
  const bool embeds_;
  ExportCounts counts_;
  std::uint64_t next_async_ = 1, unbound_flows_ = 0, samples_without_number_ = 0;
  bool first_event_ = true;
};

void ChromeExporter::begin_event(char phase, int pid, int tid, Timestamp at) {
  out_ += first_event_ ? "\n" : ",\n";
  first_event_ = false;
  out_ += "{\"ph\":\"";
  out_ += phase;
  out_ += "\",\"pid\":" + std::to_string(pid) + ",\"tid\":" + std::to_string(tid) + ",\"ts\":";
  files::append_json_us(out_, std::max<std::int64_t>(ns_from(at - base_), 0));
}

void ChromeExporter::text_member(std::string_view key, std::string_view value) {
  out_ += ",\"";
  out_ += key;
  out_ += "\":";
  files::append_json_string(out_, value);
}

// ---- names ------------------------------------------------------------------------------------------------

void ChromeExporter::name_event(std::string_view what, int pid, int tid, std::string_view value) {
  begin_event('M', pid, tid, base_);
  text_member("name", what);
  out_ += ",\"args\":{\"name\":";
  files::append_json_string(out_, value);
  out_ += '}';
  end_event();
}

void ChromeExporter::rank_event(std::string_view what, int pid, int tid, std::int32_t rank) {
  begin_event('M', pid, tid, base_);
  text_member("name", what);
  out_ += ",\"args\":{\"sort_index\":" + std::to_string(rank) + "}";
  end_event();
}

void ChromeExporter::write_names() {
  for (const ProcessPlace& process : layout_.processes) {
    const auto lives_here = [&](const TrackPlace& place) {
      return place.pid == process.pid && (place.kind != PlaceKind::kNone || place.tid_count > 0);
    };
    if (std::none_of(layout_.tracks.begin(), layout_.tracks.end(), lives_here)) continue;
    name_event("process_name", process.pid, 0, process.name);
    rank_event("process_sort_index", process.pid, 0, process.rank);
  }
  for (const TrackPlace& place : layout_.tracks) {
    for (int i = 0; i < place.tid_count; ++i) {
      const std::string number = i == 0 ? "" : " (" + std::to_string(i + 1) + ")";
      name_event("thread_name", place.pid, place.first_tid + i, place.name + number);
      rank_event("thread_sort_index", place.pid, place.first_tid + i, place.rank);
    }
  }
}

// ---- rows -------------------------------------------------------------------------------------------------

void ChromeExporter::write_arg(const Arg& arg, std::set<std::string, std::less<>>& keys) {
  std::string key(trace_.string(arg.key));
  while (!keys.insert(key).second) key += '_';
  files::append_json_string(out_, key);
  out_ += ':';
  if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) out_ += std::to_string(*integer);
  if (const auto* number = std::get_if<double>(&arg.value)) files::append_json_number(out_, *number);
  if (const auto* text = std::get_if<StringId>(&arg.value))
    files::append_json_string(out_, trace_.string(*text));
}

void ChromeExporter::write_args(OpId op, std::int64_t size_bytes, std::uint8_t flags, ArgsId args) {
  std::set<std::string, std::less<>> keys;
  out_ += ",\"args\":{";
  const auto begin_member = [&] {
    if (!keys.empty()) out_ += ',';
  };
  const auto number = [&](std::string key, std::int64_t value) {
    begin_member();
    out_ += "\"" + key + "\":" + std::to_string(value);
    keys.insert(std::move(key));
  };
  if (op != kNoOp) {
    number("op", static_cast<std::int64_t>(op_number(op)));
    const std::optional<OpRow> row = trace_.op(op);
    if (row && row->step >= 0) number("step", row->step);
  }
  if (size_bytes != 0) number("bytes", size_bytes);
  if (flags != 0) {
    begin_member();
    out_ += "\"flags\":\"" + slice_flag_keys(flags) + "\"";
    keys.insert("flags");
  }
  for (const Arg& arg : trace_.args(args)) {
    begin_member();
    write_arg(arg, keys);
  }
  out_ += '}';
}

void ChromeExporter::write_complete(const TrackPlace& place, int tid, const Slice& slice) {
  begin_event('X', place.pid, tid, slice.begin);
  out_ += ",\"dur\":";
  files::append_json_us(out_, ns_from(slice.duration()));
  text_member("name", trace_.string(slice.name));
  text_member("cat", slice_kind_key(slice.kind));
  write_args(slice.op, slice.size_bytes, slice.flags, slice.args);
  end_event();
}

void ChromeExporter::write_async(const TrackPlace& place, const Slice& slice) {
  const std::string id = std::to_string(next_async_++);
  for (const char phase : {'b', 'e'}) {
    begin_event(phase, place.pid, place.first_tid, phase == 'b' ? slice.begin : slice.end);
    text_member("id", id);
    text_member("name", trace_.string(slice.name));
    text_member("cat", place.name);
    if (phase == 'b') write_args(slice.op, slice.size_bytes, slice.flags, slice.args);
    end_event();
  }
}

void ChromeExporter::write_sample(const TrackPlace& place, const CounterSample& sample) {
  if (!std::isfinite(sample.value)) {
    ++samples_without_number_;
    return;
  }
  begin_event('C', place.pid, 0, sample.at);
  text_member("name", place.name);
  out_ += ",\"args\":{\"value\":";
  files::append_json_number(out_, sample.value);
  out_ += '}';
  end_event();
  ++counts_.counter_samples;
}

bool ChromeExporter::write_track(const TrackPlace& place, const Track& track) {
  for (std::size_t depth = 0; depth < place.lanes.size() && place.kind != PlaceKind::kNone; ++depth) {
    const LaneRowsView& lane = place.lanes[depth];
    for (std::uint64_t i = 0; i < lane.size(); ++i) {
      if (place.kind == PlaceKind::kAsync) {
        write_async(place, lane.slice(i));
      } else {
        write_complete(place, place.lane_tids[depth], lane.slice(i));
      }
      ++counts_.slices;
      if (!pace_.keep_going()) return false;
    }
  }
  CounterReader samples(track.counter);
  for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row) {
    write_sample(place, samples.sample(row));
    if (!pace_.keep_going()) return false;
  }
  return true;
}

void ChromeExporter::write_instant(const Instant& instant) {
  const TrackPlace& place = layout_.tracks[raw(instant.track)];
  const bool global = trace_.track(instant.track).info.kind == TrackKind::kMarkers;
  begin_event('i', place.pid, place.first_tid, instant.at);
  text_member("s", global ? "g" : "t");
  text_member("name", trace_.string(instant.name));
  text_member("cat", "instant");
  write_args(instant.op, 0, 0, instant.args);
  end_event();
  ++counts_.instants;
}

void ChromeExporter::write_flow_end(char phase, const Flow& flow, const FlowEnd& end) {
  begin_event(phase, end.pid, end.tid, end.at);
  out_ += ",\"id\":" + std::to_string(counts_.flows + 1);
  const std::string_view name = trace_.string(flow.name);
  text_member("name", name.empty() ? flow_kind_key(flow.kind) : name);
  text_member("cat", flow_kind_key(flow.kind));
  if (phase == 'f') text_member("bp", "e");
  end_event();
}

void ChromeExporter::write_flow(const Flow& flow) {
  const std::optional<BoundFlow> bound = bind_flow(layout_, flow);
  if (!bound) {
    ++unbound_flows_;
    return;
  }
  write_flow_end('s', flow, bound->from);
  write_flow_end('f', flow, bound->to);
  ++counts_.flows;
}

// ---- the whole --------------------------------------------------------------------------------------------

void ChromeExporter::write_other_data() {
  out_ +=
      "\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"written_by\":\"runahead\",\"times_rebased_by_ns\":\"" +
      std::to_string(ns_from(base_)) + "\"";
  out_ += ",\"flows_left_out\":" + std::to_string(unbound_flows_);
  out_ += ",\"samples_without_number\":" + std::to_string(samples_without_number_);
  out_ += ",\"metadata\":{";
  bool first = true;
  for (const auto& [key, value] : trace_.metadata()) {
    if (!std::exchange(first, false)) out_ += ',';
    files::append_json_string(out_, key);
    out_ += ':';
    files::append_json_string(out_, value);
  }
  out_ += "},\"losses\":{";
  first = true;
  for (int i = 0; i < kLossCauseCount; ++i) {
    const auto cause = static_cast<LossCause>(i);
    if (trace_.losses().of(cause) == 0) continue;
    if (!std::exchange(first, false)) out_ += ',';
    files::append_json_string(out_, loss_key(cause));
    out_ += ':' + std::to_string(trace_.losses().of(cause));
  }
  out_ += "}}";
}

bool ChromeExporter::write() {
  out_ += embeds_ ? embedded_json::kStart : "{\"traceEvents\":[";
  write_names();
  for (std::size_t i = 0; i < layout_.tracks.size(); ++i) {
    if (!write_track(layout_.tracks[i], trace_.tracks()[i])) return false;
  }
  InstantReader instants(trace_.instants());
  for (std::uint64_t i = 0; i < instants.size(); ++i) {
    write_instant(instants.instant(i));
    if (!pace_.keep_going()) return false;
  }
  for (std::uint64_t i = 0; i < trace_.flow_count(); ++i) {
    write_flow(trace_.flow(i));
    if (!pace_.keep_going()) return false;
  }
  write_other_data();
  return true;
}

bool ChromeExporter::write_recording(const recordings::Progress& progress) {
  const std::optional<EmbeddedRecording> recording = EmbeddedRecording::save(trace_, file_, progress);
  if (!recording) return false;
  out_ += embedded_json::kMember;
  out_ += embedded_json::kBytes;
  out_ += std::to_string(recording->size_bytes());
  out_ += embedded_json::kBase64;
  std::string_view between = "\n\"";
  const bool whole = recording->each_chunk(embedded_json::kLineBytes, file_, [&](std::string_view bytes) {
    out_ += std::exchange(between, ",\n\"");
    files::append_base64(out_, bytes);
    out_ += '"';
  });
  out_ += embedded_json::kBase64End;
  const std::uint64_t hash = file_.so_far().hash;
  out_ += embedded_json::kHash;
  out_ += std::to_string(hash);
  out_ += embedded_json::kEnd;
  return whole;
}

bool ChromeExporter::end() {
  out_ += embedded_json::kObjectEnd;
  return true;
}

}  // namespace

Result<ExportCounts> export_chrome_json(const Trace& trace, const std::filesystem::path& path,
                                        const recordings::Progress& progress, const ExportOptions& options) {
  return export_counted<ChromeExporter>(Destination::kChromeJson, trace, path, progress, options);
}

}  // namespace runahead::exporters
