#include "instrumentation/export/perfetto_export.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <protozero/pbf_writer.hpp>
#include <set>
#include <string>
#include <vector>

#include "instrumentation/export/chrome_layout.h"
#include "instrumentation/export/embedded_recording.h"
#include "instrumentation/export/export_file.h"
#include "instrumentation/export/perfetto_export_flows.h"
#include "instrumentation/export/perfetto_export_stack.h"
#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/trace/labels.h"
#include "instrumentation/trace/row_reader.h"

namespace runahead::exporters {
using namespace trace;
namespace {

using namespace perfetto;
using protozero::pbf_writer;

constexpr std::uint32_t kSequence = 1;
constexpr std::uint64_t kRootUuid = 1;

// The ids of our own argument names, which every file defines. The ids of the trace's argument names follow
// them.
enum OwnKey : std::uint64_t {
  kOpKey = 1,
  kEngineKey,
  kStepKey,
  kBytesKey,
  kFlagsKey,
  kFlowsKey,
  kFlowsAtEndKey,
  kFirstTraceKey
};
constexpr std::array<std::string_view, 7> kOwnKeys{"op",    "engine",           "step",          "bytes",
                                                   "flags", flow_key::kAtBegin, flow_key::kAtEnd};
// The serial number of the process's first engine. Operations of this engine are written without an engine
// argument.
constexpr std::uint64_t kFirstEngine = 1;
// The category id of instants follows the category ids of the slice kinds.
constexpr std::uint64_t kInstantCategory = kSliceKindCount + 1;

std::string track_words(const TrackInfo& info) {
  std::string words(kTrackWords);
  words += "kind=" + std::string(track_kind_key(info.kind));
  if (info.unit != Unit::kNone) words += " unit=" + std::string(unit_key(info.unit));
  if (info.role != CounterRole::kOther) words += " role=" + std::string(counter_role_key(info.role));
  if (info.pid != 0) words += " pid=" + std::to_string(info.pid);
  if (info.tid != 0) words += " tid=" + std::to_string(info.tid);
  if (info.simulated) words += " simulated=1";
  if (!info.device.empty()) words += " device=" + info.device;
  return words;
}

class PerfettoExporter {
 public:
  PerfettoExporter(const Trace& trace, ExportFile& file, const recordings::Progress& progress, bool)
      : trace_(trace),
        layout_(lay_out_for_chrome(trace)),
        file_(file),
        out_(file.text()),
        pace_(file, progress, exported_rows(trace)),
        base_(std::min(trace.extent().begin, Timestamp{})),
        names_out_(trace.string_count()),
        keys_out_(trace.string_count()),
        flows_(trace, layout_, base_),
        next_uuid_(kRootUuid + 1 + trace.tracks().size()) {}

  // Call the next three functions in this order. Each returns false if the export was cancelled or writing
  // failed.
  bool write();
  bool write_recording(const recordings::Progress& progress);
  bool end() { return true; }
  [[nodiscard]] const ExportCounts& counts() const { return counts_; }

 private:
  [[nodiscard]] static std::uint64_t uuid_of(TrackId track) { return kRootUuid + 1 + raw(track); }

  void write_first_packet();
  void write_root();
  void write_descriptor(std::uint64_t uuid, const Track& track, std::uint64_t lanes_key);
  bool write_slices(const TrackPlace& place, const Track& track);
  bool write_stack(const TrackPlace& place, TrackId track, std::uint64_t uuid,
                   std::vector<std::uint32_t> depths);
  bool write_samples(const Track& track);
  bool write_instants();

  // The ids that the trace uses for the name and the arguments of an event.
  struct Named {
    StringId name{};
    ArgsId args = kNoArgs;
  };
  // Writes a packet with an event. Before the event, the packet defines the names that the event uses. If
  // `named` is null, the event uses no names. write_event() calls `fill` with the writer of the event, and
  // `fill` adds the event's other fields.
  template <typename Fill>
  void write_event(Timestamp at, event::Type type, std::uint64_t uuid, const Named* named, Fill fill);
  void define(pbf_writer& packet, const Named& named);
  void add_args(pbf_writer& event, OpId op, std::int64_t size_bytes, std::uint8_t flags, ArgsId args);

