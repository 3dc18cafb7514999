#include "samples/workloads/gradient_sum.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "engine/array/operators.h"
#include "instrumentation/base/check.h"

namespace runahead::samples {

namespace {

using engine::Array;
using trace::SliceKind;
constexpr record::Site kPack{"pack gradients", SliceKind::kExecute, __FILE__, __LINE__};
constexpr record::Site kUpdate{"sgd_update from chunks", SliceKind::kExecute, __FILE__, __LINE__};

std::vector<std::int64_t> sizes_of(const std::vector<Array>& arrays) {
  std::vector<std::int64_t> sizes;
  for (const Array& array : arrays) sizes.push_back(array.size());
  return sizes;
}
std::int64_t total_of(const std::vector<std::int64_t>& sizes) {
  std::int64_t total = 0;
  for (const std::int64_t size : sizes) total += size;
  return total;
}

// `a` and `b` are the part sizes of two ways to cut the same sequence of elements. A stretch is a run of
// elements that is not cut by `a` or by `b`: it lies in one part i of `a` and in one part j of `b`. Calls
// visit(i, offset of the stretch in part i, j, offset of the stretch in part j, length) for each stretch, in
// order.
template <typename Visit>
void for_each_stretch(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b, Visit visit) {
  std::size_t i = 0, j = 0;
  std::int64_t in_i = 0, in_j = 0;
  while (i < a.size() && j < b.size()) {
    const std::int64_t length = std::min(a[i] - in_i, b[j] - in_j);
    visit(i, in_i, j, in_j, length);
    in_i += length;
    in_j += length;
    if (in_i == a[i]) ++i, in_i = 0;
    if (in_j == b[j]) ++j, in_j = 0;
  }
}

void sum_at_root(std::vector<Chunks>& chunks) {
  const engine::Context root = chunks.front().front().context();
  for (std::size_t c = 0; c < chunks.front().size(); ++c) {
    Array sum = chunks[0][c];
    for (std::size_t d = 1; d < chunks.size(); ++d) sum = sum + engine::copy_to(chunks[d][c], root);
    chunks[0][c] = sum;
    for (std::size_t d = 1; d < chunks.size(); ++d)
      chunks[d][c] = engine::copy_to(sum, chunks[d][c].context());
  }
}

// The devices form a ring. In round r, device d sends chunk d - r to device d + 1. Device d + 1 adds this
// chunk to its own chunk d - r. All numbers are modulo k, the number of devices. After k - 1 rounds each
// device has the complete sum of one chunk. The sums are then sent around the ring in the same way.
void sum_in_ring(std::vector<Chunks>& chunks) {
  const std::size_t k = chunks.size();
  for (std::size_t r = 0; r + 1 < k; ++r) {
    for (std::size_t d = 0; d < k; ++d) {
      const std::size_t c = (d + k - r) % k;
      Array& to = chunks[(d + 1) % k][c];
      to = to + engine::copy_to(chunks[d][c], to.context());
    }
  }
  for (std::size_t r = 0; r + 1 < k; ++r) {
    for (std::size_t d = 0; d < k; ++d) {
      const std::size_t c = (d + 1 + k - r) % k;
      Array& to = chunks[(d + 1) % k][c];
      to = engine::copy_to(chunks[d][c], to.context());
    }
  }
}

// The number of elements in chunk `c`, if `elements` elements are cut into `count` chunks.
std::int64_t chunk_size(std::int64_t c, std::int64_t count, std::int64_t elements) {
  return (c + 1) * elements / count - c * elements / count;
}

}  // namespace

Chunks pack(const std::vector<Array>& arrays, std::int64_t count) {
  std::vector<std::int64_t> from = sizes_of(arrays), to;
  const std::int64_t elements = total_of(from);
  RUNAHEAD_CHECK(count >= 1 && elements >= count);
  engine::ArrayOp op{.site = &kPack,
                     .inputs = arrays,
                     .cost = {.memory_bytes = 2.0 * sizeof(float) * static_cast<double>(elements)},
                     .category = engine::MemoryCategory::kGradient};
  for (std::int64_t c = 0; c < count; ++c) {
    to.push_back(chunk_size(c, count, elements));
    op.shapes.push_back({to.back()});
  }
  return engine::apply(
      arrays.front().context(), std::move(op),
      [from = std::move(from), to = std::move(to)](const engine::Values& values) {
        for_each_stretch(
            from, to,
            [&](std::size_t i, std::int64_t in_i, std::size_t j, std::int64_t in_j, std::int64_t length) {
              values.math.copy(values.in[i] + in_i, values.out[j] + in_j, length);
            });
      });
}

std::int64_t chunks_for(SumBy by, std::int64_t devices, std::int64_t elements) {
  return by == SumBy::kRing && elements >= devices ? devices : 1;
}

void sum_over_devices(std::vector<Chunks>& chunks, SumBy by) {
  if (chunks.size() < 2) return;
  for (const Chunks& own : chunks) RUNAHEAD_CHECK_OP(own.size(), ==, chunks.front().size());
  if (by == SumBy::kRing && chunks.front().size() == chunks.size()) return sum_in_ring(chunks);
  sum_at_root(chunks);
}

std::vector<std::int64_t> sizes_of_sum(SumBy by, std::size_t devices, std::size_t device,
                                       std::int64_t elements) {
  const std::int64_t k = static_cast<std::int64_t>(devices), count = chunks_for(by, k, elements);
  std::vector<std::int64_t> sizes;
  for (std::int64_t c = 0; c < count; ++c) sizes.push_back(chunk_size(c, count, elements));
  if (count == 1) {
    // The first device makes two arrays for each other device: a copy of its chunk, and the sum so far. Each
    // other device makes one array: the copy of the final sum.
    sizes.insert(sizes.end(), device == 0 ? 2 * (devices - 1) : 1, elements);
    return sizes;
  }
  const std::int64_t before = static_cast<std::int64_t>(device) - 1 + k;
  for (std::int64_t r = 0; r + 1 < k; ++r) {
    const std::int64_t added = (before + k - r) % k, copied = (before + 1 + k - r) % k;
    sizes.insert(sizes.end(), 2, chunk_size(added, count, elements));
    sizes.push_back(chunk_size(copied, count, elements));
  }
  return sizes;
}

void sgd_update_from(const Chunks& gradients, const std::vector<Array>& parameters, float rate,
                     std::int64_t batch) {
  std::vector<std::int64_t> from = sizes_of(gradients), to = sizes_of(parameters);
  const std::int64_t elements = total_of(to);
  RUNAHEAD_CHECK_OP(total_of(from), ==, elements);
  RUNAHEAD_CHECK_OP(batch, >=, 1);
  const double n = static_cast<double>(elements);
  engine::ArrayOp op{.site = &kUpdate,
                     .inputs = gradients,
                     .in_place = parameters,
                     .cost = {.flops = 2 * n, .memory_bytes = 3 * sizeof(float) * n}};
  const float factor = rate / static_cast<float>(batch);
  (void)engine::apply(
      parameters.front().context(), std::move(op),
      [from = std::move(from), to = std::move(to), factor](const engine::Values& values) {
        for_each_stretch(
            from, to,
            [&](std::size_t i, std::int64_t in_i, std::size_t j, std::int64_t in_j, std::int64_t length) {
              values.math.subtract_scaled(values.out[j] + in_j, values.in[i] + in_i, factor, length);
            });
      });
}

}  // namespace runahead::samples
