#include <algorithm>
#include <array>

#include "samples/lessons/lesson.h"
#include "samples/workload.h"
#include "samples/workloads/workload_entry.h"

namespace runahead::samples {

// For a new workload, add a line to these declarations and an entry to kEntries.
extern const WorkloadEntry kTrainingMemory;
extern const WorkloadEntry kDependencyGraph;
extern const WorkloadEntry kWarmup;
extern const WorkloadEntry kQueueVsFinish;
extern const WorkloadEntry kIncrement;
extern const WorkloadEntry kBarriers;
extern const WorkloadEntry kInferenceMemory;
extern const WorkloadEntry kOverlap;
extern const WorkloadEntry kHiddenWaits;
extern const WorkloadEntry kAutoParallel;
extern const WorkloadEntry kMemoryHierarchy;
extern const WorkloadEntry kHybridize;
extern const WorkloadEntry kDataParallel;

namespace {

// The workloads are in the order in which the user meets them. The window starts with the first workload.
constexpr std::array kEntries = {&kTrainingMemory, &kDependencyGraph, &kWarmup,          &kQueueVsFinish,
                                 &kIncrement,      &kBarriers,        &kInferenceMemory, &kOverlap,
                                 &kHiddenWaits,    &kAutoParallel,    &kMemoryHierarchy, &kHybridize,
                                 &kDataParallel};

}  // namespace

const std::vector<const WorkloadSpec*>& list_workloads() {
  static const std::vector<const WorkloadSpec*> specs = [] {
    std::vector<const WorkloadSpec*> list;
    for (const WorkloadEntry* entry : kEntries)
      list.push_back(&entry->make()->spec());  // a spec is static, so it outlives its workload
    return list;
  }();
  return specs;
}

const std::vector<Lesson>& list_lessons() {
  static const std::vector<Lesson> lessons = [] {
    std::vector<Lesson> made;
    for (const WorkloadEntry* entry : kEntries) made.push_back(entry->lesson());
    std::ranges::sort(made, {}, &Lesson::number);
    return made;
  }();
  return lessons;
}

const WorkloadSpec* find_workload(std::string_view name) {
  const auto& all = list_workloads();
  const auto found = std::ranges::find(all, name, &WorkloadSpec::name);
  return found != all.end() ? *found : nullptr;
}

Result<std::unique_ptr<Workload>> make_workload(std::string_view name) {
  std::string names;
  for (std::size_t i = 0; i < kEntries.size(); ++i) {
    const WorkloadSpec& spec = *list_workloads()[i];
    if (spec.name == name) return kEntries[i]->make();
    names += (i == 0 ? "" : ", ") + spec.name;
  }
  return Error{"unknown workload '" + std::string(name) + "'; there are: " + names};
}

}  // namespace runahead::samples
