#include "samples/lessons/exercise.h"

#include <algorithm>

#include "instrumentation/base/check.h"

namespace runahead::samples {

namespace {

std::vector<Exercise> make_exercises() {
  return {
      {.number = 1,
       .title = "When does the backend alone set the run time?",
       .workload = "increment",
       // 20 us is ten times the engine's own overhead for an increment, the op of this workload. A frontend
       // in an interpreted language may need as much time per op.
       .settings = {{"frontend_us", "20"}, {"steps", "5"}},
       .steps = {"A common formula for n additions without a wait is t1 + n t2 + t3. It needs n t2 > (n-1) "
                 "t1. Here an enqueue (t1) costs 20 us more: is the condition met?",
                 "Run. Zoom in on the second half: the worker is idle between additions, because it is "
                 "faster than the frontend.",
                 "Set frontend_us to 0 and run again."},
       .compare = "Under Results, formula and measurement of \"t1 + n t2 + t3, without\" and of \"n max(t1, "
                  "t2), without\". Which formula predicts the measured time, before and after the change?"},
      {.number = 2,
       .title = "Batch t ends before t + 2 starts: what does this overlap give?",
       .workload = "training_memory",
       .devices = {"virtual:0"},
       .settings = {{"steps", "60"}},
       .barrier = "window:2",
       .endless = true,
       .steps = {"With window 2 the frontend may prepare the next batch while the device computes this one, "
                 "but no batch after it.",
                 "Run, then switch to none, window 2 and wait_to_read. Wait for the steady state each time."},
       .compare = "Steps per second and peak memory of the three barriers: window 2 should be nearly as fast "
                  "as none, with nearly as little memory as wait_to_read."},
      {.number = 3,
       .title = "CPU and GPU at once: is a wait per batch still right?",
       .workload = "auto_parallel",
       .devices = {"cpu", "virtual:0"},
       // Each product takes a few milliseconds. In this time the cpu can multiply matrices of 400 x 400. The
       // virtual GPU can only multiply matrices of 256 x 256.
       .settings = {{"extent", "400"}, {"second_extent", "256"}},
       .barrier = "wait_to_read",
       .endless = true,
       .steps =
           {"Each step has one product on the cpu and one on the GPU. It waits for the product on the GPU.",
            "Run. Look for gaps on the GPU's compute track while the frontend wakes up. Then switch to none: "
            "both tracks are full.",
            "Try window 2. Then try waitall, which waits for both products."},
       .compare = "Steps per second and blocked time under wait_to_read, waitall, window 2 and none. To "
                  "measure the devices alone and together, untick Run until stopped."},
      {.number = 4,
       .title = "waitall or wait_to_read, when you need a result half-way?",
       .workload = "barriers",
       .devices = {"cpu"},
       .settings = {{"unrelated", "4"}},
       .steps =
           {"One product is needed. Four other products, which nobody needs yet, are enqueued behind it.",
            "Run, and find the waits on the frontend's track. Click one: what did it wait for?",
            "Change unrelated to 1 and to 8."},
       .compare = "\"waitall\" with \"wait_to_read\", both with unrelated work: waitall grows with the "
                  "enqueued work, wait_to_read does not."},
      {.number = 5,
       .title = "Is asynchrony still visible on the CPU alone?",
       .workload = "warmup",
       .devices = {"cpu"},
       .steps = {"The same ten products: called directly, enqueued, and enqueued with a wait.",
                 "Run, and follow the products from the frontend's track (direct) to the worker's. The "
                 "enqueues are thin slices there too.",
                 "Choose virtual:0 as the device and run again."},
       .compare = "\"enqueued, no wait\": its stopwatch with its true time. The frontend is free early. "
                  "\"enqueued, then waitall\" with \"called directly\": the work takes equally long."},
      {.number = 6,
       .title = "Small independent ops: does a second worker help on one CPU?",
       .workload = "auto_parallel",
       .devices = {"cpu", "cpu"},
       .settings = {{"extent", "64"}, {"steps", "400"}},
       .cpu_workers = 1,
       .steps = {"One worker on the cpu computes 800 products of 64 x 64 that share no result.",
                 "Run. Set workers to 2 (on the command line --workers 2), run again, and look at the tracks "
                 "cpu 0 and cpu 1.",
                 "Set extent to 16, then to 256. Run each size with one worker and with two."},
       .compare = "\"one after the other\" with one worker and with two, for each size. The smaller an op, "
                  "the larger the part of its time that scheduling takes. \"both at once\" gains nothing "
                  "more: ops that run "
                  "alone already use both workers."},
      {.number = 7,
       .title = "CPU, GPUs and communication together: what hides behind what?",
       .workload = "data_parallel",
       .devices = {"virtual:0", "virtual:1"},
       .settings = {{"early", "1"}, {"ring", "1"}},
       .steps = {"The CPU makes the batches, two GPUs compute, and their gradients travel in a ring.",
                 "Run. In the last part, look for copies during the backward pass. Then set early to 0: the "
                 "copies come after the pass.",
                 "Try the barrier wait_to_read. Then set ring to 0."},
       .compare =
           "\"hidden share of the shorter\": the shorter of \"passes and updates alone\" and \"summing "
           "gradients alone\". 100 %: it runs entirely while the longer one runs. 0 %: no overlap."},
      {.number = 8,
       .title = "Why does memory fall when the waits come back?",
       .workload = "training_memory",
       .devices = {"virtual:0"},
       .settings = {{"steps", "60"}},
       .endless = true,
       .steps = {"Run with barrier none until live memory has grown.",
                 "Switch to wait_to_read: live falls to one batch. Reserved and the process's RSS do not "
                 "fall: the pool retains the memory of the time without waits.",
                 "Restart with wait_to_read: now reserved is small from the start."},
       .compare = "live, reserved and process RSS in the two runs with a wait. If an earlier run left memory "
                  "in the pool, the measured growth can even be negative."},
  };
}

}  // namespace

const std::vector<Exercise>& list_exercises() {
  static const std::vector<Exercise> exercises = make_exercises();
  return exercises;
}

const Exercise* find_exercise(int number) {
  const std::vector<Exercise>& all = list_exercises();
  const auto found =
      std::ranges::find_if(all, [&](const Exercise& exercise) { return exercise.number == number; });
  return found != all.end() ? &*found : nullptr;
}

RunConfig config_of(const Exercise& exercise) {
  const Result<BarrierPolicy> barrier = parse_barrier(exercise.barrier);
  RUNAHEAD_CHECK(barrier.ok());
  RunConfig config{.workload = exercise.workload,
                   .devices = exercise.devices,
                   .barrier = *barrier,
                   .size = exercise.size,
                   .settings = exercise.settings};
  config.engine.cpu_workers = exercise.cpu_workers;
  return config;
}

}  // namespace runahead::samples
