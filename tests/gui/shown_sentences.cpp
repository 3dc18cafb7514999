#include "tests/gui/shown_sentences.h"

#include <set>
#include <string_view>

#include "engine/barrier.h"
#include "engine/device/memory/memory_owner.h"
#include "instrumentation/trace/rows/loss.h"
#include "samples/lessons/exercise.h"
#include "samples/lessons/lesson.h"
#include "samples/published.h"
#include "samples/workload.h"

namespace runahead::gui {

namespace {

// Sentences that are built at run time, and are therefore in no other list. {0}, {1} and so on stand for
// values.
constexpr const char* kBuilt[]{
    "The backend is the bottleneck: n t2 > (n-1) t1, so without waits n increments take t1 + n t2 + t3.",
    "The frontend is the bottleneck: n t2 > (n-1) t1 is false, so without waits n increments take n max(t1, "
    "t2), not t1 + n t2 + t3.",
    "Late ops of simulated devices may have delayed training by more than a tenth of the time that could be "
    "hidden: \"hidden share of the shorter\" is unreliable.",
    "Needs a run that has ended, with a fixed number of steps.",
    "The run with this figure was on another device.",
    "cancelled",
    "preparation",
    "steps",
    "results",
    "yes",
    "no",
    "virtual GPU: {0} launch, {1}, {2} memory, {3} pinned, {4} pageable, {5}",
    "{0} (simulated)",
    "start: {0}",
    "the host's {0} hardware threads, {1} of memory"};

class Gatherer {
 public:
  void add(std::string_view english, const std::string& from) {
    if (!english.empty() && seen_.emplace(english).second) out_.push_back({std::string(english), from});
  }
  [[nodiscard]] std::vector<ShownSentence> take() { return std::move(out_); }

 private:
  std::set<std::string, std::less<>> seen_;
  std::vector<ShownSentence> out_;
};

void add_published(const samples::WorkloadSpec& spec, Gatherer& out) {
  const std::string from = "workload " + spec.name + ", published_figures";
  for (const samples::PublishedSet& set : spec.published_figures) {
    out.add(set.title, from);
    for (const samples::PublishedFigure& figure : set.figures) {
      out.add(figure.label, from);
      out.add(figure.absent, from);
      out.add(figure.condition.sentence, from);
    }
  }
}

void add_results(const samples::WorkloadSpec& spec, Gatherer& out) {
  const std::string from = "workload " + spec.name + ", results";
  for (const samples::ResultTable& table : spec.results) {
    out.add(table.title, from);
    for (const std::string& column : table.columns) out.add(column, from);
    for (const samples::ResultRow& row : table.rows) {
      out.add(row.label, from);
      out.add(row.hint, from);
    }
  }
}

void add_workload(const samples::WorkloadSpec& spec, Gatherer& out) {
  const std::string from = "workload " + spec.name + ", ";
  out.add(spec.title, from + "title");
  out.add(spec.question, from + "question");
  out.add(spec.look_for, from + "look_for");
  for (const samples::ParameterSpec& parameter : spec.parameters) {
    out.add(parameter.title, from + "title of parameter " + parameter.name);
    out.add(parameter.help, from + "parameter " + parameter.name);
  }
  for (const std::string& part : spec.parts) out.add(part, from + "parts");
  add_published(spec, out);
  add_results(spec, out);
}

void add_lesson(const samples::Lesson& lesson, Gatherer& out) {
  const std::string from = "lesson " + std::to_string(lesson.number);
  for (const samples::LessonPart& part : lesson.parts) out.add(part.label, from + ", part");
  for (const samples::Prediction& prediction : lesson.predictions) {
    out.add(prediction.question, from + ", prediction");
    for (const samples::Choice& choice : prediction.choices) out.add(choice.words, from + ", choice");
  }
  for (const std::string& paragraph : lesson.explanation) out.add(paragraph, from + ", explanation");
}

void add_exercise(const samples::Exercise& exercise, Gatherer& out) {
  const std::string from = "exercise " + std::to_string(exercise.number);
  out.add(exercise.title, from + ", title");
  for (const std::string& step : exercise.steps) out.add(step, from + ", steps");
  out.add(exercise.compare, from + ", compare");
}

}  // namespace

std::vector<ShownSentence> shown_sentences() {
  Gatherer out;
  for (const samples::WorkloadSpec* spec : samples::list_workloads()) add_workload(*spec, out);
  for (const samples::Exercise& exercise : samples::list_exercises()) add_exercise(exercise, out);
  for (const samples::Lesson& lesson : samples::list_lessons()) add_lesson(lesson, out);
  for (const engine::BarrierChoice& choice : engine::barrier_choices()) {
    out.add(choice.sentence, "barrier " + std::string(choice.label));
  }
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    out.add(trace::loss_sentence(cause), "loss " + std::string(trace::loss_key(cause)));
  }
  for (std::size_t i = 0; i < engine::kMemoryCategoryCount; ++i)
    out.add(engine::memory_category_name(static_cast<engine::MemoryCategory>(i)), "category of memory");
  for (const char* const group : {"Frontend", "Queue", "Workers", "Throughput", "Memory", "Threads"})
    out.add(group, "group of tracks");
  for (const char* const sentence : kBuilt) out.add(sentence, "built while it runs");
  return out.take();
}

}  // namespace runahead::gui
