// Tests the causes panel without drawing: the explanation, the way to the evidence, and the words.
#include "gui/panels/causes/causes_panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "gui/panels/details/cause_finder.h"
#include "gui/timeline/causes/cause_names.h"
#include "gui/timeline/selection_facts.h"
#include "tests/causes/gpu_trace.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;

// Four steps on "main". Each loads data while the GPU is idle, runs a kernel, and waits for it.
trace::Trace loading_steps() {
  TraceBuilder builder = two_streams();
  for (int step = 0; step < 4; ++step) {
    const Duration at = 100_us * step;
    builder.on("main").slice("ProfilerStep#" + std::to_string(step), at, 100_us, trace::SliceKind::kStep);
    builder.slice("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", at, 50_us);
    launch(builder, "matmul", at + 50_us, "stream 7", at + 60_us, 30_us);
    builder.on("main").slice("cudaDeviceSynchronize", at + 56_us, 36_us, trace::SliceKind::kWait);
  }
  return builder.build();
}

CausesAnswer explain_now(const trace::Trace& trace) {
  const std::atomic<bool> cancelled{false};
  return *make_explainer()({{}, trace.snapshot(), {}}, cancelled);
}

const causes::Finding& finding_of(const CausesAnswer& answer, std::string_view rule) {
  const auto found =
      std::ranges::find(answer.findings, rule, [](const ShownFinding& shown) { return shown.finding.rule; });
  EXPECT_NE(found, answer.findings.end()) << rule;
  return found->finding;
}

template <typename Asked>
const Asked* command_of(const Commands& commands) {
  for (const Command& command : commands) {
    const auto* const timeline = std::get_if<TimelineCommand>(&command);
    const Asked* const asked = timeline != nullptr ? std::get_if<Asked>(timeline) : nullptr;
    if (asked != nullptr) return asked;
  }
  return nullptr;
}

TEST(CausesPanel, AFindingAboutACallLeadsToItsSlice) {
  const trace::Trace trace = loading_steps();
  const CausesAnswer answer = explain_now(trace);
  const causes::Finding& finding = finding_of(answer, "sync_in_every_step");
  const Commands commands = show_evidence(trace, {}, *answer.marks, finding);
  const auto* const shown = command_of<ShowSlice>(commands);
  ASSERT_NE(shown, nullptr);
  const auto slice = find_slice(trace, shown->slice);
  ASSERT_TRUE(slice);
  EXPECT_EQ(trace.string(slice->name), "cudaDeviceSynchronize");
  EXPECT_EQ(TimeRange(slice->begin, slice->end), finding.range);
  const auto* const glide = command_of<GlideTo>(commands);
  ASSERT_NE(glide, nullptr);
  EXPECT_TRUE(glide->view.begin < finding.range.begin && finding.range.end < glide->view.end);
}

TEST(CausesPanel, AFindingAboutIdleTimeSelectsTheGapAndShowsItsTrack) {
  const trace::Trace trace = loading_steps();
  const CausesAnswer answer = explain_now(trace);
  const causes::Finding& finding = finding_of(answer, "data_loading");
  TimelineState hidden;
  hidden.hidden = {finding.track};
  const Commands commands = show_evidence(trace, hidden, *answer.marks, finding);
  const auto* const selected = command_of<SelectIdle>(commands);
  ASSERT_NE(selected, nullptr);
  EXPECT_EQ(find_idle(*answer.marks, selected->idle)->gap.range, finding.range);
  ASSERT_NE(command_of<ShowTrack>(commands), nullptr);
  EXPECT_EQ(command_of<ShowTrack>(commands)->track, finding.track);
  EXPECT_EQ(command_of<ShowSlice>(commands), nullptr);
  EXPECT_EQ(command_of<ShowTrack>(show_evidence(trace, {}, *answer.marks, finding)), nullptr);
}

TEST(CausesPanel, AnyOtherFindingIsMeasured) {
  const trace::Trace trace = loading_steps();
  const CausesAnswer answer = explain_now(trace);
  causes::Finding finding = finding_of(answer, "data_loading");
  finding.range.begin += 1_us;
  EXPECT_EQ(command_of<SetRange>(show_evidence(trace, {}, *answer.marks, finding))->range, finding.range);
  finding.track = kNoTrack;
  EXPECT_EQ(command_of<SetRange>(show_evidence(trace, {}, *answer.marks, finding))->range, finding.range);
  finding.range = {};
  EXPECT_TRUE(show_evidence(trace, {}, *answer.marks, finding).empty()) << "there is no evidence";
}

TEST(CausesPanel, TheWayToAFindingDoesNotLeadToATimeBeforeTheTrace) {
  const trace::Trace trace = loading_steps();
  const CausesAnswer answer = explain_now(trace);
  causes::Finding finding = finding_of(answer, "data_loading");
  finding.range = {trace.extent().begin, trace.extent().end};
  const Commands commands = show_evidence(trace, {}, *answer.marks, finding);
  const auto* const glide = command_of<GlideTo>(commands);
  ASSERT_NE(glide, nullptr);
  EXPECT_EQ(glide->view.begin, trace.extent().begin);
  EXPECT_GT(glide->view.end, trace.extent().end);
}

