// Tests the window's sentences about the losses of a trace.
#include <gtest/gtest.h>

#include "gui/model/model.h"
#include "instrumentation/trace/skipped_kinds.h"

namespace runahead::gui {
namespace {

trace::Trace trace_that_lost(std::uint64_t skipped, std::uint64_t broken) {
  trace::Trace trace;
  trace.add_loss(trace::LossCause::kImportSkipped, skipped);
  trace.add_loss(trace::LossCause::kImportBroken, broken);
  return trace;
}

TEST(LossSentences, BehindWhatAnImportSkippedStandWhatItWas) {
  trace::Trace trace = trace_that_lost(13, 2);
  trace::SkippedKinds kinds;
  kinds.add("ftrace", "sched_waking", 12);
  kinds.add("packet", "android_log", 1);
  kinds.add_to(trace);
  const std::vector<std::string> sentences = loss_sentences(trace);
  ASSERT_EQ(sentences.size(), 2u);
  EXPECT_TRUE(sentences[0].starts_with("13 events of the imported file")) << sentences[0];
  EXPECT_TRUE(sentences[0].ends_with(" (ftrace events: sched_waking 12; packets: android_log 1)"))
      << sentences[0];
  EXPECT_EQ(sentences[1].find('('), std::string::npos) << sentences[1];
}

TEST(LossSentences, TheCountIsInTheSentence) {
  trace::LossCounts losses;
  losses.add(trace::LossCause::kUnboundFlow, 192);
  losses.add(trace::LossCause::kCollectorBehind, 5);
  losses.add(trace::LossCause::kFileWrite);
  const std::vector<std::string> sentences = loss_sentences(losses);
  ASSERT_EQ(sentences.size(), 3u);
  EXPECT_NE(sentences[0].find("so 5 rows are missing"), std::string::npos) << sentences[0];
  EXPECT_TRUE(sentences[1].starts_with("1: These blocks")) << sentences[1];
  EXPECT_TRUE(sentences[2].starts_with("192 arrows are not drawn")) << sentences[2];
}

TEST(LossSentences, AnImportWithoutKindsHasItsSentenceAlone) {
  const trace::Trace trace = trace_that_lost(3, 0);
  EXPECT_EQ(loss_sentences(trace), loss_sentences(trace.losses()));
}

}  // namespace
}  // namespace runahead::gui
