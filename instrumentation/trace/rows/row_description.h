// RowDescription: the columns of each row type, described once. Packing in memory (columns/row_packing.h),
// coding in files (recording/format/row_coding.h), SQL and CSV, and the comparisons and random rows of tests
// follow from it.
//
// CONTRIBUTING.md says how to add a column. Column ids are written to files: an id never changes and is never
// used again.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "instrumentation/trace/rows/batch.h"
#include "instrumentation/trace/rows/column.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::trace {

// One column. kAdded: an added column. Older files do not have it. Added columns come after the fixed ones. A
// payload contains an added column only if one of its rows differs there from a default-constructed
// Row.
template <int kColumnId, typename ColumnKind, bool kIsAdded>
struct RowColumn {
  using Kind = ColumnKind;
  static constexpr int kId = kColumnId;
  static constexpr bool kAdded = kIsAdded;
  const char* name;
};
template <int kId, typename Kind>
[[nodiscard]] consteval RowColumn<kId, Kind, false> column(const char* name, Kind /*kind*/) {
  return {name};
}
template <int kId, typename Kind>
[[nodiscard]] consteval RowColumn<kId, Kind, true> added_column(const char* name, Kind /*kind*/) {
  return {name};
}

// The description of a row type. All values are constants.
//   kName     name of a row and of its SQL table
//   kBlock    kind of its block in a file (recordings::BlockKind)
//   kColumns  the columns in the order of a file: fixed, then added. If a kind refers to another member, the
//             column of that member comes first.
template <typename Row>
struct RowDescription;

template <>
struct RowDescription<Slice> {
  static constexpr std::string_view kName = "slice";
  static constexpr int kBlock = 5;
  static constexpr std::tuple kColumns{
      column<1>("ts", columns::TimeAfter<&Slice::begin, &Slice::end>{}),
      column<2>("dur", columns::Length<&Slice::end, &Slice::begin>{}),
      column<3>("name", columns::String<&Slice::name>{}),
      column<4>("kind", columns::Enum<&Slice::kind, kSliceKindCount>{}),
      column<5>("flags", columns::Flags<&Slice::flags>{}),
      column<6>("op", columns::Op<&Slice::op>{}),
      column<7>("bytes", columns::Bytes<&Slice::size_bytes>{}),
      column<8>("args", columns::Args<&Slice::args>{}),
  };
};

template <>
struct RowDescription<CounterSample> {
  static constexpr std::string_view kName = "counter";
  static constexpr int kBlock = 6;
  static constexpr std::tuple kColumns{
      column<1>("ts", columns::TimeAfter<&CounterSample::at, &CounterSample::at>{}),
      column<2>("value", columns::Real<&CounterSample::value>{}),
  };
};

template <>
struct RowDescription<Instant> {
  static constexpr std::string_view kName = "instant";
  static constexpr int kBlock = 7;
  static constexpr std::tuple kColumns{
      column<1>("ts", columns::TimeAfter<&Instant::at, &Instant::at>{}),
      column<2>("track", columns::Track<&Instant::track>{}),
      column<3>("name", columns::String<&Instant::name>{}),
      column<4>("op", columns::Op<&Instant::op>{}),
      column<5>("args", columns::Args<&Instant::args>{}),
  };
};

template <>
struct RowDescription<OpRow> {
  static constexpr std::string_view kName = "op";
  static constexpr int kBlock = 8;
  static constexpr std::tuple kColumns{
      column<1>("id", columns::Op<&OpRow::id>{}),
      column<2>("name", columns::String<&OpRow::name>{}),
      column<3>("step", columns::Count<&OpRow::step>{}),
      column<4>("enqueued", columns::TimeOrNever<&OpRow::enqueued>{}),
      column<5>("ready", columns::TimeOrNeverSince<&OpRow::ready, &OpRow::enqueued>{}),
      column<6>("started", columns::TimeOrNeverSince<&OpRow::started, &OpRow::enqueued>{}),
      column<7>("ended", columns::TimeOrNeverSince<&OpRow::ended, &OpRow::enqueued>{}),
      column<8>("enqueue_track", columns::TrackOrNone<&OpRow::enqueue_track>{}),
      column<9>("execute_track", columns::TrackOrNone<&OpRow::execute_track>{}),
      column<10>("output_bytes", columns::Bytes<&OpRow::output_bytes>{}),
      column<11>("flags", columns::Flags<&OpRow::flags>{}),
  };
};

template <>
struct RowDescription<Flow> {
  static constexpr std::string_view kName = "flow";
  static constexpr int kBlock = 9;
  static constexpr std::tuple kColumns{
      column<1>("from_ts", columns::Time<&Flow::from_time>{}),
      column<2>("to_ts", columns::TimeSince<&Flow::to_time, &Flow::from_time>{}),
      column<3>("kind", columns::Enum<&Flow::kind, kFlowKindCount>{}),
      column<4>("from_track", columns::TrackOrNone<&Flow::from_track>{}),
      column<5>("to_track", columns::TrackOrNone<&Flow::to_track>{}),
      column<6>("op", columns::Op<&Flow::op>{}),
      column<7>("name", columns::String<&Flow::name>{}),
  };
};

