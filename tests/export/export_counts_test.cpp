// Tests the export and import of every kind of row on every kind of track. Each imported track has as many
// rows as the export reports for it. The export counts the rows that a format cannot represent.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <protozero/pbf_reader.hpp>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "instrumentation/export/chrome_json.h"
#include "instrumentation/export/csv.h"
#include "instrumentation/export/perfetto_export.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording.h"
#include "instrumentation/trace/labels.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::exporters {
using namespace trace;
using namespace files;
using namespace importers;
using namespace recordings;
namespace {

using namespace runahead::testing;

constexpr Unit kUnits[] = {Unit::kNone,           Unit::kCount,       Unit::kBytes, Unit::kPerSecond,
                           Unit::kBytesPerSecond, Unit::kNanoseconds, Unit::kRatio};
constexpr TrackKind kKinds[] = {TrackKind::kThread, TrackKind::kFrontend, TrackKind::kWorker,
                                TrackKind::kStream, TrackKind::kQueue,    TrackKind::kAsync,
                                TrackKind::kMarkers};
static_assert(std::size(kUnits) == kUnitCount);
static_assert(std::size(kKinds) + 2 == kTrackKindCount, "all but groups and counters");

// Builds a batch with a track of each kind, and a counter of each unit and role, all with rows.
class EveryKind {
 public:
  explicit EveryKind(std::uint64_t seed) : random_(seed) {
    batch_.strings = {"", "a", "b", "category"};
    batch_.args.push_back({{StringId{1}, std::int64_t{7}}, {StringId{2}, 0.5}, {StringId{3}, StringId{2}}});
    add_track(TrackKind::kGroup, kNoTrack);
    for (const TrackKind kind : kKinds)
      add_slices(add_track(kind, kind == TrackKind::kMarkers ? kNoTrack : TrackId{0}));
    for (const Unit unit : kUnits) {
      for (int role = 0; role < kCounterRoleCount; ++role)
        add_samples(add_track(TrackKind::kCounter, TrackId{0}, unit, static_cast<CounterRole>(role)));
    }
    add_instants();
    add_flows();
    add_facts();
    batch_.watermark = timestamp_from_ns(1'000'000);
  }
  [[nodiscard]] Trace build() {
    Trace trace;
    trace.append(std::move(batch_));
    return trace;
  }

 private:
  TrackId add_track(TrackKind kind, TrackId parent, Unit unit = Unit::kNone,
                    CounterRole role = CounterRole::kOther) {
    const TrackId id{static_cast<std::uint32_t>(batch_.tracks.size())};
    batch_.tracks.push_back({.id = id, .parent = parent, .kind = kind, .unit = unit, .role = role});
    batch_.tracks.back().name = "track<" + std::to_string(raw(id)) + ">";
    return id;
  }
  void add_slices(TrackId track) {
    for (std::uint32_t depth = 0; depth < 3; ++depth) {
      LaneRows lane{track, depth, {}};
      std::int64_t at = random_.integer(0, 100);
      for (std::int64_t n = random_.integer(1, 20); n > 0; --n) {
        const std::int64_t end = at + random_.integer(0, 300);
        Slice slice{timestamp_from_ns(at), timestamp_from_ns(end), StringId{1}};
        slice.kind = static_cast<SliceKind>(random_.integer(0, kSliceKindCount - 1));
        slice.args = random_.chance(0.5) ? ArgsId{1} : kNoArgs;
        lane.rows.push_back(slice);
        at = end + random_.integer(0, 50);
      }
      batch_.lanes.push_back(std::move(lane));
    }
    slice_tracks_.push_back(track);
    if (random_.chance(0.5))
      batch_.open_slices.push_back({track, 3, {timestamp_from_ns(500), {}, StringId{2}}});
  }
  void add_samples(TrackId track) {
    constexpr double kOdd[] = {0, -1, 0.1, 1e300, -1e-300, 9007199254740993.0, 1.0 / 3};
    CounterRows rows{track, {}};
    std::int64_t at = 0;
    for (std::int64_t n = random_.integer(1, 20); n > 0; --n) {
      at += random_.integer(0, 100);
      rows.rows.push_back({timestamp_from_ns(at), kOdd[random_.integer(0, std::ssize(kOdd) - 1)]});
    }
    rows.rows.push_back({timestamp_from_ns(at), std::nan("")});
    rows.rows.push_back({timestamp_from_ns(at), -std::numeric_limits<double>::infinity()});
    batch_.counters.push_back(std::move(rows));
  }
  void add_instants() {
    std::int64_t at = 0;
    for (int round = 0; round < 3; ++round) {
      for (const TrackInfo& track : batch_.tracks) {
        if (track.kind == TrackKind::kGroup) continue;
        at += random_.integer(0, 20);
        batch_.instants.push_back({timestamp_from_ns(at), track.id, StringId{1}, kNoOp, ArgsId{1}});
      }
    }
  }
  void add_flows() {
    const auto any = [&] {
      return slice_tracks_[static_cast<std::size_t>(random_.integer(0, std::ssize(slice_tracks_) - 1))];
    };
    for (int i = 0; i < 200; ++i) {
      const std::int64_t at = random_.integer(0, 4000);
      batch_.flows.push_back({static_cast<FlowKind>(random_.integer(0, kFlowKindCount - 1)), any(), any(),
                              timestamp_from_ns(at), timestamp_from_ns(at + random_.integer(0, 500)), kNoOp,
                              StringId{2}});
    }
  }
  void add_facts() {
    for (std::uint64_t i = 1; i <= 5; ++i) {
      batch_.ops.push_back({.id = OpId{i}, .name = StringId{1}, .ended = timestamp_from_ns(9)});
      if (i > 1)
        batch_.dependencies.push_back({OpId{i}, OpId{i - 1}, DependencyKind{}, timestamp_from_ns(1)});
    }
    batch_.allocations.push_back({.block = 1, .counter = batch_.counters[0].track, .size_bytes = 8});
  }

