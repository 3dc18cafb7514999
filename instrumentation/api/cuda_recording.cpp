#include "instrumentation/api/cuda_recording.h"

#include <cstdlib>

#include "instrumentation/api/api_recording.h"
#include "instrumentation/record/files/record_request.h"

extern "C" void runahead_record_cuda(void) {
  using namespace runahead;
  const Result<std::optional<std::string>> refused = api::start_own_cuda();
  if (!refused) {
    record::leave_note(record::NoteKind::kCuda, refused.error().message);
  } else if (*refused) {
    // CUDA and CUPTI registered their own exit handlers earlier, when they were loaded. exit() calls the
    // handler that was registered last first, so it calls ours before theirs. Their handlers shut CUDA and
    // CUPTI down, and after that CUPTI's records can no longer be fetched. The destructor of our own library
    // (self_recording.cpp) would be too late, because it runs after their handlers.
    std::atexit(api::stop_own_cuda);
    record::leave_note(record::NoteKind::kCuda, "");
    if (!(*refused)->empty()) record::leave_note(record::NoteKind::kCudaRefused, **refused);
  }
}
