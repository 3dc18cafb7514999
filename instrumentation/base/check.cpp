#include "instrumentation/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace runahead {

void check_failed(const char* file, int line, const char* what, const std::string& values) {
  // The message goes out in one write, so that the lines of two threads that fail at the same time do not
  // mix.
  std::string message = std::string(file) + ":" + std::to_string(line) + ": check failed: " + what;
  if (!values.empty()) message += " (" + values + ")";
  message += "\n";
  std::fputs(message.c_str(), stderr);
  std::fflush(stderr);
  std::abort();
}

}  // namespace runahead
