#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "instrumentation/analysis/waits/wait_reason.h"
#include "instrumentation/causes/synchronisation.h"
#include "instrumentation/query/database.h"
#include "tests/causes/gpu_trace.h"
#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::query {
namespace {

using namespace runahead::testing;  // NOLINT: for literals such as 1_ns
using trace::SliceKind;
using trace::Trace;
using trace::TrackKind;

using Table = std::vector<std::vector<std::string>>;

std::string text(const Field& field) {
  if (const auto* integer = std::get_if<std::int64_t>(&field)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&field)) return std::to_string(*real);
  if (const auto* view = std::get_if<std::string_view>(&field)) return std::string(*view);
  return "NULL";
}

class Asked {
 public:
  explicit Asked(const Trace& trace) : database_(Database::open(trace.snapshot()).value()) {}

  Table ask(const std::string& sql) {
    Table rows;
    const Status ran = database_->run(sql, {.columns = [&](const Columns& columns) { columns_ = columns; },
                                            .row =
                                                [&](std::span<const Field> fields) {
                                                  auto& row = rows.emplace_back();
                                                  for (const Field& field : fields)
                                                    row.push_back(text(field));
                                                  return true;
                                                }});
    error_ = ran ? "" : ran.error().message;
    EXPECT_EQ(error_, "") << sql;
    return rows;
  }
  std::string error(const std::string& sql) {
    const Status ran = database_->run(
        sql, {.columns = [](const Columns&) {}, .row = [](std::span<const Field>) { return true; }});
    return ran ? "" : ran.error().message;
  }
  std::string one(const std::string& sql) {
    const Table rows = ask(sql);
    return rows.size() == 1 && rows[0].size() == 1 ? rows[0][0] : "not one value";
  }
  [[nodiscard]] const Columns& columns() const { return columns_; }
  Database& database() { return *database_; }

 private:
  std::unique_ptr<Database> database_;
  Columns columns_;
  std::string error_;
};

Trace small_trace() {
  TraceBuilder builder;
  builder.group("Frontend").track("main", TrackKind::kFrontend);
  builder.slice("step", 0_ns, 100_ns, SliceKind::kStep);
  builder.slice("enqueue a", 10_ns, 5_ns, SliceKind::kEnqueue, OpId{1}).bytes(64);
  builder.slice("item", 20_ns, 60_ns, SliceKind::kWait, OpId{1})
      .arg("shape", "2x2")
      .arg("index", std::int64_t{7});
  builder.open_slice("waitall", 110_ns, SliceKind::kWait);
  builder.end_group().group("Workers").track("cpu 0", TrackKind::kWorker);
  builder.slice("a", 30_ns, 40_ns, SliceKind::kExecute, OpId{1}).flags(trace::kSliceLate);
  builder.op(OpId{1}, "a", {.enqueued = 10_ns, .ready = 15_ns, .started = 30_ns, .ended = 70_ns},
             {.step = 3, .output_bytes = 64, .enqueue_track = "main", .execute_track = "cpu 0"});
  builder.op(OpId{2}, "b", {.enqueued = 105_ns, .ready = {}, .started = {}, .ended = {}},
             {.enqueue_track = "main"});
  builder.depends(OpId{2}, OpId{1});
  builder.flow(trace::FlowKind::kExecuteToWait, "cpu 0", 70_ns, "main", 70_ns, OpId{1});
  builder.end_group().counter("live", trace::CounterRole::kLiveBytes, trace::Unit::kBytes);
  builder.sample(0_ns, 1).sample(50_ns, 2.5).sample(90_ns, 3);
  builder.allocation({"a", "activations", OpId{1}, 64}, 30_ns, 90_ns);
  builder.allocation({"b", "parameters", OpId{2}, 32}, 40_ns, std::nullopt);
  builder.on("main").instant("none -> item", 40_ns);
  builder.loss(trace::LossCause::kBufferFull, 5).metadata("host", "here").watermark(150_ns);
  return builder.build();
}

