// Markers: makes NVTX ranges from their begin and end records. Single-threaded.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "instrumentation/cupti/names.h"
#include "instrumentation/cupti/records.h"
#include "instrumentation/record/hooks/row_source.h"

namespace runahead::cupti {

class Markers {
 public:
  Markers(record::SourceRows& rows, Names& names) : rows_(rows), names_(names) {}
  void take(const MarkerRecord& record);
  // Ends the open ranges at this time and marks them as unfinished.
  void close(std::int64_t at_ns);

 private:
  // If more ranges than this are open, end records must have been lost. Further begin records are then
  // dropped and counted.
  static constexpr std::size_t kMostOpen = 1u << 16;
  struct Open {
    record::RowPlace place;
    std::int64_t begin_ns = 0;
    const record::Site* site = nullptr;
  };
  [[nodiscard]] const record::Site& site_of(const MarkerRecord& record);

  record::SourceRows& rows_;
  Names& names_;
  std::unordered_map<std::uint32_t, Open> open_;
};

}  // namespace runahead::cupti
