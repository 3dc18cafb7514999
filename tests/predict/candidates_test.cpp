// Ranks the changes of programs whose gains can be worked out by hand.
#include "instrumentation/predict/candidates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "instrumentation/predict/simulation/simulate.h"
#include "instrumentation/predict/timeline/predicted_trace.h"
#include "tests/causes/gpu_trace.h"
#include "tests/predict/program_builder.h"
#include "tests/support/trace_builder.h"

namespace runahead::predict {
namespace {

using namespace runahead::testing;

constexpr int kStepsOfChain = 20;

// Each step has an op A of 100 us, which depends on the last A, and an op B of 30 us on another queue. The
// frontend needs 1 us for each op.
trace::Trace chain_and_hidden(BarrierPolicy barrier) {
  const trace::Trace names =
      TraceBuilder{}.track("names").slice("A", 0_us, 1_us).slice("B", 1_us, 1_us).build();
  const trace::Lane& lane = names.tracks().front().lanes.front();
  ProgramBuilder b({1, 1});
  std::vector<OpIndex> last;
  for (int i = 0; i < kStepsOfChain; ++i) {
    b.event(Action::kBeginStep);
    last = {b.op({.duration_us = 100, .after = last, .bytes = 1000})};
    b.program().ops[last.front()].name = lane.slice(0).name;
    const OpIndex hidden = b.op({.duration_us = 30, .queue = 1});
    b.program().ops[hidden].name = lane.slice(1).name;
    b.event(Action::kBarrier, last.front());
    b.drop(last.front());
    b.event(Action::kEndStep);
  }
  b.program().settings.barrier = barrier;
  for (Queue& queue : b.program().queues) queue.simulated = true;  // else the delays have other defaults
  const Outcome outcome = simulate(b.program(), {.keep_times = true});
  return predicted_trace(b.program(), outcome, &names, "");
}

std::vector<std::string> words_of_all(const std::vector<Candidate>& candidates) {
  std::vector<std::string> out;
  for (const Candidate& candidate : candidates) out.push_back(joined(candidate.changes));
  return out;
}

const Candidate* candidate_of(const std::vector<Candidate>& candidates, const std::string& words) {
  const auto found =
      std::ranges::find(candidates, words, [](const Candidate& c) { return joined(c.changes); });
  return found == candidates.end() ? nullptr : &*found;
}

TEST(Candidates, AFasterOpHelpsOnlyOnTheCriticalPath) {
  const trace::Trace trace = chain_and_hidden({BarrierKind::kNone});
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  ASSERT_EQ(replay->replayed().length, std::chrono::microseconds(1 + 100 * kStepsOfChain));
  const std::vector<Candidate> candidates = rank_changes(*replay);
  ASSERT_FALSE(candidates.empty());
  const Candidate& best = candidates.front();
  EXPECT_EQ(joined(best.changes), "op:A=0.5");
  EXPECT_EQ(best.kind, CandidateKind::kFasterOp);
  EXPECT_DOUBLE_EQ(best.gain, (1 + 100.0 * kStepsOfChain) / (1 + 50.0 * kStepsOfChain) - 1);
  EXPECT_LE(best.gain_low, best.gain);
  EXPECT_GE(best.gain_high, best.gain);
  EXPECT_LE(best.interval.low, best.steps_per_s);
  EXPECT_GE(best.interval.high, best.steps_per_s);
  EXPECT_EQ(candidate_of(candidates, "op:B=0.5"), nullptr);
  EXPECT_EQ(candidate_of(candidates, "frontend=0.5"), nullptr);
  EXPECT_EQ(candidate_of(candidates, "barrier=none"), nullptr) << "the run has it already";
}

// Under none, all blocks of A live until their ops have ended. With a wait in each step, one at a time lives:
// slower, but less memory.
TEST(Candidates, WhatSavesMemoryIsListedAlthoughItIsSlower) {
  const trace::Trace trace = chain_and_hidden({BarrierKind::kNone});
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok());
  ASSERT_EQ(replay->replayed().total_peak_bytes(), 1000 * kStepsOfChain);
  const std::vector<Candidate> candidates = rank_changes(*replay);
  const Candidate* const waits = candidate_of(candidates, "barrier=wait_to_read");
  ASSERT_NE(waits, nullptr) << ::testing::PrintToString(words_of_all(candidates));
  EXPECT_EQ(waits->kind, CandidateKind::kOtherBarrier);
  EXPECT_LT(waits->gain, 0);
  EXPECT_LE(waits->peak_bytes, 2000);
  EXPECT_DOUBLE_EQ(waits->peak_change, static_cast<double>(waits->peak_bytes) / (1000.0 * kStepsOfChain) - 1);
  EXPECT_TRUE(std::ranges::is_sorted(candidates, std::greater<>(), &Candidate::gain));
}

TEST(Candidates, ARunThatWaitsGainsByAnotherBarrier) {
  const trace::Trace trace = chain_and_hidden({BarrierKind::kWaitAll});
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok());
  const std::vector<Candidate> candidates = rank_changes(*replay);
  const Candidate* const free = candidate_of(candidates, "barrier=none");
  ASSERT_NE(free, nullptr) << ::testing::PrintToString(words_of_all(candidates));
  const Result<Prediction> same = replay->predict({{"barrier", "none"}});
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(free->steps_per_s, same->outcome.steps_per_s());
  EXPECT_EQ(free->interval.low, same->steps_per_s.low);
  EXPECT_EQ(free->interval.high, same->steps_per_s.high);
  EXPECT_GT(free->peak_change, 0);
}