TEST(Query, EveryTableHasTheRowsOfTheTrace) {
  const Trace trace = small_trace();
  Asked asked(trace);
  const trace::TraceCounts counts = trace.counts();
  EXPECT_EQ(asked.one("SELECT count(*) FROM slice WHERE open = 0"), std::to_string(counts.slices));
  EXPECT_EQ(asked.one("SELECT count(*) FROM slice WHERE open = 1"), "1");
  EXPECT_EQ(asked.one("SELECT count(*) FROM track"), std::to_string(counts.tracks));
  EXPECT_EQ(asked.one("SELECT count(*) FROM counter"), "3");
  EXPECT_EQ(asked.one("SELECT count(*) FROM flow"), "1");
  EXPECT_EQ(asked.one("SELECT count(*) FROM op"), "2");
  EXPECT_EQ(asked.one("SELECT count(*) FROM dependency"), "1");
  EXPECT_EQ(asked.one("SELECT count(*) FROM wait"), "2");
  EXPECT_EQ(asked.one("SELECT count(*) FROM args"), "2");
  EXPECT_EQ(asked.one("SELECT value FROM metadata WHERE key = 'host'"), "here");
  EXPECT_EQ(asked.one("SELECT count FROM loss WHERE cause = 'buffer_full'"), "5");
  EXPECT_EQ(asked.one("SELECT name FROM instant WHERE ts = 40"), "none -> item");
}

TEST(Query, ASliceSaysWhatItIs) {
  const Trace trace = small_trace();
  Asked asked(trace);
  EXPECT_EQ(asked.ask("SELECT ts, dur, name, kind, track_name, depth, op, bytes, flags FROM slice WHERE kind "
                      "= 'execute'"),
            (Table{{"30", "40", "a", "execute", "cpu 0", "0", "1", "0", "late"}}));
  EXPECT_EQ(asked.ask("SELECT key, a.value FROM slice s JOIN args a ON a.id = s.args WHERE s.name = 'item'"),
            (Table{{"shape", "2x2"}, {"index", "7"}}));
  EXPECT_EQ(asked.ask("SELECT ts, dur, op FROM slice WHERE open"), (Table{{"110", "40", "NULL"}}));
}

TEST(Query, AnOpHasItsMomentsAndItsSlice) {
  const Trace trace = small_trace();
  Asked asked(trace);
  EXPECT_EQ(
      asked.ask(
          "SELECT number, name, step, enqueued, ready, started, ended, output_bytes FROM op WHERE id = 1"),
      (Table{{"1", "a", "3", "10", "15", "30", "70", "64"}}));
  EXPECT_EQ(asked.ask("SELECT step, started, ended, slice FROM op WHERE id = 2"),
            (Table{{"NULL", "NULL", "NULL", "NULL"}}));
  EXPECT_EQ(asked.one("SELECT s.name FROM op JOIN slice s ON s.id = op.slice"), "a");
  EXPECT_EQ(asked.ask("SELECT op, on_op, kind FROM dependency WHERE op = 2"),
            (Table{{"2", "1", "read_after_write"}}));
  EXPECT_EQ(asked.one("SELECT count(*) FROM dependency WHERE op = 1"), "0");
  EXPECT_EQ(
      asked.ask("SELECT ts, end_ts, name, category, op, bytes FROM holding"),
      (Table{{"30", "90", "a", "activations", "1", "64"}, {"40", "NULL", "b", "parameters", "2", "32"}}));
  EXPECT_EQ(asked.one("SELECT sum(bytes) FROM holding WHERE ts <= 50 AND coalesce(end_ts > 50, 1)"), "96");
  EXPECT_EQ(asked.one("SELECT name FROM holding WHERE op = 2"), "b");
  EXPECT_EQ(asked.ask("SELECT kind, from_ts, to_ts FROM flow WHERE op = 1"),
            (Table{{"execute_to_wait", "70", "70"}}));
}

TEST(Query, ABlockSaysWhenTheProgramDroppedIt) {
  trace::Batch batch;
  batch.strings = {""};
  batch.tracks.push_back({.id = TrackId{0}, .kind = trace::TrackKind::kCounter, .name = "live"});
  for (const std::uint64_t number : {1u, 2u}) {
    batch.allocations.push_back(
        {.block = number, .counter = TrackId{0}, .begin = at(10_ns), .end = at(90_ns)});
  }
  batch.allocations.front().dropped = at(50_ns);
  Trace trace;
  trace.append(std::move(batch));
  Asked asked(trace);
  EXPECT_EQ(asked.ask("SELECT block, end_ts - dropped_ts FROM holding"), (Table{{"1", "40"}, {"2", "NULL"}}));
}