  Random random_;
  Batch batch_;
  std::vector<TrackId> slice_tracks_;
};

// The number of rows by kind and track. A file may have several tracks for one track of the trace. The names
// of these tracks contain the original track's name.
using Counts = std::map<std::pair<std::string, std::string>, std::uint64_t>;

std::string own_name(const Trace& trace, TrackId track) {
  const std::string& name = trace.track(track).info.name;
  const std::size_t begin = name.find("track<");
  return begin == name.npos ? name : name.substr(begin, name.find('>', begin) + 1 - begin);
}

Counts counts_of(const Trace& trace, bool with_numbers_only = false) {
  Counts out;
  for (const OpenSlice& open : trace.open_slices()) ++out[{"slice", own_name(trace, open.track)}];
  for (const Track& track : trace.tracks()) {
    const std::string name = own_name(trace, track.info.id);
    for (const Lane& lane : track.lanes) {
      if (lane.size() > 0) out[{"slice", name}] += lane.size();
    }
    for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row) {
      const bool number = std::isfinite(track.counter.sample(row).value);
      if (number || !with_numbers_only) ++out[{"sample", name}];
    }
  }
  for (std::uint64_t i = 0; i < trace.instant_count(); ++i) {
    // In Chrome JSON, an instant that is drawn through all tracks belongs to no thread. Therefore the
    // instants of all marker tracks are counted together.
    const TrackId track = trace.instant(i).track;
    const bool marker = trace.track(track).info.kind == TrackKind::kMarkers;
    ++out[{"instant", marker ? "markers" : own_name(trace, track)}];
  }
  return out;
}

Counts flows_of(const Trace& trace) {
  Counts out;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const Flow flow = trace.flow(i);
    ++out[{own_name(trace, flow.from_track), own_name(trace, flow.to_track)}];
  }
  return out;
}

std::uint64_t total(const Counts& counts, std::string_view kind) {
  std::uint64_t sum = 0;
  for (const auto& [key, count] : counts) sum += key.first == kind ? count : 0;
  return sum;
}

void expect_counted(const ExportCounts& counts, const Trace& back) {
  const Counts is = counts_of(back);
  EXPECT_EQ(counts.slices, total(is, "slice"));
  EXPECT_EQ(counts.instants, total(is, "instant"));
  EXPECT_EQ(counts.counter_samples, total(is, "sample"));
  EXPECT_EQ(counts.flows, back.flow_count());
}

struct Format {
  const char* name;
  Result<ExportCounts> (*write)(const Trace&, const std::filesystem::path&, const Progress&,
                                const ExportOptions&);
  // True: the format can store samples that are not numbers (NaN and infinity). False: the export drops these
  // samples.
  bool takes_no_numbers;
};
void PrintTo(const Format& format, std::ostream* out) { *out << format.name; }

