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
    // exit() calls this handler before the handlers that CUDA and CUPTI registered when they were loaded.
    // Their handlers shut CUDA and CUPTI down. The destructor of our own library (self_recording.cpp) runs
    // even later, too late to fetch CUPTI's records.
    std::atexit(api::stop_own_cuda);
    record::leave_note(record::NoteKind::kCuda, "");
    if (!(*refused)->empty()) record::leave_note(record::NoteKind::kCudaRefused, **refused);
  }
}
