#include "instrumentation/import/perfetto/perfetto_import.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/files/byte_source.h"
#include "instrumentation/files/inflate.h"
#include "instrumentation/files/json_text.h"
#include "instrumentation/import/common/embedded.h"
#include "instrumentation/import/common/lane_ends.h"
#include "instrumentation/import/common/nesting.h"
#include "instrumentation/import/perfetto/perfetto_decoder.h"
#include "instrumentation/import/perfetto/perfetto_file.h"
#include "instrumentation/import/perfetto/perfetto_layout.h"
#include "instrumentation/import/perfetto/perfetto_rows.h"
#include "instrumentation/trace/skipped_kinds.h"

namespace runahead::importers {
using namespace trace;
namespace {

using namespace perfetto;
using namespace exporters::perfetto;

// Size limit of a decompressed gzip file. A larger file would not fit in memory together with its trace.
constexpr std::size_t kMostPlainBytes = std::size_t{4} << 30;

// ---- a track that is made of several tracks of the file ---------------------------------------------------

// Combines the lanes of several tracks of the file that become one track. If `side_by_side` is true, tracks
// that do not overlap in time use the same lanes. Otherwise the lanes of each track are below the lanes of
// the previous track.
class LanePacker {
 public:
  explicit LanePacker(bool side_by_side) : side_by_side_(side_by_side) {}

  // False: there would be too many lanes.
  bool add(std::vector<LaneRows> lanes) {
    if (lanes.empty()) return true;
    const Timestamp begin = lanes.front().rows.front().begin;
    Timestamp end = begin;
    for (const LaneRows& lane : lanes) end = std::max(end, lane.rows.back().end);
    const std::size_t first = side_by_side_ ? first_free(lanes.size(), begin) : ends_.size();
    if (first + lanes.size() > kMostNestedLanes) return false;
    for (std::size_t i = 0; i < lanes.size(); ++i) put(first + i, std::move(lanes[i]), end);
    return true;
  }
  [[nodiscard]] std::vector<LaneRows> take() { return std::move(lanes_); }

 private:
  [[nodiscard]] std::size_t first_free(std::size_t count, Timestamp begin) const {
    std::size_t first = ends_.first_free(0, begin);
    for (std::size_t lane = first; lane < ends_.size() && lane < first + count; ++lane) {
      if (ends_.is_free(lane, begin)) continue;
      first = lane = ends_.first_free(lane, begin);
    }
    return first;
  }
  void put(std::size_t lane, LaneRows rows, Timestamp end) {
    if (lane == lanes_.size()) lanes_.push_back({rows.track, static_cast<std::uint32_t>(lane), {}});
    std::vector<Slice>& to = lanes_[lane].rows;
    to.insert(to.end(), rows.rows.begin(), rows.rows.end());
    // `end` is not before the lane's previous end: either the lane was free when the new rows begin, or the
    // lane is new.
    ends_.set(lane, end);
  }

  bool side_by_side_;
  std::vector<LaneRows> lanes_;
  LaneEnds ends_;
};

std::string us_text(std::int64_t ns) {
  std::string text = ns < 0 ? "-" : "";
  files::append_json_us(text, ns < 0 ? -ns : ns);
  return text;
}

class Assembler {
 public:
  // `cut`: number of bytes at the end that are not a complete packet.
  Assembler(Decoded decoded, std::uint64_t cut) : in_(std::move(decoded)), rows_(rows_of(in_)) {
    batch_.losses.add(rows_.losses);
    batch_.losses.add(LossCause::kImportCut, cut);
    if (!in_.tracks.is_own()) base_ = rows_.begin - Timestamp{};
  }

  Trace build() {
    std::vector<PlacedTrack> tracks = place_tracks(in_.tracks, rows_);
    track_of_.assign(in_.tracks.size(), kNoTrack);
    for (PlacedTrack& track : tracks) add_track(track);
    for (PlacedTrack& track : tracks) batch_.tracks.push_back(std::move(track.info));
    add_flows();
    std::stable_sort(batch_.instants.begin(), batch_.instants.end(),
                     [](const Instant& a, const Instant& b) { return a.at < b.at; });
    batch_.strings = std::move(in_.strings);
    batch_.args = std::move(in_.args);
    batch_.watermark = rows_.end - base_;
    Trace trace;
    trace.set_metadata("format", "perfetto");
    if (base_ != Duration{}) trace.set_metadata("import.first_us", us_text(ns_from(base_)));
    restore_own(trace);
    in_.skipped.add_to(trace);
    batch_.losses.add(in_.losses);  // must come after add_track(), which adds losses to in_
    trace.append(std::move(batch_));
    return trace;
  }

 private:
  void add_track(const PlacedTrack& track);
  void add_slices(const PlacedTrack& track);
  void add_flows();
  void restore_own(Trace& trace);
  [[nodiscard]] NodeRows& rows(NodeId id) { return rows_.nodes[static_cast<std::size_t>(id)]; }

