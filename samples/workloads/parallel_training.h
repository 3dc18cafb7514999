// ParallelTraining: trains a network on several devices. Each device processes a share of every batch's rows.
// The gradients are summed over the devices, and all devices make the same SGD step. With one device this is
// plain training. Internal to samples. All functions except replicas_equal() enqueue ops and return
// immediately. Not thread-safe: one frontend thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "engine/array/array.h"
#include "samples/workloads/gradient_sum.h"
#include "samples/workloads/replica.h"

namespace runahead::samples {

struct ParallelOptions {
  std::int64_t batch = 0;                                // rows of a batch, over all devices
  std::array<std::int64_t, kReplicaLayers + 1> units{};  // see Replica
  std::uint64_t seed = 0;
  float rate = 0;
  SumBy by = SumBy::kRoot;
  // true: a layer's gradients are summed as soon as they are computed; false: the gradients of all layers are
  // summed together at the end
  bool early = true;
};

class ParallelTraining {
 public:
  // Makes a replica on each device; batches are made on `host`. REQUIRES: at least one row per device.
  ParallelTraining(const ParallelOptions& options, const engine::Context& host,
                   std::span<engine::Device* const> devices);

  // Makes the batch of step number `step`, distributes its rows over the devices, and enqueues a forward and
  // a backward pass on each device. Returns the passes in the order of the devices.
  using Passes = std::vector<Replica::Pass>;
  [[nodiscard]] Passes passes_over(std::int64_t step) const;
  // Sums the gradients and updates the parameters.
  void update(const Passes& passes) const;
  // Sends and sums the gradients as update() does, and does nothing else.
  void communicate(const Passes& passes) const;
  // Does the passes and updates of a step without sending gradients. The learning rate is 0, so the
  // parameters do not change.
  void compute_alone(std::int64_t step) const;

  [[nodiscard]] std::size_t device_count() const { return replicas_.size(); }
  [[nodiscard]] std::int64_t parameter_bytes() const { return replicas_.front().parameter_bytes(); }
  // The array that a step updates last.
  [[nodiscard]] engine::Array last_updated() const { return replicas_.front().parameters(0).front(); }
  // The size in bytes of each array that a step makes, by device: the batch on the host, its shares on host
  // and devices, the labels, the arrays of the passes and, with several devices, the arrays of the gradient
  // sum.
  using ArraysByDevice = std::map<engine::Device*, std::vector<std::size_t>>;
  [[nodiscard]] ArraysByDevice arrays_of_a_step() const;

  // True: all devices have the same parameters, bit for bit. Waits for the parameters. Error: an op failed.
  [[nodiscard]] Result<bool> replicas_equal() const;

 private:
  using Bucket = std::vector<std::size_t>;  // layers whose gradients are sent together

  // The first row of a device's share of a batch.
  [[nodiscard]] std::int64_t first_row(std::size_t device) const;
  [[nodiscard]] std::int64_t elements_of(const Bucket& bucket) const;
  [[nodiscard]] std::vector<engine::Array> share_out(const engine::Array& x) const;
  [[nodiscard]] std::vector<Chunks> summed(const Bucket& bucket, const Passes& passes) const;
  void update(const Bucket& bucket, const Passes& passes) const;
  void update_alone(std::size_t device, std::size_t layer, const Replica::Pass& pass, float rate) const;

  ParallelOptions options_;
  engine::Context host_;
  std::vector<Bucket> buckets_;  // in the order in which their gradients are sent: the last layer first
  std::vector<Replica> replicas_;
};

}  // namespace runahead::samples