TEST(Query, AHalfOfAMessageHasOneTrack) {
  TraceBuilder builder;
  builder.track("main").slice("sends", 0_ns, 50_ns);
  builder.message_out("main", 20_ns, 7, "token").message_in("main", 30_ns, 8);
  builder.flow(trace::FlowKind::kOther, "main", 1_ns, "main", 2_ns);
  const Trace trace = builder.build();
  Asked asked(trace);
  EXPECT_EQ(asked.ask("SELECT * FROM flow"), (Table{{"flow", "token", "NULL", "0", "20", "NULL", "20", "7"},
                                                    {"flow", "", "NULL", "NULL", "30", "0", "30", "8"},
                                                    {"flow", "", "NULL", "0", "1", "0", "2", "0"}}));
  EXPECT_EQ(asked.columns().names.back(), "message");
}

TEST(Query, TheRowOfAWaitIsItsReason) {
  const Trace trace = small_trace();
  Asked asked(trace);
  const Table rows = asked.ask(
      "SELECT slice, dur, executing, copying + queueing + dispatch + enqueue + wake_up + finished + "
      "held_by_limit + other, chain_ops, longest_op FROM wait WHERE name = 'item'");
  ASSERT_EQ(rows.size(), 1u);
  const auto place = asked.database().slice(std::stoll(rows[0][0]));
  ASSERT_TRUE(place);
  const analysis::WaitReason reason = analysis::wait_reason(
      trace, {trace.track(place->track).lanes[place->depth].slice(place->row), place->track, false});
  EXPECT_EQ(rows[0][1], "60");
  EXPECT_EQ(rows[0][2], std::to_string(ns_from(reason.split.of(analysis::WaitPart::kExecuting))));
  EXPECT_EQ(std::stoll(rows[0][2]) + std::stoll(rows[0][3]), 60) << "the sum of the parts";
  EXPECT_EQ(rows[0][4], "1");
  EXPECT_EQ(rows[0][5], "1");
}

