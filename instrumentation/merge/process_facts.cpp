#include "instrumentation/merge/process_facts.h"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <utility>

namespace runahead::merge {
namespace {

using trace::number_of;
using trace::text_of;

// The file name of a command's first word.
std::string program_of(const std::string& command) {
  return std::filesystem::path(command.substr(0, command.find(' '))).filename().string();
}

// nullopt: a damaged or forged recording, because no two clocks of a machine differ so much.
std::optional<ClockMap> possible_map(double offset_ns, double drift) {
  constexpr double kMostOffsetNs = 1e17;  // three years
  constexpr double kMostDifference = 0.01;
  if (!(std::abs(offset_ns) < kMostOffsetNs && std::abs(drift) < kMostDifference)) return std::nullopt;
  return ClockMap{.base_ns = 0, .offset_ns = std::llround(offset_ns), .drift = drift};
}

}  // namespace

ProcessFacts process_facts_of(const Metadata& metadata) {
  std::string name = text_of(metadata, "process.name");
  if (name.empty()) name = program_of(text_of(metadata, "command"));
  return {.pid = number_of<std::int64_t>(metadata, "pid").value_or(0),
          .rank = number_of<std::int64_t>(metadata, "process.rank"),
          .world_size = number_of<std::int64_t>(metadata, "process.world_size"),
          .name = std::move(name),
          .host = text_of(metadata, "host")};
}

ClockFacts clock_facts_of(const Metadata& metadata) {
  ClockFacts facts{.boot = text_of(metadata, "clock.boot"),
                   .origin_tsc = number_of<std::uint64_t>(metadata, "clock.origin_tsc"),
                   .tsc_per_s = number_of<double>(metadata, "clock.tsc_per_s").value_or(0),
                   .origin_monotonic = number_of<std::int64_t>(metadata, "clock.origin_monotonic_ns")};
  constexpr double kSlowest = 1e6, kFastest = 1e11;  // no counter has another rate
  if (!(facts.tsc_per_s > kSlowest && facts.tsc_per_s < kFastest)) facts.origin_tsc.reset();
  return facts;
}

std::optional<ClockMap> shared_clock(const ClockFacts& of, const ClockFacts& reference) {
  if (of.boot.empty() || of.boot != reference.boot) return std::nullopt;
  if (of.origin_tsc && reference.origin_tsc) {
    const auto ticks = static_cast<std::int64_t>(*of.origin_tsc - *reference.origin_tsc);
    return possible_map(static_cast<double>(ticks) * 1e9 / reference.tsc_per_s,
                        of.tsc_per_s / reference.tsc_per_s - 1);
  }
  if (!of.origin_monotonic || !reference.origin_monotonic) return std::nullopt;
  // As doubles, times up to 100 days are exact, and nothing overflows.
  return possible_map(
      static_cast<double>(*of.origin_monotonic) - static_cast<double>(*reference.origin_monotonic), 0);
}

std::string name_of_process(const ProcessFacts& facts) {
  std::string name = facts.name.empty() ? "process" : facts.name;
  if (facts.pid != 0) name += " (" + std::to_string(facts.pid) + ")";
  return facts.rank ? "rank " + std::to_string(*facts.rank) + ": " + name : name;
}

}  // namespace runahead::merge
