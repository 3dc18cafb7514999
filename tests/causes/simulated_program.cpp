#include "tests/causes/simulated_program.h"

#include <algorithm>
#include <optional>

#include "tests/support/random.h"
#include "tests/support/trace_builder.h"

namespace runahead::testing {
namespace {

using trace::SliceKind;
using trace::TrackKind;

struct Event {
  int work = -1;          // the last work before the event; -1: none
  std::int64_t call = 0;  // correlation id of the call that recorded it
  int stream = 0;
};

class Simulation {
 public:
  explicit Simulation(const SimulationOptions& options) : options_(options), random_(options.seed) {
    last_.assign(static_cast<std::size_t>(options.streams), -1);
    waits_for_.assign(static_cast<std::size_t>(options.streams), -1);
    events_.resize(3);
    builder_.track("main").numbers(100, 100);
    for (int i = 0; i < options.streams; ++i)
      builder_.track(stream_name(i), TrackKind::kStream).device("gpu 0", false).numbers(0, 20 + i);
    builder_.track("Device 0", TrackKind::kStream).device("gpu 0", false).numbers(0, -1);
  }

  SimulatedProgram run() {
    for (int i = 0; i < options_.calls; ++i) {
      if (options_.seeded_calls) random_ = Random(options_.seed * 1'000'003 + static_cast<std::uint64_t>(i));
      step();
    }
    for (std::size_t i = 0; i < out_.works.size(); ++i) add_work(i);
    out_.trace = builder_.build();
    return std::move(out_);
  }

 private:
  static std::string stream_name(int stream) { return "stream " + std::to_string(20 + stream); }
  std::int64_t pick(std::int64_t low, std::int64_t high) { return random_.integer(low, high); }
  static std::int64_t scaled(std::int64_t time, double factor) {
    return factor == 1 ? time : static_cast<std::int64_t>(static_cast<double>(time) * factor);
  }
  int any_stream() { return static_cast<int>(pick(0, options_.streams - 1)); }
  std::size_t any_event() { return static_cast<std::size_t>(pick(0, 2)); }

