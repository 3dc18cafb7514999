#include "instrumentation/trace/io/import/carried.h"

#include <span>
#include <utility>

namespace runahead::trace::io {

std::optional<Trace> carried_trace(std::string_view bytes, std::string format) {
  std::optional<Trace> trace = read_whole_recording(std::as_bytes(std::span(bytes)));
  if (trace) trace->set_metadata("format", std::move(format));
  return trace;
}

}  // namespace runahead::trace::io
