// Markers: makes NVTX ranges from their begin and end records. Each thread of the program has its own buffer
// at CUPTI, and CUPTI keeps some buffers longer than others, so an end may arrive before its begin. A range
// that is open at the end of a delivery is handed over as begun, so that the ranges inside it are shown
// inside it. Single-threaded.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/cupti/names.h"
#include "instrumentation/cupti/records.h"
#include "instrumentation/record/hooks/row_source.h"

namespace runahead::cupti {

class Markers {
 public:
  Markers(record::SourceRows& rows, Names& names) : rows_(rows), names_(names) {}
  void take(const MarkerRecord& record);
  // Hands over the ranges that began before `complete_ns` and are open. Counts the ends before `complete_ns`
  // whose begin did not arrive: all records before this time have arrived.
  void commit(std::int64_t complete_ns);
  // Ends the open ranges at this time and marks them as unfinished, in the order of their begins.
  void close(std::int64_t at_ns);

 private:
  // If more ranges than this are open, end records must have been lost. Further begin records are then
  // dropped and counted.
  static constexpr std::size_t kMostOpen = 1u << 16;
  struct Open {
    record::RowPlace place;
    std::int64_t begin_ns = 0;
    const record::Site* site = nullptr;
    bool handed_over = false;
  };
  // More running slices would make the placing of slices slow. Ranges beyond this number are handed over when
  // they end.
  static constexpr std::size_t kMostHandedOver = 64;
  using Range = std::pair<const std::uint32_t, Open>;
  template <typename Chosen>
  [[nodiscard]] std::vector<Range*> in_order(Chosen chosen);
  void hand_over(std::int64_t complete_ns);
  void end(std::uint32_t id, const Open& open, std::int64_t end_ns, std::uint8_t flags = 0);
  [[nodiscard]] const record::Site& site_of(const MarkerRecord& record);

  record::SourceRows& rows_;
  Names& names_;
  std::unordered_map<std::uint32_t, Open> open_;
  std::unordered_map<std::uint32_t, std::int64_t> ends_;  // ends whose begin has not arrived
  std::size_t handed_over_ = 0;                           // the number of open ranges that were handed over
};

}  // namespace runahead::cupti