class EveryRow : public ::testing::TestWithParam<Format> {
 protected:
  struct Out {
    ExportCounts counts;
    Trace back;
  };
  Out out_and_in(const Trace& trace, const ExportOptions& options) {
    const ScratchFolder folder;
    const auto counts = GetParam().write(trace, folder / GetParam().name, {}, options);
    EXPECT_TRUE(counts.ok()) << counts.error().message;
    Result<Trace> back = load_any(folder / GetParam().name);
    EXPECT_TRUE(back.ok()) << back.error().message;
    return {*counts, std::move(back).value()};
  }
};

INSTANTIATE_TEST_SUITE_P(ExportCounts, EveryRow,
                         ::testing::Values(Format{"a.json", export_chrome_json, false},
                                           Format{"a.pftrace", export_perfetto, true}));

TEST_P(EveryRow, OfTheEventsComesBackOnItsTrackAndIsCounted) {
  for (std::uint64_t round = 0; round < 5; ++round) {
    const std::uint64_t seed = test_seed() + round;
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Trace trace = EveryKind(seed).build();
    const Out out = out_and_in(trace, kEventsOnly);
    const bool numbers_only = !GetParam().takes_no_numbers;
    EXPECT_EQ(counts_of(out.back), counts_of(trace, numbers_only));
    expect_counted(out.counts, out.back);
    const Counts was = flows_of(trace), is = flows_of(out.back);
    for (const auto& [between, count] : is)
      EXPECT_LE(count, was.at(between)) << between.first << " to " << between.second;
    EXPECT_GT(out.counts.flows, 0u);
    const TraceCounts all = trace.counts();
    EXPECT_EQ(out.counts.left_out,
              (ExportCounts::LeftOut{.counter_samples = numbers_only ? 2 * all.counters : 0,
                                     .flows = all.flows - out.back.flow_count(),
                                     .ops = 5,
                                     .dependencies = 4,
                                     .allocations = 1}));
    EXPECT_FALSE(out.counts.carries_recording);
  }
}

TEST_P(EveryRow, OfHalfAMessageIsLeftOutOfTheEventsAndCounted) {
  const Trace trace = TraceBuilder{}
                          .track("main")
                          .slice("sends", 0_ns, 50_ns)
                          .slice("receives", 60_ns, 30_ns)
                          .message_out("main", 20_ns, 7, "token")
                          .message_in("main", 80_ns, 7)
                          .flow(FlowKind::kOther, "main", 10_ns, "main", 70_ns)
                          .build();
  const Out events = out_and_in(trace, kEventsOnly);
  EXPECT_EQ(events.counts.flows, 1u);
  EXPECT_EQ(events.counts.left_out.flows, 2u);
  EXPECT_EQ(events.back.flow_count(), 1u);
  if (!recordings_supported()) GTEST_SKIP() << "this build writes no recordings";
  const Out whole = out_and_in(trace, {});
  ASSERT_EQ(whole.back.flow_count(), 3u);
  EXPECT_EQ(whole.back.flow(0), trace.flow(0));
  EXPECT_EQ(whole.back.flow(1).message, 7u);
}

TEST_P(EveryRow, OfTheTraceComesBackByTheRecordingThatAnExportCarries) {
  if (!recordings_supported()) GTEST_SKIP() << "this build writes no recordings";
  const Trace trace = EveryKind(test_seed()).build();
  const Out out = out_and_in(trace, {});
  EXPECT_TRUE(out.counts.carries_recording);
  EXPECT_EQ(counts_of(out.back), counts_of(trace));
  EXPECT_EQ(flows_of(out.back), flows_of(trace));
  EXPECT_EQ(out.back.counts().ops, out.counts.left_out.ops);
  EXPECT_EQ(out.back.counts().dependencies, out.counts.left_out.dependencies);
  EXPECT_EQ(out.back.counts().allocations, out.counts.left_out.allocations);
}

// How other readers understand the format: the track's descriptor says whether the track is a counter track.
// A counter track accepts only samples, and no other track accepts samples. The field numbers are those of
// TracePacket, TrackDescriptor and TrackEvent.
struct TracksOfFile {
  std::set<std::uint64_t> counters, with_samples, with_others;