TEST(CausesPanel, CostsArePerStepOnlyIfThereAreSteps) {
  CausesAnswer answer = explain_now(loading_steps());
  const causes::Finding costly{.rule = "r", .sentence = "It costs.", .help = {}, .cost = 80_us, .range = {}};
  ShownFinding shown{costly, "", 4};
  EXPECT_EQ(cost_per_step(shown), 20_us);
  EXPECT_EQ(finding_text(shown), "It costs.");
  EXPECT_EQ(causes_summary(answer, false), "400 \u00b5s explained, 4 steps of 100 \u00b5s (median)");
  EXPECT_EQ(causes_summary(answer, true).substr(0, 8), "so far: ");
  shown.finding.cost = {};
  EXPECT_EQ(cost_per_step(shown), std::nullopt) << "it costs nothing";
  shown = {costly, "rank 2", 0};
  EXPECT_EQ(cost_per_step(shown), std::nullopt);
  EXPECT_EQ(finding_text(shown), "rank 2: It costs.");
  shown.finding.sentence = "rank 2 gpu 0 was idle.";
  EXPECT_EQ(finding_text(shown), "rank 2 gpu 0 was idle.") << "it names its rank itself";
  answer.ranks.front().explanation.steps = {};
  EXPECT_EQ(causes_summary(answer, false), "400 \u00b5s explained");
  answer.ranks.resize(3);
  EXPECT_EQ(causes_summary(answer, false), "3 ranks explained");
}

TEST(CausesPanel, TheMarksHaveTheGapsAndTheTextsOnlyTheSums) {
  const CausesAnswer answer = explain_now(loading_steps());
  ASSERT_EQ(answer.ranks.size(), 1U);
  const causes::Explanation& explanation = answer.ranks.front().explanation;
  ASSERT_EQ(explanation.devices.size(), 1U);
  EXPECT_TRUE(explanation.devices.front().report.gaps.empty());
  EXPECT_TRUE(explanation.path.segments.empty());
  Duration marked{};
  for (const causes::IdleParts& parts : answer.marks->devices.front().parts) marked += parts.total();
  EXPECT_EQ(marked, explanation.devices.front().report.idle.total());
  const auto parts = idle_parts(explanation.devices.front().report.idle);
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts.front().kind, causes::IdleCause::kDataLoading) << "the largest first";
  double share = 0;
  for (const auto& part : parts) share += part.share;
  EXPECT_NEAR(share, 1, 1e-9);
}

TEST(CausesPanel, NotesSayWhatTheTraceLacksAndThatGapsAreLeftOut) {
  CausesAnswer answer = explain_now(loading_steps());
  const std::size_t before = causes_notes(answer).size();
  EXPECT_EQ(before, answer.ranks.front().explanation.to_record.size());
  CauseMarks fewer = *answer.marks;
  fewer.devices.front().gap_count = fewer.devices.front().gaps.size() + 7;
  answer.marks = std::make_shared<const CauseMarks>(fewer);
  ASSERT_EQ(causes_notes(answer).size(), before + 1);
  EXPECT_NE(causes_notes(answer).back().find("gpu 0"), std::string::npos);
}

TEST(CausesPanel, TheTableHasARowForEachFinding) {
  const CausesAnswer answer = explain_now(loading_steps());
  const TableRows rows = causes_rows(answer);
  ASSERT_EQ(rows.size(), answer.findings.size() + 1);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows.front().size());
  EXPECT_EQ(rows[1].front(), answer.findings.front().finding.rule);
}

TEST(CausesPanel, ATraceWithoutADeviceHasOnlyANote) {
  const trace::Trace trace =
      TraceBuilder{}.track("main").numbers(1, 1).slice("aten::add", 0_us, 10_us).build();
  const CausesAnswer answer = explain_now(trace);
  EXPECT_TRUE(answer.ranks.front().explanation.devices.empty());
  EXPECT_TRUE(answer.marks->devices.empty());
  EXPECT_FALSE(causes_notes(answer).empty());
}

// The tooltip of a call that waited.
TEST(HoveredWait, SaysWhatACallWaitedForAndWhetherThisIsRecorded) {
  const trace::Trace trace = loading_steps();
  const SliceRef wait{trace.tracks().front().info.id, 1, 2, false};
  ASSERT_EQ(trace.string(find_slice(trace, wait)->name), "cudaDeviceSynchronize");
  EXPECT_TRUE(may_wait(trace, wait));
  EXPECT_FALSE(may_wait(trace, {wait.track, 1, 0, false})) << "it loads data";
  EXPECT_FALSE(may_wait(trace, {wait.track, 1, 1, false})) << "a launch of 5 us";
  EXPECT_FALSE(may_wait(trace, {trace.tracks()[1].info.id, 0, 0, false})) << "a kernel";
  EXPECT_FALSE(may_wait(trace, {wait.track, 1, 1000, false})) << "no slice";
  const std::atomic<bool> cancelled{false};
  const auto cause = make_cause_finder()({wait, trace.snapshot(), {}}, cancelled);
  ASSERT_TRUE(cause && cause->waited);
  const Facts facts = cause_facts(trace, *cause);
  const auto value = [&](std::string_view name) {
    const auto found = std::ranges::find(facts, name, &std::pair<std::string, std::string>::first);
    return found != facts.end() ? found->second : std::string("(none)");
  };
  EXPECT_EQ(value("Waited for"), "matmul");
  EXPECT_EQ(value("On"), "gpu 0 stream 7");
  EXPECT_EQ(value("Evidence"), "inferred");
  EXPECT_EQ(value("Executing"), "30.0 \u00b5s (83 %)");
  const auto kernel =
      make_cause_finder()({{trace.tracks()[1].info.id, 0, 0, false}, trace.snapshot(), {}}, cancelled);
  EXPECT_TRUE(cause_facts(trace, *kernel).empty());
}

}  // namespace
}  // namespace runahead::gui
