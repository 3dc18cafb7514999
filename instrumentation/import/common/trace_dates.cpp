#include "instrumentation/import/common/trace_dates.h"

#include <array>
#include <cstddef>
#include <ctime>

namespace runahead::importers {

std::string iso8601(std::int64_t epoch_ns) {
  const auto seconds = static_cast<std::time_t>(epoch_ns / 1'000'000'000);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text.data(), size);
}

bool is_date(std::int64_t epoch_ns) {
  return epoch_ns > 978'307'200'000'000'000 && epoch_ns < 4'102'444'800'000'000'000;
}

void set_start(std::int64_t epoch_ns, trace::Trace& trace) {
  if (!is_date(epoch_ns)) return;
  trace.set_metadata("started_at", iso8601(epoch_ns));
  trace.set_metadata("started_ns", std::to_string(epoch_ns));
}

std::string microseconds_text(std::int64_t ns) {
  const std::uint64_t size = ns < 0 ? 0 - static_cast<std::uint64_t>(ns) : static_cast<std::uint64_t>(ns);
  const std::string rest = std::to_string(size % 1000);
  return (ns < 0 ? "-" : "") + std::to_string(size / 1000) + "." + std::string(3 - rest.size(), '0') + rest;
}

}  // namespace runahead::importers
