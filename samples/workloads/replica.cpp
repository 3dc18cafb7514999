#include "samples/workloads/replica.h"

#include "engine/array/operators.h"

namespace runahead::samples {

namespace {

using engine::Array;
using engine::MemoryCategory;
using engine::Transpose;

// Returns the gradients {weight, bias} of a layer. g: the gradient of the layer's output (rows, units).
// input: the layer's input.
std::vector<Array> layer_gradients(const Array& g, const Array& input) {
  return {engine::matmul(g, input, Transpose::kYes, Transpose::kNo, MemoryCategory::kGradient),
          engine::sum_rows(g)};
}

}  // namespace

Replica::Replica(const engine::Context& here, const std::array<std::int64_t, kReplicaLayers + 1>& units,
                 std::uint64_t seed)
    : here_(here) {
  for (std::size_t i = 0; i < kReplicaLayers; ++i) {
    layers_[i].weight =
        engine::uniform(here, {units[i + 1], units[i]}, {seed, i}, -0.07f, 0.07f, MemoryCategory::kParameter);
    layers_[i].bias = engine::zeros(here, {units[i + 1]}, MemoryCategory::kParameter);
  }
}

Replica::Pass Replica::pass(const Array& x, const Array& y) const {
  std::array<Array, kReplicaLayers> inputs{x}, results;
  for (std::size_t i = 0; i < kReplicaLayers; ++i) {
    results[i] = engine::dense(inputs[i], layers_[i].weight, layers_[i].bias);
    if (i + 1 < kReplicaLayers) inputs[i + 1] = engine::relu(results[i]);
  }
  const Array& prediction = results.back();
  Pass pass{.gradients = {}, .loss = engine::l2_loss(prediction, y)};
  Array g = engine::l2_loss_gradient(prediction, y);
  for (std::size_t i = kReplicaLayers; i-- > 0;) {
    pass.gradients[i] = layer_gradients(g, inputs[i]);
    if (i == 0) break;
    const Array of_input =
        engine::matmul(g, layers_[i].weight, Transpose::kNo, Transpose::kNo, MemoryCategory::kGradient);
    g = engine::relu_gradient(of_input, results[i - 1]);
  }
  return pass;
}

std::vector<std::int64_t> Replica::sizes_of_pass(std::int64_t rows) const {
  std::vector<std::int64_t> sizes = {rows, rows};  // the losses, and the gradient of the predictions
  for (std::size_t i = 0; i < kReplicaLayers; ++i) {
    const std::int64_t units = layers_[i].bias.size();
    // the layer's output, and the gradients of its weight and bias
    sizes.insert(sizes.end(), {rows * units, layers_[i].weight.size(), units});
    if (i + 1 == kReplicaLayers) break;
    // The relu's output, and the gradients after and before the relu.
    sizes.insert(sizes.end(), 3, rows * units);
  }
  return sizes;
}

std::int64_t Replica::parameter_bytes() const {
  std::int64_t bytes = 0;
  for (const Layer& layer : layers_) bytes += layer.weight.size_bytes() + layer.bias.size_bytes();
  return bytes;
}

}  // namespace runahead::samples
