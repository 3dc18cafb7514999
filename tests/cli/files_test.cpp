// Tests the commands info, stats and export on complete recordings and on recordings that are cut off.
#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>

#include "instrumentation/recording/recording.h"
#include "tests/cli/program.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;

class InfoTest : public ProgramTest {};
class StatsTest : public ProgramTest {};
class QueryTest : public ProgramTest {};
class ExportTest : public ProgramTest {};

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

TEST_F(InfoTest, JsonHasEveryField) {
  const json info = run_json({"info", recording(), "--json"});
  for (const char* field :
       {"tracks", "slices", "instants", "counters", "counter_samples", "flows", "begin_ns", "end_ns"}) {
    ASSERT_TRUE(info.contains(field)) << field;
    EXPECT_TRUE(info[field].is_number_integer()) << field;
  }
  for (const char* field : {"tracks", "slices", "instants", "counters", "counter_samples", "flows"}) {
    EXPECT_GT(info.at(field), 0) << field;
  }
  EXPECT_LT(info.at("begin_ns"), info.at("end_ns"));
  EXPECT_EQ(missing_rows(info), json::object());
  EXPECT_EQ(info.at("complete"), true);
  EXPECT_TRUE(info.at("format").is_string());
}

TEST_F(InfoTest, ForAPersonItIsText) {
  const Ended ended = run({"info", recording()});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("slices"), std::string::npos);
  EXPECT_EQ(ended.out.find("lost:"), std::string::npos);
}

TEST_F(InfoTest, ACutOffRecordingOpensWithWhatIsWholeAndSaysWhatWasLost) {
  const std::string file = recording();
  const json whole = run_json({"info", file, "--json"});
  std::filesystem::resize_file(file, std::filesystem::file_size(file) * 2 / 3);
  const json cut = run_json({"info", file, "--json"});
  EXPECT_EQ(cut.at("complete"), false);
  EXPECT_GT(cut.at("lost").at("file_truncated"), 0);
  EXPECT_LE(cut.at("slices"), whole.at("slices"));
  const Ended text = run({"info", file});
  EXPECT_EQ(text.exit_code, 0);
  EXPECT_NE(text.out.find("file_truncated"), std::string::npos) << text.out;
}