  const Trace& trace_;
  const ChromeLayout layout_;
  ExportFile& file_;
  std::string& out_;
  ExportPace pace_;
  const Timestamp base_;
  std::vector<bool> names_out_, keys_out_;  // index: StringId; true: already defined in the file
  const PerfettoFlows flows_;
  ExportCounts counts_;
  std::uint64_t next_uuid_;
};

// ---- packets ----------------------------------------------------------------------------------------------

void add_entry(pbf_writer& interned, std::uint32_t field, std::uint64_t iid, std::string_view text) {
  pbf_writer entry(interned, field);
  entry.add_uint64(interned::kIid, iid);
  entry.add_string(interned::kText, text.data(), text.size());
}

void PerfettoExporter::write_first_packet() {
  pbf_writer file(out_);
  pbf_writer packet(file, file::kPacket);
  packet.add_uint32(packet::kSequenceId, kSequence);
  packet.add_uint32(packet::kSequenceFlags, packet::kStateCleared);
  pbf_writer interned(packet, packet::kInternedData);
  for (int kind = 0; kind < kSliceKindCount; ++kind) {
    add_entry(interned, interned::kCategories, static_cast<std::uint64_t>(kind) + 1,
              slice_kind_key(static_cast<SliceKind>(kind)));
  }
  add_entry(interned, interned::kCategories, kInstantCategory, "instant");
  for (std::size_t i = 0; i < kOwnKeys.size(); ++i) {
    add_entry(interned, interned::kAnnotationNames, i + 1, kOwnKeys[i]);
  }
}

// Adds the definitions of the names that no earlier packet defines.
void PerfettoExporter::define(pbf_writer& packet, const Named& named) {
  const auto [name, args] = named;
  std::vector<StringId> new_keys;
  for (const Arg& arg : trace_.args(args)) {
    if (keys_out_[raw(arg.key)]) continue;
    keys_out_[raw(arg.key)] = true;
    new_keys.push_back(arg.key);
  }
  const bool new_name = !names_out_[raw(name)];
  if (!new_name && new_keys.empty()) return;
  pbf_writer interned(packet, packet::kInternedData);
  if (new_name) add_entry(interned, interned::kEventNames, raw(name) + 1ull, trace_.string(name));
  names_out_[raw(name)] = true;
  for (const StringId key : new_keys) {
    add_entry(interned, interned::kAnnotationNames, kFirstTraceKey + raw(key), trace_.string(key));
  }
}

template <typename Fill>
void PerfettoExporter::write_event(Timestamp at, event::Type type, std::uint64_t uuid, const Named* named,
                                   Fill fill) {
  {
    pbf_writer file(out_);
    pbf_writer packet(file, file::kPacket);
    packet.add_uint64(packet::kTimestamp, static_cast<std::uint64_t>(ns_from(at - base_)));
    packet.add_uint32(packet::kSequenceId, kSequence);
    packet.add_uint32(packet::kSequenceFlags, packet::kNeedsState);
    if (named != nullptr) define(packet, *named);
    pbf_writer event(packet, packet::kTrackEvent);
    event.add_int32(event::kType, type);
    event.add_uint64(event::kTrackUuid, uuid);
    fill(event);
  }
  file_.flush_if_large();
}

void add_number(pbf_writer& event, OwnKey key, std::int64_t value) {
  pbf_writer annotation(event, event::kDebugAnnotations);
  annotation.add_uint64(annotation::kNameIid, key);
  annotation.add_int64(annotation::kInt, value);
}

void PerfettoExporter::add_args(pbf_writer& event, OpId op, std::int64_t size_bytes, std::uint8_t flags,
                                ArgsId args) {
  const auto number = [&](OwnKey key, std::int64_t value) { add_number(event, key, value); };
  if (op != kNoOp) {
    number(kOpKey, static_cast<std::int64_t>(op_number(op)));
    if (raw(op) >> 48 != kFirstEngine) number(kEngineKey, static_cast<std::int64_t>(raw(op) >> 48));
    const std::optional<OpRow> row = trace_.op(op);
    if (row && row->step >= 0) number(kStepKey, row->step);
  }
  if (size_bytes != 0) number(kBytesKey, size_bytes);
  if (flags != 0) {
    pbf_writer annotation(event, event::kDebugAnnotations);
    annotation.add_uint64(annotation::kNameIid, kFlagsKey);
    annotation.add_string(annotation::kString, slice_flag_keys(flags));
  }
  if (trace_.args(args).empty()) return;
  // An event must not have the same key twice. A key of the trace must also differ from our own keys, because
  // readers give our keys a meaning.
  std::set<std::string, std::less<>> used(kOwnKeys.begin(), kOwnKeys.end());
  for (const Arg& arg : trace_.args(args)) {
    pbf_writer annotation(event, event::kDebugAnnotations);
    std::string key(trace_.string(arg.key));
    if (used.insert(key).second) {
      annotation.add_uint64(annotation::kNameIid, kFirstTraceKey + raw(arg.key));
    } else {
      do key += '_';
      while (!used.insert(key).second);
      annotation.add_string(annotation::kName, key);
    }
    if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) {
      annotation.add_int64(annotation::kInt, *integer);
    } else if (const auto* real = std::get_if<double>(&arg.value)) {
      annotation.add_double(annotation::kDouble, *real);
    } else {
      const std::string_view text = trace_.string(std::get<StringId>(arg.value));
      annotation.add_string(annotation::kString, text.data(), text.size());
    }
  }
}

// ---- tracks -----------------------------------------------------------------------------------------------

void PerfettoExporter::write_root() {
  std::string words(kRootWords);
  for (const auto& [key, value] : trace_.metadata()) words += "\n" + key + ": " + value;
  for (int i = 0; i < kLossCauseCount; ++i) {
    const auto cause = static_cast<LossCause>(i);
    if (const std::uint64_t count = trace_.losses().of(cause); count != 0)
      words += "\nlost, " + std::string(loss_key(cause)) + ": " + std::to_string(count);
  }
  if (const std::uint64_t left_out = trace_.flow_count() - counts_.flows; left_out != 0)
    words += "\nflows left out: " + std::to_string(left_out);
  pbf_writer file(out_);
  pbf_writer packet(file, file::kPacket);
  packet.add_uint32(packet::kSequenceId, kSequence);
  pbf_writer track(packet, packet::kTrackDescriptor);
  track.add_uint64(descriptor::kUuid, kRootUuid);
  track.add_string(descriptor::kName, "Runahead");
  track.add_string(descriptor::kDescription, words);
  track.add_int32(descriptor::kChildOrdering, descriptor::kExplicit);
}

// Marks the track as a counter track. Readers drop the samples of a track without a counter descriptor. An
// empty descriptor is enough.
void add_counter_descriptor(pbf_writer& track, Unit unit) {
  if (unit == Unit::kNone) return track.add_message(descriptor::kCounter, std::string());
  pbf_writer counter(track, descriptor::kCounter);
  switch (unit) {
    case Unit::kNone:
      return;
    case Unit::kNanoseconds:
      return counter.add_int32(counter::kUnit, counter::kNanoseconds);
    case Unit::kCount:
      return counter.add_int32(counter::kUnit, counter::kCount);
    case Unit::kBytes:
      return counter.add_int32(counter::kUnit, counter::kBytes);
    case Unit::kPerSecond:
      return counter.add_string(counter::kUnitName, "/s");
    case Unit::kBytesPerSecond:
      return counter.add_string(counter::kUnitName, "bytes/s");
    case Unit::kRatio:
      return counter.add_string(counter::kUnitName, "ratio");
  }
}

// `lanes_key`: viewers draw tracks with the same key as one track. It is not 0 if one track of the trace
// becomes several tracks of the file.
void PerfettoExporter::write_descriptor(std::uint64_t uuid, const Track& track, std::uint64_t lanes_key) {
  const TrackInfo& info = track.info;
  {
    pbf_writer file(out_);
    pbf_writer packet(file, file::kPacket);
    packet.add_uint32(packet::kSequenceId, kSequence);
    pbf_writer writer(packet, packet::kTrackDescriptor);
    writer.add_uint64(descriptor::kUuid, uuid);
    writer.add_string(descriptor::kName, track_name(info));
    writer.add_uint64(descriptor::kParentUuid, info.parent == kNoTrack ? kRootUuid : uuid_of(info.parent));
    if (info.kind == TrackKind::kCounter && uuid == uuid_of(info.id))
      add_counter_descriptor(writer, info.unit);
    writer.add_int32(descriptor::kChildOrdering, descriptor::kExplicit);
    writer.add_int32(descriptor::kSiblingOrderRank, layout_.tracks[raw(info.id)].rank);
    writer.add_string(descriptor::kDescription, track_words(info));
    writer.add_int32(descriptor::kSiblingMergeBehavior,
                     lanes_key == 0 ? descriptor::kMergeNone : descriptor::kByKey);
    if (lanes_key != 0) writer.add_uint64(descriptor::kSiblingMergeKeyInt, lanes_key);
  }
  file_.flush_if_large();
}

// ---- rows -------------------------------------------------------------------------------------------------

bool PerfettoExporter::write_stack(const TrackPlace& place, TrackId track, std::uint64_t uuid,
                                   std::vector<std::uint32_t> depths) {
  StackWalk walk(place.lanes, std::move(depths));
  for (StackWalk::Event step; walk.next(step);) {
    const auto& [depth, row, slice] = step.placed;
    const FlowPlace here{track, depth, row, !step.begins};
    if (!step.begins) {
      write_event(slice.end, event::kEnd, uuid, nullptr,
                  [&](pbf_writer& event) { flows_.add_to(event, here, kFlowsAtEndKey); });
      continue;
    }
    const Named named{slice.name, slice.args};
    write_event(slice.begin, event::kBegin, uuid, &named, [&](pbf_writer& event) {
      event.add_uint64(event::kCategoryIids, raw(slice.kind) + 1ull);
      event.add_uint64(event::kNameIid, raw(slice.name) + 1ull);
      add_args(event, slice.op, slice.size_bytes, slice.flags, slice.args);
      flows_.add_to(event, here, kFlowsKey);
    });
    ++counts_.slices;
    if (!pace_.keep_going()) return false;
  }
  return true;
}

bool PerfettoExporter::write_slices(const TrackPlace& place, const Track& track) {
  // Lanes that share a thread in the layout share a track of the file. On an asynchronous track, each lane
  // has its own track of the file.
  std::vector<std::vector<std::uint32_t>> stacks;
  for (std::uint32_t depth = 0; place.kind != PlaceKind::kNone && depth < place.lanes.size(); ++depth) {
    const bool threads = place.kind == PlaceKind::kThreads;
    const auto stack =
        threads ? static_cast<std::size_t>(place.lane_tids[depth] - place.first_tid) : stacks.size();
    if (stack >= stacks.size()) stacks.resize(stack + 1);
    stacks[stack].push_back(depth);
  }
  const TrackId id = track.info.id;
  const std::uint64_t key = stacks.size() > 1 ? uuid_of(id) : 0;
  write_descriptor(uuid_of(id), track, key);
  for (std::size_t i = 0; i < stacks.size(); ++i) {
    const std::uint64_t uuid = i == 0 ? uuid_of(id) : next_uuid_++;
    if (i > 0) write_descriptor(uuid, track, key);
    if (!write_stack(place, id, uuid, std::move(stacks[i]))) return false;
  }
  return true;
}

bool is_whole(double value) {
  // A double represents every whole number up to this value.
  return std::abs(value) <= 9007199254740992.0 && value == std::floor(value) && !std::signbit(value);
}

bool PerfettoExporter::write_samples(const Track& track) {
  CounterReader samples(track.counter);
  for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row) {
    const CounterSample sample = samples.sample(row);
    write_event(sample.at, event::kCounterSample, uuid_of(track.info.id), nullptr, [&](pbf_writer& event) {
      if (is_whole(sample.value)) {
        event.add_int64(event::kCounterValue, static_cast<std::int64_t>(sample.value));
      } else {
        event.add_double(event::kDoubleCounterValue, sample.value);
      }
    });
    ++counts_.counter_samples;
    if (!pace_.keep_going()) return false;
  }
  return true;
}

