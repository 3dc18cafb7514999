#include "gui/web/reduction.h"

#include <array>
#include <cstddef>
#include <cstdlib>

namespace runahead::gui {

namespace {

// Whole numbers divided by blanks; missing ones are 0.
template <std::size_t kCount>
std::array<std::int64_t, kCount> numbers_in(const std::string& text) {
  std::array<std::int64_t, kCount> numbers{};
  const char* at = text.c_str();
  for (std::int64_t& number : numbers) {
    char* end = nullptr;
    number = std::strtoll(at, &end, 10);
    at = end;
  }
  return numbers;
}

}  // namespace

std::optional<ToldReduction> reduction_in(const std::map<std::string, std::string>& metadata) {
  ToldReduction told;
  if (const auto range = metadata.find(kReducedRange); range != metadata.end()) {
    const auto [begin, end] = numbers_in<2>(range->second);
    if (begin < end) told.reduction.range = TimeRange{timestamp_from_ns(begin), timestamp_from_ns(end)};
  }
  if (const auto joined = metadata.find(kReducedBelow); joined != metadata.end())
    told.reduction.joined_below = Duration{numbers_in<1>(joined->second)[0]};
  if (const auto counts = metadata.find(kReducedCounts); counts != metadata.end()) {
    const auto numbers = numbers_in<8>(counts->second);
    std::array<std::uint64_t*, 8> fields{
        &told.counts.joined_slices, &told.counts.blocks, &told.counts.samples,      &told.counts.instants,
        &told.counts.ops,           &told.counts.flows,  &told.counts.dependencies, &told.counts.allocations};
    for (std::size_t i = 0; i < fields.size(); ++i) *fields[i] = static_cast<std::uint64_t>(numbers[i]);
  }
  if (told.reduction.none()) return std::nullopt;
  return told;
}

}  // namespace runahead::gui
