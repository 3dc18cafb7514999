// Published figures as data, and the same figures of runs made here. Machines differ, so what is compared is
// the shape: the ratio between two variants, there and here, never the seconds.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace runahead::samples {

struct RunReport;

// Of which runs a figure is. `sentence` says it to a person whose run is none of them.
struct RunCondition {
  bool (*holds)(const RunReport&) = nullptr;  // nullptr: of every run
  std::string sentence{};
};
// The frontend ran freely: barrier none.
[[nodiscard]] RunCondition without_a_wait();
// It waited in every step: wait_to_read, waitall, item, asnumpy or print.
[[nodiscard]] RunCondition with_a_wait();

struct PublishedFigure {
  std::string label;  // the variant: "a wait after each"
  double value = 0;
  std::string unit{};  // "s", "MB"; "x": it is itself a ratio; "": a value to be equal
  // In the same unit, over the names of RunReport's fields, its results and parameters: "sync_s",
  // "compute_s + copy_s". Empty: nothing here corresponds, and `absent` says why.
  std::string here{};
  RunCondition condition{};
  std::string absent{};
};

// What one source printed of one experiment.
struct PublishedSet {
  std::string title;
  std::vector<PublishedFigure> figures;  // the shape of each is its ratio to the first
  bool over_devices = false;             // its variants are runs on different devices
};

// A published figure beside the one measured here.
struct ComparedFigure {
  std::string set, label, unit, formula;
  double published = 0;
  std::optional<double> here;
  std::string against;  // the figure that the shape is a ratio to; empty: to none
  std::optional<double> shape_published, shape_here;
  std::string note;  // why `here` is missing; empty: it is there, or nothing has run
};

// The newest of `runs` is the last; of each figure the newest run that has it counts, if it was on the same
// devices as the newest of all. REQUIRES: all of one workload, with the same parameters.
[[nodiscard]] std::vector<ComparedFigure> compare_published(const std::vector<PublishedSet>& sets,
                                                            std::span<const RunReport> runs);

// "1.0607 s", "245.84 MB", "x500": a published figure as it was printed.
[[nodiscard]] std::string published_text(double value, const std::string& unit);
// The same of one measured here: three significant digits.
[[nodiscard]] std::string here_text(double value, const std::string& unit);

}  // namespace runahead::samples
