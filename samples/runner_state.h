// The state of a Runner. Internal to samples.
//
// Threads: the frontend thread runs run_frontend(). All other functions may be called on any other thread.
// The threads share the LiveControl, the engine, and the members guarded by mutex.
#pragma once

#include <condition_variable>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "instrumentation/base/mutex.h"
#include "samples/live_control.h"
#include "samples/runner.h"

namespace runahead::samples {

struct Runner::State {
  // config.devices also has the default device and the added device; the config does not change after the
  // start
  RunConfig config;
  std::unique_ptr<engine::Engine> engine;  // outlives the workload and its arrays
  std::unique_ptr<Workload> workload;      // used only by the frontend thread
  RunContext context;                      // used only by the frontend thread
  std::optional<LiveControl> control;
  std::size_t devices_asked = 0;  // number of requested devices in config.devices; the others were added

  mutable Mutex mutex;
  std::condition_variable ended;
  bool done RUNAHEAD_GUARDED_BY(mutex) = false;
  std::string failure RUNAHEAD_GUARDED_BY(mutex);
  RunReport measured RUNAHEAD_GUARDED_BY(mutex);  // set when done
  double begin_s RUNAHEAD_GUARDED_BY(mutex) = 0;  // 0: nothing has been enqueued yet
  std::int64_t rss_before_bytes RUNAHEAD_GUARDED_BY(mutex) = 0;

  std::thread frontend;  // joined by ~Runner

  void run_frontend();
  [[nodiscard]] RunReport report_so_far() const;

 private:
  struct Ending {
    double wall_s = 0;
    FrontendTime::Split time;
    double final_wait_s = 0;  // part of time.blocked_s
    std::int64_t rss_bytes = 0;
  };
  [[nodiscard]] Ending drain(Status& outcome);
  // Adds to `report` the ops and waits of conclude(), which runs after `ending` was measured.
  void count_all(const Ending& ending, RunReport& report) const;
  void count_ops(const engine::EngineStats& stats, RunReport& report) const;
  [[nodiscard]] std::vector<RunReport::Device> devices_that_ran() const;
  void finish(RunReport report, const Status& outcome);
  [[nodiscard]] RunReport measure(const Ending& ending) const;
};

}  // namespace runahead::samples