  explicit TracksOfFile(const std::string& bytes) {
    for (protozero::pbf_reader file(bytes); file.next(1);) {
      for (protozero::pbf_reader packet = file.get_message(); packet.next();) {
        if (packet.tag() == 60) {
          descriptor(packet.get_message());
        } else if (packet.tag() == 11) {
          event(packet.get_message());
        } else {
          packet.skip();
        }
      }
    }
  }

 private:
  void descriptor(protozero::pbf_reader track) {
    std::uint64_t uuid = 0;
    bool counter = false;
    while (track.next()) {
      counter = counter || track.tag() == 8;
      if (track.tag() == 1) {
        uuid = track.get_uint64();
      } else {
        track.skip();
      }
    }
    if (counter) counters.insert(uuid);
  }
  void event(protozero::pbf_reader event) {
    std::uint64_t track = 0;
    std::int32_t type = 0;
    while (event.next()) {
      if (event.tag() == 9) {
        type = event.get_int32();
      } else if (event.tag() == 11) {
        track = event.get_uint64();
      } else {
        event.skip();
      }
    }
    (type == 4 ? with_samples : with_others).insert(track);
  }
};

TEST(ExportCounts, InPerfettoEveryTrackWithSamplesIsACountersForAnyReader) {
  const ScratchFolder folder;
  const Trace trace = EveryKind(test_seed()).build();
  ASSERT_TRUE(export_perfetto(trace, folder / "a.pftrace", {}, kEventsOnly).ok());
  const TracksOfFile file(file_bytes(folder / "a.pftrace"));
  EXPECT_EQ(file.counters.size(), trace.counts().counters);
  EXPECT_EQ(file.with_samples, file.counters);
  for (const std::uint64_t track : file.with_others) EXPECT_FALSE(file.counters.contains(track)) << track;
}

// Exports two traces. In the first, each slice is inside the previous slice. In the second, all slices
// overlap each other partly. An export that compared each slice with every other slice would be too slow.
TEST(ExportCounts, ManySlicesAtOneMomentComeBack) {
  constexpr std::uint32_t kMany = rounds(50'000);
  for (const bool nest : {true, false}) {
    Batch batch;
    batch.strings = {"", "a"};
    batch.tracks.push_back({.id = TrackId{0}, .kind = TrackKind::kThread, .name = "t"});
    for (std::uint32_t depth = 0; depth < kMany; ++depth) {
      const std::int64_t at = depth, end = nest ? 2 * kMany - at : 2 * kMany + at;
      batch.lanes.push_back(
          {TrackId{0}, depth, {{timestamp_from_ns(at), timestamp_from_ns(end), StringId{1}}}});
    }
    batch.watermark = timestamp_from_ns(3 * kMany);
    Trace trace;
    trace.append(std::move(batch));
    const ScratchFolder folder;
    ASSERT_TRUE(export_chrome_json(trace, folder / "a.json", {}, kEventsOnly).ok());
    ASSERT_TRUE(export_perfetto(trace, folder / "a.pftrace", {}, kEventsOnly).ok());
    for (const char* name : {"a.json", "a.pftrace"}) {
      const Result<Trace> back = load_any(folder / name);
      ASSERT_TRUE(back.ok());
      EXPECT_EQ(back->counts().slices, kMany) << name;
      EXPECT_TRUE(back->losses().none()) << name;
    }
  }
}

TEST(ExportCounts, CsvHasSlicesAndCountsAllElseAsLeftOut) {
  const ScratchFolder folder;
  const Trace trace = EveryKind(test_seed()).build();
  const auto counts = export_csv(trace, folder / "a.csv");
  ASSERT_TRUE(counts.ok());
  const std::string text = file_bytes(folder / "a.csv");
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(text, '\n'));
  EXPECT_EQ(counts->slices, lines - 1);
  EXPECT_EQ(counts->slices, trace.counts().slices + trace.open_slices().size());
  const TraceCounts all = trace.counts();
  EXPECT_EQ(counts->left_out, (ExportCounts::LeftOut{.instants = all.instants,
                                                     .counter_samples = all.counter_samples,
                                                     .flows = all.flows,
                                                     .ops = all.ops,
                                                     .dependencies = all.dependencies,
                                                     .allocations = all.allocations}));
}

}  // namespace
}  // namespace runahead::exporters
