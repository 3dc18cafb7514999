#include "engine/device/module_device.h"

#include <array>
#include <exception>
#include <stdexcept>
#include <utility>

#include "engine/device/memory/card_memory.h"
#include "engine/device/module_arithmetic.h"
#include "engine/device/module_clock.h"
#include "engine/device/module_stream.h"

namespace runahead::engine {
namespace {

// An open device of this process; closed by the destructor.
class OpenDevice {
 public:
  OpenDevice(const RunaheadDeviceApi& api, const std::string& name, int index) : api_(api) {
    check_module(api, name, "opening it", api.open(index, &device_));
  }
  ~OpenDevice() { api_.close(device_); }
  OpenDevice(const OpenDevice&) = delete;
  OpenDevice& operator=(const OpenDevice&) = delete;
  [[nodiscard]] void* get() const { return device_; }

 private:
  const RunaheadDeviceApi& api_;
  void* device_ = nullptr;
};

class ModuleSource final : public MemoryPool::Source {
 public:
  ModuleSource(const RunaheadDeviceApi& api, std::shared_ptr<OpenDevice> device)
      : api_(api), device_(std::move(device)) {}
  void* take(std::size_t size_bytes) override {
    void* memory = nullptr;
    const std::int32_t status = api_.take_memory(device_->get(), size_bytes, &memory);
    const bool full = status == 0 || api_.is_out_of_memory == nullptr || api_.is_out_of_memory(status) != 0;
    broken_ = full ? "" : api_.error_text(status);
    return status == 0 ? memory : nullptr;
  }
  [[nodiscard]] std::string broken() const override { return broken_; }
  void give(void* data, std::size_t) override { (void)api_.give_memory(device_->get(), data); }
  void touch(void* data, std::size_t size_bytes) override {
    if (api_.touch_memory != nullptr) (void)api_.touch_memory(device_->get(), data, size_bytes);
  }

 private:
  const RunaheadDeviceApi& api_;
  const std::shared_ptr<OpenDevice> device_;
  std::string broken_;
};

std::optional<CardMemory::Usage> usage_of(const RunaheadDeviceApi& api, void* device) {
  std::uint64_t free_bytes = 0, total_bytes = 0;
  if (api.card_memory(device, &free_bytes, &total_bytes) != 0) return std::nullopt;
  return CardMemory::Usage{free_bytes, total_bytes};
}

class ModuleDevice final : public Device {
 public:
  ModuleDevice(const RunaheadDeviceApi& api, const ModuleDeviceInfo& info)
      : name_(info.name),
        description_(info.description),
        simulated_(info.simulated),
        device_(std::make_shared<OpenDevice>(api, name_, info.index)),
        pool_(name_, info.simulated, info.capacity_bytes, std::make_unique<ModuleSource>(api, device_)),
        clock_(api, name_, device_->get()),
        card_memory_(name_, info.simulated, pool_,
                     [&api, device = device_->get()] { return usage_of(api, device); }) {
    ModuleStream::Siblings siblings{};
    for (int i = 0; i < kStreamKindCount; ++i) {
      streams_[i] = std::make_unique<ModuleStream>(
          api, name_, device_->get(), static_cast<StreamKind>(i), clock_,
          static_cast<StreamKind>(i) == StreamKind::kCompute ? &card_memory_ : nullptr);
      siblings[i] = streams_[i].get();
    }
    for (const auto& stream : streams_) stream->serve(siblings);
  }
  // A stream uses the other streams until its last work item has ended. Nothing is in flight here
  // (~Device()), so the streams may be destroyed in any order.
  ~ModuleDevice() override = default;

  const std::string& name() const override { return name_; }
  bool simulated() const override { return simulated_; }
  MemoryPool& pool() override { return pool_; }
  // A work item may be submitted before its predecessors have ended, because streams keep their order and
  // wait for each other. The value is not used as a time, because no op of this device starts at a modelled
  // future time. Therefore every value above 0 has the same effect.
  std::uint64_t lookahead_ticks() const override { return 1; }
  Arithmetic* arithmetic(StreamKind stream) override {
    return &streams_[static_cast<std::size_t>(stream)]->arithmetic();
  }
  void submit(StreamKind stream, Work work) override {
    streams_[static_cast<std::size_t>(stream)]->submit(std::move(work));
  }
  std::string description() const override { return description_; }

 private:
  const std::string name_;
  const std::string description_;
  const bool simulated_;
  const std::shared_ptr<OpenDevice> device_;
  MemoryPool pool_;
  ModuleClock clock_;
  CardMemory card_memory_;
  // declared last, because the streams use all members above
  std::array<std::unique_ptr<ModuleStream>, kStreamKindCount> streams_;
};

}  // namespace

Result<std::unique_ptr<Device>> make_module_device(const RunaheadDeviceApi& api,
                                                   const ModuleDeviceInfo& info) {
  try {
    return std::unique_ptr<Device>(std::make_unique<ModuleDevice>(api, info));
  } catch (const std::exception& error) {
    return Error{error.what()};
  }
}

}  // namespace runahead::engine
