// ImportNames: the strings and argument sets of a trace during its import. Each is passed to the Trace once
// and early, so that only rows stay in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "instrumentation/trace/rows/batch.h"
#include "instrumentation/trace/trace.h"

namespace runahead::importers {
using namespace trace;

// REQUIRES: nothing else adds strings or arguments to the trace at the same time.
class ImportNames {
 public:
  explicit ImportNames(Trace& trace);  // must outlive this

  // Equal texts have equal ids.
  [[nodiscard]] StringId intern(std::string_view text);
  // Valid until the next intern().
  [[nodiscard]] std::string_view text(StringId id) const;
  // The number, or the number that a text consists of.
  [[nodiscard]] std::optional<double> number(const ArgValue& value) const;
  // Returns number(value), but nullopt for infinity and NaN.
  [[nodiscard]] std::optional<double> finite(const ArgValue& value) const;
  // kNoArgs for an empty set. Added at once.
  [[nodiscard]] ArgsId add_args(const ArgSet& set);
  // REQUIRES: flush() was called.
  [[nodiscard]] std::span<const Arg> args(ArgsId id) const { return trace_.args(id); }
  // Passes all collected strings and sets to the trace. Also happens automatically from time to time.
  void flush();

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t id = 0;  // 0: the entry is free
  };
  void grow();

  Trace& trace_;
  Batch pending_;
  std::uint64_t strings_;  // number of ids given so far
  std::uint64_t flushed_strings_;
  std::size_t pending_bytes_ = 0;
  std::vector<Entry> table_;  // open addressing; the size is a power of two
};

}  // namespace runahead::importers
