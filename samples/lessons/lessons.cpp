// The content of the lessons: what they ask, run and explain. The published figures are those of the
// workloads' lists.
#include "samples/lessons/lessons.h"

namespace runahead::samples {

namespace {

constexpr ResultUnit kMicroseconds = ResultUnit::kMicroseconds, kBytes = ResultUnit::kBytes,
                     kRatio = ResultUnit::kRatio, kShare = ResultUnit::kShare, kNumber = ResultUnit::kNumber;

LessonPart one_run(const char* label) { return {.id = "run", .label = label}; }

Lesson warmup() {
  return {
      .workload = "warmup",
      .parts = {one_run("Ten products: called directly, enqueued, enqueued with a wait")},
      .predictions =
          {{.question =
                "Ten products are called directly, then ten are enqueued. What share of the direct calls' "
                "time has passed when the ten enqueues have returned?",
            .formula = "run.async_s / run.direct_s",
            .unit = kShare},
           {.question =
                "Then a wait follows the ten enqueues. How much longer do both take than the enqueues alone?",
            .formula = "run.with_wait_s / run.async_s",
            .choices = {{.words = "hardly longer", .below = 1.5},
                        {.words = "a few times as long", .from = 1.5, .below = 5},
                        {.words = "5 times as long, or more", .from = 5}}}},
      .figures = {{"direct", "run.direct_s"},
                  {"enqueued", "run.async_s"},
                  {"finished", "run.async_finished_s"},
                  {"waited", "run.with_wait_s"}},
      .explanation = {"The enqueues returned after {enqueued}. By then most of the work had not begun: the "
                      "products were done "
                      "{finished} after the start, on another track.",
                      "Called directly, the ten products took {direct}, and enqueued with a wait {waited}. "
                      "The wait makes no "
                      "product slower. It only makes the stopwatch see them.",
                      "Published: 0.0007 s without the wait, beside 0.3747 s of direct calls. What ran in "
                      "0.0007 s is the "
                      "enqueueing."},
      .exercises = {5}};
}

Lesson dependency_graph() {
  return {
      .workload = "dependency_graph",
      .parts = {one_run("x = ones, y = ones, z = x * y + 2, print z")},
      .predictions =
          {{.question = "x and y are made of ones, of 2000 x 2000; z = x * y + 2. How many ops are enqueued?",
            .formula = "run.ops / run.steps",
            .unit = kNumber,
            .close = 1},
           {.question = "What is each value that print shows?",
            .formula = "run.z",
            .unit = kNumber,
            .close = 1}},
      .figures = {{"ops", "run.ops / run.steps", kNumber}, {"z", "run.z", kNumber}},
      .explanation = {"{ops} ops: x, y, their product, and the sum. Nothing was said of an order. The engine "
                      "took it from "
                      "what each op reads and writes: the product reads x and y, the sum reads the product.",
                      "x and y share nothing, so two workers make them at the same time; key G draws the "
                      "graph. print alone waits, for z, and so for all of them: every value is {z}."}};
}

Lesson queue_vs_finish() {
  return {
      .workload = "queue_vs_finish",
      .parts = {one_run("y = dot(x, x).sum(), then print y")},
      .predictions = {{.question =
                           "A stopwatch stops when dot(x, x).sum() has returned, another when y has been "
                           "printed. How many times as much does the second show?",
                       .formula = "run.finished_s / run.queued_s",
                       .close = 3}},
      .figures = {{"queued", "run.queued_s"},
                  {"finished", "run.finished_s"},
                  {"ratio", "run.finished_s / run.queued_s", kRatio}},
      .explanation = {
          "Queued after {queued}, finished after {finished}: {ratio}. Both stopwatches are right, each about "
          "something else. The first one measures what the frontend does, and the frontend only writes the "
          "work down.",
          "Published: queued in 0.0010 s, finished in 2.1746 s, of 4000 x 4000. The larger the product, the "
          "larger the ratio, since writing it down costs the same."}};
}

Lesson barriers() {
  return {
      .workload = "barriers",
      .parts = {{.id = "run",
                 .label = "Each way to wait for a product, alone and with four others queued",
                 .settings = {{"unrelated", "4"}}}},
      .predictions =
          {{.question =
                "One product is needed. Four others, which nobody needs yet, are enqueued with it. How much "
                "longer than wait_to_read does waitall wait?",
            .formula = "run.waitall_with_unrelated_s / run.wait_to_read_with_unrelated_s",
            .close = 1.7},
           {.question =
                "With nothing else enqueued, item reads one number of a sum. Beside wait_to_read of the "
                "product it takes",
            .formula = "run.item_s / run.wait_to_read_s",
            .choices = {{.words = "less than half as long", .below = 0.5},
                        {.words = "about as long", .from = 0.5, .below = 2},
                        {.words = "more than twice as long", .from = 2}}}},
      .figures = {{"all", "run.waitall_with_unrelated_s"},
                  {"one", "run.wait_to_read_with_unrelated_s"},
                  {"item", "run.item_s"},
                  {"read", "run.wait_to_read_s"},
                  {"asnumpy", "run.asnumpy_s"}},
      .explanation = {"With four others enqueued, wait_to_read took {one} and waitall {all}: it waits for "
                      "everything, also for "
                      "what nobody needs yet.",
                      "Alone, wait_to_read took {read}, asnumpy {asnumpy}, item {item}. Most of each is the "
                      "product itself, "
                      "which all of them wait for. Click a wait: it says what it waited for, and what its "
                      "own copy cost.",
                      "Published, of 1000 x 1000: waitall 0.0138, wait_to_read 0.0045, asnumpy 0.0117, item "
                      "0.0212 s. The line "
                      "that blocks first gets the blame for all that came before it."},
      .exercises = {4}};
}

Lesson increment() {
  return {
      .workload = "increment",
      .parts = {one_run("Ten thousand additions with a wait after each, then without")},
      .predictions = {{.question = "Ten thousand additions of 1, of two numbers each. How many times as long "
                                   "do they take with a "
                                   "wait after each?",
                       .formula = "run.sync_us / run.async_us",
                       .close = 2},
                      {.question = "Without waits, who decides how long it takes?",
                       .formula = "run.frontend_is_bottleneck",
                       .unit = ResultUnit::kYesOrNo,
                       .choices = {{.words = "the frontend: enqueueing takes longer", .from = 0.5},
                                   {.words = "the backend: executing takes longer", .below = 0.5}}}},
      .figures = {{"sync", "run.sync_us", kMicroseconds},
                  {"async", "run.async_us", kMicroseconds},
                  {"t1", "run.t1_us", kMicroseconds},
                  {"t2", "run.t2_us", kMicroseconds},
                  {"t3", "run.t3_us", kMicroseconds},
                  {"slower", "run.slower_of_t1_t2_us", kMicroseconds}},
      .explanation =
          {"With a wait after each, an addition goes through three times, one after the other: to enqueue "
           "it, t1 = "
           "{t1}; to execute it, t2 = {t2}; to report back to a frontend that waits, t3 = {t3}. Measured: "
           "{sync}.",
           "Without waits frontend and backend work side by side, and the slower one decides: max(t1, t2) = "
           "{slower}. Measured: {async}. The formula t1 + n t2 + t3 holds only where executing is the "
           "slower.",
           "Published: 1.0607 s with waits and 0.8800 s without. On machines with a slow frontend the run "
           "without "
           "waits was even the slower one."},
      .exercises = {1}};
}

Lesson training_memory() {
  return {.workload = "training_memory",
          .toggled = true,
          .parts = {{.id = "free", .label = "Training, no wait in a batch"},
                    {.id = "held", .label = "A wait for each batch", .barrier = "wait_to_read"}},
          .predictions = {{.question = "Training runs without a wait. Then a wait for each batch is switched "
                                       "on. By what factor does "
                                       "peak memory fall?",
                           .formula = "free.peak_bytes / held.peak_bytes",
                           .close = 3},
                          {.question = "And the steps per second?",
                           .formula = "held.steps_per_s / free.steps_per_s",
                           .choices = {{.words = "rise", .from = 1.05},
                                       {.words = "stay, within 5 %", .from = 0.95, .below = 1.05},
                                       {.words = "fall, to no less than half", .from = 0.5, .below = 0.95},
                                       {.words = "fall to less than half", .below = 0.5}}}},
          .figures = {{"free_peak", "free.peak_bytes", kBytes},
                      {"held_peak", "held.peak_bytes", kBytes},
                      {"free_rate", "free.steps_per_s", kNumber},
                      {"held_rate", "held.steps_per_s", kNumber},
                      {"ahead", "free.max_run_ahead_steps", kNumber},
                      {"blocked", "held.blocked_ratio", kShare}},
          .explanation =
              {"Without a wait the frontend ran up to {ahead} batches ahead. The memory of an op is "
               "allocated at its enqueue, so all of these batches had theirs: {free_peak} at the peak, "
               "{held_peak} with the wait.",
               "With the wait the frontend was blocked for {blocked} of its time, and the next batch was not "
               "prepared "
               "while the device computed: {held_rate} steps per second instead of {free_rate}.",
               "Published, 50 batches: 3.95 s and +41.8 MB with a wait each; the loop returned after 0.10 s "
               "without, "
               "and the 323 MB printed there are the memory in use, not what it grew by. The work itself "
               "became no "
               "shorter: its wait came later."},
          .exercises = {2, 8}};
}

Lesson inference_memory() {
  return {
      .workload = "inference_memory",
      .parts = {{.id = "free", .label = "Sixty batches, no wait"},
                {.id = "held", .label = "A wait for each batch", .barrier = "wait_to_read"}},
      .predictions =
          {{.question =
                "An input takes 1.05 MB, all outputs of a batch, input included, 3.16 MB. Sixty batches are "
                "enqueued without a wait. By how much does live memory grow at the most?",
            .formula = "free.peak_bytes - free.params_bytes",
            .unit = kBytes,
            .close = 1.25},
           {.question = "With a wait for each batch, what is left of that growth?",
            .formula = "(held.peak_bytes - held.params_bytes) / (free.peak_bytes - free.params_bytes)",
            .choices = {{.words = "all of it", .from = 0.75},
                        {.words = "about half", .from = 0.25, .below = 0.75},
                        {.words = "a tenth, about", .from = 0.04, .below = 0.25},
                        {.words = "one part in sixty, about", .below = 0.04}}}},
      .figures = {{"free_growth", "free.peak_bytes - free.params_bytes", kBytes},
                  {"held_growth", "held.peak_bytes - held.params_bytes", kBytes},
                  {"inputs", "free.inputs_bytes", kBytes},
                  {"outputs", "free.outputs_bytes", kBytes}},
      .explanation = {
          "Without a wait memory grew by {free_growth}, with one by {held_growth}: one batch at a time.",
          "The inputs of all sixty take {inputs}, all outputs {outputs}. If memory is allocated at the "
          "enqueue, every unfinished op has its output. If it is allocated at the execution, only ops that "
          "have run have one. Those are the inputs, because they wait for nothing.",
          "Published: +245.84 MB without a wait, and 60 x 1024 x 1024 x 4 B are 245.76 MB: the growth there "
          "was the "
          "queued inputs, exactly."}};
}

Lesson auto_parallel() {
  return {
      .workload = "auto_parallel",
      .parts = {one_run("Fifty products on each of two devices: one, the other, both")},
      .predictions =
          {{.question =
                "Each device takes as long as the other for its products, alone. Both are enqueued by one "
                "frontend, one after the other. Beside one device alone, how long do both take?",
            .formula = "run.together_s / run.slower_s",
            .close = 1.2},
           {.question = "What share of that time does a stopwatch show that stops when all is enqueued?",
            .formula = "run.together_enqueued_s / run.together_s",
            .choices = {{.words = "all of it", .from = 0.9},
                        {.words = "about half", .from = 0.25, .below = 0.9},
                        {.words = "a tenth, or less", .below = 0.25}}}},
      .figures = {{"slower", "run.slower_s"},
                  {"apart", "run.apart_s"},
                  {"together", "run.together_s"},
                  {"enqueued", "run.together_enqueued_s"},
                  {"hidden", "run.efficiency", kShare}},
      .explanation = {"One after the other they took {apart}, both at once {together}, the slower one alone "
                      "{slower}. {hidden} of "
                      "the shorter one hid behind the other. No line of the program says so: the products of "
                      "the two devices "
                      "share no result, so nothing keeps them apart.",
                      "The stopwatch that stopped at the enqueue showed {enqueued}. One that waits for the "
                      "first device alone, "
                      "as synchronize() does, would miss the second.",
                      "Published: 0.1195 and 0.1189 s alone, 0.1216 s together."},
      .exercises = {3, 6}};
}

Lesson overlap() {
  return {
      .workload = "overlap",
      .parts = {one_run("Fifty results computed, then copied; then copied while the next is computed")},
      .predictions =
          {{.question =
                "Fifty results are computed on the device, and each is copied to the host while the next is "
                "computed. What share of the shorter of the two hides behind the other?",
            .formula = "run.efficiency",
            .unit = kShare},
           {.question = "Beside computing first and copying then, it takes",
            .formula = "run.together_s / run.apart_s",
            .choices = {{.words = "longer", .from = 1.02},
                        {.words = "about as long", .from = 0.9, .below = 1.02},
                        {.words = "clearly less", .below = 0.9}}}},
      .figures = {{"compute", "run.compute_s"},
                  {"copy", "run.copy_s"},
                  {"apart", "run.apart_s"},
                  {"together", "run.together_s"},
                  {"hidden", "run.efficiency", kShare},
                  {"bound", "run.pipeline_bound", kShare}},
      .explanation = {"Computing took {compute}, copying {copy}, one after the other {apart}, together "
                      "{together}: {hidden} of "
                      "the shorter one was hidden.",
                      "{bound} is what such a pipeline allows: the first product and the last copy have no "
                      "partner. Memory that "
                      "is not pinned (pageable = 1) makes each copy slower.",
                      "Published: 0.50 + 2.72 s apart and 2.47 s together in an older text, but 0.1232 + "
                      "2.1620 s apart and "
                      "3.1346 s together in the newest: overlapping is no law."},
      .exercises = {7}};
}

Lesson hybridize() {
  return {
      .workload = "hybridize",
      .parts = {one_run("A thousand forward passes, op by op and compiled")},
      .predictions =
          {{.question =
                "A pass is five small ops. Compiled, it is one unit of work. How many times as fast is it?",
            .formula = "run.imperative_s / run.compiled_s",
            .close = 1.5},
           {.question = "Op by op, a pass has four intermediate results. How many buffers does the compiled "
                        "graph need "
                        "for them?",
            .formula = "run.buffers_after",
            .unit = kNumber,
            .close = 1}},
      .figures = {{"imperative", "run.imperative_s"},
                  {"compiled", "run.compiled_s"},
                  {"ratio", "run.imperative_s / run.compiled_s", kRatio},
                  {"imperative_enqueue", "run.imperative_enqueue_s"},
                  {"compiled_enqueue", "run.compiled_enqueue_s"},
                  {"ops", "run.ops_per_pass", kNumber},
                  {"before", "run.buffers_before", kNumber},
                  {"after", "run.buffers_after", kNumber}},
      .explanation = {
          "Op by op {imperative}, compiled {compiled}: {ratio}. The frontend is what was slow: enqueueing "
          "took "
          "{imperative_enqueue} for {ops} ops a pass, and {compiled_enqueue} for one unit a pass.",
          "The compiled graph knows when a result is read for the last time, so {after} buffers serve for "
          "{before} results.",
          "Published: 0.8890 to 0.4335 s, and 0.6364 to 0.1622 s."}};
}

Lesson data_parallel() {
  return {.workload = "data_parallel",
          .parts = {one_run("Training on two devices, gradients summed as soon as a layer has them")},
          .predictions = {{.question = "The gradients of a layer travel while the layers before it are still "
                                       "computed. What share of "
                                       "the shorter of computing and summing is hidden?",
                           .formula = "run.efficiency",
                           .choices = {{.words = "a quarter, or less", .below = 0.25},
                                       {.words = "about half", .from = 0.25, .below = 0.75},
                                       {.words = "nearly all", .from = 0.75}}}},
          .figures = {{"compute", "run.compute_s"},
                      {"communication", "run.communication_s"},
                      {"step", "run.step_s"},
                      {"hidden", "run.efficiency", kShare},
                      {"sent", "run.sent_bytes", kBytes},
                      {"late", "run.training_late_ops", kNumber}},
          .explanation =
              {"Passes and updates alone take {compute} a step, summing gradients alone {communication}, a "
               "training step "
               "{step}. Hidden: {hidden}. Below 0 nothing was hidden and something else held the step up.",
               "A step sends {sent}. With early = 0 the gradients travel after the backward pass, and "
               "nothing can hide "
               "them; with ring = 1 every link carries a part.",
               "{late} ops of simulated devices ended later than their model says: where these are many, the "
               "host had too "
               "few cores to play two devices, and the step is its time, not theirs.",
               "Published: an epoch in 92 to 104 s on two GPUs, in 90 to 113 s on one. A small network gains "
               "nothing."},
          .exercises = {7}};
}

Lesson memory_hierarchy() {
  return {
      .workload = "memory_hierarchy",
      .parts = {one_run("A block read in order, with strides, at random; copies, large and small")},
      .predictions =
          {{.question =
                "Words are read one after the other, then words at random places of the same block. How many "
                "times as much does a byte cost at random?",
            .formula = "run.random_over_run",
            .close = 3},
           {.question = "The same bytes go to the device in one copy, and in a thousand. The thousand take",
            .formula = "run.copy_small_ns_per_byte / run.copy_large_ns_per_byte",
            .choices = {{.words = "about as long", .below = 1.5},
                        {.words = "several times as long", .from = 1.5, .below = 20},
                        {.words = "20 times as long, or more", .from = 20}}}},
      .figures = {{"in_order", "run.run_ns_per_byte", ResultUnit::kNanoseconds},
                  {"random", "run.random_ns_per_byte", ResultUnit::kNanoseconds},
                  {"ratio", "run.random_over_run", kRatio},
                  {"one_line", "run.one_line_ns", ResultUnit::kNanoseconds},
                  {"two_lines", "run.two_lines_ns", ResultUnit::kNanoseconds},
                  {"latency", "run.latency_us", kMicroseconds},
                  {"bandwidth", "run.bytes_per_s", ResultUnit::kBytesPerSecond}},
      .explanation = {
          "In order a byte cost {in_order}, at random {random}: {ratio}. Memory comes in lines, and what "
          "comes next is "
          "fetched ahead; a word at a random place uses 4 bytes of its line and was not expected.",
          "Two threads that add to two numbers on one line took {one_line} an addition, on two lines "
          "{two_lines}: the "
          "line goes back and forth between their cores.",
          "A copy to the device costs {latency} and then {bandwidth}. A small copy is mostly the first.",
          "Published: the first random read costs about 500 times a burst read."}};
}

}  // namespace

std::vector<Lesson> make_lessons() {
  return {warmup(),    dependency_graph(), queue_vs_finish(),  barriers(),
          increment(), training_memory(),  inference_memory(), auto_parallel(),
          overlap(),   hybridize(),        data_parallel(),    memory_hierarchy()};
}

}  // namespace runahead::samples