  void step() {
    const std::int64_t own = scaled(pick(500, 20'000), options_.host_factor);
    if (!in_graph()) now_ += own;
    const std::int64_t what = pick(0, 99);
    if (what >= 86 && !options_.waits) return;
    if (what < 60) {
      launch(any_stream(), false);
    } else if (what < 70) {
      launch(any_stream(), true);
    } else if (what < 78) {
      record(any_stream(), any_event());
    } else if (what < 86) {
      wait_on_stream(any_stream(), any_event());
    } else if (what < 90) {
      synchronise_stream(any_stream());
    } else if (what < 93) {
      synchronise_event(any_event());
    } else if (what < 95) {
      synchronise_device();
    } else {
      copy_to_pageable_memory(any_stream());
    }
  }

  [[nodiscard]] bool in_graph() const { return options_.as_graph && !out_.works.empty(); }

  // A call of the host from now on, with a correlation id of its own.
  void call(const char* name, SliceKind kind, std::int64_t duration) {
    if (in_graph()) duration = 0;
    builder_.on("main")
        .slice(name, Duration{now_}, Duration{duration}, kind)
        .arg("correlation", ++correlation_);
    now_ += duration;
  }
  void put_record(const char* name, const std::string& track, std::int64_t stream, const Event* event) {
    if (!options_.with_records || !called_) return;
    builder_.on(track)
        .slice(name, Duration{now_}, Duration{0}, SliceKind::kWait)
        .arg("correlation", correlation_);
    builder_.arg("stream", stream);
    if (event == nullptr) return;
    builder_.arg("wait_on_stream", std::int64_t{20} + event->stream);
    builder_.arg("wait_on_cuda_event_record_corr_id", event->call);
  }

  int launch(int stream, bool copy) {
    SimulatedWork work{.launch = now_, .stream = stream, .copy = copy};
    call(copy ? "cudaMemcpyAsync" : "cudaLaunchKernel", SliceKind::kEnqueue, pick(1'500, 4'000));
    correlations_.push_back(correlation_);
    work.begin = now_;
    const auto at = static_cast<std::size_t>(stream);
    for (const int before : {last_[at], waits_for_[at]}) {
      if (before < 0 || out_.works[static_cast<std::size_t>(before)].end <= work.begin) continue;
      work.begin = out_.works[static_cast<std::size_t>(before)].end;
      work.before = before;
    }
    waits_for_[at] = -1;
    work.begin += pick(600, 1'500);
    work.end =
        work.begin + (copy ? pick(1'000, 60'000) : scaled(pick(2'000, 50'000), options_.kernel_factor));
    out_.works.push_back(work);
    last_[at] = static_cast<int>(out_.works.size()) - 1;
    return last_[at];
  }

  void record(int stream, std::size_t event) {
    call("cudaEventRecord", SliceKind::kZone, pick(700, 1'500));
    events_[event] = {last_[static_cast<std::size_t>(stream)], correlation_, stream};
  }

  void wait_on_stream(int stream, std::size_t event) {
    if (events_[event].call == 0) return;
    call("cudaStreamWaitEvent", SliceKind::kZone, pick(700, 1'500));
    called_ = true;
    put_record("Stream Wait Event", stream_name(stream), 20 + stream, &events_[event]);
    int& waits_for = waits_for_[static_cast<std::size_t>(stream)];
    const int work = events_[event].work;
    if (work >= 0 && (waits_for < 0 || end_of(work) > end_of(waits_for))) waits_for = work;
  }
  [[nodiscard]] std::int64_t end_of(int work) const { return out_.works[static_cast<std::size_t>(work)].end; }

  void synchronise_stream(int stream) {
    wait("cudaStreamSynchronize", last_[static_cast<std::size_t>(stream)]);
    put_record("Stream Sync", stream_name(stream), 20 + stream, nullptr);
  }
  void synchronise_event(std::size_t event) {
    if (events_[event].call == 0) return;
    const Event waited = events_[event];
    wait("cudaEventSynchronize", waited.work);
    put_record("Event Sync", "Device 0", -1, &waited);
  }
  void synchronise_device() {
    int latest = -1;
    for (const int work : last_) {
      if (work >= 0 && (latest < 0 || end_of(work) > end_of(latest))) latest = work;
    }
    wait("cudaDeviceSynchronize", latest);
    put_record("Context Sync", "Device 0", -1, nullptr);
  }

  void wait(const char* name, int work) {
    called_ = name != options_.without_call;
    if (!called_) return;
    const std::int64_t begin = now_;
    const bool waits = work >= 0 && end_of(work) > now_ + 500;
    const std::int64_t end = waits ? end_of(work) + pick(1'000, 4'000) : now_ + pick(800, 1'500);
    call(name, SliceKind::kWait, end - begin);
    add_wait(name, begin, end, work >= 0 && end_of(work) > begin ? work : -1);
  }

  // The call returns when its copy has ended, although it is called asynchronous.
  void copy_to_pageable_memory(int stream) {
    const std::int64_t begin = now_;
    const auto before = builder_;
    const int work = launch(stream, true);
    const std::int64_t end = end_of(work) + pick(1'000, 4'000);
    builder_ = before;
    now_ = begin;
    --correlation_;
    call("cudaMemcpyAsync", SliceKind::kEnqueue, end - begin);
    add_wait("cudaMemcpyAsync", begin, end, work);
  }

  // Splits the wait forwards in time: the chain of work is known.
  void add_wait(const char* name, std::int64_t begin, std::int64_t end, int work) {
    SimulatedWait wait{.call = name, .begin = begin, .end = end, .awaited = work};
    if (work < 0) {
      wait.finished = end - begin;
      out_.waits.push_back(wait);
      return;
    }
    std::vector<int> chain;
    for (int at = work; at >= 0 && end_of(at) > begin; at = out_.works[static_cast<std::size_t>(at)].before)
      chain.push_back(at);
    std::int64_t known = begin;
    for (auto at = chain.rbegin(); at != chain.rend(); ++at) {
      const SimulatedWork& link = out_.works[static_cast<std::size_t>(*at)];
      wait.queued += std::max<std::int64_t>(0, link.begin - known);
      known = std::max(known, link.begin);
      (link.copy ? wait.copying : wait.running) += link.end - known;
      known = link.end;
    }
    wait.wake_up = end - known;
    out_.waits.push_back(wait);
  }

  void add_work(std::size_t index) {
    const SimulatedWork& work = out_.works[index];
    builder_.on(stream_name(work.stream))
        .slice(work.copy ? "Memcpy DtoH (Device -> Pageable)" : "kernel " + std::to_string(index % 7),
               Duration{work.begin}, Duration{work.end - work.begin},
               work.copy ? SliceKind::kCopyToHost : SliceKind::kExecute)
        .arg("correlation", correlations_[index]);
  }

  SimulationOptions options_;
  Random random_;
  TraceBuilder builder_;
  SimulatedProgram out_;
  std::vector<std::int64_t> correlations_;  // of the work
  std::vector<int> last_;                   // the last work of each stream
  std::vector<int> waits_for_;              // the work for which the next work of the stream waits
  std::vector<Event> events_;
  std::int64_t now_ = 1'000, correlation_ = 0;
  bool called_ = true;  // the call whose record follows was made
};

}  // namespace

SimulatedProgram simulate_program(const SimulationOptions& options) { return Simulation(options).run(); }

}  // namespace runahead::testing
