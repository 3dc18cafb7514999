// Markers: NVTX's ranges, from their two ends. Single-threaded.
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
  // What is open ends here, unfinished.
  void close(std::int64_t at_ns);

 private:
  // More ranges than this are open: ends were lost, and further begins are counted and let go.
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