bool PerfettoExporter::write_instants() {
  // Extra tracks for the instants of counter tracks, because a counter track accepts only samples.
  std::map<TrackId, std::uint64_t> beside;
  InstantReader instants(trace_.instants());
  for (std::uint64_t i = 0; i < instants.size(); ++i) {
    const Instant instant = instants.instant(i);
    std::uint64_t uuid = uuid_of(instant.track);
    if (const Track& track = trace_.track(instant.track); track.info.kind == TrackKind::kCounter) {
      const auto [found, is_new] = beside.try_emplace(instant.track, next_uuid_);
      uuid = found->second;
      if (is_new) write_descriptor(next_uuid_++, track, 0);
    }
    const Named named{instant.name, instant.args};
    write_event(instant.at, event::kInstant, uuid, &named, [&](pbf_writer& event) {
      event.add_uint64(event::kCategoryIids, kInstantCategory);
      event.add_uint64(event::kNameIid, raw(instant.name) + 1ull);
      add_args(event, instant.op, 0, 0, instant.args);
    });
    ++counts_.instants;
    if (!pace_.keep_going()) return false;
  }
  return true;
}

// ---- the whole --------------------------------------------------------------------------------------------

bool PerfettoExporter::write() {
  write_first_packet();
  counts_.flows = flows_.count();
  write_root();
  for (const Track& track : trace_.tracks()) {
    if (!write_slices(layout_.tracks[raw(track.info.id)], track) || !write_samples(track)) return false;
  }
  return write_instants();
}

