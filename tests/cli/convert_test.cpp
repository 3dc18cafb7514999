// Tests the commands info, stats, export and convert with traces of other tools.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "tests/cli/program.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;

class ConvertTest : public ProgramTest {
 protected:
  [[nodiscard]] std::string chrome(const std::string& text, const std::string& name = "a.json") const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
};

constexpr const char* kTwoSlices =
    R"([{"ph":"X","pid":1,"tid":7,"ts":10,"dur":5.5,"name":"outer"},
        {"ph":"X","pid":1,"tid":7,"ts":11,"dur":2,"name":"inner"},
        {"ph":"C","pid":1,"ts":12,"name":"load","args":{"value":3}}])";

TEST_F(ConvertTest, InfoSaysWhatAChromeTraceHolds) {
  const json info = run_json({"info", chrome(kTwoSlices), "--json"});
  EXPECT_EQ(info.at("format"), "chrome json");
  EXPECT_EQ(info.at("slices"), 2);
  EXPECT_EQ(info.at("counter_samples"), 1);
  EXPECT_EQ(info.at("begin_ns"), 0);
  EXPECT_EQ(info.at("end_ns"), 5500);
  EXPECT_EQ(info.at("complete"), true);
}

TEST_F(ConvertTest, ARecordingIsWrittenThatHoldsTheSame) {
  const std::string file = chrome(kTwoSlices);
  const Ended ended = run({"convert", file, "-o", path("b.runahead")});
  EXPECT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(std::count(ended.out.begin(), ended.out.end(), '\n'), 1) << ended.out;
  const json before = run_json({"info", file, "--json"}),
             after = run_json({"info", path("b.runahead"), "--json"});
  for (const char* fact :
       {"tracks", "slices", "instants", "counters", "counter_samples", "flows", "end_ns"}) {
    EXPECT_EQ(before.at(fact), after.at(fact)) << fact;
  }
  EXPECT_EQ(after.at("metadata").at("converted_from"), "chrome json");
  EXPECT_TRUE(after.at("format").get<std::string>().starts_with("runahead"));
}

TEST_F(ConvertTest, AsJsonItSaysWhatWasReadAndWritten) {
  const json report = run_json({"convert", chrome(kTwoSlices), "-o", path("b.runahead"), "--json"});
  EXPECT_EQ(report.at("slices"), 2);
  EXPECT_EQ(report.at("output"), path("b.runahead"));
  EXPECT_EQ(report.at("complete"), true);
}

TEST_F(ConvertTest, StatsAndExportTakeAChromeTrace) {
  const std::string file = chrome(kTwoSlices);
  EXPECT_EQ(run_json({"stats", file, "--json"}).at("rows").size(), 2u);
  EXPECT_EQ(run({"export", file, "-o", path("again.json")}).exit_code, 0);
  EXPECT_EQ(run_json({"info", path("again.json"), "--json"}).at("slices"), 2);
}

TEST_F(ConvertTest, ACutFileIsOpenedAndWhatWasCutIsSaid) {
  const std::string whole(kTwoSlices);
  const std::string file = chrome(whole.substr(0, whole.find("\"inner\"")));
  const json info = run_json({"info", file, "--json"});
  EXPECT_EQ(info.at("slices"), 1);
  EXPECT_EQ(info.at("complete"), false);
  EXPECT_GT(info.at("lost").at("import_cut"), 0);
  const Ended ended = run({"convert", file, "-o", path("b.runahead")});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.err.find("not complete"), std::string::npos) << ended.err;
}

TEST_F(ConvertTest, WordsAreChecked) {
  const std::string file = chrome(kTwoSlices);
  expect_failure(run({"convert", file}), 2, "--output");
  expect_failure(run({"convert", file, "-o", path("b.json")}), 2, ".runahead");
  expect_failure(run({"convert", path("missing.json"), "-o", path("b.runahead")}), 1, "missing.json");
  EXPECT_FALSE(std::filesystem::exists(path("b.runahead")));
}

