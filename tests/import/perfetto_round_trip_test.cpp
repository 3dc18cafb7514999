// Tests Perfetto traces that are exported and imported again. An export usually embeds a recording, from
// which an import restores every row. These exports have none: the events alone must restore the trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "instrumentation/export/perfetto_export.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/import/perfetto/perfetto_import.h"
#include "instrumentation/trace/labels.h"
#include "tests/recording/random_batches.h"
#include "tests/support/random.h"
#include "tests/support/rounds.h"
#include "tests/support/scratch_folder.h"
#include "tests/support/trace_builder.h"

namespace runahead::importers {
using namespace trace;
using namespace exporters;
using namespace files;
using namespace recordings;
namespace {

using namespace runahead::testing;

struct RoundTrip {
  ExportCounts counts;
  Trace back;
};

RoundTrip round_trip(const Trace& trace, std::string_view name = "a.pftrace") {
  const ScratchFolder folder;
  const Result<ExportCounts> counts = export_perfetto(trace, folder / name, {}, kEventsOnly);
  EXPECT_TRUE(counts.ok()) << counts.error().message;
  Result<Trace> back = load_any(folder / name);
  EXPECT_TRUE(back.ok()) << back.error().message;
  return {*counts, std::move(back).value()};
}

std::string arg_text(const Trace& trace, const Arg& arg, std::set<std::string>& keys) {
  std::string text(trace.string(arg.key));
  while (!keys.insert(text).second) text += '_';  // an export also appends '_' to a key that occurs again
  if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) text += "=" + std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&arg.value)) text += "~" + std::to_string(*real);
  if (const auto* id = std::get_if<StringId>(&arg.value)) text += ":" + std::string(trace.string(*id));
  return text;
}

std::string args_text(const Trace& trace, ArgsId args) {
  std::string text;
  std::set<std::string> keys;
  for (const Arg& arg : trace.args(args)) text += " " + arg_text(trace, arg, keys);
  return text;
}

std::string slice_text(const Trace& trace, const Slice& slice) {
  return std::string(trace.string(slice.name)) + " " + std::to_string(ns_from(slice.begin)) + "+" +
         std::to_string(ns_from(slice.duration())) + " " + std::string(slice_kind_key(slice.kind)) + " " +
         slice_flag_keys(slice.flags) + " op " + std::to_string(raw(slice.op)) + " " +
         std::to_string(slice.size_bytes) + args_text(trace, slice.args);
}

// Tracks sorted by path, with all their rows. Ids are omitted, because an export and an import change them.
std::vector<std::string> tracks_text(const Trace& trace) {
  std::vector<std::string> lines;
  for (const Track& track : trace.tracks()) {
    const TrackInfo& info = track.info;
    lines.push_back("track " + track_path(trace, info.id) + " " + std::string(track_kind_key(info.kind)) +
                    " " + std::string(unit_key(info.unit)) + " " + std::string(counter_role_key(info.role)) +
                    " " + info.device + (info.simulated ? " simulated " : " ") + std::to_string(info.pid) +
                    " " + std::to_string(info.tid));
    for (std::size_t depth = 0; depth < track.lanes.size(); ++depth) {
      const Lane& lane = track.lanes[depth];
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row)
        lines.push_back(std::to_string(depth) + " " + slice_text(trace, lane.slice(row)));
    }
    for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row) {
      const CounterSample sample = track.counter.sample(row);
      lines.push_back(std::to_string(ns_from(sample.at)) + " is " + std::to_string(sample.value));
    }
  }
  for (std::uint64_t i = 0; i < trace.instant_count(); ++i) {
    const Instant instant = trace.instant(i);
    lines.push_back("instant " + std::string(trace.string(instant.name)) + " " +
                    std::to_string(ns_from(instant.at)) + " on " + track_path(trace, instant.track) + " op " +
                    std::to_string(raw(instant.op)) + args_text(trace, instant.args));
  }
  return lines;
}

