// predict(): what a run would do with a change. The program of the run is simulated twice: unchanged, which
// shows how far the model is from what happened (the drift), and with the change. Above kMostDrift no
// prediction is made.
//
// The interval around a prediction comes from the spread of its parts. The steps are divided into groups, and
// for each group the program is simulated once more, with the times of all ops and frontends multiplied by
// the ratio of the group to the whole run. The interval covers twice the standard deviation of these
// predictions, and the drift.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/predict/changes/change.h"
#include "instrumentation/predict/read_program.h"
#include "instrumentation/predict/simulation/simulate.h"

namespace runahead::predict {

inline constexpr double kMostDrift = 0.05;

// steps/s; low <= the prediction <= high
struct Interval {
  double low = 0, high = 0;
};

struct Prediction {
  Program program;  // with the changes
  Outcome outcome;
  Interval steps_per_s;
};

// A run, its program, and how well its replay agrees with it. Read once, for many predictions.
class Replay {
 public:
  // Error: read_program(), or for a trace of another tool read_execution(), could not read it. The trace must
  // outlive this. With options.most, predict() has no groups of steps: its intervals are wide.
  [[nodiscard]] static Result<Replay> of(const trace::Trace& trace, const ReadOptions& options = {});

  [[nodiscard]] const trace::Trace& trace() const { return *trace_; }
  [[nodiscard]] const RunToReplay& run() const { return run_; }
  [[nodiscard]] const Outcome& replayed() const { return replayed_; }
  // Only the last steps of a run that goes on were read (ReadOptions::most): predictions of it are settled
  // figures (forecast.h).
  [[nodiscard]] bool is_recent() const { return recent_; }
  // What the program does without a change: replayed(), or without the backlog that a part of a run began
  // with. Predictions are compared with it. Of a part, it simulates the program.
  [[nodiscard]] Outcome unchanged() const;
  // |replayed - measured| / measured, of the length of the run.
  [[nodiscard]] double drift() const;
  [[nodiscard]] bool trusted() const { return !replayed_.stuck && drift() <= kMostDrift; }

  // Error: a change cannot be applied. Does not ask whether the replay is trusted().
  [[nodiscard]] Result<Prediction> predict(const std::vector<Change>& changes, bool keep_times = false) const;

  // The interval around the rate of `program`, which is that of this run with changes. It simulates the
  // program group_count() times.
  [[nodiscard]] Interval interval_of(const Program& program, double steps_per_s) const;
  [[nodiscard]] std::size_t group_count() const { return groups_.size(); }

 private:
  explicit Replay(const trace::Trace& trace) : trace_(&trace) {}
  void find_groups();

  const trace::Trace* trace_;
  RunToReplay run_;
  Outcome replayed_;
  bool recent_ = false;
  std::vector<SimulateOptions> groups_;  // the factors of each group of steps
};

}  // namespace runahead::predict
