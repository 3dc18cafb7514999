// Writes a copy of a recording as if its process had run on another machine with another clock: its times get
// an offset and a drift, and the copy does not say which clock it used.
//
//   runahead_skewed_recording IN OUT OFFSET_NS PPM
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "instrumentation/link/file_follower.h"
#include "instrumentation/merge/process_rows.h"
#include "instrumentation/recording/recording.h"

namespace {

using namespace runahead;

Status write_skewed(const std::string& in, const std::string& out, const merge::ClockMap& skew) {
  std::vector<trace::Batch> batches;
  const auto follower = link::FileFollower::open(
      in, {}, {.see = [&](const trace::Batch& batch) { batches.push_back(batch); }, .writer_lives = {}});
  if (!follower) return follower.error();
  while (!(*follower)->ended()) {
    if (const Result<bool> rows = (*follower)->poll(); !rows) return rows.error();
  }
  auto metadata = (*follower)->reader().trace().metadata();
  std::erase_if(metadata, [](const auto& entry) { return entry.first.starts_with("clock."); });
  metadata["clock.boot"] = "another machine";
  const auto writer = recordings::RecordingWriter::create(out, metadata);
  if (!writer) return writer.error();
  merge::JoinedDefinitions definitions;
  trace::Batch first;
  static_cast<void>(definitions.string("", first));
  if (const Status written = (*writer)->write(first); !written) return written;
  merge::ProcessRows rows(definitions, 0, kNoTrack, skew);
  for (const trace::Batch& batch : batches) {
    trace::Batch skewed = rows.convert(batch);
    skewed.watermark = rows.at(batch.watermark);
    if (const Status written = (*writer)->write(skewed); !written) return written;
  }
  return (*writer)->finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs("runahead_skewed_recording IN OUT OFFSET_NS PPM\n", stderr);
    return 2;
  }
  const merge::ClockMap skew{.offset_ns = std::strtoll(argv[3], nullptr, 10),
                             .drift = std::strtod(argv[4], nullptr) * 1e-6};
  const Status written = write_skewed(argv[1], argv[2], skew);
  if (!written) std::fprintf(stderr, "runahead_skewed_recording: %s\n", written.error().message.c_str());
  return written ? 0 : 1;
}
