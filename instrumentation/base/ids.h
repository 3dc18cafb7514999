// Data that goes to another thread, to a later frame of the window or to a file contains ids, never pointers.
// The ids of a table are dense and start at 0.
#pragma once

#include <cstdint>
#include <type_traits>

namespace runahead {

enum class TrackId : std::uint32_t {};
enum class StringId : std::uint32_t {};  // 0 is the empty string in every string pool
enum class ArgsId : std::uint32_t {};    // 0: no arguments
enum class FlowId : std::uint64_t {};
// Ids of an engine's ops. Top 16 bits: serial number of the engine in the process. Low 48 bits: number of the
// op, from 1 in enqueue order. 0 means no op.
enum class OpId : std::uint64_t {};

inline constexpr TrackId kNoTrack{0xffffffffu};
inline constexpr StringId kEmptyString{0};
inline constexpr ArgsId kNoArgs{0};
inline constexpr OpId kNoOp{0};

template <typename Id>
requires std::is_enum_v<Id>
[[nodiscard]] constexpr auto raw(Id id) { return static_cast<std::underlying_type_t<Id>>(id); }

// Returns the number that the user sees for an op: the position of the op in the enqueue order of its engine.
[[nodiscard]] constexpr std::uint64_t op_number(OpId id) { return raw(id) & 0xffff'ffff'ffffull; }

}  // namespace runahead
