#include "tests/gui/shown_sentences.h"

#include <set>
#include <string_view>

#include "engine/device/memory/memory_owner.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/causes/idle_time.h"
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
    "To driver",
    "To device",
    "Clock error",
    "The backend is the bottleneck: n t2 > (n-1) t1, so without waits n increments take t1 + n t2 + t3.",
    "The frontend is the bottleneck: n t2 > (n-1) t1 is false, so without waits n increments take n max(t1, "
    "t2), not t1 + n t2 + t3.",
    "Late ops of simulated devices may have delayed training by more than a tenth of the time that could be "
    "hidden: \"hidden share of the shorter\" is unreliable.",
    "One of the two takes less than a fifth of the other's time, and measured times vary: \"hidden share of "
    "the "
    "shorter\" is unreliable.",
    "Together they took less time than the longer one alone. Overlap cannot do that, so a time alone was too "
    "long: \"hidden share of the shorter\" is unreliable.",
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

// The findings of instrumentation/causes, with what helps, and what a trace lacks.
constexpr const char* kOfCauses[]{
    "{0} waits for the device in {1} of {2} steps, {3} in all. After it the device was idle for {4}.",
    "Read the value later, or not in every step. If it is a copy, use pinned memory and non_blocking=True.",
    "{0} was idle for {1} ({2} of the time), because the host had not launched the next kernel.",
    "Launch fewer and larger kernels: a larger batch, torch.compile, CUDA graphs, fused optimizers.",
    "{0} was idle for {1} ({2} of the time), because the host loaded data.",
    "Use more workers in the DataLoader, prefetch, and pin memory.",
    "{0} was idle for {1} ({2} of the time), because the host allocated or freed memory.",
    "Allocate once, before the steps, and reuse the memory.",
    "Memory was allocated or freed {0} times in the second half of the steps, which took {1}.",
    "Memory was allocated or freed {0} time in the second half of the steps, which took {1}.",
    "Reuse buffers. PyTorch: avoid empty_cache(), and set expandable_segments if sizes vary.",
    "{0} of {1} copied from or to the host {2} times and ran no kernel meanwhile: {3} ({4} of the time).",
    "{0} of {1} copied from or to the host {2} time and ran no kernel meanwhile: {3} ({4} of the time).",
    "Copy on a stream of its own, from pinned memory, while the kernels of the step before run.",
    "The host was {0} in {1} launches, because the queue of launched work was full. The device had work "
    "meanwhile.",
    "The device limits this run. More run-ahead would bring nothing.",
    "An asynchronous copy used pageable memory {0} times; the copies took {1}.",
    "An asynchronous copy used pageable memory {0} time; the copies took {1}.",
    "Use pinned memory: such a copy is not asynchronous.",
    "A synchronous copy was called {0} times; the copies took {1}.",
    "A synchronous copy was called {0} time; the copies took {1}.",
    "Use {0} with pinned memory.",
    "Use the asynchronous copy with pinned memory.",
    "The host waited for a device in a synchronising call {0} times, which took {1}.",
    "The host waited for a device in a synchronising call {0} time, which took {1}.",
    "Wait for one event or stream instead of the whole device, and as late as possible.",
    "{0} was idle for 500 ms or longer {1} times, which took {2}.",
    "{0} was idle for 500 ms or longer {1} time, which took {2}.",
    "See the causes of the gaps.",
    "{0} was busy for less than half of the time in {1} parts of its run (of 30, those that follow each "
    "other joined). It was idle for {2} there.",
    "{0} was busy for less than half of the time in {1} part of its run (of 30, those that follow each other "
    "joined). It was idle for {2} there.",
    "A synchronous memset was called {0} times; on the device they took {1}.",
    "A synchronous memset was called {0} time; on the device they took {1}.",
    "Use cudaMemsetAsync.",
    "Use hipMemsetAsync.",
    "Use the asynchronous memset.",
    "{0} of the launches of kernels returned only when the kernel had ended.",
    "{0} of the launches of kernels returned only when the kernel had ended. The {1} long ones took {2}. "
    "After them the device was idle for {3}.",
    "The host does not run ahead. Look for CUDA_LAUNCH_BLOCKING=1 or its like in the environment.",
    "{0} communicated for {1}. For {2} ({3} of the time) it did nothing else.",
    "Begin each collective as soon as its data is there, on a stream of its own, beside kernels that do not "
    "need it. PyTorch: smaller buckets of DistributedDataParallel, prefetching of FSDP.",
    "{0} of {1} launches found an empty queue: the host was not ahead of the device. {2} times a "
    "synchronisation had emptied it (most often {3}), and no value was read there. The device was idle for "
    "{4} afterwards.",
    "Remove the synchronisation, or wait for the step before: the host then launches while the device runs.",
    "{0} was called {1} times. {2} times everything had ended, and {3} times it waited for less than 10 us "
    "of work. It took {4}, and the device was idle for {5} afterwards.",
    "{0} was called {1} times. {2} time everything had ended, and {3} times it waited for less than 10 us of "
    "work. It took {4}, and the device was idle for {5} afterwards.",
    "{0} was called {1} times. {2} times everything had ended, and {3} time it waited for less than 10 us of "
    "work. It took {4}, and the device was idle for {5} afterwards.",
    "Remove the synchronisation: the device had nothing left to wait for.",
    "{0} ops on {1} waited for ops on which they do not depend. For {2} ({3} of the time) at least one op "
    "could have run and did not.",
    "Use more workers, if the machine has cores for them.",
    "Put independent ops on another stream or device, if a single op does not fill the device.",
    "{0} threads launched small kernels on {1}. {2} times such a kernel waited for one of another thread, "
    "{3} in all ({4} of the time). Most of the device was free.",
    "If the threads do not need each other's results, give each its own stream.",
    "{0} came last in {1} of {2} collectives. {3} waited longest for it: {4}.",
    "The program had {0} ranks, and the traces of {1} were given. The rank that came last may be one of the "
    "others.",
    "The collectives of the ranks could not be assigned to each other again after they were joined.",
    "Compare its time before the collectives with that of another rank: more work (batches of different "
    "sizes), a slower device, or a slower host.",
    "How the clock of {0} relates to the others is not known, so who came last is not either.",
    "See the causes of idle time.",
    "The trace has no work of a device. PyTorch: record with ProfilerActivity.CUDA. Nsight Systems: "
    "--trace=cuda.",
    "The trace does not have the launches of most kernels: they were launched before it began, or it was "
    "recorded without the calls of the runtime.",
    "The trace has no Python stacks. PyTorch: record with with_stack=True to see the lines that wait.",
    "The trace names no steps. PyTorch: call prof.step(). Others: an NVTX range \"step N\" for each step."};

