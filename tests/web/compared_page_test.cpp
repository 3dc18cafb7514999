// Pages of a comparison: both sides, each with its own limit of the size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "gui/timeline/timeline_commands.h"
#include "gui/web/page.h"
#include "instrumentation/analysis/side_summary.h"
#include "instrumentation/recording/recording.h"
#include "tests/support/scratch_folder.h"
#include "tests/timeline/golden.h"
#include "tests/timeline/sample_run.h"
#include "tests/web/page_reader.h"

namespace runahead::gui {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ComparedPage : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
    if (!node_is_there()) GTEST_SKIP() << "node is not installed";
  }

  // Writes the page of `a` from 100 us on with `b` from 150 us on; nullptr: B is a range of `a` too.
  [[nodiscard]] Result<WrittenPage> write(const trace::Trace& a, const trace::Trace* b,
                                          std::uint64_t most_bytes = 0) {
    PageComparison compared{
        "a.runahead", "<b>.runahead",
        analysis::compare_sides(analysis::summarize_side(a, range(100_us, 500_us)),
                                analysis::summarize_side(b != nullptr ? *b : a, range(150_us, 700_us)))};
    if (b != nullptr) compared.b_trace = std::make_shared<const trace::Trace>(b->snapshot());
    return write_page(
        a, page_,
        {.title = "run", .lesson = {}, .range = {}, .compared = compared, .most_bytes = most_bytes});
  }

  // The lines of read_page.js: one for each side; the rest is the scene of side B.
  struct Sides {
    std::vector<std::string> lines;
    std::string scene;
  };
  [[nodiscard]] Sides sides(const std::string& words = "") const {
    std::istringstream all(read_page(page_, "sides " + words));
    Sides out;
    for (std::string line; out.lines.size() < 2 && std::getline(all, line);) out.lines.push_back(line);
    std::ostringstream rest;
    rest << all.rdbuf();
    out.scene = rest.str();
    return out;
  }

  // The scene of a timeline that shows all of sample_run(), moved by the 50 us between the ranges. A page has
  // traces as they are when they are saved and opened.
  [[nodiscard]] std::string scene_of_b(const trace::Trace& side, bool folded) const {
    const auto opened = [this](const trace::Trace& trace) {
      EXPECT_TRUE(recordings::save_recording(trace, folder_ / "side.runahead"));
      return std::move(recordings::load_recording(folder_ / "side.runahead").value());
    };
    const trace::Trace a = opened(sample_run()), b = opened(side);
    TimelineState upper{.follow = false}, lower{.follow = false};
    advance_timeline(a, upper);
    lower.view = {upper.view.begin + 50_us, upper.view.end + 50_us};
    if (folded) apply_timeline(ToggleFold{kTracks.frontend_group}, b, lower);
    SceneSize size{600, 300, 1};
    size.text = TextAdvance::average(1);
    return scene_text(scene_of(b, lower, size), b);
  }

  ScratchFolder folder_;
  std::filesystem::path page_ = folder_ / "page.html";
};

TEST_F(ComparedPage, HasBothTracesWithTheirNamesAndTimes) {
  const trace::Trace a = sample_run(), b = dense_run(1000);
  ASSERT_TRUE(write(a, &b));
  const Sides shown = sides();
  EXPECT_THAT(shown.lines, ElementsAre("100000 500000 | a.runahead | 100 µs .. 500 µs | ",
                                       "150000 700000 | &lt;b&gt;.runahead | 150.0 µs .. 700.0 µs | "));
  EXPECT_EQ(shown.scene, scene_of_b(b, false));
}

TEST_F(ComparedPage, OfTwoRangesHasTheTraceOnce) {
  const trace::Trace a = sample_run();
  const auto two = write(a, &a);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(sides().scene, scene_of_b(a, false));
  const auto one = write(a, nullptr);
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_LT(one->bytes, two->bytes);
  EXPECT_EQ(sides().scene, scene_of_b(a, false));
}

TEST_F(ComparedPage, AGroupThatIsFoldedInOneTimelineIsFoldedInTheOther) {
  const trace::Trace a = sample_run();
  ASSERT_TRUE(write(a, &a));
  EXPECT_EQ(sides("fold").scene, scene_of_b(a, true));
  EXPECT_NE(sides("fold").scene, sides().scene);
}

TEST_F(ComparedPage, EachTraceHasHalfOfTheSize) {
  const trace::Trace small = sample_run(), large = dense_run(200'000);
  const auto exact = write(small, &large);
  ASSERT_TRUE(exact) << exact.error().message;
  EXPECT_EQ(exact->bytes, std::filesystem::file_size(page_));
  EXPECT_EQ(exact->joined_below, Duration::zero());
  const auto of_small = write(small, nullptr);
  ASSERT_TRUE(of_small);
  const std::uint64_t of_large = exact->bytes - of_small->bytes;
  // The small trace needs less than its half, and the large one does not get the rest: one byte less than all
  // makes a summary that has clearly less.
  const auto written = write(small, &large, exact->bytes - 1);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_GT(written->joined_below, Duration::zero());
  EXPECT_LT(written->bytes, of_small->bytes + of_large * 3 / 4) << of_small->bytes << " " << of_large;
  EXPECT_EQ(written->bytes, std::filesystem::file_size(page_));
  const Sides shown = sides();
  EXPECT_THAT(shown.lines[0], Not(HasSubstr("summary")));
  EXPECT_THAT(shown.lines[1], HasSubstr("This page is a summary"));
}

TEST_F(ComparedPage, TooSmallASizeIsRefusedAndNoFileIsLeft) {
  const trace::Trace a = sample_run(), b = dense_run(1000);
  const auto written = write(a, &b, 20'000);
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("no page fits in 20000 bytes"));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(ComparedPage, AnotherPageHasNothingOfIt) {
  ASSERT_TRUE(write_page(sample_run(), page_, {.title = "run"}));
  std::ifstream file(page_);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  EXPECT_THAT(page, Not(HasSubstr("RunaheadComparison = ")));
  EXPECT_THAT(page, Not(HasSubstr("id=\"compared\"")));
}

}  // namespace
}  // namespace runahead::gui
