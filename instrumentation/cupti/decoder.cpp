#include "instrumentation/cupti/decoder.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace runahead::cupti {
namespace {

using record::RowPlace;
using record::RowSlice;
using trace::LossCause;
using trace::SliceKind;

RowPlace calls_of(std::int64_t tid) { return {.tid = tid, .beside = "CUDA calls"}; }
std::int64_t as_int(std::uint64_t value) { return static_cast<std::int64_t>(value); }

const char* name_of(MemoryKind kind) {
  static constexpr const char* kNames[] = {"Unknown", "Pageable", "Pinned", "Device", "Array", "Managed"};
  return kNames[static_cast<std::size_t>(kind)];
}

SliceKind slice_kind_of(CopyKind kind) {
  if (kind == CopyKind::kToDevice) return SliceKind::kCopyToDevice;
  if (kind == CopyKind::kToHost || kind == CopyKind::kOnHost) return SliceKind::kCopyToHost;
  return SliceKind::kCopyOnDevice;
}

// Returns the name in the form that Kineto (PyTorch's profiler) uses: "Memcpy HtoD (Pageable -> Device)".
std::string name_of(const CopyRecord& copy) {
  static constexpr const char* kKinds[] = {"", " HtoD", " DtoH", " DtoD", " HtoH", " PtoP"};
  return std::string("Memcpy") + kKinds[static_cast<std::size_t>(copy.kind)] + " (" + name_of(copy.from) +
         " -> " + name_of(copy.to) + ")";
}

bool touches_pageable(const CopyRecord& copy) {
  return copy.from == MemoryKind::kPageable || copy.to == MemoryKind::kPageable;
}

// Moves all elements to the end of `to`.
template <typename T>
void move_to_end(std::vector<T>& from, std::vector<T>& to) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
  from.clear();
}

}  // namespace

Decoder::Decoder(DecoderOptions options)
    : correlations_(made_, std::max<std::size_t>(1, options.correlations)) {}

void Decoder::add(const Record& record) {
  first_arg_ = static_cast<std::uint32_t>(made_.args.size());
  switch (record.kind) {
    case RecordKind::kKernel:
      return add_kernel(record.kernel);
    case RecordKind::kCopy:
      return add_copy(record.copy);
    case RecordKind::kMemset:
      return add_memset(record.memset);
    case RecordKind::kGraph:
      return add_graph(record.graph);
    case RecordKind::kSynchronization:
      return add_synchronization(record.synchronization);
    case RecordKind::kCall:
      return add_call(record.call);
    case RecordKind::kExternalCorrelation:
      return correlations_.op(record.external.correlation, OpId{record.external.op});
    case RecordKind::kMemory:
      return memory_.add(record.memory);
    case RecordKind::kOverhead:
      return add_overhead(record.overhead);
    case RecordKind::kMarker:
      return markers_.take(record.marker);
    case RecordKind::kContext:
      return streams_.context(record.context.context, record.context.device, record.context.null_stream);
    case RecordKind::kDevice:
      if (record.device.simulated) streams_.simulated(record.device.device);
      if (record.device.name != nullptr)
        device_names_[record.device.device] = names_.site(record.device.name, SliceKind::kZone).name;
      return;
    case RecordKind::kStream:
      return;  // the record of a stream adds nothing to the timeline
  }
}

bool Decoder::has_times(const Work& work) {
  if (work.begin_ns != 0 || work.end_ns != 0) return true;
  made_.losses.add(LossCause::kDeviceNoTimes);
  return false;
}

void Decoder::put_place(const Work& work) {
  put("device", std::int64_t{work.device});
  if (const auto named = device_names_.find(work.device); named != device_names_.end())
    put("device name", named->second);
  put("context", std::int64_t{work.context});
  put("stream", std::int64_t{work.stream});
  if (work.graph != 0) put("graph id", std::int64_t{work.graph});
  if (work.graph_node != 0) put("graph node id", as_int(work.graph_node));
}

