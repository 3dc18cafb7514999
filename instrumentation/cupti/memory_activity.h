// Memory: counters of the allocated bytes of each device. Single-threaded.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

#include "instrumentation/cupti/records.h"
#include "instrumentation/record/hooks/row_source.h"

namespace runahead::cupti {

class Memory {
 public:
  explicit Memory(record::SourceRows& rows) : rows_(rows) {}
  // A free of memory that was allocated before the recording has no effect, because the bytes of this memory
  // were never counted.
  void take(const MemoryRecord& record);

 private:
  struct Allocation {
    std::uint64_t bytes = 0;
    const record::TrackDesc* counter = nullptr;
  };
  [[nodiscard]] const record::TrackDesc& counter(std::uint32_t device, const char* name);

  record::SourceRows& rows_;
  std::unordered_map<std::uint64_t, Allocation> live_;  // key: address
  std::unordered_map<const record::TrackDesc*, std::uint64_t> bytes_;
  std::map<std::pair<std::uint32_t, const char*>, const record::TrackDesc*> counters_;
};

}  // namespace runahead::cupti
