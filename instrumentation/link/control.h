// A value of a program that a watcher may change: a switch with named choices, or a number with bounds.
#pragma once

#include <string>
#include <vector>

namespace runahead::link {

struct Control {
  std::string name, value;
  std::vector<std::string> choices;  // empty: a number
  double least = 0, most = 0;        // of a number
  friend bool operator==(const Control&, const Control&) = default;
};

}  // namespace runahead::link
