// StringPool and ArgsTable: store the strings and argument sets to which rows refer by id. Append-only.
// Copies share their content. A returned view or span stays valid as long as the pool lives, or a copy of the
// pool that contains the string or set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "instrumentation/base/shared_arena.h"
#include "instrumentation/trace/columns/block_sequence.h"
#include "instrumentation/trace/rows/batch.h"

namespace runahead::trace {

class StringPool {
 public:
  StringPool() { add({}); }  // id 0: the empty string

  StringId add(std::string_view text);
  [[nodiscard]] std::uint64_t size() const { return views_.size(); }
  [[nodiscard]] std::string_view of(StringId id) const;  // REQUIRES: the id was added
  // The first id of this text. O(size): for occasional searches, not for each row.
  [[nodiscard]] std::optional<StringId> find(std::string_view text) const;
  [[nodiscard]] std::size_t size_bytes() const { return arena_.size_bytes() + views_.size_bytes(); }

 private:
  SharedArena<char> arena_;
  SharedVector<std::string_view> views_;
};

class ArgsTable {
 public:
  ArgsId add(std::span<const Arg> set);
  [[nodiscard]] std::uint64_t size() const { return sets_.size(); }
  [[nodiscard]] std::span<const Arg> of(ArgsId id) const;  // REQUIRES: the id was added; kNoArgs: empty
  [[nodiscard]] std::size_t size_bytes() const { return arena_.size_bytes() + sets_.size_bytes(); }

 private:
  SharedArena<Arg> arena_;
  SharedVector<std::span<const Arg>> sets_;  // the sets with ids 1, 2, ...
};

}  // namespace runahead::trace
