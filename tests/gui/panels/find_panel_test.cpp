// Tests the answers of the find panel, without a window.
#include "gui/panels/find/find_panel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/gui/app_core_fixture.h"

namespace runahead::gui {
namespace {

class FindTest : public AppCoreTest {
 protected:
  FindPanel& find() { return core_.panels().get<FindPanel>(); }
  void open_after_a_run() {
    run_to_its_end();
    core_.apply(TogglePanel{"find"});
  }
  // Asks the same question each frame, as the panel does, until there is an answer.
  const FindAnswer& answer_to(const FindWords& words) {
    const bool answered = poll_until([&] {
      find().view.words = words;
      return find().answer() != nullptr && find().answer()->asked == words && !find().busy();
    });
    EXPECT_TRUE(answered) << words.words;
    return *find().answer();
  }
};

TEST_F(FindTest, GivesTheStatisticsOfAllNamesUntilWordsAreTypedThenWhatTheyFind) {
  open_after_a_run();
  EXPECT_GT(answer_to({}).names.size(), 5u);
  const FindAnswer& found = answer_to({.words = "name=matmul kind=execute track=virtual"});
  EXPECT_GT(found.histogram.count, 0u);
  EXPECT_TRUE(found.names.empty());
  EXPECT_EQ(found.histogram.count, found.found.slices.size());
  ASSERT_EQ(found.steps.size(), found.found.slices.size());
  EXPECT_GE(found.steps.front(), 0);
  const analysis::FoundSlice& longest = found.found.slices.front();
  EXPECT_EQ(core_.trace().string(longest.slice.name), "matmul");
  core_.apply(TimelineCommand{ShowSlice{{longest.track, longest.depth, longest.row, false}}});
  ASSERT_TRUE(core_.timeline().selected);
  EXPECT_EQ(core_.timeline().selected->row, longest.row);
}

TEST_F(FindTest, SaysWhichWordItCannotRead) {
  open_after_a_run();
  EXPECT_NE(answer_to({.words = "dur>soon"}).error.find("'dur>soon'"), std::string::npos);
}

TEST_F(FindTest, LooksInTheMeasuredRangeWhereAsked) {
  open_after_a_run();
  // The range ends where the middle slice begins. Therefore the range contains some of the slices, but not
  // all of them, on any machine.
  std::vector<analysis::FoundSlice> slices = answer_to({.words = "kind=execute"}).found.slices;
  ASSERT_GT(slices.size(), 10u);
  std::ranges::sort(slices, {}, [](const analysis::FoundSlice& found) { return found.slice.begin; });
  const Timestamp middle = slices[slices.size() / 2].slice.begin;
  core_.apply(TimelineCommand{SetRange{TimeRange{core_.trace().extent().begin, middle}}});
  const std::uint64_t part = answer_to({.words = "kind=execute", .in_range = true}).histogram.count;
  EXPECT_GT(part, 0u);
  EXPECT_LT(part, slices.size());
}

TEST_F(FindTest, LightsWhatItFoundInTheTimelineUntilItIsEmptiedOrClosed) {
  open_after_a_run();
  static_cast<void>(answer_to({}));
  EXPECT_EQ(core_.timeline().found, nullptr);
  const analysis::FoundSlice slice = answer_to({.words = "matmul"}).found.slices.front();
  const auto lit = [&] {
    const auto& found = core_.timeline().found;
    return found && found->count(slice.track, slice.depth, slice.row, slice.row + 1) == 1u;
  };
  EXPECT_TRUE(lit());
  find().view.words = {};
  EXPECT_TRUE(core_.poll());
  EXPECT_EQ(core_.timeline().found, nullptr);
  static_cast<void>(answer_to({.words = "no such name"}));
  EXPECT_EQ(core_.timeline().found, nullptr);
  static_cast<void>(answer_to({.words = "matmul"}));
  EXPECT_TRUE(lit());
  core_.apply(TogglePanel{"find"});
  core_.poll();
  EXPECT_EQ(core_.timeline().found, nullptr);
}

TEST_F(FindTest, OffersTheKindsOfWhatItFound) {
  open_after_a_run();
  const std::vector<FoundKind> kinds = answer_to({.words = "dur>=0ns"}).kinds;
  EXPECT_GT(kinds.size(), 2u);
  const std::uint64_t all = find().answer()->histogram.count;
  std::uint64_t sum = 0;
  for (const FoundKind& of : kinds) {
    sum += of.count;
    const FindAnswer& only = answer_to({.words = words_with_kind("dur>=0ns", of.kind)});
    EXPECT_EQ(only.kinds, std::vector{of});
    EXPECT_EQ(only.histogram.count, of.count);
  }
  EXPECT_EQ(sum, all);
}

TEST_F(FindTest, ForgetsWhatWasFoundInAnotherTrace) {
  open_after_a_run();
  EXPECT_GT(answer_to({.words = "matmul"}).histogram.count, 0u);
  core_.apply(StartRun{});
  EXPECT_EQ(find().answer(), nullptr);
}

TEST_F(FindTest, IsAnsweredAlsoWhereTheWishComesBackWhileItIsLookedFor) {
  open_after_a_run();
  for (int i = 0; i < 50; ++i) {
    find().view.words = {.words = "kind=execute"};
    core_.poll();
    find().view.words = {.words = i % 2 == 0 ? "matmul" : "relu"};
    core_.poll();
    core_.apply(TogglePanel{"find"});
    core_.poll();
    core_.apply(TogglePanel{"find"});
  }
  EXPECT_GT(answer_to({.words = "kind=execute"}).histogram.count, 0u);
}

TEST_F(FindTest, SharesItsPlaceWithTheQuestions) {
  core_.apply(TogglePanel{"query"});
  core_.apply(TogglePanel{"find"});
  EXPECT_TRUE(core_.model().shows("find"));
  EXPECT_FALSE(core_.model().shows("query"));
}

}  // namespace
}  // namespace runahead::gui
