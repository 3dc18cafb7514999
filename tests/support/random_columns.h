// Makes random values for the columns of a row. The row's description (trace/rows/row_description.h) lists
// the columns. Therefore tests that make random rows also fill a column that is added to the description
// later.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "instrumentation/trace/rows/row_description.h"

namespace runahead::testing {

// A source of random values: uniform(low, high) in [low, high], and random ids that have been defined.
template <typename Source>
concept ColumnSource = requires(Source source, std::int64_t value) {
  { source.uniform(value, value) } -> std::same_as<std::int64_t>;
  { source.any_string() } -> std::same_as<StringId>;
  { source.any_args() } -> std::same_as<ArgsId>;
  { source.any_track() } -> std::same_as<TrackId>;
  { source.any_counter() } -> std::same_as<TrackId>;
  { source.any_op() } -> std::same_as<OpId>;
};

// Sets one column (`Kind`) of `row` to a random value that a file may contain.
template <typename Kind, ColumnSource Source>
void set_random(typename Kind::Row& row, Source& source) {
  using trace::columns::Meaning;
  auto& member = row.*Kind::kMember;
  if constexpr (Kind::kMeaning == Meaning::kString) {
    member = source.any_string();
  } else if constexpr (Kind::kMeaning == Meaning::kArgs) {
    member = source.any_args();
  } else if constexpr (Kind::kMeaning == Meaning::kTrack) {
    member = Kind::kNull && source.uniform(0, 2) == 0 ? kNoTrack : source.any_track();
  } else if constexpr (Kind::kMeaning == Meaning::kCounter) {
    member = source.any_counter();
  } else if constexpr (Kind::kMeaning == Meaning::kOp) {
    member = source.any_op();
  } else if constexpr (Kind::kMeaning == Meaning::kBytes) {
    member = source.uniform(0, 3) == 0 ? source.uniform(0, std::int64_t{1} << 40) : 0;
  } else if constexpr (Kind::kMeaning == Meaning::kReal) {
    member = static_cast<double>(source.uniform(-1'000'000, 1'000'000)) / 7;
  } else {  // for flags, sets only bits that have a name
    const bool flags = Kind::kMeaning == Meaning::kFlags;
    const std::int64_t least = std::max<std::int64_t>(Kind::kLeast, -1'000'000'000);
    (void)Kind::decode(
        row, source.uniform(least, std::min<std::int64_t>(Kind::kMost, flags ? 31 : 1'000'000'000)));
  }
}

// Sets the added columns of a row (columns that only some files have).
template <typename Row, ColumnSource Source>
void fill_added_columns(Row& row, Source& source) {
  trace::for_each_column<Row>([&](const auto& column) {
    using Here = std::remove_cvref_t<decltype(column)>;
    if constexpr (Here::kAdded) set_random<typename Here::Kind>(row, source);
  });
}
// Sets all added columns, and all other columns except times and lengths. The caller sets the times and
// lengths.
template <typename Row, ColumnSource Source>
void fill_columns(Row& row, Source& source) {
  trace::for_each_column<Row>([&](const auto& column) {
    using Here = std::remove_cvref_t<decltype(column)>;
    using trace::columns::Meaning;
    constexpr bool kTime = Here::Kind::kMeaning == Meaning::kTime || Here::Kind::kMeaning == Meaning::kLength;
    if constexpr (Here::kAdded || !kTime) set_random<typename Here::Kind>(row, source);
  });
}

}  // namespace runahead::testing