  Decoded in_;
  Rows rows_;
  Duration base_{};
  std::vector<TrackId> track_of_;  // index: node
  Batch batch_;
};

void Assembler::add_track(const PlacedTrack& track) {
  const bool counts = track.info.kind == TrackKind::kCounter;
  CounterRows samples{track.info.id, {}};
  for (const NodeId node : track.nodes) {
    track_of_[static_cast<std::size_t>(node)] = track.info.id;
    for (Instant instant : rows(node).instants) {
      instant.at -= base_;
      instant.track = track.info.id;
      batch_.instants.push_back(instant);
    }
    if (!counts) {
      in_.skip("row", "sample_among_slices", rows(node).samples.size());
      continue;
    }
    in_.skip("row", "slice_among_samples", rows(node).slices.size());
    for (CounterSample sample : rows(node).samples) {
      sample.at -= base_;
      samples.rows.push_back(sample);
    }
  }
  if (track.nodes.size() > 1) {
    std::stable_sort(samples.rows.begin(), samples.rows.end(),
                     [](const CounterSample& a, const CounterSample& b) { return a.at < b.at; });
  }
  if (!samples.rows.empty()) batch_.counters.push_back(std::move(samples));
  if (!counts) add_slices(track);
}

void Assembler::add_slices(const PlacedTrack& track) {
  LanePacker packer(!in_.tracks.is_own());
  struct Part {
    std::vector<LaneRows> lanes;
    std::uint64_t slices = 0;
  };
  std::vector<Part> parts;
  for (const NodeId node : track.nodes) {
    std::vector<Slice> slices = std::move(rows(node).slices);
    for (Slice& slice : slices) {
      slice.begin -= base_;
      if (slice.end != kNeverClosed) slice.end -= base_;
    }
    const std::uint64_t count = slices.size();
    NestedSlices nested = nest_slices(track.info.id, std::move(slices), rows_.end - base_);
    batch_.losses.add(LossCause::kUnfinishedSlice, nested.unfinished);
    batch_.losses.add(LossCause::kClockWentBack, nested.backwards);
    in_.skip("row", "slice_too_deep", nested.too_deep);
    parts.push_back({std::move(nested.lanes), count - nested.too_deep});
  }
  if (!in_.tracks.is_own()) {
    std::stable_sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      if (a.lanes.empty() || b.lanes.empty()) return a.lanes.size() < b.lanes.size();
      return a.lanes.front().rows.front().begin < b.lanes.front().rows.front().begin;
    });
  }
  for (Part& part : parts) {
    if (!packer.add(std::move(part.lanes))) in_.skip("row", "slice_too_deep", part.slices);
  }
  for (LaneRows& lane : packer.take()) batch_.lanes.push_back(std::move(lane));
}

void Assembler::add_flows() {
  for (NodeFlow& told : rows_.flows) {
    Flow flow = told.flow;
    flow.from_track = track_of_[static_cast<std::size_t>(told.from)];
    flow.to_track = track_of_[static_cast<std::size_t>(told.to)];
    if (flow.from_track == kNoTrack || flow.to_track == kNoTrack) {
      batch_.losses.add(LossCause::kUnboundFlow);
      continue;
    }
    flow.from_time -= base_;
    flow.to_time -= base_;
    batch_.flows.push_back(flow);
  }
}

// Restores the metadata and losses of our own exports. They are lines in the description of the root track:
// "key: value" and "lost, key: count".
void Assembler::restore_own(Trace& trace) {
  std::string_view words = in_.tracks.own_words();
  words.remove_prefix(std::min(words.size(), words.find('\n')));
  while (!words.empty()) {
    words.remove_prefix(1);
    const std::string_view line = words.substr(0, words.find('\n'));
    words.remove_prefix(line.size());
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    const std::string_view key = line.substr(0, colon), value = line.substr(colon + 2);
    constexpr std::string_view kLost = "lost, ";
    if (!key.starts_with(kLost)) {
      if (key != "format") trace.set_metadata(std::string(key), std::string(value));
      continue;
    }
    for (int i = 0; i < kLossCauseCount; ++i) {
      const auto cause = static_cast<LossCause>(i);
      if (loss_key(cause) != key.substr(kLost.size())) continue;
      std::uint64_t count = 0;
      std::from_chars(value.data(), value.data() + value.size(), count);
      batch_.losses.add(cause, count);
    }
  }
}

// ---- files ------------------------------------------------------------------------------------------------

Result<Trace> import_packets(files::ByteSource& source, const std::filesystem::path& name,
                             const recordings::Progress& progress) {
  Result<std::optional<Trace>> embedded = embedded_in_perfetto(source, progress);
  if (!embedded) return file_error("trace", name, embedded.error().message);
  if (*embedded) return std::move(**embedded);
  Decoder decoder;
  bool cancelled = false;
  const auto go_on = [&](double done) { return !(cancelled = progress && !progress(done)); };
  const std::uint64_t cut = each_packet(
      source, [&](std::string_view packet) { decoder.packet(packet); }, go_on);
  if (cancelled) return file_error("trace", name, "was cancelled");
  Decoded decoded = decoder.take();
  if (decoded.packets == 0) return file_error("trace", name, "holds no whole packet of a Perfetto trace");
  return Assembler(std::move(decoded), cut).build();
}

Result<Trace> import_source(files::ByteSource& source, const std::filesystem::path& name,
                            const recordings::Progress& progress) {
  if (!files::looks_like_gzip(source.view(0, 2))) return import_packets(source, name, progress);
  if (!files::can_inflate()) {
    return file_error("trace", name,
                      "is compressed, which this build cannot read; install zlib1g-dev and build again, or "
                      "run gunzip on it first");
  }
  std::string plain;
  const files::Inflated inflated = files::inflate_all(source, kMostPlainBytes, plain);
  files::MemorySource inside(plain);
  Result<Trace> trace = import_packets(inside, name, progress);
  if (trace && !inflated.whole) trace->add_loss(LossCause::kImportCut, inflated.input_left);
  return trace;
}

}  // namespace

bool looks_like_perfetto(std::string_view start) { return looks_like_packets(start); }

Result<Trace> load_perfetto(const std::filesystem::path& path, const recordings::Progress& progress) {
  Result<std::unique_ptr<files::FileSource>> source = files::FileSource::open("trace", path);
  if (!source) return source.error();
  return import_source(**source, path, progress);
}

Result<Trace> read_perfetto(std::span<const std::byte> bytes, const std::string& name) {
  files::MemorySource source({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return import_source(source, name, {});
}

}  // namespace runahead::importers
