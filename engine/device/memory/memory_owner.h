// MemoryOwner: the purpose of a memory block, and the op that writes it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "instrumentation/base/ids.h"
#include "instrumentation/record/hooks/site.h"

namespace runahead::engine {

enum class MemoryCategory : std::uint8_t { kOther, kInput, kActivation, kGradient, kParameter };
inline constexpr std::size_t kMemoryCategoryCount = 5;

// Returns the name for labels and reports, such as "inputs". kOther: no category was given.
[[nodiscard]] constexpr const char* memory_category_name(MemoryCategory category) {
  constexpr std::array<const char*, kMemoryCategoryCount> kNames{"other", "inputs", "activations",
                                                                 "gradients", "parameters"};
  return kNames[static_cast<std::size_t>(category)];
}

struct MemoryOwner {
  MemoryCategory category = MemoryCategory::kOther;
  const record::Site* op = nullptr;  // null: no op
  OpId op_id = kNoOp;                // kNoOp: the owner is the op that this thread enqueues next
};

using BytesByCategory = std::array<std::size_t, kMemoryCategoryCount>;  // index: MemoryCategory

}  // namespace runahead::engine
