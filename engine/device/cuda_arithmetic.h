// Arithmetic on one stream of a CUDA device, and the pins of the host's memory that its copies want.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "engine/device/arithmetic.h"
#include "engine/device/cuda_module.h"
#include "instrumentation/base/mutex.h"

namespace runahead::engine {

// Throws std::runtime_error "cuda:0: launching a product: out of memory".
void check_cuda(const RunaheadCudaApi& api, const std::string& device, const char* doing,
                std::int32_t status);

// The blocks of host memory that are pinned, for the process. A block is pinned when a copy first wants it so
// and stays so until it goes back to the system, or a copy wants it pageable. Any thread.
class CudaPins {
 public:
  static CudaPins& get();
  // False: it is not (smaller than kOwnPagesBytes, or refused): the copy goes as one of pageable memory does.
  bool pin(const RunaheadCudaApi& api, const void* block, std::size_t bytes);
  void unpin(const void* block);

 private:
  struct Pinned {
    const RunaheadCudaApi* api;
    std::size_t bytes;
  };
  Mutex mutex_;  // never nests
  std::map<const void*, Pinned> pinned_ RUNAHEAD_GUARDED_BY(mutex_);
};

// `stream` and `device` are the module's, and outlive it. name: of the device, for messages.
[[nodiscard]] std::unique_ptr<Arithmetic> make_cuda_arithmetic(const RunaheadCudaApi& api, std::string name,
                                                               void* device, void* stream);

}  // namespace runahead::engine
