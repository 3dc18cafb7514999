// Change: what is different in the run that is predicted. A change edits a Program before it is simulated.
//
//   barrier=POLICY          none, wait_to_read, waitall, item, asnumpy, print, window:K, ops:K, bytes:SIZE
//   limit_ops=N             the most ops in flight
//   limit_bytes=SIZE        the most bytes of outputs in flight
//   alloc=enqueue|execute   when the memory of an op is allocated
//   order=fifo|oldest       which ready op goes first
//   workers=N               workers of device cpu that compute
//   copy_workers=N          workers of device cpu that copy
//   frontend=FACTOR         the own time of the frontends, multiplied
//   op:NAME=FACTOR          the time of the ops with this name, multiplied; 0.5: twice as fast.
//                           NAME*: all names that begin with NAME
//   loading=ahead           a thread of its own loads the data, one step ahead (change_loading.h)
//
// In recordings of our engine:
//   bulk=N                  up to N ops are enqueued as one (change_bulk.h)
//   streams=N               streams of each device that compute (change_devices.h)
//   device=+N               N more devices for each one (change_devices.h)
//
// In traces of other tools:
//   barrier=POLICY          in place of the synchronisations that no operator of a framework made on the main
//                           thread; not bytes:SIZE
//   sync:PLACE=drop         no wait at this place. PLACE: as `runahead explain --json` prints it, CALL@PLACE,
//                           or CALL. A copy that waited is copied without waiting
//   sync:PLACE=end          the wait at the end of its step, for the work that was launched by then
//   bandwidth=FACTOR        the rate of copies between host and device, multiplied
//   pinned=1                copies of pageable memory as fast as the run's pinned ones, without waiting
//   pinned=RATE             the same with this rate, in bytes per second: 25G
//   graph=1                 the work of each step is launched as one graph (change_launches.h)
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/predict/program/program.h"
#include "instrumentation/trace/trace.h"

namespace runahead::predict {

struct Change {
  std::string key, value;
  friend bool operator==(const Change&, const Change&) = default;
};

// Reads "KEY=VALUE". Error: there is no "=", the key is not known, or the value of barrier, limit_ops,
// limit_bytes, alloc, order, workers, copy_workers, frontend, op:NAME or bandwidth is wrong in any run.
[[nodiscard]] Result<Change> parse_change(std::string_view text);
[[nodiscard]] std::string to_string(const Change& change);
// The keys with a sentence each, for a help text.
struct ChangeKey {
  std::string_view key, values, sentence;
};
[[nodiscard]] const std::vector<ChangeKey>& change_keys();

// The order in which changes apply: first loading, last graph and bulk, which depend on where threads wait;
// otherwise the order of `changes`.
[[nodiscard]] std::vector<Change> in_order(std::vector<Change> changes);

// Error: the value is wrong, or the program has nothing that the change could change, such as no op with
// that name. `trace` is the one that the program was read from.
[[nodiscard]] Status apply(const Change& change, const trace::Trace& trace, Program& program);

}  // namespace runahead::predict
