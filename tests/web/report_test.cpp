// Tests the report of a page: it says what the panels and the strip say, in three languages.
#include "gui/web/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "gui/answers/compare_words.h"
#include "gui/answers/loss_sentences.h"
#include "gui/answers/wait_groups.h"
#include "gui/panels/causes/causes_panel.h"
#include "gui/panels/compare/compare_rows.h"
#include "gui/panels/waits/waits_panel.h"
#include "gui/panels/whatif/whatif_panel.h"
#include "gui/text/language.h"
#include "gui/text/text.h"
#include "instrumentation/analysis/barrier_segments.h"
#include "instrumentation/analysis/comparison.h"
#include "instrumentation/analysis/notes.h"
#include "instrumentation/analysis/side_summary.h"
#include "instrumentation/base/format.h"
#include "tests/causes/gpu_trace.h"
#include "tests/timeline/sample_run.h"

namespace runahead::gui {
namespace {

using namespace testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;
using Column = std::vector<std::string>;

const std::atomic<bool> kGoesOn{false};

Json report_of(const trace::Trace& trace, const ReportLimits& limits = {}) {
  const std::optional<std::string> text = page_report(trace, {}, limits);
  EXPECT_TRUE(text);
  return Json::parse(text.value_or("{}"));
}

Column ids_of(const Json& report) {
  Column out;
  for (const Json& section : report["en"]["sections"]) out.push_back(section["id"]);
  return out;
}

Json section_of(const Json& report, const std::string& id, const std::string& language = "en") {
  for (const Json& section : report[language]["sections"]) {
    if (section["id"] == id) return section;
  }
  return {};
}

// The cells of a column of the section's table.
Column cells_of(const Json& section, std::size_t column, std::size_t table = 0) {
  Column out;
  for (const Json& row : section["tables"].at(table)["rows"]) out.push_back(row["cells"].at(column));
  return out;
}

// The same column of a panel's table, without the header.
Column column_of(const TableRows& rows, std::size_t column) {
  Column out;
  for (std::size_t i = 1; i < rows.size(); ++i) out.push_back(rows[i].at(column));
  return out;
}

// A run whose barrier changes, with steps, memory and a note.
trace::Trace toggled_run() {
  TraceBuilder builder;
  builder.track("barrier", trace::TrackKind::kMarkers)
      .instant("start: none", 0_ms)
      .instant("none -> item", 100_ms)
      .track("main", trace::TrackKind::kFrontend)
      .slice("item", 105_ms, 45_ms, trace::SliceKind::kWait)
      .slice("item", 160_ms, 10_ms, trace::SliceKind::kWait)
      .counter("live", trace::CounterRole::kLiveBytes, trace::Unit::kBytes)
      .sample(10_ms, 500)
      .sample(99_ms, 800)
      .sample(150_ms, 20)
      .sample(200_ms, 20);
  trace::Trace trace = builder.build();
  trace.set_metadata(analysis::note_key(at(120_ms)), "the barrier </script> acts");
  return trace;
}

void expect_waits_of_the_panel(const trace::Trace& trace) {
  const auto answer = make_wait_reporter()({{}, trace.snapshot(), trace.extent()}, kGoesOn);
  ASSERT_TRUE(answer);
  std::vector<std::size_t> order(answer->groups.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const TableRows rows = waits_rows(*answer, order);
  const Json section = section_of(report_of(trace), "waits");
  for (const std::size_t column : {0, 1, 2, 3}) EXPECT_EQ(cells_of(section, column), column_of(rows, column));
  EXPECT_EQ(section["tables"][0]["rows"].size(), answer->groups.size());
}

TEST(Report, HasTheWaitsOfThePanelWithTheirParts) {
  expect_waits_of_the_panel(sample_run());
  expect_waits_of_the_panel(waiting_steps());
  const Json row = section_of(report_of(sample_run()), "waits")["tables"][0]["rows"][0];
  EXPECT_FALSE(row["parts"].empty());
  EXPECT_EQ(row["go"]["track"], raw(kTracks.main));
}

TEST(Report, HasTheFindingsOfThePanel) {
  const trace::Trace trace = waiting_steps();
  const auto answer = make_explainer()({{}, trace.snapshot(), {}}, kGoesOn);
  ASSERT_TRUE(answer && !answer->findings.empty());
  const TableRows rows = causes_rows(*answer);
  const Json section = section_of(report_of(trace), "causes");
  Column findings = cells_of(section, 0);
  for (const std::string& by_nsys : cells_of(section, 0, 1)) findings.push_back(by_nsys);
  EXPECT_EQ(findings, column_of(rows, 1));
  EXPECT_EQ(section["tables"][1]["caption"], text(Text::kCausesNsysRules));
  EXPECT_EQ(section["summary"], causes_summary(*answer, false));
  for (const std::string& note : causes_notes(*answer)) EXPECT_THAT(section["notes"], Contains(Json(note)));
  // The trace does not say what a call waited for.
  EXPECT_THAT(cells_of(section, 3), Contains(text(Text::kCauseInferred)));
  const causes::Finding& first = answer->findings.front().finding;
  EXPECT_EQ(section["tables"][0]["rows"][0]["go"]["from"], std::to_string(ns_from(first.range.begin)));
}

TEST(Report, HasThePredictionsOfThePanel) {
  const trace::Trace trace = waiting_steps();
  const auto done = std::make_shared<std::atomic<double>>(0);
  const auto answer = make_ranker(done, [] {})({{}, trace.snapshot(), {}}, kGoesOn);
  ASSERT_TRUE(answer && !answer->ranked->candidates.empty());
  const Json section = section_of(report_of(trace), "whatif");
  const TableRows rows = whatif_rows(*answer);
  EXPECT_EQ(cells_of(section, 0), column_of(rows, 0));
  EXPECT_EQ(cells_of(section, 3), column_of(rows, 1)) << "the trace has no memory, so --change is the fourth";
  EXPECT_EQ(cells_of(section, 1)[0], rate_words(answer->ranked->candidates[0]));
  EXPECT_EQ(section["summary"], whatif_summary(*answer));
}

TEST(Report, SaysWhyThereAreNoPredictions) {
  const trace::Trace trace = toggled_run();
  const auto done = std::make_shared<std::atomic<double>>(0);
  const auto answer = make_ranker(done, [] {})({{}, trace.snapshot(), {}}, kGoesOn);
  ASSERT_TRUE(answer);
  const Json section = section_of(report_of(trace), "whatif");
  EXPECT_EQ(section["summary"], refusal_text(*answer));
  EXPECT_NE(section["summary"], "");
  EXPECT_TRUE(section["tables"].empty());
}

TEST(Report, SaysWhatItLeftOut) {
  const Json late =
      section_of(report_of(waiting_steps(), {.most_predicting = std::chrono::milliseconds(-1)}), "whatif");
  EXPECT_TRUE(late["tables"].empty());
  EXPECT_THAT(late["notes"].dump(), HasSubstr("runahead predict"));
  const Json large = report_of(waiting_steps(), {.most_slices = 3});
  EXPECT_THAT(ids_of(large), ElementsAre("summary"));
  EXPECT_THAT(section_of(large, "summary")["notes"].dump(), HasSubstr("runahead explain"));
  const Json few = section_of(report_of(waiting_steps(), {.most_rows = 0}), "waits");
  EXPECT_TRUE(few["tables"][0]["rows"].empty());
  EXPECT_THAT(few["notes"].dump(), HasSubstr("The first 0 of 1 rows"));
}

TEST(Report, HasEachTimeUnderABarrier) {
  const trace::Trace trace = toggled_run();
  const Json section = section_of(report_of(trace), "barriers");
  Column barriers, memory;
  for (const analysis::BarrierSegment& segment : analysis::barrier_segments(trace)) {
    barriers.push_back(segment.barrier);
    memory.push_back(format_bytes(segment.figures.peak_bytes));
  }
  EXPECT_EQ(cells_of(section, 0), barriers);
  EXPECT_EQ(cells_of(section, 5), memory);
  EXPECT_THAT(barriers, ElementsAre("none", "item"));
  EXPECT_EQ(cells_of(section, 3), Column({text(Text::kNoFigure), text(Text::kNoFigure)}))
      << "without steps there is no rate";
}

TEST(Report, ListsMarkersAndNotesInTimeOrder) {
  const Json section = section_of(report_of(toggled_run()), "marks");
  EXPECT_THAT(cells_of(section, 2), ElementsAre("start: none", "none -> item", "the barrier </script> acts"));
  EXPECT_THAT(cells_of(section, 1), ElementsAre("marker", "marker", "note"));
}

// The comparison of two ranges of toggled_run().
PageComparison toggled_comparison(const trace::Trace& trace) {
  return {"run.runahead (none)", "run.runahead (item)",
          analysis::compare_sides(analysis::summarize_side(trace, range(0_ms, 100_ms)),
                                  analysis::summarize_side(trace, range(100_ms, 200_ms)))};
}

TEST(Report, HasTheComparisonOfThePanelFirst) {
  const trace::Trace trace = toggled_run();
  const PageComparison compared = toggled_comparison(trace);
  const std::optional<std::string> text = page_report(trace, {}, {}, &compared);
  ASSERT_TRUE(text);
  const Json report = Json::parse(*text);
  EXPECT_EQ(ids_of(report).front(), "compare");
  const Json section = section_of(report, "compare");
  EXPECT_EQ(cells_of(section, 1), Column({"run.runahead (none)", "run.runahead (item)"}));
  EXPECT_EQ(section["tables"][0]["rows"][1]["go"]["from"], "100000000");
  EXPECT_FALSE(section["tables"][0]["rows"][0]["go"].contains("lower"));
  EXPECT_EQ(section["tables"][0]["rows"][1]["go"]["lower"], true) << "on the timeline of B";
  const TableRows names =
      name_rows(compared.comparison.names,
                listed_names(compared.comparison.names, "", ComparedColumn::kDifference, true));
  EXPECT_EQ(cells_of(section, 0, 2), column_of(names, 0));
  Column figures, before, after, ratios;
  for (const analysis::FigurePair& figure : compared.comparison.figures) {
    figures.push_back(figure_name(figure));
    before.push_back(figure_words(figure.unit, figure.a));
    after.push_back(figure_words(figure.unit, figure.b));
    ratios.push_back(ratio_words(figure.ratio));
  }
  EXPECT_EQ(cells_of(section, 0, 1), figures);
  EXPECT_EQ(cells_of(section, 1, 1), before);
  EXPECT_EQ(cells_of(section, 2, 1), after);
  EXPECT_EQ(cells_of(section, 3, 1), ratios);
}

TEST(Report, TheComparisonIsInThreeLanguages) {
  const trace::Trace trace = toggled_run();
  const PageComparison compared = toggled_comparison(trace);
  const Json report = Json::parse(page_report(trace, {}, {}, &compared).value_or("{}"));
  std::set<std::string> figures;
  for (const char* const code : {"en", "zh", "ja"}) {
    const Json section = section_of(report, "compare", code);
    figures.insert(cells_of(section, 0, 1).front());
    EXPECT_EQ(cells_of(section, 1, 1), cells_of(section_of(report, "compare"), 1, 1)) << code;
  }
  EXPECT_EQ(figures.size(), 3u);
}

TEST(Report, OfAComparisonWithAnotherTraceSaysWhatItLeftOutAndWhatBHasLost) {
  const trace::Trace trace = toggled_run();
  PageComparison compared = toggled_comparison(trace);
  compared.b_trace = std::make_shared<const trace::Trace>(trace.snapshot());
  compared.comparison.b_losses.add(trace::LossCause::kBufferFull, 7);
  const Json report = Json::parse(page_report(trace, {}, {.most_rows = 0}, &compared).value_or("{}"));
  const Json section = section_of(report, "compare");
  EXPECT_THAT(section["notes"].dump(), HasSubstr("The first 0 of"));
  EXPECT_THAT(section["notes"].dump(), HasSubstr("B: "));
}

// The values of the first table of the summary, by their names.
std::map<std::string, std::string> figures_of(const Json& report) {
  std::map<std::string, std::string> out;
  const Json summary = section_of(report, "summary");
  const Column names = cells_of(summary, 0), values = cells_of(summary, 1);
  for (std::size_t i = 0; i < names.size(); ++i) out[names[i]] = values[i];
  return out;
}

void expect_waits_of_the_panel_in(const trace::Trace& trace, TimeRange range) {
  const auto answer = make_wait_reporter()({{.in_range = true}, trace.snapshot(), range}, kGoesOn);
  ASSERT_TRUE(answer);
  const Json section = section_of(report_of(trace, {.range = range}), "waits");
  EXPECT_EQ(section["summary"],
            waits_summary(answer->count, answer->split.total(), answer->range, answer->in_range));
  std::vector<std::size_t> order(answer->groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const TableRows rows = waits_rows(*answer, order);
  for (const std::size_t column : {0, 1, 2, 3}) EXPECT_EQ(cells_of(section, column), column_of(rows, column));
}

TEST(Report, OfARangeHasItsFiguresAndNames) {
  const Json report = report_of(sample_run(), {.range = range(380_us, 620_us)});
  EXPECT_THAT(ids_of(report), ElementsAre("summary", "waits"));
  auto figures = figures_of(report);
  EXPECT_EQ(figures[text(Text::kDuration)], "240 \u00b5s");
  EXPECT_EQ(figures[text(Text::kOps)], "2") << "matmul and copy ended in it, relu later";
  EXPECT_EQ(figures[text(Text::kBlockedShort)], "220 \u00b5s  (92 %)");
  EXPECT_EQ(figures[text(Text::kPeakMemory)], "68.1 kB");
  EXPECT_THAT(cells_of(section_of(report, "summary"), 0, 1), ElementsAre("copy", "relu"))
      << "the slices that begin in it";
  EXPECT_THAT(section_of(report, "summary")["notes"], Contains(Json(text(Text::kReportOfRange))));
}

TEST(Report, OfARangeHasTheWaitsOfThePanelInIt) {
  expect_waits_of_the_panel_in(sample_run(), range(380_us, 620_us));
  expect_waits_of_the_panel_in(waiting_steps(), range(100_us, 200_us));
  const Json none = section_of(report_of(sample_run(), {.range = range(20_us, 60_us)}), "waits");
  EXPECT_EQ(none["summary"], text(Text::kWaitsNone));
}

TEST(Report, OfARangeHasTheMarksInIt) {
  const Json report = report_of(toggled_run(), {.range = range(50_ms, 110_ms)});
  EXPECT_THAT(cells_of(section_of(report, "marks"), 2), ElementsAre("none -> item"));
  EXPECT_THAT(ids_of(report_of(toggled_run(), {.range = range(10_ms, 20_ms)})), Not(Contains("marks")));
}

TEST(Report, OfARangeLeavesOutWhatTheTraceDoesNotRecord) {
  const auto figures = figures_of(report_of(waiting_steps(), {.range = range(100_us, 200_us)}));
  EXPECT_TRUE(figures.contains(text(Text::kExecuting)));
  for (const Text missing : {Text::kOps, Text::kPeakMemory, Text::kMostRunAhead})
    EXPECT_FALSE(figures.contains(text(missing))) << text(missing);
}

TEST(Report, OfARangeWithTooManySlicesHasNoWaitsAndSaysSo) {
  const Json report = report_of(sample_run(), {.range = range(380_us, 620_us), .most_slices = 1});
  EXPECT_THAT(ids_of(report), ElementsAre("summary"));
  EXPECT_THAT(section_of(report, "summary")["notes"].dump(), HasSubstr("has 10 slices. Above 1"));
}

TEST(Report, OfARangeCanBeCancelled) {
  for (int calls = 0; calls < 4; ++calls) {
    int left = calls;
    const auto goes_on = [&](double) { return left-- > 0; };
    EXPECT_FALSE(page_report(sample_run(), goes_on, {.range = range(380_us, 620_us)}));
  }
}

TEST(Report, SaysThatATraceHasNoWaits) {
  const Json report = report_of(dense_run(10));
  EXPECT_THAT(ids_of(report), ElementsAre("summary", "waits", "causes", "whatif"));
  EXPECT_EQ(section_of(report, "waits")["summary"], text(Text::kWaitsNone));
  EXPECT_EQ(section_of(report, "summary")["notes"][0], text(Text::kReportNothingLost));
  EXPECT_THAT(ids_of(report_of(trace::Trace())), ElementsAre("summary"));
}

TEST(Report, CountsWhatWasLost) {
  trace::Trace trace = waiting_steps();
  trace.add_loss(trace::LossCause::kBufferFull, 7);
  EXPECT_EQ(section_of(report_of(trace), "summary")["notes"][0], loss_sentences(trace).front());
}

TEST(Report, IsInThreeLanguagesWithTheSameFigures) {
  for (const trace::Trace& trace : {toggled_run(), waiting_steps(), sample_run()}) {
    const Json report = report_of(trace);
    std::set<std::string> titles;
    for (const char* const code : {"en", "zh", "ja"}) {
      const Json& sections = report[code]["sections"];
      ASSERT_EQ(sections.size(), report["en"]["sections"].size());
      titles.insert(sections[0]["title"]);
      for (std::size_t i = 0; i < sections.size(); ++i) {
        const Json& one = sections[i]["tables"];
        const Json& english = report["en"]["sections"][i]["tables"];
        ASSERT_EQ(one.size(), english.size());
        for (std::size_t t = 0; t < one.size(); ++t) {
          EXPECT_EQ(one[t]["rows"].size(), english[t]["rows"].size());
          for (const Json& row : one[t]["rows"]) EXPECT_EQ(row["cells"].size(), one[t]["columns"].size());
        }
      }
    }
    EXPECT_GE(titles.size(), 2u);
  }
  EXPECT_EQ(language(), Language::kEnglish) << "the window keeps its language";
}

TEST(Report, KeepsHostileNamesAsText) {
  const std::string name = "</script><b a=\"1\" b='2'>&amp;\u2028\u2029\x01 \xff";
  TraceBuilder builder = two_streams();
  builder.on("main").slice(name, 0_us, 40_us, trace::SliceKind::kWait);
  trace::Trace trace = builder.build();
  trace.set_metadata(analysis::note_key(at(10_us)), name);
  const std::string text = page_report(trace).value();
  EXPECT_THAT(text, Not(HasSubstr("<")));
  EXPECT_THAT(text, Not(HasSubstr("\u2028")));
  EXPECT_THAT(text, Not(HasSubstr("\u2029")));
  const std::string read = "</script><b a=\"1\" b='2'>&amp;\u2028\u2029\x01 \ufffd";
  EXPECT_THAT(cells_of(section_of(Json::parse(text), "marks"), 2), ElementsAre(read));
}

TEST(Report, CanBeCancelled) {
  for (int calls = 0; calls < 4; ++calls) {
    int left = calls;
    EXPECT_FALSE(page_report(waiting_steps(), [&](double) { return left-- > 0; }));
  }
}

}  // namespace
}  // namespace runahead::gui
