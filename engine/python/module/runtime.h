// Runtime: the engine of the process, its devices, and the steps and the barrier of the script. It is made at
// the first use. Every function is called with the GIL held, and sets a Python exception when it fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/array/array.h"
#include "engine/engine.h"
#include "engine/python/module/python_object.h"
#include "engine/sync/waiter.h"
#include "instrumentation/base/barrier.h"

namespace runahead::engine::python {

// Other Python threads run while this object exists, and a wait of the engine ends when a Python signal
// handler raises an exception, such as KeyboardInterrupt. The exception stays set. Use no Python object in
// this time.
class Waits final : engine::WaitInterrupt {
 public:
  Waits();
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;
  ~Waits();

 private:
  bool interrupted() override;
  PyThreadState* state_;
  const engine::InterruptibleWaits interruptible_;
};

// For an enqueue that is held back seldom or never: other Python threads wait, which costs less. If the
// safety limit holds the enqueue back, other threads run every 50 ms, and a Python signal handler that raises
// an exception ends the hold. Then the op is enqueued nevertheless, and the exception stays set.
class QuickEnqueue final : engine::WaitInterrupt {
 public:
  QuickEnqueue() : interruptible_(this) {}
  QuickEnqueue(const QuickEnqueue&) = delete;
  QuickEnqueue& operator=(const QuickEnqueue&) = delete;

 private:
  bool interrupted() override;
  const engine::InterruptibleWaits interruptible_;
};

// Names the first thread of the process "main" in recordings, as a frontend. Does nothing on another thread.
// Call before the thread's first row: rows before it are on another track. The GIL must be held.
void name_first_thread();

// Call after a wait. False after an exception: a signal handler has raised it.
[[nodiscard]] bool check_signals();

// Returns the options of an engine of Python. Like MXNet, it takes the memory of a result when the op runs.
// The safety limit is half of the memory that this process may use, so that it holds back only scripts that
// would fill the memory.
[[nodiscard]] engine::EngineOptions usual_engine_options();

struct RuntimeOptions {
  engine::EngineOptions engine = usual_engine_options();
  BarrierPolicy barrier;
  int blas_threads = 1;
};

class Runtime {
 public:
  // Returns null after an exception: this process is a forked child, which has no threads of the engine.
  [[nodiscard]] static Runtime* get();
  // Before the first get(). False after an exception.
  [[nodiscard]] static bool configure(const RuntimeOptions& options);
  [[nodiscard]] static bool exists();
  // Ends the open step, whose slice is marked as unfinished. The next op begins a step. Call it where a
  // recording begins or ends, so that no slice of a step crosses this time.
  static void unfinish_step();
  // Ends the ops of a process that ends. The engine itself stays, because arrays may live longer.
  static void end_of_process();

  [[nodiscard]] engine::Engine& engine() { return *engine_; }
  // Null after an exception: ValueError if there is no such device, EngineError if it is not available.
  [[nodiscard]] engine::Device* device(const std::string& name);
  // True if an enqueue may take long: other threads of the script should run meanwhile.
  [[nodiscard]] bool enqueue_may_wait() const { return enqueue_may_wait_; }

  // Ops from here on belong to steps: the next op begins one.
  void begin_steps() { counts_steps_ = true; }
  // Call before each op. Begins a step if none is open.
  void before_op() {
    if (counts_steps_ && !step_open_) open_step();
  }
  // Ends the step, and waits as the barrier says: for `array`, or for all ops. False after an exception.
  [[nodiscard]] bool end_step(const engine::Array* array);
  void set_barrier(const BarrierPolicy& policy);
  [[nodiscard]] const BarrierPolicy& barrier() const { return barrier_; }

  // The figures of `run --json` that a script has, as a new dict.
  [[nodiscard]] PyObject* stats();

 private:
  explicit Runtime(const RuntimeOptions& options);
  void open_step();
  bool close_step_slice();  // false: no step was open
  void take_switch();
  [[nodiscard]] Status hold(const engine::Array* array);

  const RuntimeOptions options_;
  std::unique_ptr<engine::Engine> engine_;
  BarrierPolicy barrier_;
  std::vector<BarrierPolicy> choices_;  // of the switch that the window shows
  const void* switch_ = nullptr;        // record::Control
  double switch_value_ = 0;
  bool enqueue_may_wait_ = false;
  bool counts_steps_ = false, step_open_ = false;
  std::int64_t step_ = 0;
  const std::uint64_t begin_ticks_;
};

}  // namespace runahead::engine::python
