// Kinds of columns: what a member of a row means, and so how its values become integers: packed in memory,
// and coded in a file. A kind is a type without values, so that a description of a row (row_description.h)
// costs nothing at run time.
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

// What a file may hold. Times lie within +-2^61 ns (73 years), sizes within +-2^53 bytes: sums and
// differences cannot overflow.
inline constexpr std::int64_t kMaxTimeNs = std::int64_t{1} << 61;
inline constexpr std::int64_t kMaxSizeBytes = std::int64_t{1} << 53;
inline constexpr std::int64_t kMaxId = 0xfffffffe;  // of strings, tracks, args; 0xffffffff is kNoTrack
inline constexpr std::int64_t kLowest = INT64_MIN, kHighest = INT64_MAX;

namespace columns {

// What the users of a description tell kinds apart by.
enum class Meaning : std::uint8_t {
  kTime,     // a Timestamp; kNever: none
  kLength,   // an end, told by how long after the begin it is
  kString,   // a StringId
  kArgs,     // an ArgsId
  kTrack,    // a TrackId that may have slices or instants
  kCounter,  // a TrackId of a counter
  kOp,       // an OpId
  kEnum,
  kFlags,
  kBytes,
  kCount,    // an integer; a negative one: none
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

// What all kinds have:
//   kMeaning, kMember (a pointer to the member), kNull (a value that is common and unlike the others, if any)
//   packed(row), unpack(row, packed)   as it is in memory; of a kind that names another member, that is set
//   coded(row), decode(row, coded)     as it is in a file; decode() is false for what no file may hold
// This one: the value itself, within [kLow, kHigh] in a file.
template <auto kOf, Meaning kOfMeaning, std::int64_t kLow, std::int64_t kHigh>
struct Ranged {
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

// A time that lies at or after kEnd of the row before; in a file the gap between them. Only the first column.
template <auto kOf, auto kEndOf>
struct TimeAfter : Time<kOf> {
  static constexpr auto kEnd = kEndOf;
};

// An end at or after kBegin, a TimeAfter: the length. In a file the two are decoded together.
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

// An end at or after kBegin, or kNever: one more than the length, and 0.
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

// A time, or kNever.
template <auto kOf>
struct TimeOrNever : Time<kOf> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr std::optional<std::int64_t> kNull = ns_from(kNever);
  static constexpr bool decode(Row& row, std::int64_t coded) {
    row.*kOf = timestamp_from_ns(coded);
    return time_fits(coded) || coded == ns_from(kNever);
  }
};

// A time; in a file the difference to kBase, modulo 2^64.
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
// The same of a time, or kNever.
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

// A track or kNoTrack; in a file one more than the track, and 0.
template <auto kOf>
struct TrackOrNone : Ranged<kOf, Meaning::kTrack, 0, kMaxId + 1> {
  using Row = typename MemberTypes<decltype(kOf)>::Row;
  static constexpr std::optional<std::int64_t> kNull = raw(kNoTrack);
  static constexpr std::int64_t coded(const Row& row) {
    return row.*kOf == kNoTrack ? 0 : static_cast<std::int64_t>(raw(row.*kOf)) + 1;
  }
  static constexpr bool decode(Row& row, std::int64_t coded) {
    if (coded < 0 || coded > kMaxId + 1) return false;
    row.*kOf = coded == 0 ? kNoTrack : TrackId{static_cast<std::uint32_t>(coded - 1)};
    return true;
  }
};

template <auto kOf>
struct Op : Ranged<kOf, Meaning::kOp, kLowest, kHighest> {
  static constexpr std::optional<std::int64_t> kNull = 0;
};
// An op before that of kBase, told by how far back it is: that is small, and ids are not.
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
  static constexpr bool decode(Row& row, std::int64_t coded) {  // on an earlier one: no circles
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
// 0 or more; -1: none.
template <auto kOf>
struct Count : Ranged<kOf, Meaning::kCount, -1, kMaxSizeBytes> {
  static constexpr std::optional<std::int64_t> kNull = -1;
};
template <auto kOf>
struct Integer : Ranged<kOf, Meaning::kInteger, kLowest, kHighest> {
  static constexpr std::optional<std::int64_t> kNull = 0;
};
// The bits of a double. In a file those of a counter are integers where all are whole.
template <auto kOf>
struct Real : Ranged<kOf, Meaning::kReal, kLowest, kHighest> {};

}  // namespace columns
}  // namespace runahead::trace
