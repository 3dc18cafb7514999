// Ids that cross threads, frames and files in place of pointers. Each is dense from 0 in its own table.
#pragma once

#include <cstdint>
#include <type_traits>

namespace runahead {

enum class TrackId : std::uint32_t {};
enum class StringId : std::uint32_t {};  // 0 is the empty string in every pool
enum class ArgsId : std::uint32_t {};    // 0: no arguments
enum class FlowId : std::uint64_t {};
// An engine's ops: the serial of the engine in the process in the top 16 bits, the op's own number,
// from 1 in the order of enqueuing, in the low 48. 0 is no op.
enum class OpId : std::uint64_t {};

inline constexpr TrackId kNoTrack{0xffffffffu};
inline constexpr StringId kEmptyString{0};
inline constexpr ArgsId kNoArgs{0};
inline constexpr OpId kNoOp{0};

template <typename Id>
requires std::is_enum_v<Id>
[[nodiscard]] constexpr auto raw(Id id) { return static_cast<std::underlying_type_t<Id>>(id); }

// The number a person is shown: the op's place in its engine's order of enqueuing.
[[nodiscard]] constexpr std::uint64_t op_number(OpId id) { return raw(id) & 0xffff'ffff'ffffull; }

}  // namespace runahead