TEST_F(ConvertTest, JsonThatIsNoTraceIsRefused) {
  expect_failure(run({"info", chrome(R"({"name":"a package","version":1})")}), 1, "without a list of events");
  const std::string recording_file = recording("r.runahead");
  expect_failure(run({"convert", recording_file, "-o", recording_file}), 1, "the trace itself");
}

// ---- rows that an import skips ----------------------------------------------------------------------------

TEST_F(ConvertTest, WhatWasSkippedIsCountedByKindAndStaysInTheRecording) {
  const std::string file = chrome(R"([{"ph":"X","pid":1,"tid":7,"ts":10,"dur":5,"name":"a"},
        {"ph":"O","pid":1,"ts":1,"name":"b"}, {"ph":"O","pid":1,"ts":2,"name":"b"}])");
  const json info = run_json({"info", file, "--json"});
  EXPECT_EQ(info.at("lost").at("import_skipped"), 2);
  EXPECT_EQ(info.at("skipped"), json({{"phase.O", 2}}));
  const Ended text = run({"info", file});
  EXPECT_NE(text.out.find("\nskipped: events of the phases: O 2\n"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("import.skipped"), std::string::npos) << "shown once, not again as metadata";
  const Ended converted = run({"convert", file, "-o", path("b.runahead")});
  EXPECT_NE(converted.err.find("skipped: events of the phases: O 2"), std::string::npos) << converted.err;
  EXPECT_EQ(run_json({"info", path("b.runahead"), "--json"}).at("skipped"), json({{"phase.O", 2}}));
}

TEST_F(ConvertTest, AFileOfWhichNothingCanBeShownIsRefused) {
  const std::string broken =
      chrome(R"([{"ph":"O","pid":1,"ts":1,"name":"b"}, {"name":"no phase"}])", "b.json");
  const std::string log("\x0a\x07\xba\x02\x04line", 9);  // one packet of Android's log
  for (const std::string& file : {broken, chrome(log, "a.pftrace")}) {
    expect_failure(run({"info", file}), 1, file);
    expect_failure(run({"info", file, "--json"}), 1, "no slice, instant or sample");
    expect_failure(run({"stats", file}), 1, "1 skipped (");
    expect_failure(run({"export", file, "-o", path("out.json")}), 1, "open it with the tool that wrote it");
    expect_failure(run({"convert", file, "-o", path("out.runahead")}), 1, file);
    EXPECT_FALSE(std::filesystem::exists(path("out.json")));
    EXPECT_FALSE(std::filesystem::exists(path("out.runahead")));
  }
}

// These functions encode a field of a protobuf message. The value is a string of bytes, or an integer below
// 128.
std::string field(int number, const std::string& bytes) {
  return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}
std::string field(int number, int value) {
  return {static_cast<char>(number << 3), static_cast<char>(value)};
}

TEST_F(ConvertTest, TheKernelsTraceIsShownAndExported) {
  const auto print = [](int at, const std::string& text) {
    return field(2, field(1, at) + field(2, 41) + field(3, field(2, text)));
  };
  const std::string bundle =
      field(1, 0) + print(10, "B|40|draw") + print(20, "C|40|fps|60") + print(30, "E|40");
  const std::string file = chrome(field(1, field(1, bundle)), "a.pftrace");
  const json info = run_json({"info", file, "--json"});
  EXPECT_EQ(info.at("slices"), 1);
  EXPECT_EQ(info.at("counter_samples"), 1);
  EXPECT_EQ(info.at("complete"), true);
  ASSERT_EQ(run({"export", file, "-o", path("out.csv")}).exit_code, 0);
  std::ifstream csv(path("out.csv"));
  const std::string rows{std::istreambuf_iterator<char>(csv), {}};
  EXPECT_NE(rows.find("process 40/thread 41,0,0,20,draw,"), std::string::npos) << rows;
}
}  // namespace
}  // namespace runahead::gui::test