// Calls that wait, although waiting is not their purpose: a copy of pageable memory, and a launch that
// returns when its kernel has ended. And two that do not wait.
Trace trace_with_hidden_waits() {
  TraceBuilder builder = two_streams();
  launch(builder, "kernel", 0_us, "stream 7", 10_us, 50_us);
  builder.on("main").slice("cudaMemcpyAsync", 20_us, 60_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("Memcpy DtoH (Device -> Pageable)", 65_us, 10_us, SliceKind::kCopyToHost);
  builder.flow(trace::FlowKind::kLaunchToDevice, "main", 20_us, "stream 7", 65_us);
  launch(builder, "copy", 85_us, "stream 20", 100_us, 20_us, SliceKind::kCopyToDevice);
  builder.on("main").slice("cudaLaunchKernel", 200_us, 300_us, SliceKind::kEnqueue);
  builder.on("stream 7").slice("blocking", 210_us, 280_us, SliceKind::kExecute);
  builder.flow(trace::FlowKind::kLaunchToDevice, "main", 200_us, "stream 7", 210_us);
  builder.on("main").slice("cudaDeviceSynchronize", 510_us, 5_us, SliceKind::kWait);
  builder.on("stream 20").slice("Context Sync", 510_us, 5_us, SliceKind::kWait);  // the record of this call
  return builder.build();
}

TEST(Query, ACallThatWaitsIsAWaitWhateverItsKind) {
  const Trace trace = trace_with_hidden_waits();
  Asked asked(trace);
  const Table rows = asked.ask(
      "SELECT name, ts, dur, executing, copying, queueing, wake_up, finished, awaited, explicit, op FROM "
      "wait "
      "ORDER BY ts");
  EXPECT_EQ(
      rows,
      (Table{{"cudaMemcpyAsync", "20000", "60000", "40000", "10000", "5000", "5000", "0",
              "Memcpy DtoH (Device -> Pageable)", "0", "NULL"},
             {"cudaLaunchKernel", "200000", "300000", "280000", "0", "10000", "10000", "0", "blocking", "0",
              "NULL"},
             {"cudaDeviceSynchronize", "510000", "5000", "0", "0", "0", "0", "5000", "NULL", "1", "NULL"}}));
  EXPECT_EQ(asked.one("SELECT count(*) FROM wait w JOIN slice s ON s.id = w.slice WHERE s.name = w.name AND "
                      "s.ts = w.ts AND s.track = w.track"),
            "3");
  EXPECT_EQ(asked.one("SELECT name FROM wait WHERE slice = (SELECT id FROM slice WHERE dur = 300000)"),
            "cudaLaunchKernel");
  EXPECT_EQ(asked.one("SELECT count(*) FROM wait WHERE ts >= 300000"), "1");
  const causes::Synchronisations found(trace);
  EXPECT_EQ(found.parts()[0].all.size(), rows.size()) << "as `runahead explain` counts them";
}

// A copy on stream 20 for which a kernel of stream 7 waits, and a call that waits for this kernel.
Trace trace_with_edges() {
  TraceBuilder builder = two_streams();
  launch(builder, "copy", 0_us, "stream 20", 10_us, 20_us, SliceKind::kCopyToDevice);
  builder.on("main").slice("cudaEventRecord", 8_us, 1_us);
  builder.on("main").slice("cudaStreamWaitEvent", 10_us, 1_us);
  builder.on("main").slice("aten::add", 12_us, 20_us);
  launch(builder, "gemm", 15_us, "stream 7", 30_us, 10_us);
  builder.on("stream 7").slice("earlier", 1_us, 1_us, SliceKind::kExecute);
  builder.on("main").slice("cudaDeviceSynchronize", 35_us, 10_us, SliceKind::kWait);
  builder.arg("correlation", std::int64_t{8});
  builder.slice("cudaDeviceSynchronize", 50_us, 2_us, SliceKind::kWait);
  return builder.build();
}

TEST(Query, AnEdgeSaysWhatWasTheCauseOfWhat) {
  const Trace trace = trace_with_edges();
  Asked asked(trace);
  EXPECT_EQ(asked.ask("SELECT kind, evidence, from_track_name, from_ts, from_name, to_track_name, to_ts, "
                      "to_name FROM edge"),
            (Table{{"launch", "recorded", "main", "15000", "cudaLaunchKernel", "stream 7", "30000", "gemm"},
                   {"launch", "recorded", "main", "0", "cudaMemcpyAsync", "stream 20", "10000", "copy"},
                   {"stream_wait", "inferred", "stream 20", "30000", "copy", "stream 7", "30000", "gemm"},
                   {"completion", "inferred", "stream 7", "40000", "gemm", "main", "45000",
                    "cudaDeviceSynchronize"}}))
      << "not the work without a launch, nor the call before which everything had ended";
  EXPECT_EQ(asked.ask("SELECT from_correlation, to_correlation FROM edge WHERE kind = 'completion'"),
            (Table{{"NULL", "8"}}));
}

TEST(Query, TheEndsOfAnEdgeAreSlices) {
  const Trace trace = trace_with_edges();
  Asked asked(trace);
  const std::string both =
      " FROM edge e JOIN slice a ON a.id = e.from_slice JOIN slice b ON b.id = e.to_slice";
  EXPECT_EQ(asked.one("SELECT count(*)" + both + " WHERE a.name = e.from_name AND b.name = e.to_name AND " +
                      "a.track = e.from_track AND b.track = e.to_track"),
            "4");
  EXPECT_EQ(asked.one("SELECT count(*)" + both + " WHERE e.kind = 'launch' AND a.ts = e.from_ts AND " +
                      "a.kind = 'enqueue' AND b.ts = e.to_ts"),
            "2");
  EXPECT_EQ(
      asked.one("SELECT count(*)" + both + " WHERE e.kind = 'completion' AND a.ts + a.dur = e.from_ts " +
                "AND b.ts + b.dur = e.to_ts"),
      "1");
  asked.ask("SELECT kind, to_slice FROM edge");
  EXPECT_EQ(asked.columns().slice, 1u);
}

TEST(Query, AnEdgeThatTwoRulesFindIsOneRow) {
  TraceBuilder builder = two_streams();
  launch(builder, "copy", 0_us, "stream 20", 10_us, 50_us, SliceKind::kCopyToDevice);
  builder.on("main").slice("cudaEventRecord", 8_us, 1_us);
  builder.on("main").slice("cudaStreamWaitEvent", 10_us, 1_us);
  launch(builder, "gemm", 15_us, "stream 7", 60_us, 10_us);  // stream 7 may be the default stream
  const Trace trace = builder.build();
  Asked asked(trace);
  EXPECT_EQ(asked.ask("SELECT kind, from_name, to_name FROM edge WHERE kind <> 'launch'"),
            (Table{{"stream_wait", "copy", "gemm"}}));
}

TEST(Query, TheEdgesOfAllRanksAreListed) {
  TraceBuilder builder;
  builder.metadata("processes", "2");
  for (int rank = 0; rank < 2; ++rank) {
    const std::string number = std::to_string(rank), host = "main " + number, stream = "stream " + number;
    builder.group("rank " + number);
    builder.metadata("process." + number + ".track", std::to_string(raw(builder.track_id("rank " + number))));
    builder.track(host).numbers(100 + rank, 100);
    builder.slice("cudaLaunchKernel", 0_us, 5_us, SliceKind::kEnqueue);
    builder.slice("cudaDeviceSynchronize", 6_us, 20_us, SliceKind::kWait);
    builder.track(stream, TrackKind::kStream).device("gpu " + number, false);
    builder.slice("kernel " + number, 10_us, 10_us, SliceKind::kExecute);
    builder.flow(trace::FlowKind::kLaunchToDevice, host, 0_us, stream, 10_us);
    builder.end_group();
  }
  const Trace trace = builder.build();
  Asked asked(trace);
  EXPECT_EQ(asked.ask("SELECT kind, from_track_name, from_name, to_track_name FROM edge"),
            (Table{{"launch", "main 0", "cudaLaunchKernel", "stream 0"},
                   {"completion", "stream 0", "kernel 0", "main 0"},
                   {"launch", "main 1", "cudaLaunchKernel", "stream 1"},
                   {"completion", "stream 1", "kernel 1", "main 1"}}));
}

TEST(Query, EdgesOfOurEngineAreItsOps) {
  const Trace trace = small_trace();
  Asked asked(trace);
  EXPECT_EQ(asked.ask("SELECT kind, evidence, from_name, from_ts, to_name, to_ts FROM edge"),
            (Table{{"launch", "recorded", "enqueue a", "10", "a", "30"},
                   {"completion", "recorded", "a", "70", "item", "80"}}));
  EXPECT_EQ(asked.one("SELECT count(*) FROM edge e JOIN wait w ON w.slice = e.to_slice"), "1");
}

TEST(Query, AColumnOfSlicesLeadsToThem) {
  const Trace trace = small_trace();
  Asked asked(trace);
  EXPECT_EQ(asked.ask("SELECT name AS n, s.id AS which FROM slice s WHERE s.name = 'a'")[0][0], "a");
  EXPECT_EQ(asked.columns().names, (std::vector<std::string>{"n", "which"}));
  EXPECT_EQ(asked.columns().slice, 1u) << "also under another name";
  asked.ask("SELECT slice FROM op");
  EXPECT_EQ(asked.columns().slice, 0u);
  asked.ask("SELECT id FROM track");
  EXPECT_EQ(asked.columns().slice, std::nullopt);
  for (const auto& row : asked.ask("SELECT id, name, open FROM slice")) {
    const auto place = asked.database().slice(std::stoll(row[0]));
    ASSERT_TRUE(place);
    EXPECT_EQ(place->open, row[2] == "1");
    const trace::Slice slice = place->open ? trace.open_slices()[place->row].slice
                                           : trace.track(place->track).lanes[place->depth].slice(place->row);
    EXPECT_EQ(trace.string(slice.name), row[1]);
  }
  EXPECT_EQ(asked.database().slice(-1), std::nullopt);
  EXPECT_EQ(asked.database().slice(6), std::nullopt);
}

TEST(Query, SeveralStatementsRunInTurnAndTheLastOneAnswers) {
  const Trace trace = small_trace();
  Asked asked(trace);
  EXPECT_EQ(asked.one("CREATE VIEW waits AS SELECT * FROM slice WHERE kind = 'wait';\n -- so\nSELECT "
                      "count(*) FROM waits; ;"),
            "2");
  EXPECT_EQ(asked.one("SELECT count(*) FROM waits /* it is still there */"), "2");
}

TEST(Query, WhatIsWrongIsSaidInOneLine) {
  const Trace trace = small_trace();
  Asked asked(trace);
  EXPECT_NE(asked.error("SELEC 1").find("near \"SELEC\": syntax error"), std::string::npos);
  EXPECT_NE(asked.error("SELECT nowhere FROM slice").find("no such column: nowhere"), std::string::npos);
  EXPECT_NE(asked.error("SELECT * FROM slices").find("no such table: slices"), std::string::npos);
  EXPECT_EQ(asked.error(""), "there is no statement in it");
  EXPECT_EQ(asked.error(" ; -- nothing"), "there is no statement in it");
  EXPECT_NE(asked.error("SELECT 1; SELEC 2"), "");
}

TEST(Query, NothingReachesAFile) {
  const Trace trace = small_trace();
  Asked asked(trace);
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "runahead_query_test.db";
  std::filesystem::remove(path);
  EXPECT_NE(asked.error("ATTACH '" + path.string() + "' AS other"), "");
  EXPECT_NE(asked.error("VACUUM INTO '" + path.string() + "'"), "");
  EXPECT_NE(asked.error("PRAGMA temp_store_directory = '/'"), "");
  EXPECT_NE(asked.error("DELETE FROM slice"), "");
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Query, ALongOneCanBeCancelled) {
  const Trace trace = small_trace();
  Asked asked(trace);
  std::atomic<bool> came{false};
  std::string error;
  std::thread asking([&] {
    error =
        asked.error("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
    came = true;
  });
  // The loop repeats cancel(), because an interrupt has an effect only while the query runs.
  while (!came) {
    asked.database().cancel();
    std::this_thread::yield();
  }
  asking.join();
  EXPECT_EQ(error, "cancelled");
}

TEST(Query, AReaderThatHasEnoughGetsNoMore) {
  const Trace trace = small_trace();
  Asked asked(trace);
  int rows = 0;
  EXPECT_TRUE(asked.database()
                  .run("SELECT * FROM slice", {.columns = [](const Columns&) {},
                                               .row = [&](std::span<const Field>) { return ++rows < 2; }})
                  .ok());
  EXPECT_EQ(rows, 2);
}

// If a condition has `+column` instead of `column`, SQLite does not pass the condition to the table, and
// scans all rows. The found rows must be the same with `+` and without it.
TEST(Query, WhatATableFindsByItsKeysIsWhatAScanFinds) {
  Random random;
  TraceBuilder builder;
  for (int track = 0; track < 5; ++track) {
    builder.track("t" + std::to_string(track), track == 4 ? TrackKind::kAsync : TrackKind::kThread);
    for (int i = 0; i < 300; ++i) {
      const bool wait = random.chance(0.25);
      const Duration begin{track == 4 ? random.integer(0, 999) : i * 10};
      builder.slice("s" + std::to_string(random.integer(0, 8)), begin, Duration{random.integer(0, 9)},
                    wait ? SliceKind::kWait : SliceKind::kZone);
    }
  }
  builder.counter("c");
  for (int i = 0; i < 500; ++i) builder.sample(Duration{i * 3}, i);
  for (int i = 0; i < 200; ++i) builder.instant("i", Duration{i * 7});
  const Trace trace = builder.build();
  Asked asked(trace);
  const std::vector<std::pair<std::string, std::vector<std::string>>> tables{
      {"slice", {"id", "track", "ts"}},
      {"wait", {"slice", "track", "ts"}},
      {"counter", {"track", "ts"}},
      {"instant", {"ts"}},
      {"track", {"id"}}};
  const auto one_of = [&](const auto& list) -> const auto& {
    return list[static_cast<std::size_t>(random.integer(0, static_cast<std::int64_t>(list.size()) - 1))];
  };
  const std::vector<std::string> compares{"=", "<", "<=", ">", ">="};
  for (int round = 0; round < 400; ++round) {
    const auto& [table, keys] = one_of(tables);
    std::string by_key, by_scan;
    for (std::int64_t i = 0, count = random.integer(1, 3); i < count; ++i) {
      const std::string& key = one_of(keys);
      const std::int64_t most = key == "track" || table == "track" ? 7 : 1600;
      std::string value = std::to_string(random.integer(0, most));
      if (random.chance(0.25)) value += ".5";
      if (random.chance(0.125)) value = "-" + value;
      if (random.chance(0.06)) value = random.chance(0.5) ? "9223372036854775807" : "-9223372036854775808";
      const std::string condition = key + " " + one_of(compares) + " " + value;
      by_key += (i == 0 ? "" : " AND ") + condition;
      by_scan += (i == 0 ? "+" : " AND +") + condition;
    }
    const std::string ask =
        "SELECT count(*), total(" + keys[0] + "), total(" + keys.back() + ") FROM " + table + " WHERE ";
    EXPECT_EQ(asked.ask(ask + by_key), asked.ask(ask + by_scan)) << table << " WHERE " << by_key;
  }
}

}  // namespace
}  // namespace runahead::query
