// A virtual device whose memory is completely full, so every operator that makes an array fails.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/array/operators.h"
#include "engine/device/device_clock.h"
#include "engine/device/virtual_device.h"

namespace runahead::engine {

class FullDevice : public ::testing::TestWithParam<EngineKind> {
 protected:
  FullDevice() {
    VirtualModel model;
    model.capacity_bytes = 1 << 16;
    here_ = {engine_.get(), engine_->add_device(make_virtual_device("virtual:0", model, make_real_clock()))};
    matrix_ = ones(here_, {10, 10});
    row_ = ones(here_, {10});
    while (filling_.empty() || filling_.back().wait_to_read().ok()) filling_.push_back(ones(here_, {1}));
  }
  static std::string message_of(const Array& array) {
    const Status done = array.wait_to_read();
    return done.ok() ? "it did not fail" : done.error().message;
  }

  std::unique_ptr<Engine> engine_ = Engine::create({.kind = GetParam()});
  Context here_;
  Array matrix_, row_;
  std::vector<Array> filling_;
};

}  // namespace runahead::engine
