// Tests the panel What if without drawing: the answers, the change made by hand, and the words.
#include "gui/panels/whatif/whatif_panel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "gui/panels/causes/causes_panel.h"
#include "tests/causes/gpu_trace.h"
#include "tests/support/between_checks.h"

namespace runahead::gui {
namespace {

using namespace runahead::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::optional<WhatIfAnswer> rank_now(const trace::Trace& trace, bool cancel = false) {
  const std::atomic<bool> cancelled{cancel};
  const auto done = std::make_shared<std::atomic<double>>(0);
  std::optional<WhatIfAnswer> answer = make_ranker(done, [] {})({{}, trace.snapshot(), {}}, cancelled);
  EXPECT_EQ(done->load(), cancel ? 0 : 1);
  return answer;
}

std::vector<std::string> hand_texts(const HandChange& hand) {
  std::vector<std::string> out;
  for (const predict::Change& change : changes_of(hand)) out.push_back(to_string(change));
  return out;
}

TEST(WhatIfPanel, AChangeByHandIsWhatDiffersFromTheRun) {
  EXPECT_THAT(hand_texts({}), ElementsAre());
  EXPECT_THAT(hand_texts({.barrier = BarrierKind::kWindow, .window = 3}), ElementsAre("barrier=window:3"));
  EXPECT_THAT(hand_texts({.frontend = 0.5f, .op = "dense", .op_factor = 0.25f, .at_execution = true}),
              ElementsAre("frontend=0.50", "op:dense=0.25", "alloc=execute"));
  EXPECT_THAT(hand_texts({.op = "dense", .op_factor = 1}), ElementsAre());
}

TEST(WhatIfPanel, TheAnswerRanksChangesAndOffersNames) {
  const trace::Trace trace = waiting_steps();
  const std::optional<WhatIfAnswer> answer = rank_now(trace);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(answer->trusted());
  EXPECT_EQ(refusal_text(*answer), "");
  EXPECT_THAT(answer->names, ElementsAre("matmul"));
  EXPECT_TRUE(answer->curve.empty()) << "the trace has no memory";
  const TableRows rows = whatif_rows(*answer);
  ASSERT_EQ(rows.size(), answer->ranked->candidates.size() + 1);
  for (const std::vector<std::string>& row : rows) EXPECT_EQ(row.size(), rows.front().size());
  EXPECT_FALSE(rank_now(trace, true)) << "it was cancelled";
}

TEST(WhatIfPanel, AFindingAboutASynchronisationShowsItsGainOnceItIsKnown) {
  const trace::Trace trace = waiting_steps();
  CausesPanel causes([] {});
  causes.show(true);
  TimelineState timeline;
  const PanelContext context{trace, 1, timeline};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (causes.answer() == nullptr && std::chrono::steady_clock::now() < deadline) {
    causes.poll(context);
    between_checks();
  }
  ASSERT_NE(causes.answer(), nullptr);
  const auto shown = std::ranges::find_if(causes.answer()->findings, [](const ShownFinding& one) {
    return one.finding.rule == "sync_in_every_step";
  });
  ASSERT_NE(shown, causes.answer()->findings.end());
  EXPECT_EQ(causes.predicted_gain(shown->finding), std::nullopt);
  const std::optional<WhatIfAnswer> answer = rank_now(trace);
  ASSERT_TRUE(answer);
  EXPECT_TRUE(causes.poll(context));
  const auto dropped = std::ranges::find(answer->ranked->candidates, predict::CandidateKind::kDroppedSync,
                                         &predict::Candidate::kind);
  ASSERT_NE(dropped, answer->ranked->candidates.end());
  EXPECT_EQ(causes.predicted_gain(shown->finding), dropped->gain);
}

TEST(WhatIfPanel, ATraceThatCannotBeReplayedIsRefusedWithItsReason) {
  const std::optional<WhatIfAnswer> answer =
      rank_now(TraceBuilder{}.track("main").slice("a", 0_us, 5_us).build());
  ASSERT_TRUE(answer);
  EXPECT_FALSE(answer->replayed());
  EXPECT_THAT(refusal_text(*answer), HasSubstr("no work of a device"));
  EXPECT_TRUE(answer->ranked->candidates.empty());
}

TEST(WhatIfPanel, APredictionByHandHasFiguresOrATimelineOrAProblem) {
  const trace::Trace trace = waiting_steps();
  const std::atomic<bool> cancelled{false};
  const auto known = known_replay(trace);
  ASSERT_TRUE(known->replay.ok());
  const std::vector<predict::Change> faster{{"op:matmul", "0.5"}};
  const PredictionAnswer figures = predict_by_hand({faster, known, false}, cancelled);
  const Result<predict::Prediction> same = known->replay->predict(faster);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(figures.figures.steps_per_s, same->outcome.steps_per_s());
  EXPECT_EQ(figures.figures.interval.low, same->steps_per_s.low);
  EXPECT_EQ(figures.timeline, nullptr);
  const PredictionAnswer timeline = predict_by_hand({faster, known, true}, cancelled);
  ASSERT_NE(timeline.timeline, nullptr);
  EXPECT_EQ(timeline.timeline->op_count(), 4U);
  EXPECT_FALSE(timeline.timeline->metadata().contains("barrier")) << "the barrier of the run is not known";
  const PredictionAnswer wrong = predict_by_hand({{{"op:nothing", "0.5"}}, known, true}, cancelled);
  EXPECT_THAT(wrong.problem, HasSubstr("op:nothing"));
  EXPECT_EQ(wrong.timeline, nullptr);
}

TEST(WhatIfPanel, SaysChangesInPlainWords) {
  using predict::CandidateKind;
  const auto words = [](CandidateKind kind, const std::string& key, const std::string& value) {
    return candidate_words({.changes = {{key, value}}, .kind = kind});
  };
  EXPECT_EQ(words(CandidateKind::kFasterOp, "op:dense", "0.5"), "twice as fast: dense");
  EXPECT_EQ(words(CandidateKind::kDroppedSync, "sync:item@a.py(7): f", "drop"), "no wait: item@a.py(7): f");
  EXPECT_EQ(words(CandidateKind::kOtherBarrier, "barrier", "window:4"), "barrier window:4");
  EXPECT_EQ(words(CandidateKind::kMoreWorkers, "workers", "3"), "3 workers of the cpu");
  EXPECT_EQ(gain_words(0.12), "+12 %");
  EXPECT_EQ(whatif_memory({.peak_bytes = 2'000'000, .peak_change = -0.3}, true), "2.00 MB (-30 %)");
  EXPECT_EQ(whatif_memory({.peak_bytes = 2'000'000, .peak_change = -0.996}, true), "2.00 MB (\u00f7250)");
}

}  // namespace
}  // namespace runahead::gui