template <>
struct RowDescription<Dependency> {
  static constexpr std::string_view kName = "dependency";
  static constexpr int kBlock = 14;
  static constexpr std::tuple kColumns{
      column<1>("op", columns::Op<&Dependency::op>{}),
      column<2>("on_op", columns::EarlierOp<&Dependency::on, &Dependency::op>{}),
      column<3>("kind", columns::Enum<&Dependency::kind, kDependencyKindCount>{}),
      column<4>("ts", columns::Time<&Dependency::at>{}),
  };
};

template <>
struct RowDescription<Allocation> {
  static constexpr std::string_view kName = "holding";
  static constexpr int kBlock = 20;
  static constexpr std::tuple kColumns{
      column<1>("block", columns::Integer<&Allocation::block>{}),
      column<2>("track", columns::Counter<&Allocation::counter>{}),
      column<3>("category", columns::String<&Allocation::category>{}),
      column<4>("name", columns::String<&Allocation::name>{}),
      column<5>("op", columns::Op<&Allocation::op>{}),
      column<6>("bytes", columns::Bytes<&Allocation::size_bytes, 0>{}),
      column<7>("ts", columns::Time<&Allocation::begin>{}),
      column<8>("end_ts", columns::EndOrNever<&Allocation::end, &Allocation::begin>{}),
      column<9>("flags", columns::Flags<&Allocation::flags, kAllocationBeganBefore | kAllocationEndUnseen>{}),
  };
};

// Calls see.template operator()<Row>() for all types of rows, in the order of a file's groups.
template <typename See>
constexpr void for_each_row_type(See see) {
  see.template operator()<Slice>();
  see.template operator()<CounterSample>();
  see.template operator()<Instant>();
  see.template operator()<OpRow>();
  see.template operator()<Flow>();
  see.template operator()<Dependency>();
  see.template operator()<Allocation>();
}

// ---- queries on a description -----------------------------------------------------------------------------

template <typename Row>
inline constexpr std::size_t kColumnCount =
    std::tuple_size_v<std::remove_const_t<decltype(RowDescription<Row>::kColumns)>>;
template <typename Row, std::size_t kIndex>
using ColumnAt = std::tuple_element_t<kIndex, std::remove_const_t<decltype(RowDescription<Row>::kColumns)>>;
template <typename Row, std::size_t kIndex>
using KindAt = typename ColumnAt<Row, kIndex>::Kind;

// Calls see(column) for each column of Row. The type of `column` has Kind, kId and kAdded.
template <typename Row, typename See>
constexpr void for_each_column(See see) {
  std::apply([&](const auto&... column) { (see(column), ...); }, RowDescription<Row>::kColumns);
}
// Calls see.template operator()<index>() for each column of a Row, for code that needs the neighbouring
// columns too.
template <typename Row, typename See>
constexpr void for_each_column_index(See see) {
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) { (see.template operator()<kIndex>(), ...); }
  (std::make_index_sequence<kColumnCount<Row>>());
}

template <typename Row>
inline constexpr std::size_t kAddedCount = [] {
  std::size_t count = 0;
  for_each_column<Row>([&](const auto& column) { count += column.kAdded ? 1 : 0; });
  return count;
}();
// Largest id of a fixed column, which every file has.
template <typename Row>
inline constexpr int kLastFixedId = static_cast<int>(kColumnCount<Row> - kAddedCount<Row>);

template <auto kMember>
using RowOf = typename columns::MemberTypes<decltype(kMember)>::Row;
template <auto kA, auto kB>
inline constexpr bool kSameMember =
    std::is_same_v<std::integral_constant<decltype(kA), kA>, std::integral_constant<decltype(kB), kB>>;
// The index of a member's column in the description of its row.
template <auto kMember>
inline constexpr std::size_t kColumnIndex = [] {
  std::size_t found = kColumnCount<RowOf<kMember>>;
  for_each_column_index<RowOf<kMember>>([&]<std::size_t kIndex>() {
    if (kSameMember<kMember, KindAt<RowOf<kMember>, kIndex>::kMember>) found = kIndex;
  });
  return found;
}();

// True if fixed columns come first with ids 1, 2, ..., the ids of added columns grow, and names are unique.
template <typename Row>
[[nodiscard]] consteval bool is_well_described() {
  bool good = true;
  int id = 0;
  for_each_column_index<Row>([&]<std::size_t kIndex>() {
    using Here = ColumnAt<Row, kIndex>;
    good = good && (Here::kAdded ? Here::kId > id : Here::kId == id + 1 && static_cast<int>(kIndex) == id);
    id = Here::kId;
    std::string_view name = std::get<kIndex>(RowDescription<Row>::kColumns).name;
    int same = 0;
    for_each_column<Row>([&](const auto& other) { same += name == other.name ? 1 : 0; });
    good = good && same == 1;
  });
  return good;
}
static_assert(is_well_described<Slice>() && is_well_described<CounterSample>() &&
              is_well_described<Instant>() && is_well_described<OpRow>() && is_well_described<Flow>() &&
              is_well_described<Dependency>() && is_well_described<Allocation>());

}  // namespace runahead::trace
