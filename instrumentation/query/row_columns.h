// TableLayout: the columns of an SQL table whose rows are trace rows of one type, such as slices. A layout
// lists the columns in their order. A column shows a member of the row, or a value that the table computes.
// The name and the type of a member's column come from the row description (trace/rows/row_description.h). A
// layout does not list added columns (columns that older files do not have): the added columns follow at the
// end.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "instrumentation/query/trace_tables.h"
#include "instrumentation/trace/labels.h"
#include "instrumentation/trace/rows/row_description.h"

namespace runahead::query {

// Lists a member of the row as a column of a layout. The column has the name that the member has in the row
// description. A column whose values the table computes is listed as a Column instead.
template <auto kOfMember>
struct MemberColumn {
  static constexpr auto kMember = kOfMember;
};
template <auto kMember>
inline constexpr MemberColumn<kMember> kColumnOf{};

// SQL type of a column of this kind.
template <typename Kind>
[[nodiscard]] consteval const char* sql_type() {
  switch (Kind::kMeaning) {
    using enum trace::columns::Meaning;
    case kString:
    case kEnum:
    case kFlags:
      return "TEXT";
    case kReal:
      return "REAL";
    default:
      return "INTEGER";
  }
}

// Writes the SQL value of the member. Writes nothing (NULL) if the member has no value.
template <typename Kind>
void put_member(const typename Kind::Row& row, const trace::Trace& trace, Value& value) {
  using trace::columns::Meaning;
  const auto& member = row.*Kind::kMember;
  if constexpr (Kind::kMeaning == Meaning::kTime) {
    put_time(member, value);
  } else if constexpr (Kind::kMeaning == Meaning::kLength) {
    value.integer(Kind::packed(row));
  } else if constexpr (Kind::kMeaning == Meaning::kString) {
    value.text(trace.string(member));
  } else if constexpr (Kind::kMeaning == Meaning::kArgs) {
    if (member != kNoArgs) value.integer(raw(member));
  } else if constexpr (Kind::kMeaning == Meaning::kTrack || Kind::kMeaning == Meaning::kCounter) {
    put_track(member, value);
  } else if constexpr (Kind::kMeaning == Meaning::kOp) {
    put_op(member, value);
  } else if constexpr (Kind::kMeaning == Meaning::kEnum) {
    value.text(trace::key_of(member));
  } else if constexpr (Kind::kMeaning == Meaning::kFlags) {
    value.copied_text(trace::slice_flag_keys(member));
  } else if constexpr (Kind::kMeaning == Meaning::kReal) {
    value.real(member);
  } else if constexpr (Kind::kMeaning == Meaning::kCount) {
    if (member >= 0) value.integer(member);
  } else {
    value.integer(static_cast<std::int64_t>(member));
  }
}

template <typename Row, typename... Parts>
class TableLayout {
 public:
  consteval explicit TableLayout(const Parts&... parts) {
    std::size_t at = 0;
    ((columns_[at++] = column_of(parts)), ...);
    trace::for_each_column<Row>([&](const auto& column) {
      using Here = std::remove_cvref_t<decltype(column)>;
      if constexpr (Here::kAdded) columns_[at++] = {column.name, sql_type<typename Here::Kind>()};
    });
  }
  [[nodiscard]] constexpr std::span<const Column> columns() const { return columns_; }
  // Returns the number of the column with this name.
  [[nodiscard]] consteval int at(std::string_view name) const {
    int found = -1;
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (name == columns_[i].name) found = static_cast<int>(i);
    }
    if (found < 0) throw "no such column";
    return found;
  }
  // Writes the value of column number `column` if the column shows a member. False: nothing was written,
  // because the table computes this column.
  bool put(const Row& row, const trace::Trace& trace, int column, Value& value) const {
    int at = 0;
    bool is_member = false;
    const auto put_if_here = [&]<typename Kind>(std::type_identity<Kind>) {
      if (at != column) return;
      put_member<Kind>(row, trace, value);
      is_member = true;
    };
    const auto see = [&]<typename Part>(std::type_identity<Part>) {
      if constexpr (!std::same_as<Part, Column>) {
        using Kind = trace::KindAt<Row, trace::kColumnIndex<Part::kMember>>;
        put_if_here(std::type_identity<Kind>{});
      }
      ++at;
    };
    (see(std::type_identity<Parts>{}), ...);
    trace::for_each_column<Row>([&](const auto& described) {
      using Here = std::remove_cvref_t<decltype(described)>;
      if constexpr (Here::kAdded) {
        put_if_here(std::type_identity<typename Here::Kind>{});
        ++at;
      }
    });
    return is_member;
  }

 private:
  static consteval Column column_of(const Column& column) { return column; }
  template <auto kMember>
  static consteval Column column_of(MemberColumn<kMember> /*column*/) {
    constexpr std::size_t kIndex = trace::kColumnIndex<kMember>;
    return {trace::RowDescription<Row>::kColumns.names[kIndex], sql_type<trace::KindAt<Row, kIndex>>()};
  }

  std::array<Column, sizeof...(Parts) + trace::kAddedCount<Row>> columns_{};
};
template <typename Row, typename... Parts>
[[nodiscard]] consteval TableLayout<Row, Parts...> layout_of(const Parts&... parts) {
  return TableLayout<Row, Parts...>(parts...);
}

}  // namespace runahead::query
