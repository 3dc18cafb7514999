// CallPlace: where in the program a host call was made, by the slices that contain it: an operator of a
// framework, a line of Python, a range that the user named.
#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "instrumentation/causes/execution.h"

namespace runahead::causes {

// kOperator: "aten::item". kPython: "train.py(33): step". kRange: an NVTX range, an annotation, or another
// zone.
enum class ZoneClass : std::uint8_t { kOperator, kPython, kBuiltIn, kRange };
[[nodiscard]] ZoneClass zone_class(std::string_view name);
// A frame of Python's, PyTorch's or another library's own code, which the user did not write.
[[nodiscard]] bool is_library_frame(std::string_view name);

struct CallPlace {
  std::string op;      // the outermost of the operators that directly contain the call; empty: none
  std::string python;  // the innermost Python frame, of the user's code if there is one; empty: none
  std::string range;   // the innermost named range; empty: none

  // "aten::item in train.py(33): step"; empty: no slice contains the call.
  [[nodiscard]] std::string text() const;
};

// O(depth * log(slices of the thread)).
[[nodiscard]] CallPlace place_of(const trace::Trace& trace, const HostCall& call);

}  // namespace runahead::causes