void Decoder::add_work(const Work& work, const record::Site& site, std::uint64_t bytes) {
  const StreamKey key{work.context, work.stream};
  const record::TrackDesc& track = streams_.track(work.device, key);
  streams_.finished(key, work.end_ns, work.correlation);
  if (work.correlation != 0) correlations_.work(work.correlation, {&track, work.begin_ns});
  held_.push_back({.slice = {.place = {.track = &track},
                             .begin_ns = work.begin_ns,
                             .end_ns = work.end_ns,
                             .site = &site,
                             .size_bytes = as_int(bytes),
                             .first_arg = first_arg_,
                             .arg_count = static_cast<std::uint32_t>(made_.args.size()) - first_arg_},
                   .correlation = work.correlation});
}

void Decoder::add_kernel(const KernelRecord& kernel) {
  if (!has_times(kernel.work)) return;
  put("grid", names_.size(kernel.grid));
  put("block", names_.size(kernel.block));
  put("registers per thread", std::int64_t{kernel.registers_per_thread});
  put("shared memory", std::int64_t{kernel.static_shared_bytes} + std::int64_t{kernel.dynamic_shared_bytes});
  if (kernel.local_bytes_per_thread != 0)
    put("local memory per thread", std::int64_t{kernel.local_bytes_per_thread});
  put_place(kernel.work);
  add_work(kernel.work, names_.kernel(kernel.name), 0);
}

void Decoder::add_copy(const CopyRecord& copy) {
  if (!has_times(copy.work)) return;
  if (copy.asynchronous && touches_pageable(copy)) {
    put("asynchronous", "asked for, but pageable memory makes it wait");
  } else {
    put("asynchronous", copy.asynchronous ? "yes" : "no");
  }
  if (copy.kind == CopyKind::kBetweenDevices) {
    put("from device", std::int64_t{copy.from_device});
    put("to device", std::int64_t{copy.to_device});
  }
  put_place(copy.work);
  add_work(copy.work, names_.site(name_of(copy), slice_kind_of(copy.kind)), copy.bytes);
}

void Decoder::add_memset(const MemsetRecord& memset) {
  if (!has_times(memset.work)) return;
  put("value", std::int64_t{memset.value});
  put("asynchronous", memset.asynchronous ? "yes" : "no");
  put_place(memset.work);
  const std::string name = std::string("Memset (") + name_of(memset.memory) + ")";
  add_work(memset.work, names_.site(name, SliceKind::kExecute), memset.bytes);
}

void Decoder::add_graph(const GraphRecord& graph) {
  if (!has_times(graph.work)) return;
  put_place(graph.work);
  add_work(graph.work, names_.site("graph", SliceKind::kExecute), 0);
}

void Decoder::add_call(const CallRecord& call) {
  const record::Site& site = names_.call(call.name);
  const CallEnd end{calls_of(call.tid), call.begin_ns, call.end_ns};
  if (call.result != 0) put("result", std::int64_t{call.result});
  held_.push_back({.slice = {.place = end.place,
                             .begin_ns = call.begin_ns,
                             .end_ns = call.end_ns,
                             .site = &site,
                             .flags = call.result != 0 && site.kind == SliceKind::kEnqueue
                                          ? std::uint8_t{trace::kSliceFailed}
                                          : std::uint8_t{0},
                             .first_arg = first_arg_,
                             .arg_count = static_cast<std::uint32_t>(made_.args.size()) - first_arg_},
                   .correlation = call.correlation});
  if (call.correlation != 0) correlations_.call(call.correlation, end);
}

void Decoder::add_synchronization(const SynchronizationRecord& synchronization) {
  if (synchronization.begin_ns == 0 && synchronization.end_ns == 0)
    return made_.losses.add(LossCause::kDeviceNoTimes);
  waiting_.push_back({synchronization});
}

