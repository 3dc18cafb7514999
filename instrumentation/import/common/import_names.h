// ImportNames: strings and argument sets of a trace that is being imported, each handed to the Trace once, as
// they come, so that only rows are gathered in memory.
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

// REQUIRES: nothing else gives the trace strings or arguments meanwhile.
class ImportNames {
 public:
  explicit ImportNames(Trace& trace);  // must outlive this

  // The same text gives the same id.
  [[nodiscard]] StringId intern(std::string_view text);
  // Valid until the next intern().
  [[nodiscard]] std::string_view text(StringId id) const;
  // A number, or a text that is one and nothing else.
  [[nodiscard]] std::optional<double> number(const ArgValue& value) const;
  // The same, if it is neither infinite nor NaN.
  [[nodiscard]] std::optional<double> finite(const ArgValue& value) const;
  // kNoArgs for an empty set. Handed over at once.
  [[nodiscard]] ArgsId add_args(const ArgSet& set);
  // REQUIRES: flushed.
  [[nodiscard]] std::span<const Arg> args(ArgsId id) const { return trace_.args(id); }
  // Hands over what is gathered; now and then it happens by itself.
  void flush();

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t id = 0;  // 0: free
  };
  void grow();

  Trace& trace_;
  Batch pending_;
  std::uint64_t strings_;  // ids given so far
  std::uint64_t flushed_strings_;
  std::size_t pending_bytes_ = 0;
  std::vector<Entry> table_;  // open addressing; a power of two
};

}  // namespace runahead::importers
