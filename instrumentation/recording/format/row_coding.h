// Writes rows as the columns of a payload and reads them back, as row_description.h says. The fixed columns,
// which every file has, come first. The added columns, which older files do not have, are at the end of the
// payload, each with its id and its length in bytes. An added column is omitted if all its values are the
// default. docs/recording-format.md has the layout.
// Writers trust their rows. Readers trust no value: a bad value marks the PayloadReader as failed. All
// functions are O(rows) and may be called on any thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "instrumentation/recording/format/bytes.h"
#include "instrumentation/recording/format/payload_reader.h"
#include "instrumentation/trace/rows/row_description.h"

namespace runahead::recordings {
using namespace trace;

// True if a double can be written as an integer. False for -0.0, which would lose its sign.
[[nodiscard]] inline bool is_integer(double value) {
  return std::abs(value) < 9007199254740992.0 && std::trunc(value) == value &&
         !(value == 0 && std::signbit(value));
}

// Kinds of columns whose coding needs other rows or other columns.
// AfterBefore: a time that is coded as the gap after the end of the previous row.
template <typename Kind>
concept AfterBefore = requires {
  Kind::kEnd;
};
template <typename Kind>
inline constexpr bool kIsLength = Kind::kMeaning == columns::Meaning::kLength;
template <typename Kind>
inline constexpr bool kIsReal = Kind::kMeaning == columns::Meaning::kReal;

// ---- writing ----------------------------------------------------------------------------------------------

template <typename Kind, typename Source, typename RowOfSource>
[[nodiscard]] std::vector<std::int64_t> coded_values(std::span<const Source> sources, RowOfSource row_of) {
  std::vector<std::int64_t> values(sources.size());
  std::transform(sources.begin(), sources.end(), values.begin(),
                 [&](const Source& source) { return Kind::coded(std::invoke(row_of, source)); });
  return values;
}

// The gap in ns before each row: from the end of the previous row to its begin; for the first row from
// `start`.
template <typename Kind, typename Row>
[[nodiscard]] std::vector<std::int64_t> gaps_of(std::span<const Row> rows, Timestamp start) {
  std::vector<std::int64_t> gaps(rows.size());
  Timestamp before = start;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    gaps[i] = wrapping_difference(ns_from(rows[i].*Kind::kMember), ns_from(before));
    before = rows[i].*Kind::kEnd;
  }
  return gaps;
}

template <typename Kind, typename Row>
void put_reals(ByteWriter& out, std::span<const Row> rows) {
  const bool integers =
      std::all_of(rows.begin(), rows.end(), [](const Row& row) { return is_integer(row.*Kind::kMember); });
  out.u8(integers ? 0 : 1);
  if (!integers) {
    for (const Row& row : rows) out.f64(row.*Kind::kMember);
    return;
  }
  std::vector<std::int64_t> values(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) values[i] = static_cast<std::int64_t>(rows[i].*Kind::kMember);
  out.column(values);
}

// Writes the fixed columns. The first column takes at least one byte per row, so that a reader can limit the
// number of rows by the bytes of the payload.
template <typename Row>
void put_columns(ByteWriter& out, std::span<const Row> rows, Timestamp start = {}) {
  for_each_column_index<Row>([&]<std::size_t kIndex>() {
    using Kind = KindAt<Row, kIndex>;
    if constexpr (ColumnAt<Row, kIndex>::kAdded) {
      return;
    } else if constexpr (AfterBefore<Kind>) {
      out.dense_column(gaps_of<Kind>(rows, start));
    } else if constexpr (kIsReal<Kind>) {
      put_reals<Kind>(out, rows);
    } else if constexpr (kIndex == 0) {
      out.dense_column(coded_values<Kind>(rows, std::identity{}));
    } else {
      out.column(coded_values<Kind>(rows, std::identity{}));
    }
  });
}

// Writes the fixed columns of open rows, except begin and length: a payload of open rows has the begins in a
// column of its own, and no lengths.
template <typename Row, typename Source, typename RowOfSource>
void put_columns_of_open(ByteWriter& out, std::span<const Source> sources, RowOfSource row_of) {
  for_each_column_index<Row>([&]<std::size_t kIndex>() {
    using Kind = KindAt<Row, kIndex>;
    if constexpr (!ColumnAt<Row, kIndex>::kAdded && !AfterBefore<Kind> && !kIsLength<Kind>)
      out.column(coded_values<Kind>(sources, row_of));
  });
}

// Writes the added columns for all rows of a payload. parts: a range of spans; together the spans are the
// rows in order. before() is called before each column is written.
template <typename Row, typename Parts, typename RowOfSource, typename Before>
void put_added_columns(ByteWriter& out, const Parts& parts, RowOfSource row_of, Before before) {
  for_each_column_index<Row>([&]<std::size_t kIndex>() {
    if constexpr (ColumnAt<Row, kIndex>::kAdded) {
      using Kind = KindAt<Row, kIndex>;
      const std::int64_t usual = Kind::coded(Row{});
      std::vector<std::int64_t> values;
      for (const auto& part : parts) {
        const std::vector<std::int64_t> of_part = coded_values<Kind>(part, row_of);
        values.insert(values.end(), of_part.begin(), of_part.end());
      }
      if (std::all_of(values.begin(), values.end(), [&](std::int64_t v) { return v == usual; })) return;
      ByteWriter column;
      column.column(values);
      before();
      out.varint(ColumnAt<Row, kIndex>::kId);
      out.text(column.view());
    }
  });
}
template <typename Row, typename Parts>
void put_added_columns(ByteWriter& out, const Parts& parts) {
  put_added_columns<Row>(out, parts, std::identity{}, [] {});
}