bool PerfettoExporter::write_recording(const recordings::Progress& progress) {
  const std::optional<EmbeddedRecording> recording = EmbeddedRecording::save(trace_, file_, progress);
  if (!recording) return false;
  const std::uint64_t begin = file_.so_far().count;
  const auto write_packet = [&](const auto& fill) {
    pbf_writer file(out_);
    pbf_writer packet(file, file::kPacket);
    pbf_writer embedded(packet, packet::kEmbedded);
    fill(embedded);
  };
  const bool whole = recording->each_chunk(embedded::kChunkBytes, file_, [&](std::string_view bytes) {
    write_packet([&](pbf_writer& chunk) { chunk.add_bytes(embedded::kBytes, bytes.data(), bytes.size()); });
  });
  const std::uint64_t hash = file_.so_far().hash;
  write_packet([&](pbf_writer& tail) {
    tail.add_fixed64(embedded::kBegin, begin);
    tail.add_fixed64(embedded::kHash, hash);
    tail.add_fixed64(embedded::kTotal, recording->size_bytes());
  });
  return whole;
}

}  // namespace

Result<ExportCounts> export_perfetto(const Trace& trace, const std::filesystem::path& path,
                                     const recordings::Progress& progress, const ExportOptions& options) {
  return export_counted<PerfettoExporter>(Destination::kPerfetto, trace, path, progress, options);
}

}  // namespace runahead::exporters
