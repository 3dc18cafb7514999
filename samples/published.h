// Published figures as data, and the same figures measured by runs on this machine. Machines differ, so only
// the shape of the figures is compared: the ratio of two variants as published, and the same ratio as
// measured on this machine. Seconds are never compared.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace runahead::samples {

struct RunReport;

// A condition for runs: only a run that satisfies it can give a published figure. `sentence` is shown if no
// run satisfies the condition.
struct RunCondition {
  bool (*matches)(const RunReport&) = nullptr;  // nullptr: every run
  std::string sentence{};
};
// Runs with barrier none: the frontend never waits in a step.
[[nodiscard]] RunCondition without_a_wait();
// Runs with a wait in every step: wait_to_read, waitall, item, asnumpy or print.
[[nodiscard]] RunCondition with_a_wait();

struct PublishedFigure {
  std::string label;  // name of the variant: "a wait after each"
  double value = 0;
  std::string unit{};  // "s", "MB"; "x": the value is itself a ratio; "": a plain number
  // A formula that gives the same figure for a run on this machine, in the same unit. It uses the names of
  // RunReport's fields, results and parameters: "sync_s", "compute_s + copy_s". If the formula is empty, no
  // run on this machine can give this figure, and `absent` says why.
  std::string here{};
  RunCondition condition{};
  std::string absent{};
};

// The figures that one source published for one experiment.
struct PublishedSet {
  std::string title;
  std::vector<PublishedFigure> figures;  // shape of a figure: figure / first figure
  bool over_devices = false;             // true: the figures compare runs on different devices
};

// A published figure, and the same figure measured on this machine.
struct ComparedFigure {
  std::string set, label, unit, formula;
  double published = 0;
  std::optional<double> here;
  std::string against;  // label of the figure by which this figure is divided to get the shape; empty: none
  std::optional<double> shape_published, shape_here;
  std::string note;  // why `here` is missing; empty: `here` is set, or nothing has run
};

// Compares published figures with runs. The last of `runs` is the newest run. Each figure comes from the
// newest run that gives this figure. Unless the set compares devices (over_devices), that run must have used
// the same devices as the newest run. REQUIRES: all runs are of one workload and have the same parameters.
[[nodiscard]] std::vector<ComparedFigure> compare_published(const std::vector<PublishedSet>& sets,
                                                            std::span<const RunReport> runs);

// A published figure as it was printed: "1.0607 s", "245.84 MB", "x500".
[[nodiscard]] std::string published_text(double value, const std::string& unit);
// Returns the text of a figure measured on this machine, with three significant digits.
[[nodiscard]] std::string here_text(double value, const std::string& unit);

}  // namespace runahead::samples
