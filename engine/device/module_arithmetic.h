// Arithmetic on one stream of a module's device, and the pinning of host memory for its copies.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "engine/device/arithmetic.h"
#include "engine/device/device_module.h"
#include "instrumentation/base/mutex.h"

namespace runahead::engine {

// Throws std::runtime_error if status is not 0, with a message such as "cuda:0: launching a product: out of
// memory".
void check_module(const RunaheadDeviceApi& api, const std::string& device, const char* doing,
                  std::int32_t status);

// PinnedBlocks: the pinned blocks of host memory in this process. A block is pinned when a copy first needs
// it. The block stays pinned until the cpu's MemoryPool returns it to the system, or until a copy asks for
// pageable memory. Any thread.
class PinnedBlocks {
 public:
  static PinnedBlocks& get();
  // Pins a block. Returns false if the block is smaller than kOwnPagesBytes or the module refuses to pin it.
  // The copy then treats the block as pageable memory.
  bool pin(const RunaheadDeviceApi& api, const void* block, std::size_t bytes);
  [[nodiscard]] bool is_pinned(const void* block);
  void unpin(const void* block);  // REQUIRES: no copy in flight uses the block as pinned memory

 private:
  struct Pinned {
    const RunaheadDeviceApi* api;
    std::size_t bytes;
  };
  Mutex mutex_;  // never nests
  std::map<const void*, Pinned> pinned_ RUNAHEAD_GUARDED_BY(mutex_);
};

// `stream` and `device` belong to the module and outlive the result. name: the device's name, for messages.
[[nodiscard]] std::unique_ptr<Arithmetic> make_module_arithmetic(const RunaheadDeviceApi& api,
                                                                 std::string name, void* device,
                                                                 void* stream);

}  // namespace runahead::engine
