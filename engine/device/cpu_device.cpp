#include "engine/device/cpu_device.h"

#include <thread>

#include "engine/device/memory/host_bounds.h"
#include "engine/device/memory/host_memory.h"
#include "instrumentation/base/format.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::engine {
namespace {

class CpuDevice final : public Device {
 public:
  explicit CpuDevice(std::size_t capacity_bytes) : pool_("cpu", false, capacity_bytes, make_host_source()) {}

  const std::string& name() const override { return name_; }
  bool simulated() const override { return false; }
  MemoryPool& pool() override { return pool_; }
  bool runs_on_caller() const override { return true; }
  void submit(StreamKind, Work work) override {
    const std::uint64_t start = record::now_ticks();
    if (work.started) work.started(start);
    work.run();
    work.done(start, record::now_ticks(), 0);
  }
  std::string description() const override { return cpu_description(); }

 private:
  const std::string name_ = "cpu";
  MemoryPool pool_;
};

}  // namespace

std::unique_ptr<Device> make_cpu_device(std::size_t capacity_bytes) {
  return std::make_unique<CpuDevice>(capacity_bytes);
}

std::string cpu_description() {
  return "the host's " + std::to_string(std::thread::hardware_concurrency()) + " hardware threads, " +
         format_bytes(static_cast<double>(host_bounds().physical_bytes)) + " of memory";
}

}  // namespace runahead::engine
