// Kinds of columns. A kind says what a member of a row means, and how its values become 64-bit integers:
// packed in memory, and coded in a file. A kind is a type without data, so that a row description
// (row_description.h) costs nothing at run time. All functions are pure and O(1). Any thread may call them.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"
#include "instrumentation/base/wrapping.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::trace {

// Limits of the values in a file. Times are within +-2^61 ns (73 years), sizes within +-2^53 bytes, so that
// sums and differences cannot overflow.
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 61;
inline constexpr std::int64_t kMaxSizeBytes = std::int64_t{1} << 53;
// The largest id of a string, a track or an args set. 0xffffffff is kNoTrack.
inline constexpr std::int64_t kMaxId = 0xfffffffe;
inline constexpr std::int64_t kLowest = INT64_MIN, kHighest = INT64_MAX;

namespace columns {

// The meaning of a column. The SQL tables, the CSV export, the checks of ids in files, and the random rows of
// tests treat a column according to its meaning.
enum class Meaning : std::uint8_t {
  kTime,     // a Timestamp; kNever: none
  kLength,   // an end, stored as its distance from the begin time
  kString,   // a StringId
  kArgs,     // an ArgsId
  kTrack,    // a TrackId; the track may have slices or instants
  kCounter,  // the TrackId of a counter
  kOp,       // an OpId
  kEnum,
  kFlags,
  kBytes,
  kCount,    // an integer; negative: no value
  kInteger,  // any integer
  kReal,     // a double
};

[[nodiscard]] constexpr std::string_view name_of(Meaning meaning) {
  constexpr std::array<std::string_view, 13> kNames{"time",    "length",  "string", "args",  "track",
                                                    "counter", "op",      "enum",   "flags", "bytes",
                                                    "count",   "integer", "real"};
  return kNames[static_cast<std::size_t>(meaning)];
}

template <typename>
struct MemberTypes;
template <typename R, typename V>
struct MemberTypes<V R::*> {
  using Row = R;
  using Value = V;
};

template <typename Value>
[[nodiscard]] constexpr std::int64_t code_of(Value value) {
  if constexpr (std::is_same_v<Value, Timestamp>) {
    return ns_from(value);
  } else if constexpr (std::is_same_v<Value, double>) {
    return std::bit_cast<std::int64_t>(value);
  } else {
    return static_cast<std::int64_t>(value);
  }
}
template <typename Value>
[[nodiscard]] constexpr Value from_code(std::int64_t code) {
  if constexpr (std::is_same_v<Value, Timestamp>) {
    return timestamp_from_ns(code);
  } else if constexpr (std::is_same_v<Value, double>) {
    return std::bit_cast<double>(code);
  } else {
    return static_cast<Value>(code);
  }
}
[[nodiscard]] constexpr bool time_fits(std::int64_t ns) { return ns >= -kMaxTimeNs && ns <= kMaxTimeNs; }

// Base class of the kinds that describe a member. ColumnList::index_of() uses this base class to find the
// column of a member.
template <auto kMember>
struct OfMember {};

// Every kind has these members:
//   kMeaning:    what the value means
//   kMember:     a pointer to the member
//   kNull:       a packed value that is common and may be far from the other values (see
//                packed_columns.h), if there is one
//   packed(row), unpack(row, packed):  convert to and from the form in memory. If a kind refers to another
//                                      member (such as kBegin), set that member before you call unpack()
//   coded(row), decode(row, coded):    convert to and from the form in a file. decode() returns false for a
//                                      value that is not allowed in a file
// The kind Ranged stores the value itself. In a file the value must lie within [kLow, kHigh].
template <auto kOf, Meaning kOfMeaning, std::int64_t kLow, std::int64_t kHigh>
struct Ranged : OfMember<kOf> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  using Value = typename MemberTypes<decltype(kOf)>::Value;
  static constexpr auto kMember = kOf;
  static constexpr Meaning kMeaning = kOfMeaning;
  static constexpr std::int64_t kLeast = kLow, kMost = kHigh;
  static constexpr std::optional<std::int64_t> kNull = std::nullopt;

  static constexpr std::int64_t packed(const Row& row) { return code_of(row.*kOf); }
  static constexpr void unpack(Row& row, std::int64_t packed) { row.*kOf = from_code<Value>(packed); }
  static constexpr std::int64_t coded(const Row& row) { return packed(row); }
  static constexpr bool decode(Row& row, std::int64_t coded) {
    if (coded < kLow || coded > kHigh) return false;
    unpack(row, coded);
    return true;
  }
};

