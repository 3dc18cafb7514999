// Marks a frontend's own work between the ops that it enqueues. Internal to samples.
#pragma once

#include "samples/workload.h"

namespace runahead::samples {

// Create an OwnWork where the frontend does work of its own and enqueues nothing. The time until its
// destructor counts as `other_s` of the report.
class OwnWork {
 public:
  explicit OwnWork(StepControl& control) : control_(control) { control_.begin_own_work(); }
  ~OwnWork() { control_.end_own_work(); }
  OwnWork(const OwnWork&) = delete;
  OwnWork& operator=(const OwnWork&) = delete;

 private:
  StepControl& control_;
};

}  // namespace runahead::samples
