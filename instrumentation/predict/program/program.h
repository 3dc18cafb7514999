// Program: what a run did, without the times at which it had to wait. A simulator can run it again
// (simulation/simulate.h): unchanged, to see whether the model is right, or changed (change.h), to predict.
//
//   frontends   each thread that enqueues: its events in program order, and its own time between them
//   ops         the work, with its duration, and the ops that it depends on
//   queues      where ops wait for their turn: the workers of a device, or one of its streams
//   blocks      device memory: who allocates it, who uses it, and when the program drops it
//   wait sets   the ops that a wait waits for, if they are several
//   signals     a point in the program of one frontend that another one waits for
//
// A Program is plain data. It refers to strings of the trace that it was read from. Times are relative to the
// begin of the run. Anybody who holds a Program may copy and change it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "instrumentation/base/barrier.h"
#include "instrumentation/base/ids.h"
#include "instrumentation/base/time.h"
#include "instrumentation/causes/call_role.h"
#include "instrumentation/trace/rows/slice.h"

namespace runahead::predict {

// Indices into the vectors of a Program.
using OpIndex = std::uint32_t;
using QueueIndex = std::uint32_t;
using BlockIndex = std::uint32_t;
inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// How long an idle server or a waiting thread had been idle when it had to go on. Threads spin before they
// sleep, and waking a thread takes longer than ending a spin.
enum class Idle : std::uint8_t {
  kNot,    // it was busy until then: the next op was in the queue
  kShort,  // idle for at most kSpin
  kNap,    // idle for at most kPoll: it sleeps, and its processor does not yet
  kLong,
};
inline constexpr std::size_t kIdleCount = 4;
inline constexpr Duration kSpin = std::chrono::microseconds(50);
// So long, the idle processor of a virtual machine polls before it halts (guest_halt_poll_ns of the Linux
// kernel). A real processor is in a light sleep.
inline constexpr Duration kPoll = std::chrono::microseconds(200);
[[nodiscard]] constexpr Idle idle_of(Duration idle) {
  if (idle <= Duration::zero()) return Idle::kNot;
  return idle <= kSpin ? Idle::kShort : idle <= kPoll ? Idle::kNap : Idle::kLong;
}

// A delay that depends on how long somebody had been idle. The medians of the run; where the run has no
// example, a default.
struct Delays {
  std::array<Duration, kIdleCount> median{};
  [[nodiscard]] Duration of(Idle idle) const { return median[static_cast<std::size_t>(idle)]; }
};

// Rows of several lists in one vector: list i is items[first[i], first[i + 1]).
struct Lists {
  std::vector<std::uint32_t> first{0};
  std::vector<std::uint32_t> items;
  [[nodiscard]] std::size_t count() const { return first.size() - 1; }
  [[nodiscard]] std::span<const std::uint32_t> of(std::uint32_t list) const {
    return std::span(items).subspan(first[list], first[list + 1] - first[list]);
  }
};

// No duration of a Program is longer (208 days): only a damaged file has longer ones, and sums must not
// overflow.
inline constexpr Duration kLongest{std::int64_t{1} << 54};
[[nodiscard]] constexpr Duration bounded(Duration time) { return std::clamp(time, Duration{}, kLongest); }
[[nodiscard]] inline Duration scaled(Duration time, double factor) {
  const double ns = static_cast<double>(time.count()) * factor;
  return ns < static_cast<double>(kLongest.count()) ? Duration(static_cast<Duration::rep>(ns)) : kLongest;
}

// Steps per second; the share of the length. 0 if the length is 0.
[[nodiscard]] inline double rate_of(std::int64_t steps, Duration length) {
  return length <= Duration{} ? 0
                              : static_cast<double>(steps) / std::chrono::duration<double>(length).count();
}
[[nodiscard]] inline double share_of(Duration part, Duration length) {
  return length <= Duration{} ? 0 : static_cast<double>(part.count()) / static_cast<double>(length.count());
}

// True for the policies that wait at the wait points of a step. The others hold a frontend elsewhere or not.
[[nodiscard]] constexpr bool waits_at_points(BarrierKind kind) {
  return kind == BarrierKind::kWaitToRead || kind == BarrierKind::kWaitAll || kind == BarrierKind::kItem ||
         kind == BarrierKind::kAsnumpy || kind == BarrierKind::kPrint;
}

struct Op {
  OpId id = kNoOp;
  StringId name{};
  QueueIndex queue = 0;
  Duration duration{};
  // From the end of the last op that it depends on (or from its enqueue) until it was ready.
  Duration ready_delay{};
  // Only with Settings::of_graph: from its enqueue until it could be ready, if nothing else held it. Then
  // ready_delay counts only from the end of the last op that it depends on.
  Duration enqueue_delay{};
  // From the time at which it was ready and its server was free until it began, and how long the server had
  // been idle then.
  Duration start_delay{};
  Idle start_idle = Idle::kNot;
  // From its end until the engine learned of it: as long, the limits on run-ahead count it as in flight.
  Duration learn_delay{};
  // The end of the op before it on its worker woke a frontend. The worker did so within this op: `wake_time`
  // is the part of `duration` that this took.
  bool wakes = false;
  Duration wake_time{};
  // The part of `duration` in which the system gave and cleared the op's new memory (Block::is_new).
  Duration new_time{};
  // An op of a simulated device that was late: how much longer than `duration` it took. It is late again if a
  // frontend runs at its end. With late_live_bytes > 0, the device's pool had taken new memory of the system
  // shortly before, and this is the most memory that had been live by then: it is late again if at least half
  // as much has been live.
  Duration lateness{};
  std::int64_t late_live_bytes = 0;
  std::int64_t output_bytes = 0;
  // Not an op of the run: a rank arrives at a collective (join_ranks.h). No figure counts it.
  bool is_arrival = false;
};

// Ops that should take the same time have the same key.
using OpKey = std::tuple<QueueIndex, StringId, std::int64_t>;
[[nodiscard]] inline OpKey key_of(const Op& op) { return {op.queue, op.name, op.output_bytes}; }

// A part of an op: a member of a bulk. The parts of an op run one after the other. Blocks are allocated when
// their part begins (Settings::allocates_at_execution), and a part uses its blocks until it ends.
struct Part {
  Duration duration{};
  std::vector<BlockIndex> allocates, uses;
};

struct Queue {
  std::string name;    // "virtual:0 compute", "cpu"
  std::string device;  // "virtual:0"
  int servers = 1;     // workers; 1 for a stream
  bool workers = false;
  bool simulated = false;
  TrackId track = kNoTrack;  // a stream of a rank: its track in the trace
  Delays start_delays;
  // Op::wake_time, by how long the frontend had waited. Zero for streams: another thread wakes the frontend.
  Delays wake_times;
  // Event::wake_time of a frontend that did not wait before, by how long the worker had been idle. Zero for
  // streams.
  Delays enqueue_wakes;
  // For each byte of new memory that an op writes and did not write in the recording. 0: not modelled.
  double new_ns_per_byte = 0;
};
// False: the queue has the copies of a device of our engine.
[[nodiscard]] inline bool computes(const Queue& queue) {
  const bool prefixed = queue.name.starts_with(queue.device);
  return !std::string_view(queue.name).substr(prefixed ? queue.device.size() : 0).starts_with(" copy");
}

struct Block {
  std::uint32_t device = 0;  // index into Program::memories
  std::int64_t size_bytes = 0;
  StringId category{};               // its purpose, in the trace; empty: unknown
  bool began_before = false;         // it is part of Memory::begin_bytes
  bool is_new = false;               // in the recording, the pool took it from the system (new_memory.h)
  std::uint32_t pool_class = kNone;  // index into Program::pool_classes; kNone: new memory is not modelled
};

// The blocks of one size in the pool of a device. A free one is used again before the pool takes memory.
struct PoolClass {
  std::uint32_t device = 0;  // index into Program::memories
  std::int64_t size_bytes = 0;
  std::int64_t free_blocks = 0;  // when the run began
  // It may also use Memory::spare_bytes. False: it had new blocks in the recording, so it had no others.
  bool uses_spare = true;
};

// The memory of a device.
struct Memory {
  std::string device;
  std::int64_t begin_bytes = 0;  // live when the run began
  std::int64_t spare_bytes = 0;  // reserved, and not used in the recording (PoolClass)
};

enum class Action : std::uint8_t {
  kEnqueue,  // target: OpIndex
  kWaitOp,   // a wait of the workload itself for an op. target: OpIndex; kNone: nothing
  kWaitAll,  // the same for all ops enqueued so far
  kBarrier,  // the place where the barrier policy waits. target: the op that wait_to_read waits for; kNone
  // the policy window:k waits here. target: with Settings::of_graph, the number of ops launched before
  kBeginStep,
  kEndStep,  // target: with Settings::of_graph, the number of ops launched by then
  kDrop,     // the program drops its last handle of a block. target: BlockIndex
  kJoin,  // an op joins a bulk that is enqueued later. target: index into Program::parts; kNone: it is alone
  kWaitSet,  // a wait for several ops. target: a list of Program::wait_sets
  kSignal,   // other frontends may go on. target: a number below Program::signals
  kAwait,    // the frontend goes on only after the signal `target`
};

struct Event {
  Duration before{};  // the thread's own time since its previous event
  // A wait: from its release to its return. An enqueue: the part of `before` that is in the call.
  Duration own_cost{};
  // The part of `before` in which the thread loaded data (load_times.h).
  Duration load{};
  // The part of `before` that it takes because the frontend had slept in a wait and is slow at first. It is
  // on the events from such a wait until the next enqueue; the first of them is `after_sleep`.
  Duration slow_start{};
  bool after_sleep = false;
  // An enqueue of an op that was ready at once: `wake_time` is how long it took to wake the sleeping worker
  // that then executed it. It comes after the enqueue, and is not part of any `before`.
  bool ready_at_once = false;
  bool after_wait = false;  // the frontend waited since its previous enqueue, perhaps for no time
  Duration wake_time{};
  // An enqueue or the begin of a step: the run held the frontend here, and this is from its release until it
  // went on. 0: it was not held.
  Duration held_cost{};
  Action action = Action::kEnqueue;
  Idle blocked = Idle::kNot;  // how long it had to wait, when own_cost or held_cost was measured
  // The barrier policy of the run did this. It is left out under another kind of policy.
  bool of_policy = false;
  std::uint32_t target = kNone;
  // When the run did this, in the recording; `to`: the end of a wait. max(): a change added the event.
  Timestamp from = Timestamp::max(), to = Timestamp::max();
};

// The frontend of work whose launch the trace does not have.
inline constexpr std::string_view kLaunchedElsewhere = "launched elsewhere";
struct Frontend {
  std::string name;
  std::vector<Event> events;  // in program order
  TrackId track = kNoTrack;   // in the recording; kNoTrack: none
  std::uint32_t rank = 0;     // of a distributed run (join_ranks.h). Steps are counted for rank 0
  Duration begin{};           // since the begin of the run
};

// What the engine of a run decides.
struct Settings {
  BarrierPolicy barrier;
  BarrierPolicy recorded_barrier;    // the policy of the run; events with of_policy are its waits
  std::int64_t limit_ops = 100'000;  // <= 0: no limit
  std::int64_t limit_bytes = std::int64_t{1} << 30;
  bool allocates_at_execution = false;
  bool oldest_first = false;  // false: the op that became ready first goes first
  // The program is that of another tool's trace (read_execution.h). Its barrier is not known: until one is
  // chosen, the waits that it had (of_policy) stay.
  bool of_graph = false;
  bool barrier_chosen = false;
};

// A call, and the place in the program that made it, as `runahead explain` names them.
struct SyncPlace {
  std::string call, place;
};

// What is known about a wait for a set of ops.
struct RecordedWait {
  std::uint32_t place = kNone;  // index into Program::sync_places
  causes::CallRole role = causes::CallRole::kOther;
  // Event::own_cost counts however long the wait was: the call does something else too, such as a copy.
  bool keeps_cost = false;
};

// A copy between host and device.
struct HostCopy {
  OpIndex op = kNone;
  std::int64_t size_bytes = 0;  // 0: not stated
  bool to_device = false;
  bool pageable = false, pinned = false;  // the host's memory; both false: not stated
};

// How long it takes to read an array that an op of a queue wrote.
struct ReadTimes {
  double copy_ns_per_byte = 0;  // to the host: asnumpy, print
  double sum_ns_per_byte = 0;   // item, of an array with several elements
  Duration copy{};              // what a copy to the host takes beyond the wait and its bytes
  Duration sum{};               // item, of an array with several elements: the same
};

// What waits cost that the run did not have.
struct WaitCosts {
  Delays wake_up;                     // from the end of the awaited op to the return of the wait
  Duration slow_start{};              // the sum of Event::slow_start after a wait, of a frontend that slept
  Duration read_back{};               // what item takes beyond wait_to_read, of an unknown queue
  std::vector<ReadTimes> read_times;  // by queue
};

struct Program {
  Settings settings;
  std::vector<Queue> queues;
  std::vector<Memory> memories;
  std::vector<Frontend> frontends;
  std::vector<Op> ops;                       // in the order of enqueueing
  Lists predecessors;                        // of each op: earlier ops that it depends on
  std::vector<trace::DependencyKind> kinds;  // of each of predecessors.items
  std::vector<Block> blocks;
  std::vector<PoolClass> pool_classes;
  Lists allocates;  // of each op: the blocks that it writes first
  Lists uses;       // of each op: the blocks that it reads or writes
  // The parts of op i are parts[first_part[i], first_part[i + 1]). Their blocks are not those of `allocates`
  // and `uses`. Empty: no op has parts.
  std::vector<std::uint32_t> first_part;
  std::vector<Part> parts;
  WaitCosts waits;
  Lists wait_sets;
  std::vector<RecordedWait> recorded_waits;  // of each of wait_sets
  std::vector<SyncPlace> sync_places;
  std::vector<HostCopy> host_copies;
  std::uint32_t signals = 0;
  // Ops that had ended before the begin: they never run, and nothing waits for them.
  std::vector<OpIndex> done;
  // Figures are those from the begin of the first step until the last one has finished: the parts of a run
  // without steps do not count. False: those of the whole length.
  bool figures_of_steps = false;
  std::vector<std::string> notes;  // sentences: what the changes of this program leave out

  [[nodiscard]] std::span<const Part> parts_of(OpIndex op) const {
    if (first_part.empty()) return {};
    return std::span(parts).subspan(first_part[op], first_part[op + 1] - first_part[op]);
  }
};

// True if the frontends leave out this event: the waits of the run's policy under another kind of policy, and
// the places where a policy waits while the run's own waits are used.
[[nodiscard]] inline bool is_left_out(const Event& event, const Settings& settings) {
  const bool own =
      settings.of_graph ? !settings.barrier_chosen : settings.barrier.kind == settings.recorded_barrier.kind;
  return event.of_policy ? !own : event.action == Action::kBarrier && own;
}

}  // namespace runahead::predict
