// Makes a recording of one batch, and loads blocks as a window does in the background.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "instrumentation/recording/recording.h"
#include "tests/support/scratch_folder.h"

namespace runahead::testing {

// The bytes of a finished recording.
inline std::string recording_of(const trace::Batch& batch) {
  const ScratchFolder folder;
  auto writer = recordings::RecordingWriter::create(folder / "a.runahead", {});
  EXPECT_TRUE((*writer)->write(batch).ok());
  EXPECT_TRUE((*writer)->finish().ok());
  return file_bytes(folder / "a.runahead");
}

inline void load_all_wanted(const trace::Trace& trace) {
  while (trace.store()->load_wanted()) {
  }
}

}  // namespace runahead::testing