// Changes two bytes: one in the first block of slices, one in the footer. The footer contains the index.
// Without the index, the reader reads all blocks in the order of the file, and the rows of the damaged block
// are lost.
void damage_slices_and_footer(const std::string& file) {
  std::string bytes = contents(file);
  const std::size_t slices = bytes.find("RBLK\5"), footer = bytes.rfind("RBLK\15");
  ASSERT_NE(slices, std::string::npos);
  ASSERT_NE(footer, std::string::npos);
  for (const std::size_t block : {slices, footer})
    bytes[block + 24] = static_cast<char>(bytes[block + 24] ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
}

TEST_F(InfoTest, ADamagedRecordingKeepsItsOtherRowsAndSaysWhatWasDamaged) {
  const std::string file = recording();
  const json whole = run_json({"info", file, "--json"});
  damage_slices_and_footer(file);
  const json damaged = run_json({"info", file, "--json"});
  EXPECT_EQ(damaged.at("complete"), false);
  const json lost = missing_rows(damaged);
  EXPECT_EQ(lost.size(), 1u) << lost;
  EXPECT_GT(damaged.at("lost").at("file_damaged"), 48);
  EXPECT_EQ(damaged.at("metadata").at("recording.ended"), "yes");
  EXPECT_LT(damaged.at("slices"), whole.at("slices"));
  for (const char* rows :
       {"tracks", "counter_samples", "flows", "ops", "dependencies", "holdings", "instants"})
    EXPECT_EQ(damaged.at(rows), whole.at(rows)) << rows;
}

TEST_F(InfoTest, EveryCommandReadsADamagedRecordingAndSaysSoOnStderr) {
  const std::string file = recording();
  damage_slices_and_footer(file);
  const std::string converted = path("b.runahead");
  const json info = run_json({"info", file, "--json"});
  const std::vector<std::vector<std::string>> commands = {
      {"stats", file},
      {"query", file, "SELECT count(*) FROM slice"},
      {"convert", file, "-o", converted},
      {"export", file, "-o", path("out.json")},
      {"export", file, "-o", path("out.csv")},
      {"export", file, "-o", path("out.pftrace")},
  };
  for (const std::vector<std::string>& words : commands) {
    const Ended ended = run(words);
    EXPECT_EQ(ended.exit_code, 0) << words[0] << ": " << ended.err;
    EXPECT_NE(ended.err.find("file_damaged: These bytes"), std::string::npos)
        << words[0] << ": " << ended.err;
  }
  const json again = run_json({"info", converted, "--json"});
  for (const char* fact : {"slices", "ops", "counter_samples", "lost", "complete"})
    EXPECT_EQ(again.at(fact), info.at(fact)) << fact;
}

// If a block is damaged, its rows are read from the second copy of these rows in the file. The index says
// where the second copy is.
TEST_F(InfoTest, RowsThatARecordingHoldsTwiceAreNotMissed) {
  const std::string file = recording();
  const json whole = run_json({"info", file, "--json"});
  std::string bytes = contents(file);
  const std::size_t slices = bytes.find("RBLK\5");
  bytes[slices + 24] = static_cast<char>(bytes[slices + 24] ^ 1);
  std::ofstream(file, std::ios::binary) << bytes;
  const json damaged = run_json({"info", file, "--json"});
  EXPECT_EQ(damaged.at("slices"), whole.at("slices"));
  EXPECT_EQ(damaged.at("complete"), false) << "the file is damaged";
}

TEST_F(StatsTest, TheKindsOfAWorkloadAreThereWithTheirTimes) {
  const json stats = run_json({"stats", recording(), "--json"});
  std::vector<std::string> kinds;
  for (const json& row : stats.at("rows")) {
    kinds.push_back(row.at("kind"));
    EXPECT_GT(row.at("count"), 0);
    EXPECT_LE(row.at("min_ns"), row.at("p50_ns"));
    EXPECT_LE(row.at("p50_ns"), row.at("p99_ns"));
    EXPECT_LE(row.at("p99_ns"), row.at("max_ns"));
    EXPECT_GE(row.at("total_ns"), row.at("max_ns"));
  }
  for (const char* kind : {"enqueue", "execute", "step"}) {
    EXPECT_NE(std::find(kinds.begin(), kinds.end(), kind), kinds.end()) << kind;
  }
}

TEST_F(StatsTest, CsvHasAHeadAndARowForEachOfThem) {
  const std::string file = recording();
  const std::size_t rows = run_json({"stats", file, "--json"}).at("rows").size();
  const Ended ended = run({"stats", file, "--csv"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(ended.out.starts_with("name,kind,track,count,total_ns")) << ended.out;
  EXPECT_EQ(static_cast<std::size_t>(std::count(ended.out.begin(), ended.out.end(), '\n')), rows + 1);
}

TEST_F(StatsTest, ForAPersonItIsATable) {
  const Ended ended = run({"stats", recording()});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("p99"), std::string::npos) << ended.out;
}

// A terminal shortens it (terminal_test.py).
TEST_F(StatsTest, ALongNameIsWholeInAPipeAndInJsonAndCsv) {
  const std::string name = "void at::native::kernel<" + std::string(700, 'x') + ">(at::Tensor, \u30c6)";
  const trace::Trace trace = testing::TraceBuilder{}
                                 .track("stream 7", trace::TrackKind::kStream)
                                 .slice(name, Duration{0}, Duration{1000}, trace::SliceKind::kExecute)
                                 .build();
  ASSERT_TRUE(recordings::save_recording(trace, path("long.runahead")).ok());
  const Ended text = run({"stats", path("long.runahead")});
  EXPECT_NE(text.out.find(name + "  execute"), std::string::npos) << text.out;
  std::istringstream lines(text.out);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("void at::")) continue;
    EXPECT_LT(line.size(), 200u) << line;
  }
  EXPECT_EQ(run_json({"stats", path("long.runahead"), "--json"}).at("rows").at(0).at("name"), name);
  EXPECT_NE(run({"stats", path("long.runahead"), "--csv"}).out.find(name), std::string::npos);
}

TEST_F(InfoTest, ALongValueIsOneShortLineOfTheTextAndWholeInJson) {
  trace::Trace trace = testing::TraceBuilder{}.track("main").slice("a", Duration{0}, Duration{1000}).build();
  const std::string value = "{\"devices\": [\n" + std::string(5000, 'y') + "\n]}";
  trace.set_metadata("deviceProperties", value);
  ASSERT_TRUE(recordings::save_recording(trace, path("long.runahead")).ok());
  const Ended text = run({"info", path("long.runahead")});
  EXPECT_NE(text.out.find("deviceProperties  {\"devices\": [\\nyyy"), std::string::npos) << text.out;
  EXPECT_LT(text.out.size(), 2000u);
  EXPECT_EQ(run_json({"info", path("long.runahead"), "--json"}).at("metadata").at("deviceProperties"), value);
}

