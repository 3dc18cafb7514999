// Memory: counters of the allocated bytes of each device. Records arrive in any order, because each thread
// of the program has its own buffer. But the bytes after a record depend on all earlier records. Therefore
// add() keeps a record until no earlier one can come. Single-threaded.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "instrumentation/cupti/records.h"
#include "instrumentation/record/hooks/row_source.h"

namespace runahead::cupti {

class Memory {
 public:
  explicit Memory(record::SourceRows& rows) : rows_(rows) {}
  void add(const MemoryRecord& record) { waiting_.push_back(record); }
  // Makes samples of all records before `complete_ns`, in the order of their times. A free of memory that was
  // allocated before the recording has no effect, because the bytes of this memory were never counted.
  void take_until(std::int64_t complete_ns);

 private:
  void take(const MemoryRecord& record);
  struct Allocation {
    std::uint64_t bytes = 0;
    const record::TrackDesc* counter = nullptr;
  };
  [[nodiscard]] const record::TrackDesc& counter(std::uint32_t device, const char* name);

  record::SourceRows& rows_;
  std::vector<MemoryRecord> waiting_;                   // in order of arrival
  std::unordered_map<std::uint64_t, Allocation> live_;  // key: address
  std::unordered_map<const record::TrackDesc*, std::uint64_t> bytes_;
  std::map<std::pair<std::uint32_t, const char*>, const record::TrackDesc*> counters_;
};

}  // namespace runahead::cupti