void Decoder::add_overhead(const OverheadRecord& overhead) {
  static const record::TrackDesc& track = record::intern_track(
      {.kind = trace::TrackKind::kAsync, .group = "CUDA", .name = "the profiler's own time"});
  if (overhead.tid != 0) put("thread", overhead.tid);
  made_.slices.push_back({.place = {.track = &track},
                          .begin_ns = overhead.begin_ns,
                          .end_ns = overhead.end_ns,
                          .site = &names_.site(overhead.what, SliceKind::kZone),
                          .first_arg = first_arg_,
                          .arg_count = static_cast<std::uint32_t>(made_.args.size()) - first_arg_});
}

void Decoder::hand_over(const RowSlice& slice) {
  RowSlice ready = slice;
  ready.first_arg = static_cast<std::uint32_t>(ready_.args.size());
  const auto first = made_.args.begin() + slice.first_arg;
  ready_.args.insert(ready_.args.end(), first, first + slice.arg_count);
  ready_.slices.push_back(ready);
}

// Hands over the slices that are final, and keeps the others for the next delivery. A slice is final if no
// slice that begins before it is missing, and if it does not wait for its op. Slices are placed on their
// tracks in the order in which they are handed over, so an earlier slice must not come later.
void Decoder::hand_over_slices(std::int64_t complete_ns) {
  std::vector<Held> kept;
  std::vector<RowSlice> kept_others;
  std::vector<record::RowArg> kept_args;
  const auto keep_args = [&](RowSlice slice) {
    const auto first = made_.args.begin() + slice.first_arg;
    slice.first_arg = static_cast<std::uint32_t>(kept_args.size());
    kept_args.insert(kept_args.end(), first, first + slice.arg_count);
    return slice;
  };
  for (Held& held : held_) {
    if (!is_final(held, complete_ns)) {
      held.slice = keep_args(held.slice);
      kept.push_back(held);
    } else {
      hand_over(held);
    }
  }
  for (const RowSlice& slice : made_.slices) {
    if (slice.begin_ns >= complete_ns) {
      kept_others.push_back(keep_args(slice));
    } else {
      hand_over(slice);
    }
  }
  made_.slices = std::move(kept_others);
  made_.args = std::move(kept_args);
  held_ = std::move(kept);
}

bool Decoder::is_final(Held& held, std::int64_t complete_ns) {
  if (held.slice.begin_ns >= complete_ns) return false;
  held.slice.op = correlations_.op_of(held.correlation);
  const bool may_learn_op = held.is_work() && held.slice.op == kNoOp && held.correlation != 0 &&
                            correlations_.ops_in_use() && !correlations_.call_of(held.correlation);
  return !may_learn_op || complete_ns == kEverything || ++held.commits > kPatience;
}

// If the op of a call is known, adds an arrow that enters the call. The arrow leaves the slice that runs the
// op, on the track of the thread that made the call.
void Decoder::hand_over(const Held& held) {
  RowSlice slice = held.slice;
  if (held.is_work() && slice.op != kNoOp) slice.flags |= trace::kSlicePartOfOp;
  hand_over(slice);
  if (held.is_work() || slice.op == kNoOp) return;
  ready_.flows.push_back({.from = {.tid = slice.place.tid},
                          .to = slice.place,
                          .from_ns = slice.begin_ns,
                          .to_ns = slice.begin_ns,
                          .op = slice.op});
}

bool Decoder::may_be_query(SynchronizationKind kind) {
  return kind == SynchronizationKind::kEvent || kind == SynchronizationKind::kStream;
}

void Decoder::end_waits(bool all) {
  std::erase_if(waiting_, [&](Waiting& waiting) {
    if (end_wait(waiting.record)) return true;
    if (!all && ++waiting.commits <= kPatience) return false;
    // A query of an event or a stream (cudaEventQuery) also makes a record, if it finds that the work is
    // done. A query does not wait, and its call is not recorded. So a missing call is a loss only for other
    // kinds.
    if (!may_be_query(waiting.record.kind)) made_.losses.add(LossCause::kUnboundFlow);
    return true;
  });
}