// Why instrumentation/predict cannot replay a trace, and what the trace lacks.
constexpr const char* kOfPredictions[]{
    "the barrier changed during the run: this is the longest part with one barrier, {0} steps with {1}",
    "the last {0} have {1} finished steps with the barrier {2}: a prediction needs {3}",
    "the last {0} have {1} finished steps: a prediction needs {2}",
    "the longest part with one barrier has {0} finished steps with the barrier {1}: a prediction needs {2}",
    "no step of the run has begun yet",
    "the run was stopped: its last {0} steps were cancelled, and are not part of the prediction",
    "the run was stopped: its last step was cancelled, and is not part of the prediction",
    "its times are damaged: it would have lasted for months",
    "its barrier is not known: {0}",
    "no op ran in the measured part of the run",
    "how the clock of {0} relates to the others is not known: give the trace of one process",
    "{0} cannot be replayed: {1}",
    "the {0} ranks are replayed together, and the steps are those of {1}: in {2} collectives, they wait for "
    "one another",
    "{0} of {1} kernels of collectives have no counterpart in another rank, and keep their time",
    "the trace has one rank of a distributed run: its {0} collectives keep their time, also where they "
    "waited for other ranks; for a prediction of all ranks, join their traces (runahead merge)",
    "it joins {0} processes with ops of an engine: give the recording of one of them",
    "the trace has no work of a device, and no ops of an engine",
    "no work of a device was launched in the steps of the trace",
    "the trace names no steps: the whole run counts as one",
    "the trace does not say when {0} of {1} kernels and copies were launched: the replay launches them when "
    "they began",
    "calls waited {0}, and the trace does not say for what: the replay takes this for the threads' own time",
    "{0} dependencies contradict the order of launches, and are left out",
    "the recording does not say where in a step the barrier waits: it is taken to wait at the end of the "
    "step, for the op that was enqueued last. Record the run again",
    "not predicted: it depends on more than the ops",
    "the recording does not say when the program drops its arrays: it is taken to drop them at the end of a "
    "step. Record the run again"};

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
  for (const BarrierChoice& choice : barrier_choices()) {
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
  for (const char* const sentence : kOfCauses) out.add(sentence, "instrumentation/causes");
  for (const char* const sentence : kOfPredictions) out.add(sentence, "instrumentation/predict");
  for (std::size_t i = 0; i < causes::kIdleCauseCount; ++i)
    out.add(causes::sentence_of(static_cast<causes::IdleCause>(i)), "cause of idle time");
  return out.take();
}

}  // namespace runahead::gui
