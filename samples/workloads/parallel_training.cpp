#include "samples/workloads/parallel_training.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "engine/array/operators.h"

namespace runahead::samples {

using engine::Array;
using engine::MemoryCategory;

namespace {

constexpr record::Site kShare{"share out rows", trace::SliceKind::kExecute, __FILE__, __LINE__};

}  // namespace

ParallelTraining::ParallelTraining(const ParallelOptions& options, const engine::Context& host,
                                   std::span<engine::Device* const> devices)
    : options_(options), host_(host) {
  if (options.early) {
    buckets_ = {{2}, {1}, {0}};
  } else {
    buckets_ = {{2, 1, 0}};
  }
  for (engine::Device* device : devices)
    replicas_.emplace_back(engine::Context{host.engine, device}, options.units, options.seed);
}

// ---- a step -----------------------------------------------------------------------------------------------

ParallelTraining::Passes ParallelTraining::passes_over(std::int64_t step) const {
  const Array x = engine::normal(host_, {options_.batch, options_.units[0]},
                                 {options_.seed, 16 + static_cast<std::uint64_t>(step)}, 0.0f, 1.0f,
                                 MemoryCategory::kInput);
  std::vector<Array> shares = replicas_.size() > 1 ? share_out(x) : std::vector<Array>{x};
  Passes passes;
  for (std::size_t d = 0; d < replicas_.size(); ++d) {
    const engine::Context& there = replicas_[d].context();
    if (there != host_) shares[d] = engine::copy_to(shares[d], there);
    const Array y = engine::ones(there, {shares[d].shape()[0]}, MemoryCategory::kInput);
    passes.push_back(replicas_[d].pass(shares[d], y));
  }
  return passes;
}

// Enqueues one op on the host that cuts `x` into a share for each device. The shares have nearly equal
// numbers of rows.
std::vector<Array> ParallelTraining::share_out(const Array& x) const {
  const std::int64_t columns = options_.units[0];
  engine::ArrayOp op{.site = &kShare,
                     .inputs = {x},
                     .cost = {.memory_bytes = 2.0 * static_cast<double>(x.size_bytes())},
                     .category = MemoryCategory::kInput};
  std::vector<std::int64_t> begins;
  for (std::size_t d = 0; d < replicas_.size(); ++d) {
    begins.push_back(first_row(d));
    op.shapes.push_back({first_row(d + 1) - begins.back(), columns});
  }
  begins.push_back(options_.batch);
  return engine::apply(host_, std::move(op), [begins, columns](const engine::Values& values) {
    for (std::size_t d = 0; d + 1 < begins.size(); ++d) {
      std::copy(values.in[0] + begins[d] * columns, values.in[0] + begins[d + 1] * columns, values.out[d]);
    }
  });
}

void ParallelTraining::update(const Passes& passes) const {
  for (const Bucket& bucket : buckets_) update(bucket, passes);
}

void ParallelTraining::communicate(const Passes& passes) const {
  for (const Bucket& bucket : buckets_) (void)summed(bucket, passes);
}

void ParallelTraining::compute_alone(std::int64_t step) const {
  const Passes passes = passes_over(step);
  for (std::size_t d = 0; d < replicas_.size(); ++d) {
    for (std::size_t layer = kReplicaLayers; layer-- > 0;) update_alone(d, layer, passes[d], 0.0f);
  }
}

// ---- a bucket ---------------------------------------------------------------------------------------------

std::vector<Chunks> ParallelTraining::summed(const Bucket& bucket, const Passes& passes) const {
  std::vector<Chunks> chunks;
  for (const Replica::Pass& pass : passes) {
    std::vector<Array> gradients;
    for (const std::size_t layer : bucket)
      gradients.insert(gradients.end(), pass.gradients[layer].begin(), pass.gradients[layer].end());
    const std::int64_t devices = static_cast<std::int64_t>(passes.size());
    chunks.push_back(pack(gradients, chunks_for(options_.by, devices, elements_of(bucket))));
  }
  sum_over_devices(chunks, options_.by);
  return chunks;
}

void ParallelTraining::update(const Bucket& bucket, const Passes& passes) const {
  if (replicas_.size() == 1) {
    for (const std::size_t layer : bucket) update_alone(0, layer, passes.front(), options_.rate);
    return;
  }
  const std::vector<Chunks> sums = summed(bucket, passes);
  for (std::size_t d = 0; d < replicas_.size(); ++d) {
    std::vector<Array> parameters;
    for (const std::size_t layer : bucket) {
      for (const Array& parameter : replicas_[d].parameters(layer)) parameters.push_back(parameter);
    }
    sgd_update_from(sums[d], parameters, options_.rate, options_.batch);
  }
}

void ParallelTraining::update_alone(std::size_t device, std::size_t layer, const Replica::Pass& pass,
                                    float rate) const {
  const std::vector<Array> parameters = replicas_[device].parameters(layer);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    engine::sgd_update(parameters[i], pass.gradients[layer][i], rate, options_.batch);
}

// ---- sizes and checks -------------------------------------------------------------------------------------

std::int64_t ParallelTraining::first_row(std::size_t device) const {
  return static_cast<std::int64_t>(device) * options_.batch / static_cast<std::int64_t>(replicas_.size());
}

std::int64_t ParallelTraining::elements_of(const Bucket& bucket) const {
  std::int64_t elements = 0;
  for (const std::size_t layer : bucket) {
    for (const Array& parameter : replicas_.front().parameters(layer)) elements += parameter.size();
  }
  return elements;
}

ParallelTraining::ArraysByDevice ParallelTraining::arrays_of_a_step() const {
  ArraysByDevice arrays;
  const auto add = [&arrays](const engine::Context& there, const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t size : sizes)
      arrays[there.device].push_back(static_cast<std::size_t>(size) * sizeof(float));
  };
  add(host_, {options_.batch * options_.units[0]});
  const std::size_t devices = replicas_.size();
  for (std::size_t d = 0; d < devices; ++d) {
    const engine::Context& there = replicas_[d].context();
    const std::int64_t rows = first_row(d + 1) - first_row(d);
    if (devices > 1) add(host_, {rows * options_.units[0]});
    if (there != host_) add(there, {rows * options_.units[0]});
    add(there, {rows});
    add(there, replicas_[d].sizes_of_pass(rows));
    for (const Bucket& bucket : buckets_) {
      if (devices > 1) add(there, sizes_of_sum(options_.by, devices, d, elements_of(bucket)));
    }
  }
  return arrays;
}

Result<bool> ParallelTraining::replicas_equal() const {
  for (std::size_t layer = 0; layer < kReplicaLayers; ++layer) {
    for (std::size_t i = 0; i < 2; ++i) {
      std::vector<float> first;
      for (const Replica& replica : replicas_) {
        const Result<std::vector<float>> values = replica.parameters(layer)[i].asnumpy();
        if (!values.ok()) return values.error();
        if (first.empty()) first = *values;
        if (std::memcmp(first.data(), values->data(), first.size() * sizeof(float)) != 0) return false;
      }
    }
  }
  return true;
}

}  // namespace runahead::samples
