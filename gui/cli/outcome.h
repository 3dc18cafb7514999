// The result of a command. A failure is one line for stderr: what failed, on which object, why, and what to
// do.
#pragma once

#include <string>
#include <utility>

#include "instrumentation/base/result.h"

namespace runahead::gui {

inline constexpr int kExitRefused = 1;  // all failures except usage errors: file, device, memory, display
inline constexpr int kExitUsage = 2;    // usage error

struct Outcome {
  int exit_code = 0;
  std::string message;  // the line for stderr; empty: the command succeeded
};

[[nodiscard]] inline Outcome success() { return {}; }
[[nodiscard]] inline Outcome wrong_words(std::string message) { return {kExitUsage, std::move(message)}; }
[[nodiscard]] inline Outcome refused(std::string message) { return {kExitRefused, std::move(message)}; }
[[nodiscard]] inline Outcome wrong_words(const Error& error) { return wrong_words(error.message); }
[[nodiscard]] inline Outcome refused(const Error& error) { return refused(error.message); }

}  // namespace runahead::gui
