#include <algorithm>
#include <array>

#include "samples/workload.h"
#include "samples/workloads.h"

namespace runahead::samples {

namespace {

using Maker = std::unique_ptr<Workload> (*)();
// In the order in which a user meets them. The window starts with the first.
constexpr std::array kMakers = {
    Maker{make_training_memory},  Maker{make_dependency_graph}, Maker{make_warmup},
    Maker{make_queue_vs_finish},  Maker{make_increment},        Maker{make_barriers},
    Maker{make_inference_memory}, Maker{make_overlap},          Maker{make_auto_parallel},
    Maker{make_memory_hierarchy}, Maker{make_hybridize},        Maker{make_data_parallel}};

}  // namespace

const std::vector<const WorkloadSpec*>& list_workloads() {
  static const std::vector<const WorkloadSpec*> specs = [] {
    std::vector<const WorkloadSpec*> list;
    for (const Maker make : kMakers) list.push_back(&make()->spec());  // a spec outlives its workload
    return list;
  }();
  return specs;
}

const WorkloadSpec* find_workload(std::string_view name) {
  const auto& all = list_workloads();
  const auto found = std::ranges::find(all, name, &WorkloadSpec::name);
  return found != all.end() ? *found : nullptr;
}

Result<std::unique_ptr<Workload>> make_workload(std::string_view name) {
  std::string names;
  for (std::size_t i = 0; i < kMakers.size(); ++i) {
    const WorkloadSpec& spec = *list_workloads()[i];
    if (spec.name == name) return kMakers[i]();
    names += (i == 0 ? "" : ", ") + spec.name;
  }
  return Error{"unknown workload '" + std::string(name) + "'; there are: " + names};
}

}  // namespace runahead::samples
