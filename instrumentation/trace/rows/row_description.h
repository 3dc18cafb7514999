// RowDescription: the columns of each row type, described once. All code that depends on the columns uses
// this description: packing in memory (columns/row_packing.h), coding in files
// (recording/format/row_coding.h), SQL and CSV, and the comparisons and random rows of tests.
//
// CONTRIBUTING.md says how to add a column. Column ids are written to files. Therefore an id never changes,
// and no other column ever gets the same id.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "instrumentation/trace/rows/batch.h"
#include "instrumentation/trace/rows/column.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::trace {

// One column. Fixed columns (kAdded is false) are in every file. Columns with kAdded were added later, so
// older files do not have them; they come after the fixed columns. The payload of a block contains an added
// column only if at least one row of the block has a value in it that differs from the default of Row.
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

// The columns of a row type. Everything that does not depend on the types of the columns is in arrays: nearly
// every source of the project includes this header, and arrays compile much faster than templates.
template <typename... Column>
struct ColumnList {
  static constexpr std::size_t kCount = sizeof...(Column);
  static constexpr std::size_t kAddedCount = (std::size_t{Column::kAdded} + ... + 0);
  static constexpr std::array<int, kCount> kIds{Column::kId...};
  static constexpr std::array<bool, kCount> kAdded{Column::kAdded...};
  static constexpr std::array<columns::Meaning, kCount> kMeanings{Column::Kind::kMeaning...};
  template <std::size_t kIndex>
  using At = std::tuple_element_t<kIndex, std::tuple<Column...>>;

  std::array<const char*, kCount> names;
  consteval ColumnList(Column... column) : names{column.name...} {}

  // The index of a member's column; kCount if no column has it.
  template <auto kMember>
  static consteval std::size_t index_of() {
    constexpr std::array<bool, kCount> kIsIt{
        std::is_base_of_v<columns::OfMember<kMember>, typename Column::Kind>...};
    std::size_t at = 0;
    while (at < kCount && !kIsIt[at]) ++at;
    return at;
  }
  template <typename See>
  constexpr void each(See see) const {
    std::size_t at = 0;
    (see(Column{names[at++]}), ...);
  }
};

// The description of a row type. All values are constants.
//   kName:     name of a row and of its SQL table
//   kBlock:    kind of its block in a file (recordings::BlockKind)
//   kColumns:  the columns in the order of a file: fixed, then added. If a kind refers to another member, the
//              column of that member comes first.
template <typename Row>
struct RowDescription;

template <>
struct RowDescription<Slice> {
  static constexpr std::string_view kName = "slice";
  static constexpr int kBlock = 5;
  static constexpr ColumnList kColumns{
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
  static constexpr ColumnList kColumns{
      column<1>("ts", columns::TimeAfter<&CounterSample::at, &CounterSample::at>{}),
      column<2>("value", columns::Real<&CounterSample::value>{}),
  };
};

template <>
struct RowDescription<Instant> {
  static constexpr std::string_view kName = "instant";
  static constexpr int kBlock = 7;
  static constexpr ColumnList kColumns{
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
  static constexpr ColumnList kColumns{
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
  static constexpr ColumnList kColumns{
      column<1>("from_ts", columns::Time<&Flow::from_time>{}),
      column<2>("to_ts", columns::TimeSince<&Flow::to_time, &Flow::from_time>{}),
      column<3>("kind", columns::Enum<&Flow::kind, kFlowKindCount>{}),
      column<4>("from_track", columns::TrackOrNone<&Flow::from_track>{}),
      column<5>("to_track", columns::TrackOrNone<&Flow::to_track>{}),
      column<6>("op", columns::Op<&Flow::op>{}),
      column<7>("name", columns::String<&Flow::name>{}),
      added_column<8>("message", columns::Integer<&Flow::message>{}),
  };
};

template <>
struct RowDescription<Dependency> {
  static constexpr std::string_view kName = "dependency";
  static constexpr int kBlock = 14;
  static constexpr ColumnList kColumns{
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
  static constexpr ColumnList kColumns{
      column<1>("block", columns::Integer<&Allocation::block>{}),
      column<2>("track", columns::Counter<&Allocation::counter>{}),
      column<3>("category", columns::String<&Allocation::category>{}),
      column<4>("name", columns::String<&Allocation::name>{}),
      column<5>("op", columns::Op<&Allocation::op>{}),
      column<6>("bytes", columns::Bytes<&Allocation::size_bytes, 0>{}),
      column<7>("ts", columns::Time<&Allocation::begin>{}),
      column<8>("end_ts", columns::EndOrNever<&Allocation::end, &Allocation::begin>{}),
      column<9>("flags", columns::Flags<&Allocation::flags, kAllocationBeganBefore | kAllocationEndUnseen>{}),
      added_column<10>("dropped_ts",
                       columns::WithinOrNever<&Allocation::dropped, &Allocation::begin, &Allocation::end>{}),
      added_column<11>("early_drop_ns", columns::Nanoseconds<&Allocation::early_drop_ns>{}),
  };
};

// Calls see.template operator()<Row>() for all types of rows, in the order in which a writer appends their
// blocks.
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
using ColumnsOf = std::remove_const_t<decltype(RowDescription<Row>::kColumns)>;
template <typename Row>
inline constexpr std::size_t kColumnCount = ColumnsOf<Row>::kCount;
template <typename Row, std::size_t kIndex>
using ColumnAt = typename ColumnsOf<Row>::template At<kIndex>;
template <typename Row, std::size_t kIndex>
using KindAt = typename ColumnAt<Row, kIndex>::Kind;

// Calls see(column) for each column of Row. The type of `column` has Kind, kId and kAdded.
template <typename Row, typename See>
constexpr void for_each_column(See see) {
  RowDescription<Row>::kColumns.each(see);
}
// Calls see.template operator()<index>() for each column of a Row, for code that needs the neighbouring
// columns too.
template <typename Row, typename See>
constexpr void for_each_column_index(See see) {
  [&]<std::size_t... kIndex>(std::index_sequence<kIndex...>) { (see.template operator()<kIndex>(), ...); }
  (std::make_index_sequence<kColumnCount<Row>>());
}

template <typename Row>
inline constexpr std::size_t kAddedCount = ColumnsOf<Row>::kAddedCount;
// The largest id of the fixed columns. Every file has these columns.
template <typename Row>
inline constexpr int kLastFixedId = static_cast<int>(kColumnCount<Row> - kAddedCount<Row>);

template <auto kMember>
using RowOf = typename columns::MemberTypes<decltype(kMember)>::Row;
template <auto kA, auto kB>
inline constexpr bool kSameMember =
    std::is_same_v<std::integral_constant<decltype(kA), kA>, std::integral_constant<decltype(kB), kB>>;
// The index of a member's column in the description of its row.
template <auto kMember>
inline constexpr std::size_t kColumnIndex = ColumnsOf<RowOf<kMember>>::template index_of<kMember>();

// True if fixed columns come first with ids 1, 2, ..., the ids of added columns grow, and names are unique.
template <typename Row>
[[nodiscard]] consteval bool is_well_described() {
  const auto& all = RowDescription<Row>::kColumns;
  bool good = true;
  int id = 0;
  for (std::size_t at = 0; at < all.kCount; ++at) {
    const int here = all.kIds[at];
    good = good && (all.kAdded[at] ? here > id : here == id + 1 && static_cast<int>(at) == id);
    id = here;
    for (std::size_t other = 0; other < at; ++other)
      good = good && std::string_view(all.names[at]) != all.names[other];
  }
  return good;
}

}  // namespace runahead::trace
