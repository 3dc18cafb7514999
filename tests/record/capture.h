// Capture has a running recorder, a collector without a thread, and the trace that they make. Capture is for
// tests that give the times of events explicitly. BatchRules checks each batch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/record/collector.h"
#include "instrumentation/record/hooks/hooks.h"
#include "instrumentation/record/hooks/recorder.h"
#include "instrumentation/trace/trace.h"
#include "tests/record/batch_rules.h"
#include "tests/support/literals.h"

namespace runahead::testing {

// A device's counter of live bytes: "live virtual:0" in the group Memory.
[[nodiscard]] const record::TrackDesc& live_bytes();

class Capture {
 public:
  explicit Capture(record::RecorderOptions recorder_options = {}, record::CollectorOptions options = quiet());
  ~Capture();

  // Options of a collector that has no thread and takes no samples itself.
  [[nodiscard]] static record::CollectorOptions quiet();

  // The value of the recorder's clock, in ticks, at `since_start` after the start of the recording.
  [[nodiscard]] std::uint64_t ticks(Duration since_start) const;
  // Spins until `since_start` after the start of the recording.
  void wait_until(Duration since_start) const;

  // Appends the rows of all events recorded so far to `trace`.
  const trace::Trace& settle();
  // Like settle(), but with a normal drain of the collector: the most recent events may stay in the buffers.
  const trace::Trace& drain();
  const trace::Trace& take_all();

  [[nodiscard]] const trace::Track* track(std::string_view name) const;  // nullptr if no track has this name
  [[nodiscard]] std::optional<TrackId> track_id(std::string_view name) const;
  // All slices of the tracks with that name, one per line, sorted by depth, then by time (in us): "0: name
  // 10..20". Op, flags and similar fields are written only if they are set: " op 3", " unfinished".
  [[nodiscard]] std::string slices(std::string_view track) const;
  [[nodiscard]] std::string open_slices(std::string_view track) const;
  // The samples of the counter with that name, with times in us: "10: 1, 20: 0".
  [[nodiscard]] std::string samples(std::string_view counter) const;
  // The flows in the order in which they arrived: "enqueue->execute main@10 cpu 0@20 op 1".
  [[nodiscard]] std::string flows() const;
  [[nodiscard]] std::uint64_t lost(trace::LossCause cause) const { return trace.losses().of(cause); }

  record::Recorder recorder;
  std::optional<record::Collector> collector;
  trace::Trace trace;

 private:
  [[nodiscard]] std::string text_of(const trace::Slice& slice, bool open) const;
  std::int64_t origin_ns_ = 0;
  BatchRules rules_;
};

// An op id of engine 1.
[[nodiscard]] constexpr OpId op(std::uint64_t number) { return OpId{(std::uint64_t{1} << 48) | number}; }

// Runs `work` on a new thread with that name, and waits for its end.
template <typename Work>
void on_thread(trace::TrackKind kind, std::string_view name, Work work);

}  // namespace runahead::testing

#include <thread>

template <typename Work>
void runahead::testing::on_thread(trace::TrackKind kind, std::string_view name, Work work) {
  std::thread([&] {
    record::name_thread(kind, name);
    work();
  }).join();
}