// ---- times ------------------------------------------------------------------------------------------------

template <auto kOf>
struct Time : Ranged<kOf, Meaning::kTime, -kMaxTimeNs, kMaxTimeNs> {};

// A time at or after kEnd of the previous row. A file stores the gap between the two times. Allowed only as
// the first column.
template <auto kOf, auto kEndOf>
struct TimeAfter : Time<kOf> {
  static constexpr auto kEnd = kEndOf;
};

// An end time at or after kBegin. The column of kBegin must be a TimeAfter. The length (end minus begin) is
// stored. A file's reader decodes both columns together.
template <auto kOf, auto kBeginOf>
struct Length : Ranged<kOf, Meaning::kLength, 0, 2 * kMaxTimeNs> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr auto kBegin = kBeginOf;
  static constexpr std::int64_t packed(const Row& row) { return ns_from(row.*kOf - row.*kBegin); }
  static constexpr void unpack(Row& row, std::int64_t packed) {
    row.*kOf = timestamp_from_ns(ns_from(row.*kBegin) + packed);
  }
  static constexpr std::int64_t coded(const Row& row) { return packed(row); }
};

// An end time at or after kBegin, or kNever. A file and the memory store the length + 1, so that 0 can stand
// for kNever.
template <auto kOf, auto kBegin>
struct EndOrNever : Ranged<kOf, Meaning::kTime, 0, kMaxTimeNs> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr std::optional<std::int64_t> kNull = 0;
  static constexpr std::int64_t packed(const Row& row) {
    return row.*kOf == kNever ? 0 : ns_from(row.*kOf - row.*kBegin) + 1;
  }
  static constexpr void unpack(Row& row, std::int64_t packed) {
    row.*kOf = packed == 0 ? kNever : row.*kBegin + Duration{packed - 1};
  }
  static constexpr std::int64_t coded(const Row& row) { return packed(row); }
  static constexpr bool decode(Row& row, std::int64_t coded) {
    if (coded < 0 || coded > kMaxTimeNs) return false;
    if (coded != 0 && coded - 1 > kMaxTimeNs - ns_from(row.*kBegin)) return false;
    unpack(row, coded);
    return true;
  }
};

// A time within [kBegin, kEnd], or kNever; always kNever if kEnd is kNever. A file and the memory store the
// distance to kEnd + 1, so that 0 can stand for kNever.
template <auto kOf, auto kBegin, auto kEndOf>
struct WithinOrNever : Ranged<kOf, Meaning::kTime, 0, 2 * kMaxTimeNs + 1> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr std::optional<std::int64_t> kNull = 0;
  static constexpr std::int64_t packed(const Row& row) {
    const bool known = row.*kOf != kNever && row.*kEndOf != kNever;
    return known ? ns_from(row.*kEndOf - row.*kOf) + 1 : 0;
  }
  static constexpr void unpack(Row& row, std::int64_t packed) {
    row.*kOf = packed == 0 ? kNever : row.*kEndOf - Duration{packed - 1};
  }
  static constexpr std::int64_t coded(const Row& row) { return packed(row); }
  static constexpr bool decode(Row& row, std::int64_t coded) {
    if (coded < 0) return false;
    if (coded != 0 && (row.*kEndOf == kNever || coded - 1 > ns_from(row.*kEndOf - row.*kBegin))) return false;
    unpack(row, coded);
    return true;
  }
};

// A time or kNever.
template <auto kOf>
struct TimeOrNever : Time<kOf> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr std::optional<std::int64_t> kNull = ns_from(kNever);
  static constexpr bool decode(Row& row, std::int64_t coded) {
    row.*kOf = timestamp_from_ns(coded);
    return time_fits(coded) || coded == ns_from(kNever);
  }
};

// A time. A file stores the difference from kBase, modulo 2^64.
template <auto kOf, auto kBase>
struct TimeSince : Time<kOf> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr std::int64_t coded(const Row& row) {
    return wrapping_difference(ns_from(row.*kOf), ns_from(row.*kBase));
  }
  static constexpr bool decode(Row& row, std::int64_t coded) {
    const std::int64_t ns = wrapping_sum(ns_from(row.*kBase), coded);
    row.*kOf = timestamp_from_ns(ns);
    return time_fits(ns);
  }
};
// A time or kNever. A file stores the difference from kBase, modulo 2^64.
template <auto kOf, auto kBase>
struct TimeOrNeverSince : TimeSince<kOf, kBase> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr std::optional<std::int64_t> kNull = ns_from(kNever);
  static constexpr bool decode(Row& row, std::int64_t coded) {
    return TimeSince<kOf, kBase>::decode(row, coded) || row.*kOf == kNever;
  }
};

