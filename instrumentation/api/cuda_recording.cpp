#include "instrumentation/api/cuda_recording.h"

#include "instrumentation/api/recording.h"
#include "instrumentation/record/record_request.h"

extern "C" void runahead_record_cuda(void) {
  using namespace runahead;
  const Result<std::optional<std::string>> refused = api::start_own_cuda();
  if (!refused) {
    record::leave_note(record::NoteKind::kCuda, refused.error().message);
  } else if (*refused) {
    record::leave_note(record::NoteKind::kCuda, "");
    if (!(*refused)->empty()) record::leave_note(record::NoteKind::kCudaRefused, **refused);
  }
}
