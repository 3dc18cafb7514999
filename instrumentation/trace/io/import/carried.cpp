#include "instrumentation/trace/io/import/carried.h"

#include <span>
#include <utility>

namespace runahead::trace::io {

std::optional<Trace> carried_trace(std::string_view bytes, std::string format) {
  Result<Trace> trace = read_recording(std::as_bytes(std::span(bytes)));
  if (!trace || trace->metadata().at("recording.ended") != "yes") return std::nullopt;
  trace->set_metadata("format", std::move(format));
  return std::move(trace).value();
}

}  // namespace runahead::trace::io