// Adds the wait that a synchronisation record describes. False: the thread waited in a call that is not known
// yet, or the device of the stream that waits is not known yet.
bool Decoder::end_wait(const SynchronizationRecord& record) {
  const StreamKey key{record.context, record.stream};
  if (record.kind == SynchronizationKind::kStreamWaitsForEvent) {
    // Often nothing else ever runs on such a stream, such as those on which NCCL waits.
    const record::TrackDesc* const track =
        record.stream != kNoStream ? streams_.track_if_known(key) : nullptr;
    if (track == nullptr) return false;
    made_.instants.push_back(
        {{.track = track}, record.begin_ns, &names_.site("waits for an event", SliceKind::kWait)});
    return true;
  }
  const std::optional<CallEnd> call = correlations_.call_of(record.correlation);
  if (!call) return false;
  const bool of_stream = record.stream != kNoStream && record.kind != SynchronizationKind::kContext;
  const auto released = of_stream ? streams_.last_within(key, record.begin_ns, record.end_ns)
                                  : streams_.last_within(record.context, record.begin_ns, record.end_ns);
  const OpId op = released ? correlations_.op_of(released->correlation) : kNoOp;
  const char* const what = record.kind == SynchronizationKind::kEvent     ? "wait for an event"
                           : record.kind == SynchronizationKind::kContext ? "wait for the device"
                                                                          : "wait for a stream";
  made_.slices.push_back({.place = call->place,
                          .begin_ns = record.begin_ns,
                          .end_ns = record.end_ns,
                          .site = &names_.site(what, SliceKind::kWait),
                          .op = op});
  if (released) {
    made_.flows.push_back({.kind = trace::FlowKind::kExecuteToWait,
                           .from = {.track = released->track},
                           .to = call->place,
                           .from_ns = released->end_ns,
                           .to_ns = record.end_ns,
                           .op = op});
  }
  return true;
}

void Decoder::note_clock_error(std::int64_t error_ns) {
  clock_error_ns_ = std::max(clock_error_ns_, error_ns);
}

void Decoder::sample_clock_error(std::int64_t at_ns) {
  note_clock_error(correlations_.largest_disorder_ns());
  if (clock_error_ns_ == clock_error_shown_ns_) return;
  clock_error_shown_ns_ = clock_error_ns_;
  static const record::TrackDesc& counter = record::intern_track({.kind = trace::TrackKind::kCounter,
                                                                  .group = "CUDA",
                                                                  .name = "clock error, at least",
                                                                  .unit = trace::Unit::kNanoseconds});
  made_.samples.push_back({&counter, at_ns, static_cast<double>(clock_error_ns_)});
}

void Decoder::commit(std::int64_t complete_ns) {
  correlations_.hand_over(complete_ns);
  end_waits(false);
  markers_.commit(complete_ns);
  hand_over_slices(complete_ns);
  memory_.take_until(complete_ns);
  sample_clock_error(complete_ns);
  move_to_end(made_.begun, ready_.begun);
  move_to_end(made_.instants, ready_.instants);
  move_to_end(made_.flows, ready_.flows);
  move_to_end(made_.samples, ready_.samples);
  ready_.losses.add(std::exchange(made_.losses, {}));
  ready_.complete_ns = complete_ns;
}

void Decoder::close(std::int64_t at_ns) {
  correlations_.hand_over(kEverything);
  end_waits(true);
  markers_.close(at_ns);
  hand_over_slices(kEverything);
  memory_.take_until(kEverything);
  correlations_.close();
  commit(at_ns);
}

void Decoder::take(record::SourceRows& rows) {
  rows.clear();
  rows.complete_ns = ready_.complete_ns;
  std::swap(rows, ready_);
  ready_.complete_ns = rows.complete_ns;
}

}  // namespace runahead::cupti