std::vector<std::string> flow_lines(const Trace& trace) {
  std::vector<std::string> lines;
  for (std::uint64_t i = 0; i < trace.flow_count(); ++i) {
    const Flow flow = trace.flow(i);
    lines.push_back(std::string(flow_kind_key(flow.kind)) + " " + track_path(trace, flow.from_track) + " " +
                    std::to_string(ns_from(flow.from_time)) + " > " + track_path(trace, flow.to_track) + " " +
                    std::to_string(ns_from(flow.to_time)) + " op " + std::to_string(raw(flow.op)) + " '" +
                    std::string(trace.string(flow.name)) + "'");
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

// Slices and samples with their tracks. Depths are omitted, because export and import may merge lanes. An
// open slice becomes an unfinished slice up to the watermark, because an export writes it in this form.
std::multiset<std::string> rows_of(const Trace& trace) {
  std::multiset<std::string> rows;
  for (const OpenSlice& open : trace.open_slices()) {
    Slice slice = open.slice;
    slice.end = std::max(slice.begin, trace.watermark());
    slice.flags |= kSliceUnfinished;
    rows.insert(track_path(trace, open.track) + " " + slice_text(trace, slice));
  }
  for (const Track& track : trace.tracks()) {
    for (const Lane& lane : track.lanes) {
      for (std::uint64_t row = lane.first_row(); row < lane.end_row(); ++row) {
        rows.insert(track_path(trace, track.info.id) + " " + slice_text(trace, lane.slice(row)));
      }
    }
    for (std::uint64_t row = track.counter.first_row(); row < track.counter.end_row(); ++row) {
      const CounterSample sample = track.counter.sample(row);
      rows.insert(track_path(trace, track.info.id) + " " + std::to_string(ns_from(sample.at)) + " is " +
                  std::to_string(sample.value));
    }
  }
  return rows;
}

constexpr OpId kOne{(1ull << 48) | 1}, kTwo{(1ull << 48) | 2}, kOfAnotherEngine{(3ull << 48) | 1};

Trace built_trace() {
  return TraceBuilder{}
      .group("Frontend", 1)
      .track("main", TrackKind::kFrontend)
      .slice("step", 100_ns, 2000_ns, SliceKind::kStep)
      .slice("enqueue a", 100_ns, 50_ns, SliceKind::kEnqueue, kOne)
      .arg("axis", std::int64_t{-1})
      .arg("scale", 0.5)
      .arg("layout", "row major")
      .slice("enqueue b", 150_ns, 50_ns, SliceKind::kEnqueue, kTwo)
      .slice("wait", 300_ns, 500_ns, SliceKind::kWait, kOne)
      .flags(kSliceHeldByLimit)
      .instant("barrier", 250_ns)
      .group("Workers", 2)
      .track("second", TrackKind::kWorker)
      .sort_order(2)
      .slice("b", 800_ns, 0_ns, SliceKind::kExecute, kTwo)
      .slice("b", 800_ns, 100_ns, SliceKind::kExecute, kTwo)
      .flags(kSliceFailed | kSliceSkipped)
      .track("first", TrackKind::kWorker)
      .sort_order(1)
      .slice("a", 200_ns, 600_ns, SliceKind::kExecute, kOne)
      .bytes(4096)
      .group("virtual:0", 3)
      .track("copy", TrackKind::kStream)
      .device("virtual:0")
      .slice("h2d", 10_ns, 5_ns, SliceKind::kCopyToDevice, kOfAnotherEngine)
      .track("ops", TrackKind::kQueue)
      .slice("a", 100_ns, 700_ns)
      .slice("b", 150_ns, 750_ns)
      .slice("c", 160_ns, 20_ns)
      .counter("live", CounterRole::kLiveBytes, Unit::kBytes)
      .sample(0_ns, 5)
      .sample(10_ns, 7.25)
      .sample(20_ns, -3)
      .end_group()
      .flow(FlowKind::kEnqueueToExecute, "main", 150_ns, "first", 200_ns, kOne)
      .flow(FlowKind::kExecuteToWait, "first", 800_ns, "main", 800_ns, kOne)
      .metadata("workload", "built")
      .loss(LossCause::kBufferFull, 3)
      .build();
}

TEST(PerfettoRoundTrip, RowsKindsUnitsArgumentsAndOrderComeBack) {
  const Trace trace = built_trace();
  const RoundTrip out = round_trip(trace);
  // An export defines tracks in display order: "second" was defined before "first", but comes back after
  // "first".
  std::vector<std::string> was = tracks_text(trace), is = tracks_text(out.back);
  std::vector<std::string> order;
  for (const Track& track : out.back.tracks()) order.push_back(track.info.name);
  EXPECT_EQ(order, (std::vector<std::string>{"Frontend", "main", "Workers", "first", "second", "virtual:0",
                                             "copy", "ops", "live"}));
  std::sort(was.begin(), was.end());
  std::sort(is.begin(), is.end());
  EXPECT_EQ(is, was);
}

TEST(PerfettoRoundTrip, ACounterOfAnyUnitComesBackWithItsSamples) {
  for (const Unit unit : {Unit::kNone, Unit::kNanoseconds, Unit::kCount, Unit::kBytes, Unit::kPerSecond,
                          Unit::kBytesPerSecond, Unit::kRatio}) {
    const Trace trace =
        TraceBuilder{}.counter("c", CounterRole::kOther, unit).sample(0_ns, 5).sample(10_ns, 7.25).build();
    const RoundTrip out = round_trip(trace);
    EXPECT_EQ(out.counts.counter_samples, 2u);
    EXPECT_EQ(out.back.counts().counter_samples, 2u) << unit_key(unit);
    ASSERT_EQ(out.back.tracks().size(), 1u);
    EXPECT_EQ(out.back.tracks()[0].info.unit, unit) << unit_key(unit);
  }
}

TEST(PerfettoRoundTrip, AnArgumentCalledAsOneOfOursIsNotTakenForIt) {
  const Trace trace = TraceBuilder{}.track("t").slice("a", 0_ns, 5_ns).arg("op", std::int64_t{7}).build();
  const RoundTrip out = round_trip(trace);
  const Slice slice = out.back.tracks()[0].lanes[0].slice(0);
  EXPECT_EQ(slice.op, kNoOp);
  EXPECT_EQ(args_text(out.back, slice.args), " op_=7");
}

TEST(PerfettoRoundTrip, ArrowsComeBackWithTheirTimesAndKinds) {
  const Trace trace = built_trace();
  EXPECT_EQ(flow_lines(round_trip(trace).back), flow_lines(trace));
}

// Two threads, and arrows of every kind between them. Some arrows have names. Some start inside a slice,
// others at the end of a slice.
Trace arrows_of_all_kinds() {
  TraceBuilder builder;
  builder.track("a")
      .slice("outer", 0_ns, 1000_ns)
      .slice("inner", 100_ns, 200_ns)
      .slice("more", 400_ns, 100_ns);
  builder.track("b").slice("takes", 50_ns, 900_ns).slice("later", 1000_ns, 100_ns);
  builder.track("c", TrackKind::kMarkers);
  for (int kind = 0; kind <= static_cast<int>(FlowKind::kOther); ++kind) {
    for (const OpId op : {kNoOp, kOne, kOfAnotherEngine}) {
      builder.flow(static_cast<FlowKind>(kind), "a", 120_ns, "b", 130_ns, op);
      builder.flow(static_cast<FlowKind>(kind), "a", 300_ns, "b", 1000_ns, op, "an arrow: 'x'\n");
      builder.flow(static_cast<FlowKind>(kind), "b", 950_ns, "a", 990_ns, op, "b's");
      builder.flow(static_cast<FlowKind>(kind), "a", 450_ns, "a", 600_ns, op, "");
    }
  }
  builder.flow(FlowKind::kOther, "a", 100_ns, "c", 100_ns, kNoOp, "to no slice");
  return builder.build();
}

TEST(PerfettoRoundTrip, NamesKindsOpsAndTimesOfArrowsComeBack) {
  const Trace trace = arrows_of_all_kinds();
  const RoundTrip out = round_trip(trace);
  std::vector<std::string> was = flow_lines(trace);
  std::erase_if(was, [](const std::string& line) { return line.ends_with("'to no slice'"); });
  EXPECT_EQ(was.size(), 60u);
  EXPECT_EQ(flow_lines(out.back), was);
  EXPECT_EQ(rows_of(out.back), rows_of(trace)) << "no slice's arguments contain the fields of an arrow";
  EXPECT_EQ(out.back.counts().instants, trace.counts().instants);
}

// An export writes a field of an arrow (such as its kind) only if readers cannot derive the field from the
// slices at the arrow's ends. For the arrows that an engine records, readers can derive all fields. Therefore
// the file has only the ids of these arrows.
TEST(PerfettoRoundTrip, ArrowsThatTheirSlicesTellOfHaveNoAnnotation) {
  const ScratchFolder folder;
  ASSERT_TRUE(export_perfetto(built_trace(), folder / "a.pftrace", {}, kEventsOnly).ok());
  EXPECT_EQ(file_bytes(folder / "a.pftrace").find("execute_to_wait"), std::string::npos);
  ASSERT_TRUE(export_perfetto(arrows_of_all_kinds(), folder / "b.pftrace", {}, kEventsOnly).ok());
  EXPECT_NE(file_bytes(folder / "b.pftrace").find("execute_to_wait"), std::string::npos);
}

TEST(PerfettoRoundTrip, AnArgumentCalledAsTheArrowsIsNotTakenForThem) {
  const Trace trace = TraceBuilder{}.track("t").slice("a", 0_ns, 5_ns).arg("flows", std::int64_t{7}).build();
  const RoundTrip out = round_trip(trace);
  EXPECT_EQ(args_text(out.back, out.back.tracks()[0].lanes[0].slice(0).args), " flows_=7");
}

TEST(PerfettoRoundTrip, MetadataAndLossesComeBack) {
  const RoundTrip out = round_trip(built_trace());
  EXPECT_EQ(out.back.metadata().at("workload"), "built");
  EXPECT_EQ(out.back.metadata().at("format"), "perfetto");
  EXPECT_EQ(out.back.losses().of(LossCause::kBufferFull), 3u);
}

TEST(PerfettoRoundTrip, ASimulatedDeviceIsLabelledInTheFile) {
  const ScratchFolder folder;
  ASSERT_TRUE(export_perfetto(built_trace(), folder / "a.pftrace", {}, kEventsOnly).ok());
  EXPECT_NE(file_bytes(folder / "a.pftrace").find("copy (simulated)"), std::string::npos);
}

#ifdef RUNAHEAD_HAVE_ZLIB
TEST(PerfettoRoundTrip, ANameThatEndsInGzIsCompressed) {
  const RoundTrip out = round_trip(built_trace(), "a.pftrace.gz");
  EXPECT_EQ(out.back.counts().slices, built_trace().counts().slices);
}
#endif

TEST(PerfettoRoundTrip, OpenSlicesAreWrittenAsUnfinished) {
  const Trace trace = TraceBuilder{}
                          .track("main")
                          .slice("done", 0_ns, 5_ns)
                          .open_slice("open", 10_ns)
                          .watermark(50_ns)
                          .build();
  const RoundTrip out = round_trip(trace);
  ASSERT_EQ(out.back.counts().slices, 2u);
  const Slice slice = out.back.tracks()[0].lanes[0].slice(1);
  EXPECT_EQ(ns_from(slice.end), 50);
  EXPECT_EQ(slice.flags, kSliceUnfinished);
}

TEST(PerfettoRoundTrip, ATraceThatBeginsBeforeItsZeroIsMovedToIt) {
  const Trace trace = TraceBuilder{}.track("main").slice("a", -10_ns, 5_ns).build();
  const RoundTrip out = round_trip(trace);
  EXPECT_EQ(ns_from(out.back.tracks()[0].lanes[0].slice(0).begin), 0);
}

Trace random_trace(std::uint64_t seed) {
  RandomSource source(seed);
  Trace trace;
  for (int i = 0; i < 30; ++i) trace.append(source.next());
  return trace;
}

// Reports the rows that are in only one of the two sets.
void expect_same_rows(const std::multiset<std::string>& was, const std::multiset<std::string>& is,
                      std::uint64_t seed) {
  std::vector<std::string> lost, added;
  std::ranges::set_difference(was, is, std::back_inserter(lost));
  std::ranges::set_difference(is, was, std::back_inserter(added));
  EXPECT_EQ(added, lost) << "seed " << seed;
}

TEST(PerfettoRoundTrip, EveryRowOfRandomTracesComesBack) {
  for (int round = 0; round < rounds(5, 2); ++round) {
    const std::uint64_t seed = test_seed() + static_cast<std::uint64_t>(round);
    const Trace trace = random_trace(seed);
    const RoundTrip out = round_trip(trace);
    EXPECT_EQ(out.counts.counter_samples, trace.counts().counter_samples);
    EXPECT_EQ(out.back.counts().instants, trace.counts().instants) << "seed " << seed;
    EXPECT_EQ(out.back.counts().flows, out.counts.flows) << "seed " << seed;
    const std::vector<std::string> was = flow_lines(trace), is = flow_lines(out.back);
    EXPECT_TRUE(std::includes(was.begin(), was.end(), is.begin(), is.end())) << "seed " << seed;
    EXPECT_EQ(out.back.counts().counter_samples, trace.counts().counter_samples) << "seed " << seed;
    EXPECT_EQ(out.back.counts().slices, out.counts.slices) << "seed " << seed;
    expect_same_rows(rows_of(trace), rows_of(out.back), seed);
  }
}

}  // namespace
}  // namespace runahead::importers
