// Tests `export` to pages with --range, --size and --lesson, and `codes`.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "gui/lesson/class_code.h"
#include "gui/web/page.h"
#include "samples/lessons/lesson.h"
#include "tests/cli/program.h"

namespace runahead::gui::test {
namespace {

using nlohmann::json;

class PagesTest : public ProgramTest {
 protected:
  void SetUp() override {
    ProgramTest::SetUp();
    if (!pages_supported()) GTEST_SKIP() << "this build has no viewer";
  }
  [[nodiscard]] static std::string code(int lesson, std::vector<std::optional<double>> answers) {
    return class_code(lesson, samples::find_lesson(lesson)->predictions, answers).value_or("none");
  }
  // Chrome JSON with `count` slices of random lengths.
  [[nodiscard]] std::string many_slices(int count) const {
    std::ofstream file(path("many.json"));
    file << '[';
    std::uint32_t state = 1;
    for (int i = 0, at = 0; i < count; ++i) {
      state = state * 1664525 + 1013904223;
      const int length = 1 + static_cast<int>(state >> 26);
      file << (i == 0 ? "" : ",\n") << R"({"ph":"X","pid":1,"tid":7,"name":"s","ts":)" << at << R"(,"dur":)"
           << length << '}';
      at += length + 1 + static_cast<int>(state >> 20 & 63);
    }
    file << ']';
    return path("many.json");
  }
};

class EachLessonPage : public PagesTest, public ::testing::WithParamInterface<int> {};
// Lesson 6 takes half a minute, because its run goes on until its rate is steady: scripts/lab/check-pages
// exports it.
INSTANTIATE_TEST_SUITE_P(Lessons, EachLessonPage, ::testing::Values(1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13));

TEST_P(EachLessonPage, IsExportedWithWhatItMeasures) {
  const int number = GetParam();
  const samples::Lesson& lesson = *samples::find_lesson(number);
  const Ended ended = run({"export", "--lesson", std::to_string(number), "-o", path("lesson.html")});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  std::vector<std::optional<double>> answers;
  for (const samples::Prediction& asked : lesson.predictions)
    answers.emplace_back(asked.choices.empty() ? 0 : 1);
  const json codes = run_json({"codes", code(number, answers), "--measured", path("lesson.html"), "--json"});
  EXPECT_EQ(codes.at("lesson"), number);
  ASSERT_EQ(codes.at("questions").size(), lesson.predictions.size());
  for (const json& question : codes.at("questions"))
    EXPECT_TRUE(question.at("measured").is_number()) << question;
}

TEST_F(PagesTest, ALessonIsMadeOfARecordingOfIt) {
  const Ended recorded = run({"run", "increment", "--record", path("increment.runahead")});
  ASSERT_EQ(recorded.exit_code, 0) << recorded.err;
  const Ended ended = run({"export", path("increment.runahead"), "--lesson", "5", "-o", path("lesson.html")});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  const json by_page = run_json({"codes", code(5, {2.0, 1.0}), "--measured", path("lesson.html"), "--json"});
  const json by_recording =
      run_json({"codes", code(5, {2.0, 1.0}), "--measured", path("increment.runahead"), "--json"});
  EXPECT_EQ(by_page, by_recording);
  expect_failure(run({"export", path("increment.runahead"), "--lesson", "7", "-o", path("other.html")}), 1,
                 "it is a run of increment, and lesson 7 is about inference_memory");
  expect_failure(run({"export", recording(), "--lesson", "5", "-o", path("other.html")}), 1, "lesson 5");
}

TEST_F(PagesTest, WrongWordsOfALessonAreRefused) {
  expect_failure(run({"export", "--lesson", "14", "-o", path("x.html")}), 2,
                 "there is no lesson 14: the lessons are 1 to 13");
  expect_failure(run({"export", "--lesson", "2", "-o", path("x.json")}), 2, "--lesson is for pages");
  expect_failure(run({"export", "-o", path("x.html")}), 2, "file is required, or --lesson");
}

TEST_F(PagesTest, CodesAreCountedAndWrongOnesNamed) {
  const std::string good = code(7, {1.3e8, 3.0});
  const Ended ended = run({"codes", good, good, code(7, {6.3e7, 0.0}), "7ABCDEFG", code(5, {2.0, 1.0})});
  EXPECT_EQ(ended.exit_code, 0);
  EXPECT_NE(ended.out.find("lesson 7: "), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("3 codes"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("  100 .. 200 MB     2  ##\n"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("what happened is not known"), std::string::npos) << ended.out;
  EXPECT_EQ(std::count(ended.err.begin(), ended.err.end(), '\n'), 2) << ended.err;
  EXPECT_NE(ended.err.find("it is of lesson 5, and this is lesson 7"), std::string::npos) << ended.err;
  expect_failure(run({"codes", "hello"}), 2, "code hello: a code has 8 characters of ");
  expect_failure(run({"codes", good, "--measured", path("missing.html")}), 1, "missing.html");
}

TEST_F(PagesTest, ASizeIsKeptOrRefused) {
  const std::string file = many_slices(60'000);
  ASSERT_EQ(run({"export", file, "-o", path("all.html")}).exit_code, 0);
  const auto all = std::filesystem::file_size(path("all.html"));
  const std::string size = std::to_string(all * 9 / 10);
  const Ended smaller = run({"export", file, "-o", path("less.html"), "--size", size});
  ASSERT_EQ(smaller.exit_code, 0) << smaller.err;
  EXPECT_LE(std::filesystem::file_size(path("less.html")), all * 9 / 10);
  const Ended part = run({"export", file, "-o", path("part.html"), "--range", "10ms..20ms"});
  ASSERT_EQ(part.exit_code, 0) << part.err;
  EXPECT_LT(std::filesystem::file_size(path("part.html")), all);
  expect_failure(run({"export", file, "-o", path("no.html"), "--size", "10k"}), 1,
                 "no page fits in 10000 bytes");
  EXPECT_FALSE(std::filesystem::exists(path("no.html")));
}

// What the report of such a page says is tested in tests/web.
TEST_F(PagesTest, AComparisonIsExportedWithBothTraces) {
  const std::string a = recording("a.runahead"), b = recording("b.runahead");
  ASSERT_EQ(run({"export", a, "-o", path("alone.html")}).exit_code, 0);
  const Ended ended = run({"export", a, "--compare", b, "-o", path("compare.html")});
  ASSERT_EQ(ended.exit_code, 0) << ended.err;
  EXPECT_NE(ended.out.find("open it in a browser"), std::string::npos) << ended.out;
  EXPECT_GT(std::filesystem::file_size(path("compare.html")), std::filesystem::file_size(path("alone.html")));
  const Ended ranges =
      run({"export", a, "--compare", a, "--a", "0s..50ms", "--b", "50ms..1s", "-o", path("ranges.html")});
  EXPECT_EQ(ranges.exit_code, 0) << ranges.err;
}

TEST_F(PagesTest, WrongWordsOfAComparisonAreRefused) {
  const std::string a = recording("a.runahead"), b = recording("b.runahead");
  const std::string out = path("x.html");
  expect_failure(run({"export", a, "--compare", b, "-o", path("x.json")}), 2, "--compare is for pages");
  expect_failure(run({"export", "--compare", b, "-o", out}), 2, "--compare needs a trace to compare");
  expect_failure(run({"export", a, "--compare", b, "--lesson", "5", "-o", out}), 2, "--compare is not for");
  expect_failure(run({"export", a, "--compare", b, "--range", "0s..1s", "-o", out}), 2,
                 "--a and --b are the ranges");
  expect_failure(run({"export", a, "--compare", a, "--a", "0s..1s", "-o", out}), 2, "--b is missing");
  expect_failure(run({"export", a, "--a", "0s..1s", "-o", out}), 2, "the ranges of --compare");
  expect_failure(run({"export", a, "--compare", path("missing.runahead"), "-o", out}), 1, "missing.runahead");
  expect_failure(run({"export", a, "--compare", a, "-o", out}), 1, "the barrier never changes in it");
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST_F(PagesTest, WrongLimitsAreRefused) {
  const std::string file = recording();
  expect_failure(run({"export", file, "-o", path("x.html"), "--size", "many"}), 2, "--size 'many'");
  expect_failure(run({"export", file, "-o", path("x.html"), "--range", "2s..1s"}), 2,
                 "TO must be later than FROM");
  expect_failure(run({"export", file, "-o", path("x.html"), "--range", "900s..901s"}), 1,
                 "--range begins after the end");
  expect_failure(run({"export", file, "-o", path("x.json"), "--range", "0s..1s"}), 2,
                 "--range and --size are for pages");
}

}  // namespace
}  // namespace runahead::gui::test