// The figures agree with the forecasts on the buttons of the barriers.
TEST(Candidates, OfARunThatGoesOnHaveSettledFigures) {
  const trace::Trace trace = chain_and_hidden({BarrierKind::kWaitAll});
  const Result<Replay> replay = Replay::of(trace, {.most = trace.extent().duration() * 2 / 3});
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  ASSERT_TRUE(replay->is_recent());
  const std::vector<Candidate> candidates = rank_changes(*replay);
  const Candidate* const free = candidate_of(candidates, "barrier=none");
  ASSERT_NE(free, nullptr) << ::testing::PrintToString(words_of_all(candidates));
  const std::vector<BarrierPolicy> policies{{BarrierKind::kWaitAll}, {BarrierKind::kNone}};
  const std::vector<PolicyForecast> forecasts = forecast(*replay, policies);
  EXPECT_EQ(free->steps_per_s, forecasts[1].steps_per_s);
  EXPECT_EQ(free->interval.low, forecasts[1].low);
  EXPECT_EQ(free->interval.high, forecasts[1].high);
  EXPECT_EQ(free->peak_bytes, forecasts[1].peak_bytes);
  EXPECT_DOUBLE_EQ(free->gain, forecasts[1].steps_per_s / forecasts[0].steps_per_s - 1);
  EXPECT_LE(free->gain_low, free->gain);
}

// Without the calls that wait, the host is done earlier.
TEST(Candidates, SynchronisationsOfAnotherToolsTrace) {
  const trace::Trace trace = waiting_steps();
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok()) << replay.error().message;
  const std::vector<Candidate> candidates = rank_changes(*replay);
  const auto dropped = std::ranges::find(candidates, CandidateKind::kDroppedSync, &Candidate::kind);
  ASSERT_NE(dropped, candidates.end()) << ::testing::PrintToString(words_of_all(candidates));
  EXPECT_THAT(joined(dropped->changes), ::testing::StartsWith("sync:cudaDeviceSynchronize"));
  const Result<Prediction> same = replay->predict(dropped->changes);
  ASSERT_TRUE(same.ok());
  EXPECT_EQ(dropped->steps_per_s, same->outcome.steps_per_s());
  EXPECT_EQ(dropped->peak_bytes, 0);
  EXPECT_EQ(candidate_of(candidates, "barrier=none"), nullptr);
  EXPECT_EQ(candidate_of(candidates, "pinned=1"), nullptr) << "no copy is of pageable memory";
}

TEST(Candidates, AreCancelledAndSayHowMuchIsDone) {
  const trace::Trace trace = chain_and_hidden({BarrierKind::kNone});
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok());
  std::vector<double> done;
  (void)rank_changes(*replay, {.progress = [&](double part) {
    done.push_back(part);
    return true;
  }});
  EXPECT_TRUE(std::ranges::is_sorted(done));
  EXPECT_GE(done.front(), 0);
  EXPECT_LE(done.back(), 1);
  int calls = 0;
  EXPECT_TRUE(rank_changes(*replay, {.progress = [&](double) { return ++calls < 3; }}).empty());
  EXPECT_EQ(calls, 3);
}

// With a limit that is used up by the rates, the intervals are those of the unchanged run.
TEST(Candidates, ALargeProgramHasFewerSimulations) {
  const trace::Trace trace = chain_and_hidden({BarrierKind::kNone});
  const Result<Replay> replay = Replay::of(trace);
  ASSERT_TRUE(replay.ok());
  const std::vector<Candidate> all = rank_changes(*replay),
                               few = rank_changes(*replay, {.most_simulated = 1});
  EXPECT_LE(few.size(), all.size());
  ASSERT_FALSE(few.empty());
  const Result<Prediction> base = replay->predict({});
  ASSERT_TRUE(base.ok());
  const double ratio = few.front().steps_per_s / replay->replayed().steps_per_s();
  EXPECT_DOUBLE_EQ(few.front().interval.low, base->steps_per_s.low * ratio);
}

}  // namespace
}  // namespace runahead::predict
