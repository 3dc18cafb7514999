// Controls: values of this process that a person may change while it runs, such as the bound of a queue. The
// program makes them through the public API and reads them at any time; a watcher changes them through the
// link. Each change is marked in the recording. Controls are kept for the life of the process.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"

namespace runahead::record {

// A switch with named choices, or a number with bounds. Only `value` changes after the control was made.
struct Control {
  std::string name;                  // without tabs and line breaks
  std::vector<std::string> choices;  // empty: a number
  double least = 0, most = 0;        // bounds, both included; of a switch: the first and the last choice
  // The number, or the position of the choice. Written under the lock of the table, read by any thread.
  // Relaxed: the value publishes no other data.
  std::atomic<double> value{0};
};

// Returns the control with this name. Makes it if there is none; then the other arguments apply. A first
// value outside the bounds becomes the nearest bound. Takes a lock. Any thread may call it.
[[nodiscard]] const Control& make_switch(std::string_view name, std::vector<std::string> choices,
                                         std::size_t first);
[[nodiscard]] const Control& make_number(std::string_view name, double first, double least, double most);

// All controls, in the order in which they were made.
[[nodiscard]] std::vector<const Control*> list_controls();
// The value as text: the name of the choice, or the number.
[[nodiscard]] std::string value_text(const Control& control);
// Sets the control to a choice or a number, and marks the change ("queue: unbounded -> 8") in the recording.
// Error: no such control, no such choice, no number, out of bounds; the message says which values are
// possible. Any thread may call it.
[[nodiscard]] Status set_control(std::string_view name, std::string_view value);

}  // namespace runahead::record
