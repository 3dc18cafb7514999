// Gradients summed over devices, so that replicas of a network that saw different rows take the same step.
// Internal to samples. Everything here enqueues ops and returns at once.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/array/array.h"

namespace runahead::samples {

enum class SumBy {
  kRoot,  // all send to the first device, which adds and sends the sum back: its link carries everything
  kRing,  // each sends a part to the next, 2 (k - 1) times: every link carries the same
};

// One device's arrays, one behind the other, cut into pieces of nearly equal size.
using Chunks = std::vector<engine::Array>;
// An op that copies. REQUIRES: arrays of one context, of `count` elements together at least.
[[nodiscard]] Chunks pack(const std::vector<engine::Array>& arrays, std::int64_t count);

// How many chunks to pack for `devices` devices, of `elements` elements together.
[[nodiscard]] std::int64_t chunks_for(SumBy by, std::int64_t devices, std::int64_t elements);

// Replaces each device's chunks by their sums over the devices: the same bits everywhere. A ring of fewer
// chunks than devices is summed by the root. REQUIRES: chunks of the same sizes on each device.
void sum_over_devices(std::vector<Chunks>& chunks, SumBy by);

// The elements of each array that packing `elements` elements and summing them makes on device `device`.
[[nodiscard]] std::vector<std::int64_t> sizes_of_sum(SumBy by, std::size_t devices, std::size_t device,
                                                     std::int64_t elements);

// parameters -= rate / batch * gradients, in place, by one op; `gradients` packed in the parameters' order.
void sgd_update_from(const Chunks& gradients, const std::vector<engine::Array>& parameters, float rate,
                     std::int64_t batch);

}  // namespace runahead::samples
