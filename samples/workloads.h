// The workloads. Each is made in the file of its name, and listed in the registry. Internal to samples.
#pragma once

#include <memory>

#include "samples/workload.h"

namespace runahead::samples {

[[nodiscard]] std::unique_ptr<Workload> make_dependency_graph();
[[nodiscard]] std::unique_ptr<Workload> make_warmup();
[[nodiscard]] std::unique_ptr<Workload> make_queue_vs_finish();
[[nodiscard]] std::unique_ptr<Workload> make_increment();
[[nodiscard]] std::unique_ptr<Workload> make_barriers();
[[nodiscard]] std::unique_ptr<Workload> make_training_memory();
[[nodiscard]] std::unique_ptr<Workload> make_inference_memory();
[[nodiscard]] std::unique_ptr<Workload> make_overlap();
[[nodiscard]] std::unique_ptr<Workload> make_auto_parallel();
[[nodiscard]] std::unique_ptr<Workload> make_memory_hierarchy();
[[nodiscard]] std::unique_ptr<Workload> make_hybridize();
[[nodiscard]] std::unique_ptr<Workload> make_data_parallel();

}  // namespace runahead::samples
