// Replica: one device's copy of the MLP that data_parallel trains, with its forward and backward pass.
// Internal to samples. All functions enqueue ops and return immediately. Not thread-safe: one frontend
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/array/array.h"

namespace runahead::samples {

inline constexpr std::size_t kReplicaLayers = 3;

class Replica {
 public:
  // units: the number of features, the units of the two hidden layers, and 1 output. The same seed gives the
  // same parameters on every device: weights uniform(-0.07, 0.07), biases 0.
  Replica(const engine::Context& here, const std::array<std::int64_t, kReplicaLayers + 1>& units,
          std::uint64_t seed);

  // The result of a pass over `x` (rows, features) and `y` (rows). gradients: for each layer {weight, bias},
  // summed over the rows. loss: (y - p)^2 / 2 of each row, where p is the prediction. The last layer's
  // gradients are enqueued first.
  struct Pass {
    std::array<std::vector<engine::Array>, kReplicaLayers> gradients;
    engine::Array loss;
  };
  [[nodiscard]] Pass pass(const engine::Array& x, const engine::Array& y) const;
  // The number of elements of each array that a pass over `rows` rows makes.
  [[nodiscard]] std::vector<std::int64_t> sizes_of_pass(std::int64_t rows) const;

  [[nodiscard]] const engine::Context& context() const { return here_; }
  // The layer's {weight, bias}. Updates change these arrays in place.
  [[nodiscard]] std::vector<engine::Array> parameters(std::size_t layer) const {
    return {layers_[layer].weight, layers_[layer].bias};
  }
  [[nodiscard]] std::int64_t parameter_bytes() const;

 private:
  struct Layer {
    engine::Array weight, bias;
  };
  engine::Context here_;
  std::array<Layer, kReplicaLayers> layers_;
};

}  // namespace runahead::samples