TEST_F(StatsTest, ThePeakOfEachDeviceSaysWhoHeldIt) {
  const std::string file = path("memory.runahead");
  (void)run_json({"run", "training_memory", "--device", "virtual:0", "--set", "steps=3", "--barrier", "none",
                  "--record", file, "--json"});
  const json memory = run_json({"stats", file, "--json"}).at("memory");
  const auto device = std::find_if(memory.begin(), memory.end(),
                                   [](const json& one) { return one.at("device") == "virtual:0"; });
  ASSERT_NE(device, memory.end());
  EXPECT_TRUE(device->at("lifetimes"));
  EXPECT_EQ(device->at("peak_bytes"), device->at("named_bytes")) << "all memory has a name";
  std::int64_t by_op = 0, by_category = 0;
  for (const json& holder : device->at("holders")) by_op += holder.at("bytes").get<std::int64_t>();
  for (const json& bytes : device->at("by_category")) by_category += bytes.get<std::int64_t>();
  EXPECT_EQ(by_op, device->at("named_bytes"));
  EXPECT_EQ(by_category, device->at("named_bytes"));
  const Ended text = run({"stats", file});
  EXPECT_NE(text.out.find("virtual:0: peak "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(", held by " + device->at("holders").at(0).at("op").get<std::string>()),
            std::string::npos)
      << text.out;
}

TEST_F(StatsTest, ACutOffRecordingIsSaidOnStderr) {
  const std::string file = recording();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) * 2 / 3);
  const Ended ended = run({"stats", file, "--json"});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_TRUE(json::parse(ended.out, nullptr, false).is_object());
  EXPECT_NE(ended.err.find("not complete"), std::string::npos) << ended.err;
}

TEST_F(QueryTest, AnswersAsATableAsJsonAndAsCsv) {
  const std::string file = recording();
  const json info = run_json({"info", file, "--json"});
  const std::string sql = "SELECT kind, count(*) AS n FROM slice GROUP BY kind ORDER BY kind";
  const json answer = run_json({"query", file, sql, "--json"});
  EXPECT_EQ(answer.at("columns"), (json{"kind", "n"}));
  std::int64_t slices = 0;
  for (const json& row : answer.at("rows")) slices += row.at(1).get<std::int64_t>();
  EXPECT_EQ(slices, info.at("slices").get<std::int64_t>());
  const Ended csv = run({"query", file, sql, "--csv"});
  EXPECT_TRUE(csv.out.starts_with("kind,n\r\n")) << csv.out;
  EXPECT_EQ(static_cast<std::size_t>(std::count(csv.out.begin(), csv.out.end(), '\n')),
            answer.at("rows").size() + 1);
  const Ended table = run({"query", file, sql});
  EXPECT_TRUE(table.out.starts_with("kind")) << table.out;
}

