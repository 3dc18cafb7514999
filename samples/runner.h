// Runner: runs one workload on an engine, once or for ever, on a frontend thread of its own; can be paused,
// stepped, stopped and given another barrier while it runs; measures what `run --json` and the strip show.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "engine/barrier.h"
#include "engine/engine.h"
#include "instrumentation/base/result.h"
#include "samples/workload.h"

namespace runahead::samples {

struct RunConfig {
  std::string workload = "training_memory";
  std::vector<std::string> devices;  // empty: the workload's default
  engine::BarrierPolicy barrier;
  engine::EngineOptions engine;
  int blas_threads = 1;                         // that one product on the cpu may use; of the whole process
  std::string size = "class";                   // or "published"
  std::map<std::string, std::string> settings;  // --set, without size
  bool endless = false;                         // steps without end, under the safety limit
};

// Settings by name, as `run --json` and the facts of a recording have them.
[[nodiscard]] std::map<std::string, std::string> engine_settings(const RunConfig& config);
// The devices that it computes on: as asked for, or the workload's default; with the partner that joins where
// the workload needs two.
[[nodiscard]] std::vector<std::string> names_of_devices(const RunConfig& config);

// Field names are those of `run --json` (docs/architecture.md).
struct RunReport {
  std::string workload, device, engine, barrier;
  std::map<std::string, std::string> settings;  // the engine's
  Parameters params;
  // The devices that ops ran on: the first as asked for. A workload that needs two and was given one has
  // `added` the other.
  struct Device {
    std::string name;
    bool simulated = false, added = false;
    std::int64_t ops = 0;
  };
  std::vector<Device> devices;
  std::int64_t steps = 0;
  std::int64_t ops = 0;           // of the whole run, what conclude() enqueues included
  std::int64_t bulk_members = 0;  // ops inside bulks; `ops` counts each bulk as one, and not these
  // The frontend's time from the first enqueue to the last op's end: the four parts sum to wall_s. So far:
  // up to the end of the last step, so the parts sum to less.
  double wall_s = 0, enqueue_s = 0, blocked_s = 0, final_wait_s = 0, other_s = 0;
  double results_wait_s = 0;  // waits after that: conclude() reads what the run left
  double steps_per_s = 0;
  double peak_bytes = 0, end_bytes = 0, params_bytes = 0, step_bytes = 0, rss_increase_bytes = 0;
  double reserved_bytes = 0;    // what the devices' pools hold of the system at the end, live or not
  double rss_before_bytes = 0;  // of the process, before the run touched any memory
  std::int64_t max_run_ahead_steps = 0, max_run_ahead_ops = 0;
  double max_run_ahead_bytes = 0;
  // What was live when a device's peak was reached: device, category, bytes; those that are not zero.
  std::map<std::string, std::map<std::string, double>> peak_by_category;
  std::int64_t late_ops = 0;
  std::int64_t held_by_limit = 0;
  std::map<std::string, double> result;
  std::map<std::string, std::string> result_text;
};

enum class RunState : std::uint8_t { kRunning, kPaused, kStopping, kFinished, kFailed };

class Runner {
 public:
  // Opens the devices, makes the engine and the workload, starts the frontend thread. The error: words that
  // are wrong (error_is_usage() true: exit code 2), or a device that is not here. start_paused: the first
  // step waits.
  struct StartError {
    Error error;
    bool usage = false;
  };
  // Whether start() would refuse the words or a device, without running anything: before a recording is begun
  // that would replace another.
  [[nodiscard]] static std::optional<StartError> check(RunConfig config);
  [[nodiscard]] static std::variant<std::unique_ptr<Runner>, StartError> start(RunConfig config,
                                                                               bool start_paused = false);
  ~Runner();  // stops, cancels what has not started, and waits for the rest

  void pause();
  void resume();
  void step_once();  // while paused: one step
  void stop();       // no further step; what is enqueued is cancelled
  void set_barrier(engine::BarrierPolicy
                       policy);  // from the next step; leaves a marker on the timeline when it takes effect
  [[nodiscard]] engine::BarrierPolicy barrier() const;  // the one last asked for
  [[nodiscard]] RunState state() const;
  [[nodiscard]] std::string failure() const;  // one line, when kFailed
  // Waits for the end. Result: the report, or the failure.
  [[nodiscard]] Result<RunReport> wait();
  [[nodiscard]] RunReport report() const;  // so far
  [[nodiscard]] engine::EngineStats engine_stats() const;
  [[nodiscard]] std::vector<engine::Device*> devices() const;
  [[nodiscard]] const RunConfig& config() const;

 private:
  Runner();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace runahead::samples
