#include "instrumentation/import/common/embedded.h"

#include <span>
#include <utility>

namespace runahead::importers {
using namespace trace;

std::optional<Trace> embedded_trace(std::string_view bytes, std::string format) {
  std::optional<Trace> trace = recordings::read_whole_recording(std::as_bytes(std::span(bytes)));
  if (trace) trace->set_metadata("format", std::move(format));
  return trace;
}

}  // namespace runahead::importers