TEST_F(QueryTest, WrongSqlIsAWrongWord) {
  const Ended ended = run({"query", recording(), "SELEC 1"});
  EXPECT_EQ(ended.exit_code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_NE(ended.err.find("syntax error"), std::string::npos) << ended.err;
}

TEST_F(ExportTest, APerfettoTraceHasWhatTheRecordingHasAndOpensAgain) {
  const std::string file = recording();
  const Ended ended = run({"export", file, "-o", path("out.pftrace")});
  if (ended.err.find("libprotozero-dev") != std::string::npos) GTEST_SKIP() << "a build without protozero";
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json was = run_json({"info", file, "--json"}), is = run_json({"info", path("out.pftrace"), "--json"});
  for (const char* field : {"tracks", "slices", "instants", "counters", "counter_samples", "flows", "lost"}) {
    EXPECT_EQ(is.at(field), was.at(field)) << field;
  }
  EXPECT_EQ(is.at("format"), "perfetto");
}

// Chrome JSON cannot represent every row. Rows that it cannot represent come back from the recording that is
// embedded in the export.
TEST_F(ExportTest, ChromeJsonOpensAgainAsTheWholeTraceOrByItsEventsOnly) {
  const std::string file = recording();
  ASSERT_EQ(run({"export", file, "-o", path("out.json")}).exit_code, 0);
  ASSERT_EQ(run({"export", file, "-o", path("events.json"), "--events-only"}).exit_code, 0);
  const json was = run_json({"info", file, "--json"}), is = run_json({"info", path("out.json"), "--json"}),
             events = run_json({"info", path("events.json"), "--json"});
  for (const char* field : {"tracks", "slices", "instants", "counters", "counter_samples", "flows", "ops",
                            "dependencies", "holdings", "begin_ns", "end_ns", "lost"}) {
    EXPECT_EQ(is.at(field), was.at(field)) << field;
  }
  EXPECT_EQ(is.at("format"), "chrome json");
  EXPECT_EQ(events.at("slices"), was.at("slices"));
  EXPECT_EQ(events.at("ops"), 0);
  expect_failure(run({"export", file, "-o", path("out.csv"), "--events-only"}), 2, "--events-only");
}

// The number before `words` in the line that `export` prints. -1: `words` are not in the line.
std::int64_t number_before(const std::string& line, const std::string& words) {
  const std::size_t end = line.find(" " + words);
  if (end == line.npos) return -1;
  const std::size_t begin = line.find_last_not_of("0123456789", end - 1) + 1;
  return begin < end ? std::stoll(line.substr(begin, end - begin)) : -1;
}

TEST_F(ExportTest, WhatItSaysItWroteIsWhatIsReadBack) {
  const std::string file = recording();
  const json was = run_json({"info", file, "--json"});
  for (const std::string name : {"out.json", "out.pftrace"}) {
    for (const bool events_only : {true, false}) {
      std::vector<std::string> words{"export", file, "-o", path(name)};
      if (events_only) words.emplace_back("--events-only");
      const Ended ended = run(words);
      if (ended.err.find("libprotozero-dev") != std::string::npos) continue;  // a build without protozero
      ASSERT_EQ(ended.exit_code, 0) << ended.err;
      const json is = run_json({"info", path(name), "--json"});
      EXPECT_EQ(number_before(ended.out, "slices"), is.at("slices")) << ended.out;
      EXPECT_EQ(number_before(ended.out, "instants"), is.at("instants")) << ended.out;
      EXPECT_EQ(number_before(ended.out, "counter samples"), is.at("counter_samples")) << ended.out;
      EXPECT_EQ(number_before(ended.out, "flows"), is.at("flows")) << ended.out;
      EXPECT_EQ(number_before(ended.out, "ops"), was.at("ops")) << ended.out;
      EXPECT_EQ(number_before(ended.out, "dependencies"), was.at("dependencies")) << ended.out;
      EXPECT_EQ(number_before(ended.out, "allocations"), was.at("holdings")) << ended.out;
      const char* where = events_only ? "left out" : "only in the embedded recording";
      EXPECT_NE(ended.out.find(where), std::string::npos) << ended.out;
    }
  }
  const Ended csv = run({"export", file, "-o", path("out.csv")});
  EXPECT_EQ(number_before(csv.out, "slices"), was.at("slices")) << csv.out;
  EXPECT_EQ(number_before(csv.out, "instants"), 0) << csv.out;
}

// A script changes a name in the export. The embedded recording no longer matches the events. Therefore an
// import reads the events and ignores the recording.
TEST_F(ExportTest, AnExportWhoseEventsWereChangedIsReadByTheseAndSaysSo) {
  ASSERT_EQ(run({"export", recording(), "-o", path("out.json")}).exit_code, 0);
  std::string text = contents(path("out.json"));
  const std::size_t at = text.find("\"name\":\"");
  ASSERT_NE(at, std::string::npos);
  text.insert(at + 8, "X");
  std::ofstream(path("changed.json"), std::ios::binary) << text;
  const Ended ended = run({"info", path("changed.json"), "--json"});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json info = json::parse(ended.out);
  EXPECT_EQ(info.at("lost"), json({{"import_stale", 1}}));
  EXPECT_EQ(info.at("ops"), 0);
  EXPECT_EQ(info.at("complete"), false);
}

TEST_F(ExportTest, ChromeJsonHoldsEverySliceCounterAndFlow) {
  const std::string file = recording();
  const json info = run_json({"info", file, "--json"});
  const Ended ended = run({"export", file, "-o", path("out.json")});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("out.json"), std::string::npos);
  const json chrome = json::parse(contents(path("out.json")), nullptr, false);
  ASSERT_TRUE(chrome.is_object());
  std::map<std::string, int> phases;
  for (const json& event : chrome.at("traceEvents")) ++phases[event.at("ph").get<std::string>()];
  EXPECT_EQ(phases["s"], info.at("flows"));
  EXPECT_EQ(phases["C"], info.at("counter_samples"));
  EXPECT_GT(phases["X"] + phases["b"], 0);
}

TEST_F(ExportTest, TheNameOrTheWordSaysTheFormat) {
  const std::string file = recording();
  EXPECT_EQ(run({"export", file, "-o", path("out.csv")}).exit_code, 0);
  EXPECT_EQ(run({"export", file, "-o", path("out.txt"), "--format", "csv"}).exit_code, 0);
  EXPECT_EQ(contents(path("out.csv")), contents(path("out.txt")));
  const Ended zipped = run({"export", file, "-o", path("out.json.gz")});
  EXPECT_EQ(zipped.exit_code, 0) << zipped.err;
  EXPECT_TRUE(contents(path("out.json.gz")).starts_with("\x1f\x8b"));
}

}  // namespace
}  // namespace runahead::gui::test
