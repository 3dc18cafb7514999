#include <array>

#include "samples/workload.h"
#include "samples/workloads.h"

namespace runahead::samples {

namespace {

using Maker = std::unique_ptr<Workload> (*)();
// In the order in which a person meets them; the first is what the window starts with.
constexpr std::array<Maker, 5> kMakers = {make_training_memory, make_dependency_graph, make_increment,
                                          make_barriers, make_overlap};

}  // namespace

const std::vector<const WorkloadSpec*>& list_workloads() {
  static const std::vector<const WorkloadSpec*> specs = [] {
    std::vector<const WorkloadSpec*> list;
    for (const Maker make : kMakers) list.push_back(&make()->spec());  // a spec outlives its workload
    return list;
  }();
  return specs;
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
