// ImportNames: the strings and argument sets of a trace during its import. Each string and set is passed to
// the Trace once and early, so that ImportNames itself needs little memory.
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

  // Equal strings have equal ids.
  [[nodiscard]] StringId intern(std::string_view text);
  // The returned view is valid until the next intern().
  [[nodiscard]] std::string_view text(StringId id) const;
  // The value as a number, if it is a number or a string that contains only a number.
  [[nodiscard]] std::optional<double> number(const ArgValue& value) const;
  // Returns number(value), but nullopt for infinity and NaN.
  [[nodiscard]] std::optional<double> finite(const ArgValue& value) const;
  // Adds the argument set to the trace immediately and returns its id. Returns kNoArgs for an empty set.
  [[nodiscard]] ArgsId add_args(const ArgSet& set);
  // REQUIRES: flush() was called.
  [[nodiscard]] std::span<const Arg> args(ArgsId id) const { return trace_.args(id); }
  // Passes all collected strings and sets to the trace. This also happens automatically from time to time.
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
  std::vector<Entry> table_;  // hash table with open addressing; its size is a power of two
};

}  // namespace runahead::importers
