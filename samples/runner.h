// Runner: runs one workload on an engine, to the end or endlessly, on a separate frontend thread. The caller
// can pause, step and stop the run, and change its barrier. The Runner measures the figures that `run --json`
// prints and the window shows.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/engine.h"
#include "instrumentation/base/barrier.h"
#include "instrumentation/base/result.h"
#include "samples/workload.h"

namespace runahead::samples {

struct RunConfig {
  std::string workload = "training_memory";
  std::vector<std::string> devices;  // empty: the workload's default
  BarrierPolicy barrier;
  engine::EngineOptions engine;
  int blas_threads = 1;        // threads per matrix product on the cpu; one value for the whole process
  std::string size = "class";  // or "published"
  std::map<std::string, std::string> settings;  // values of --set, except size
  // runs steps until stop(); limit_ops and limit_bytes still limit the ops in flight
  bool endless = false;
};

// The engine's settings by name, as in `run --json` and in the metadata of a recording.
[[nodiscard]] std::map<std::string, std::string> engine_settings(const RunConfig& config);
// The devices that the run computes on: the requested devices, or the workload's default. Includes the second
// device that start() adds for a workload that needs two devices.
[[nodiscard]] std::vector<std::string> names_of_devices(const RunConfig& config);

// Field names are those of `run --json` (docs/command-line.md).
struct RunReport {
  std::string workload, device, engine, barrier;
  std::map<std::string, std::string> settings;  // the engine's settings
  Parameters params;
  // The devices that ops ran on, the requested devices first. added: the device was not requested, but the
  // workload needs two devices and only one was requested.
  struct Device {
    std::string name;
    bool simulated = false, added = false;
    std::int64_t ops = 0;
  };
  std::vector<Device> devices;
  std::int64_t steps = 0;
  std::int64_t ops = 0;           // ops of the whole run, including those of conclude()
  std::int64_t bulk_members = 0;  // ops inside bulks (see Engine::set_bulk); `ops` counts a bulk once
  // wall_s: the frontend's time from the first enqueue to the last op's end. enqueue_s, blocked_s,
  // final_wait_s and other_s sum to wall_s. While the run goes on, they cover only the time to the end of the
  // last step, so their sum is smaller.
  double wall_s = 0, enqueue_s = 0, blocked_s = 0, final_wait_s = 0, other_s = 0;
  double results_wait_s = 0;  // time that conclude() waited; not part of wall_s
  // From the begin of the first step until the last one had finished, and the steps per second in this time.
  // The parts of a run without steps do not count.
  double steps_s = 0, steps_per_s = 0;
  double peak_bytes = 0, end_bytes = 0, params_bytes = 0, step_bytes = 0, rss_increase_bytes = 0;
  double reserved_bytes = 0;    // memory that the pools hold at the end, live or free
  double rss_before_bytes = 0;  // resident memory of the process before the workload began
  std::int64_t max_run_ahead_steps = 0, max_run_ahead_ops = 0;
  double max_run_ahead_bytes = 0;
  // Live bytes of each device at the moment of its peak, by device and memory category. Has only values above
  // 0.
  std::map<std::string, std::map<std::string, double>> peak_by_category;
  std::int64_t late_ops = 0;
  std::int64_t held_by_limit = 0;
  std::map<std::string, double> result;
  std::map<std::string, std::string> result_text;
};

enum class RunState : std::uint8_t { kRunning, kPaused, kStopping, kFinished, kFailed };

class Runner {
 public:
  // Why a run cannot start. usage: true if an option is wrong; the program then exits with 2. false: a device
  // is not available.
  struct StartError {
    Error error;
    bool usage = false;
  };
  // Checks whether start() would refuse an option or a device, without running anything. Call this before a
  // recording replaces an existing file. Otherwise a refused run would destroy the file.
  [[nodiscard]] static std::optional<StartError> check(RunConfig config);
  // Opens the devices, makes the engine and the workload, and starts the frontend thread. start_paused: the
  // run is paused before the first step.
  [[nodiscard]] static std::variant<std::unique_ptr<Runner>, StartError> start(RunConfig config,
                                                                               bool start_paused = false);
  ~Runner();  // stops the run, cancels waiting ops, waits for running ops

  void pause();
  void resume();
  void step_once();  // only while paused
  void stop();       // begins no further step, and cancels the enqueued ops
  // Sets the barrier, starting with the next step. Records a marker on the timeline when the change takes
  // effect.
  void set_barrier(BarrierPolicy policy);
  [[nodiscard]] BarrierPolicy barrier() const;  // the barrier requested last
  [[nodiscard]] RunState state() const;
  [[nodiscard]] std::string failure() const;  // one line, if the run has failed
  // Waits for the end of the run. Returns the report, or the failure.
  [[nodiscard]] Result<RunReport> wait();
  [[nodiscard]] RunReport report() const;  // figures of the run up to now
  [[nodiscard]] engine::EngineStats engine_stats() const;
  [[nodiscard]] std::vector<engine::Device*> devices() const;
  [[nodiscard]] const RunConfig& config() const;

 private:
  Runner();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::samples
