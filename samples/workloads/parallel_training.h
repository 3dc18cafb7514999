// A network trained on several devices: each passes over a share of every batch's rows, the gradients are
// summed over the devices, and all take the same step of SGD. With one device it is plain training. Internal
// to samples. Everything but replicas_equal() enqueues ops and returns at once; one frontend thread.
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
  std::int64_t batch = 0;                                // rows, over all devices
  std::array<std::int64_t, kReplicaLayers + 1> units{};  // as Replica's
  std::uint64_t seed = 0;
  float rate = 0;
  SumBy by = SumBy::kRoot;
  bool early = true;  // a layer's gradients are summed as soon as they are there; false: all at the end
};

class ParallelTraining {
 public:
  // A replica on each device; batches are made on `host`. REQUIRES: a row at least for each device.
  ParallelTraining(const ParallelOptions& options, const engine::Context& host,
                   std::span<engine::Device* const> devices);

  // Batch `step`, shared out, and a forward and backward pass over each share: by device.
  using Passes = std::vector<Replica::Pass>;
  [[nodiscard]] Passes passes_over(std::int64_t step) const;
  // Sums the gradients and takes the step.
  void update(const Passes& passes) const;
  // What update() sends, and nothing else.
  void communicate(const Passes& passes) const;
  // Everything but what is sent; the parameters stay as they are.
  void compute_alone(std::int64_t step) const;

  [[nodiscard]] std::size_t device_count() const { return replicas_.size(); }
  [[nodiscard]] std::int64_t parameter_bytes() const { return replicas_.front().parameter_bytes(); }
  // What a step updates last.
  [[nodiscard]] engine::Array last_updated() const { return replicas_.front().parameters(0).front(); }
  // The bytes of each array that a step makes, by device: the batch on the host, in shares and on the
  // devices, its labels, what the passes make, and with several devices what summing the gradients does.
  using ArraysByDevice = std::map<engine::Device*, std::vector<std::size_t>>;
  [[nodiscard]] ArraysByDevice arrays_of_a_step() const;

  // All devices hold the same parameters, bit for bit; waits for them. The error: of an op that failed.
  [[nodiscard]] Result<bool> replicas_equal() const;

 private:
  using Bucket = std::vector<std::size_t>;  // layers whose gradients travel together

  // Of a device's share of a batch.
  [[nodiscard]] std::int64_t first_row(std::size_t device) const;
  [[nodiscard]] std::int64_t elements_of(const Bucket& bucket) const;
  [[nodiscard]] std::vector<engine::Array> share_out(const engine::Array& x) const;
  [[nodiscard]] std::vector<Chunks> summed(const Bucket& bucket, const Passes& passes) const;
  void update(const Bucket& bucket, const Passes& passes) const;
  void update_alone(std::size_t device, std::size_t layer, const Replica::Pass& pass, float rate) const;

  ParallelOptions options_;
  engine::Context host_;
  std::vector<Bucket> buckets_;  // the last layer's gradients come first
  std::vector<Replica> replicas_;
};

}  // namespace runahead::samples
