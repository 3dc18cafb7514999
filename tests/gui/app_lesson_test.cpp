// Tests lessons in the window's state: from the prediction to the result, in a run and in its recording.
#include "gui/session/session_facts.h"
#include "tests/gui/app_core_fixture.h"

namespace runahead::gui {
namespace {

class LessonTest : public AppCoreTest {
 protected:
  // Returns a copy, because the result of core_.model() is valid only until the next poll.
  LessonFacts facts() { return core_.model().lesson; }
  void choose(const char* workload) { core_.apply(ChooseWorkload{workload}); }
  void predict_and_write_down(double number, double choice) {
    core_.apply(Predict{0, number});
    core_.apply(Predict{1, choice});
    core_.apply(WriteDown{});
  }
  bool complete() {
    const LessonFacts now = facts();
    return now.lesson != nullptr && samples::complete(*now.lesson, now.state.figures);
  }
};

TEST_F(LessonTest, EachWorkloadHasItsLessonAndAnExerciseHasNone) {
  for (const samples::WorkloadSpec* spec : samples::list_workloads()) {
    choose(spec->name.c_str());
    ASSERT_NE(facts().lesson, nullptr) << spec->name;
    EXPECT_EQ(facts().lesson->workload, spec->name);
  }
  core_.apply(ChooseExercise{1});
  EXPECT_EQ(facts().lesson, nullptr);
}

TEST_F(LessonTest, PartsThatAreRunOneAfterTheOtherAreMeasured) {
  choose("inference_memory");
  predict_and_write_down(1e8, 3);
  EXPECT_EQ(facts().state.stage, LessonStage::kRun);
  core_.apply(RunPart{"free"});
  EXPECT_EQ(core_.error(), "");
  ASSERT_TRUE(run_ended());
  EXPECT_TRUE(facts().state.figures.contains("free"));
  EXPECT_FALSE(complete());
  ASSERT_TRUE(poll_until([&] { return facts().state.machine.contains("held"); }));
  EXPECT_LT(facts().state.machine.at("held").at("peak_bytes"),
            facts().state.figures.at("free").at("peak_bytes"));
  core_.apply(RunPart{"held"});
  ASSERT_TRUE(run_ended());
  EXPECT_TRUE(complete());
  EXPECT_EQ(facts().state.device, "virtual:0 (simulated)");
  // The second run's trace also contains the measurements of the first run.
  const auto& metadata = core_.trace().metadata();
  EXPECT_EQ(metadata.at("lesson.prediction.0"), "100000000");
  EXPECT_TRUE(metadata.contains("lesson.figure.free.peak_bytes"));
}

TEST_F(LessonTest, ARunFromTheToolbarCountsWhereItIsThePartsRun) {
  choose("increment");
  core_.apply(StartRun{});
  ASSERT_TRUE(run_ended());
  EXPECT_TRUE(complete());
  choose("hybridize");
  core_.apply(SetParameter{"passes", 2});
  core_.apply(StartRun{});
  ASSERT_TRUE(run_ended());
  EXPECT_FALSE(complete()) << "other parameters, other figures";
}

TEST_F(LessonTest, AToggleWhileItRunsIsMeasuredOnBothSides) {
  choose("training_memory");
  core_.apply(RunPart{"free"});
  ASSERT_TRUE(steps_taken(1));
  EXPECT_EQ(facts().running, facts().lesson->parts.data());
  const auto long_enough = [&] {
    const auto strip = core_.model().figures.before_after;
    return strip && strip->after.steps >= 40 &&
           strip->after.range.duration() > std::chrono::milliseconds(2100);
  };
  ASSERT_TRUE(poll_until(long_enough));
  core_.apply(RunPart{"held"});
  ASSERT_TRUE(core_.model().live()) << "the run goes on";
  EXPECT_EQ(facts().running, facts().lesson->parts.data() + 1);
  ASSERT_TRUE(poll_until([&] { return complete(); }));
  const samples::LessonFigures figures = facts().state.figures;
  EXPECT_GT(figures.at("free").at("peak_bytes"), 2 * figures.at("held").at("peak_bytes"));
  core_.apply(StopRun{});

  // A recording that is saved and opened again still has the same predictions and figures.
  core_.apply(Predict{0, 20});
  core_.apply(Predict{1, 2});
  core_.apply(WriteDown{});
  core_.apply(FileChosen{FilePurpose::kSaveAs, folder_ / "lesson.runahead"});
  ASSERT_TRUE(poll_until([&] { return core_.idle() && !core_.notice().empty(); })) << core_.error();
  core_.apply(ResetClass{});
  EXPECT_FALSE(facts().state.predictions[0]);
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "lesson.runahead"});
  ASSERT_TRUE(poll_until([&] { return facts().of_recording && complete(); })) << core_.error();
  EXPECT_EQ(facts().state.predictions[0], 20);
  EXPECT_NEAR(facts().state.figures.at("free").at("peak_bytes"), figures.at("free").at("peak_bytes"), 1);
  core_.apply(TurnToStage{LessonStage::kWhy});
  EXPECT_EQ(facts().state.stage, LessonStage::kWhy);
}

TEST_F(LessonTest, ARecordingKeepsItsOwnLessonWhenAnotherOneIsBegun) {
  choose("increment");
  predict_and_write_down(3, 0);
  core_.apply(FileChosen{FilePurpose::kRecord, folder_ / "increment.runahead"});
  core_.apply(SetEndless{true});
  core_.apply(StartRun{});
  ASSERT_TRUE(steps_taken(1));
  choose("inference_memory");
  predict_and_write_down(1e8, 3);
  core_.apply(RunPart{"free"});
  ASSERT_TRUE(run_ended());
  core_.apply(FileChosen{FilePurpose::kOpen, folder_ / "increment.runahead"});
  ASSERT_TRUE(poll_until([&] { return facts().of_recording; })) << core_.error();
  EXPECT_EQ(facts().lesson->workload, "increment");
  EXPECT_EQ(facts().state.predictions[0], 3);
}

TEST_F(LessonTest, TheNextClassFindsNothingOfTheLastOne) {
  core_.apply(SetLight{true});
  choose("increment");
  predict_and_write_down(3, 0);
  core_.apply(FileChosen{FilePurpose::kRecord, folder_ / "class.runahead"});
  core_.apply(SetBarrier{*parse_barrier("waitall")});
  core_.apply(SetEndless{true});
  core_.apply(StartRun{});
  ASSERT_TRUE(steps_taken(1));
  core_.apply(ResetClass{});
  EXPECT_FALSE(core_.model().live());
  EXPECT_EQ(core_.trace().counts().slices, 0u);
  EXPECT_FALSE(facts().state.predictions[0]);
  EXPECT_EQ(facts().state.stage, LessonStage::kQuestion);
  EXPECT_EQ(core_.model().start.choice.barrier, BarrierPolicy{});
  EXPECT_TRUE(core_.model().start.results.empty());
  EXPECT_TRUE(core_.settings().light) << "settings stay";
  EXPECT_NE(core_.notice().find("class.runahead"), std::string::npos) << "the recording is whole, and named";
  core_.apply(StartRun{});
  EXPECT_FALSE(core_.trace().metadata().contains("lesson.prediction.0"));
}

}  // namespace
}  // namespace runahead::gui
