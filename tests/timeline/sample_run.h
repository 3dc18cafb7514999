// Makes a small run as a trace, for the timeline's tests. The run has a frontend that enqueues and waits, a
// virtual device that computes and copies, a queue, counters and a barrier change.
#pragma once

#include "gui/timeline/scene/scene.h"
#include "tests/support/literals.h"
#include "tests/support/trace_builder.h"

namespace runahead::gui::testing {

using namespace runahead::testing;

// The tracks of sample_run(). The ids of the tracks are in the order of their definition.
struct SampleTracks {
  TrackId markers{0}, frontend_group{1}, main{2}, queue_group{3}, run_ahead{4}, op_lives{5}, device_group{6},
      compute{7}, copy_out{8}, memory_group{9}, live_bytes{10};
};
inline constexpr SampleTracks kTracks;
inline constexpr OpId kMatmul{1}, kCopy{2}, kRelu{3};

// A run from 0 to 1000 us. All times in this comment are in us. Op 1, matmul, executes on compute (100..400).
// Op 2 copies 64 kB to the host (400..600), and main waits for it (250..600). Op 3, relu, executes (600..650)
// and has the flag kSliceLate. Starting at 700, main waits for op 3.
[[nodiscard]] trace::Trace sample_run();

// A trace with `rows` slices on one track. Each slice takes 1 us, and a slice begins every 2 us.
[[nodiscard]] trace::Trace dense_run(int rows);

[[nodiscard]] Scene scene_of(const trace::Trace& trace, const TimelineState& state,
                             SceneSize size = {500, 400, 1});

}  // namespace runahead::gui::testing
