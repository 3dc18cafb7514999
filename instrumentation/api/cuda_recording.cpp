#include "instrumentation/api/cuda_recording.h"

#include "instrumentation/api/recording.h"
#include "instrumentation/record/record_request.h"

extern "C" void runahead_record_cuda(void) {
  using namespace runahead;
  const Result<bool> begun = api::start_own_cuda();
  if (!begun) {
    record::leave_note(record::NoteKind::kCuda, begun.error().message);
  } else if (*begun) {
    record::leave_note(record::NoteKind::kCuda, "");
  }
}