// ---- ids --------------------------------------------------------------------------------------------------

template <auto kOf>
struct String : Ranged<kOf, Meaning::kString, 0, kMaxId> {
  static constexpr std::optional<std::int64_t> kNull = 0;
};
template <auto kOf>
struct Args : Ranged<kOf, Meaning::kArgs, 0, kMaxId> {
  static constexpr std::optional<std::int64_t> kNull = 0;
};
template <auto kOf>
struct Track : Ranged<kOf, Meaning::kTrack, 0, kMaxId> {};
template <auto kOf>
struct Counter : Ranged<kOf, Meaning::kCounter, 0, kMaxId> {};

// The form of a track or kNoTrack in a file: the track id + 1; 0 for kNoTrack.
[[nodiscard]] constexpr std::int64_t code_of_optional_track(TrackId id) {
  return id == kNoTrack ? 0 : static_cast<std::int64_t>(raw(id)) + 1;
}
// The inverse: the track of a code; nullopt for a number that is not a valid code.
[[nodiscard]] constexpr std::optional<TrackId> optional_track_of(std::int64_t code) {
  if (code < 0 || code > kMaxId + 1) return std::nullopt;
  return code == 0 ? kNoTrack : TrackId{static_cast<std::uint32_t>(code - 1)};
}
template <auto kOf>
struct TrackOrNone : Ranged<kOf, Meaning::kTrack, 0, kMaxId + 1> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr std::optional<std::int64_t> kNull = raw(kNoTrack);
  static constexpr std::int64_t coded(const Row& row) { return code_of_optional_track(row.*kOf); }
  static constexpr bool decode(Row& row, std::int64_t coded) {
    const std::optional<TrackId> id = optional_track_of(coded);
    if (!id) return false;
    row.*kOf = *id;
    return true;
  }
};

template <auto kOf>
struct Op : Ranged<kOf, Meaning::kOp, kLowest, kHighest> {
  static constexpr std::optional<std::int64_t> kNull = 0;
};
// The id of an earlier op: it is smaller than the id in kBase. The difference of the two ids is stored,
// because it is small and ids are large.
template <auto kOf, auto kBase>
struct EarlierOp : Ranged<kOf, Meaning::kOp, 1, kHighest> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr std::int64_t packed(const Row& row) {
    return static_cast<std::int64_t>(raw(row.*kBase) - raw(row.*kOf));
  }
  static constexpr void unpack(Row& row, std::int64_t packed) {
    row.*kOf = OpId{raw(row.*kBase) - static_cast<std::uint64_t>(packed)};
  }
  static constexpr std::int64_t coded(const Row& row) { return packed(row); }
  // Only earlier ops are allowed, so that dependencies have no cycles.
  static constexpr bool decode(Row& row, std::int64_t coded) {
    unpack(row, coded);
    return coded >= 1 && static_cast<std::uint64_t>(coded) < raw(row.*kBase);
  }
};

// ---- numbers ----------------------------------------------------------------------------------------------

template <auto kOf, int kCountOfValues>
struct Enum : Ranged<kOf, Meaning::kEnum, 0, kCountOfValues - 1> {};
template <auto kOf, int kAll = 255>
struct Flags : Ranged<kOf, Meaning::kFlags, 0, kAll> {};
template <auto kOf, std::int64_t kLow = -kMaxSizeBytes>
struct Bytes : Ranged<kOf, Meaning::kBytes, kLow, kMaxSizeBytes> {
  static constexpr std::optional<std::int64_t> kNull = 0;
};
// 0 or more; -1: no value.
template <auto kOf>
struct Count : Ranged<kOf, Meaning::kCount, -1, kMaxSizeBytes> {
  static constexpr std::optional<std::int64_t> kNull = -1;
};
// A time span in ns; 0: none.
template <auto kOf>
struct Nanoseconds : Ranged<kOf, Meaning::kInteger, 0, 2 * kMaxTimeNs> {
  static constexpr std::optional<std::int64_t> kNull = 0;
};
template <auto kOf>
struct Integer : Ranged<kOf, Meaning::kInteger, kLowest, kHighest> {
  static constexpr std::optional<std::int64_t> kNull = 0;
};
// A double, stored as its bits. If all values of a fixed column (a column that every file has) are whole
// numbers, a file stores them as integers.
template <auto kOf>
struct Real : Ranged<kOf, Meaning::kReal, kLowest, kHighest> {};

}  // namespace columns
}  // namespace runahead::trace