// ---- reading ----------------------------------------------------------------------------------------------

// Reads one column of n rows. row_at(i) returns a reference to row i.
template <typename Kind, typename RowAt>
void read_plain_column(PayloadReader& in, std::size_t n, RowAt row_at) {
  in.column(n, [&](std::size_t i, std::int64_t value) { return Kind::decode(row_at(i), value); });
}

template <typename Kind, typename Row>
void read_reals(PayloadReader& in, std::span<Row> rows) {
  if (in.below(2) == 0) {
    return in.column(rows.size(), [&](std::size_t i, std::int64_t value) {
      rows[i].*Kind::kMember = static_cast<double>(value);
      return true;
    });
  }
  for (Row& row : rows) row.*Kind::kMember = in.in().f64();
}

template <typename Row>
void read_columns(PayloadReader& in, std::span<Row> rows, Timestamp start = {}) {
  // the column of gaps comes before the column of lengths; begins are computed when both are known
  std::vector<std::int64_t> gaps_ns;
  for_each_column_index<Row>([&]<std::size_t kIndex>() {
    using Kind = KindAt<Row, kIndex>;
    const auto row_at = [&](std::size_t i) -> Row& { return rows[i]; };
    if constexpr (ColumnAt<Row, kIndex>::kAdded) {
      return;
    } else if constexpr (AfterBefore<Kind>) {
      if constexpr (kSameMember<Kind::kMember, Kind::kEnd>) {
        in.times_by_gaps(rows.size(), start, [&](std::size_t i, Timestamp t) { rows[i].*Kind::kMember = t; });
      } else {
        in.in().dense_column(rows.size(), gaps_ns);
      }
    } else if constexpr (kIsLength<Kind>) {
      Timestamp before = start;
      in.column(rows.size(), [&](std::size_t i, std::int64_t length_ns) {
        rows[i].*Kind::kBegin = in.later(before, gaps_ns[i]);
        rows[i].*Kind::kMember = before = in.later(rows[i].*Kind::kBegin, length_ns);
        return in.ok();
      });
    } else if constexpr (kIsReal<Kind>) {
      read_reals<Kind>(in, rows);
    } else if constexpr (kIndex == 0) {
      in.dense_column(rows.size(),
                      [&](std::size_t i, std::int64_t value) { return Kind::decode(rows[i], value); });
    } else {
      read_plain_column<Kind>(in, rows.size(), row_at);
    }
  });
}

template <typename Row, typename RowAt>
void read_columns_of_open(PayloadReader& in, std::size_t n, RowAt row_at) {
  for_each_column_index<Row>([&]<std::size_t kIndex>() {
    using Kind = KindAt<Row, kIndex>;
    if constexpr (!ColumnAt<Row, kIndex>::kAdded && !AfterBefore<Kind> && !kIsLength<Kind>)
      read_plain_column<Kind>(in, n, row_at);
  });
}

// Reads one added column. The reader is at the column's id. This id must be larger than last_id, and becomes
// the new last_id. A column that this version does not know is skipped, and added to `unknown` unless
// `unknown` is null.
template <typename Row, typename RowAt>
void read_added_column(PayloadReader& in, std::size_t n, RowAt row_at, std::uint64_t& last_id,
                       UnknownColumns* unknown) {
  const std::uint64_t id = in.in().varint();
  const std::string_view bytes = in.in().text();
  in.require(id > last_id && id <= kMaxColumnId);
  if (!in.ok()) return;
  last_id = id;
  bool known = false;
  for_each_column_index<Row>([&]<std::size_t kIndex>() {
    if constexpr (ColumnAt<Row, kIndex>::kAdded) {
      if (id != ColumnAt<Row, kIndex>::kId) return;
      known = true;
      PayloadReader column(bytes);
      read_plain_column<KindAt<Row, kIndex>>(column, n, row_at);
      in.require(column.finish());
    }
  });
  if (!known && unknown != nullptr) unknown->insert({RowDescription<Row>::kName, id});
}

// Reads added columns up to the end of the payload. False if a column, or anything before the columns, is
// malformed.
template <typename Row, typename RowAt>
[[nodiscard]] bool read_added_columns(PayloadReader& in, std::size_t n, RowAt row_at,
                                      UnknownColumns* unknown) {
  std::uint64_t last_id = kLastFixedId<Row>;
  while (in.ok() && !in.in().at_end()) read_added_column<Row>(in, n, row_at, last_id, unknown);
  return in.finish();
}

// ---- names ------------------------------------------------------------------------------------------------

// True if all ids in a row are defined. `known` has a function for each kind of id, which says whether one id
// is defined: string(StringId), args_set(ArgsId), track(TrackId), counter(TrackId). kNoTrack is always fine
// in a column that may have no track.
template <typename Row, typename Known>
[[nodiscard]] bool names_known(const Row& row, Known known) {
  bool all = true;
  for_each_column<Row>([&](const auto& column) {
    using Kind = typename std::remove_cvref_t<decltype(column)>::Kind;
    using columns::Meaning;
    const auto& value = row.*Kind::kMember;
    if constexpr (Kind::kMeaning == Meaning::kString) {
      all = all && known.string(value);
    } else if constexpr (Kind::kMeaning == Meaning::kArgs) {
      all = all && known.args_set(value);
    } else if constexpr (Kind::kMeaning == Meaning::kTrack) {
      all = all && ((Kind::kNull && value == kNoTrack) || known.track(value));
    } else if constexpr (Kind::kMeaning == Meaning::kCounter) {
      all = all && known.counter(value);
    }
  });
  return all;
}

}  // namespace runahead::recordings
