// Process numbers that the user types.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "instrumentation/base/parse_number.h"
#include "instrumentation/base/result.h"

namespace runahead::gui {

// True for digits only. A file whose name has only digits is typed as ./123.
[[nodiscard]] inline bool is_process_number(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
}

[[nodiscard]] inline Result<pid_t> parse_process_number(const std::string& word) {
  const std::optional<std::int64_t> number = parse_positive(word);
  if (!number || *number > std::numeric_limits<pid_t>::max())
    return Error{"'" + word + "': not a process number; `runahead attach` lists the programs that record"};
  return static_cast<pid_t>(*number);
}

}  // namespace runahead::gui
