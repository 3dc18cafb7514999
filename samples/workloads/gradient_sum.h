// Sums gradients over devices, so that replicas of a network make the same step after they saw different
// rows. Internal to samples. All functions enqueue ops and return immediately.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/array/array.h"

namespace runahead::samples {

enum class SumBy {
  // The first device receives all chunks, adds them, and sends the sum to each other device. The link of the
  // first device carries all data.
  kRoot,
  // With k devices, each device sends a chunk to the next device 2 (k - 1) times. All links carry the same
  // amount of data.
  kRing,
};

// The arrays of one device, concatenated and cut into chunks of nearly equal size.
using Chunks = std::vector<engine::Array>;
// One op copies the arrays into `count` chunks. REQUIRES: arrays of one context, with at least `count`
// elements together.
[[nodiscard]] Chunks pack(const std::vector<engine::Array>& arrays, std::int64_t count);

// The number of chunks into which pack() should cut `elements` elements, for `devices` devices.
[[nodiscard]] std::int64_t chunks_for(SumBy by, std::int64_t devices, std::int64_t elements);

// Replaces each chunk of each device by the sum of this chunk over the devices. The sums are equal on all
// devices, bit for bit. SumBy::kRing needs as many chunks as devices. With fewer chunks, the first device
// makes the sums as with SumBy::kRoot. REQUIRES: chunks of the same sizes on each device.
void sum_over_devices(std::vector<Chunks>& chunks, SumBy by);

// The sizes, in elements, of all arrays made on device `device` when `elements` elements are packed and
// summed.
[[nodiscard]] std::vector<std::int64_t> sizes_of_sum(SumBy by, std::size_t devices, std::size_t device,
                                                     std::int64_t elements);

// parameters -= rate / batch * gradients, in place, by one op. REQUIRES: gradients packed in the parameters'
// order.
void sgd_update_from(const Chunks& gradients, const std::vector<engine::Array>& parameters, float rate,
                     std::int64_t batch);

}  // namespace runahead::samples
