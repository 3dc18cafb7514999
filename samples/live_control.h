// LiveControl: controls a running workload: steps, pause, stop and the barrier. Internal to samples.
//
// Threads. The StepControl functions are called on the frontend thread. pause, resume, step_once, stop,
// set_barrier and the queries may be called on any other thread. The frontend thread and the other threads
// share only stopping_ and the members guarded by mutex_.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/base/mutex.h"
#include "samples/frontend_time.h"
#include "samples/workload.h"

namespace runahead::samples {

class LiveControl final : public StepControl {
 public:
  struct Options {
    std::int64_t steps = 1;  // number of steps of a run that is not endless
    bool endless = false;
    bool start_paused = false;
    BarrierPolicy barrier;
  };
  LiveControl(engine::Engine& engine, const Options& options);  // the engine must outlive the LiveControl

  // ---- the frontend thread --------------------------------------------------------------------------------
  void begin_part(std::string_view name) override;
  [[nodiscard]] std::optional<std::int64_t> next_step() override;
  [[nodiscard]] Status end_step(const engine::Array& wait_for) override;
  [[nodiscard]] Status wait_point(const engine::Array& array) override;
  [[nodiscard]] BarrierPolicy barrier() const override { return barrier_; }
  [[nodiscard]] bool stopping() const override { return stopping_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool endless() const override { return options_.endless; }
  void begin_own_work() override { time_.begin_own_work(); }
  void end_own_work() override { time_.end_own_work(); }
  void apply_first_barrier();  // call it before the workload starts
  // call it just before the first enqueue; also records the marker of the first barrier
  void start_clock();
  [[nodiscard]] FrontendTime::Split time() const { return time_.split(); }
  // The workload writes the size of its model's parameters and the bytes that a step allocates to `context`.
  // totals() reports these sizes.
  void set_context(const RunContext* context) { context_ = context; }

  // ---- any thread -----------------------------------------------------------------------------------------
  void pause();
  void resume();
  void step_once();
  void stop();
  void set_barrier(BarrierPolicy policy);
  [[nodiscard]] BarrierPolicy wanted_barrier() const;
  [[nodiscard]] bool paused() const;

  struct Totals {
    FrontendTime::Split time;                 // up to the end of the last step
    double params_bytes = 0, step_bytes = 0;  // from the RunContext, at the end of the last step
    std::int64_t rss_most_bytes = 0;          // largest resident memory measured at the end of a step
    std::int64_t steps_begun = 0;
  };
  [[nodiscard]] Totals totals() const;

 private:
  bool wait_for_permission();  // false: the run is over
  // False: the run is paused, and the frontend must wait. True: the frontend may go on. If the run is paused
  // and single steps were requested, this uses up one of them.
  bool take_permission_locked() RUNAHEAD_REQUIRES(mutex_);
  void take_wanted_barrier();
  // An instant on a track of markers: a change of the barrier, or the begin of a part of the run.
  struct Mark {
    const char* track = "";
    std::string text;
  };
  static bool record_mark(const Mark& mark);  // false: the event buffer of the thread is full
  void mark(Mark mark);
  // Records the place where the barrier waits for `array`, also under barriers that do not wait here.
  void record_wait_point(const engine::Array& array);
  void mark_late();
  void begin_zone();
  void finish_step();
  Status stopped_status();

  engine::Engine& engine_;
  const Options options_;

  // Frontend thread only.
  const RunContext* context_ = nullptr;
  BarrierPolicy barrier_;
  std::vector<Mark> unmarked_;  // marks that are not in the recording yet
  bool preparing_ = true;       // true: the current part is the preparation
  std::int64_t next_index_ = 0;
  bool zone_open_ = false;
  FrontendTime time_;
  double last_rss_sample_s_ = 0;

  // The barrier window:k waits in next_step(). If this wait fails, the next end_step() returns the failure.
  Status window_failure_ = Ok{};

  // Written by stop() under mutex_, never cleared. Read by the frontend at each wait. Relaxed accesses are
  // enough, because the flag publishes no other data.
  std::atomic<bool> stopping_{false};

  mutable Mutex mutex_;  // no other lock is taken while mutex_ is held
  std::condition_variable changed_;
  bool paused_ RUNAHEAD_GUARDED_BY(mutex_) = false;
  std::int64_t single_steps_ RUNAHEAD_GUARDED_BY(mutex_) = 0;  // requested single steps that have not begun
  BarrierPolicy wanted_ RUNAHEAD_GUARDED_BY(mutex_);
  Totals totals_ RUNAHEAD_GUARDED_BY(mutex_);
};

}  // namespace runahead::samples
