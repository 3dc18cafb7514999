// ProcessMerger: joins the recordings of several processes into one recording, while they grow or afterwards.
// Each process gets a group of tracks. All times are times of the first process, the reference.
//
// Method: each recording is followed (FileFollower). Its batches are converted (ProcessRows) and written to
// the joined recording. Messages between processes become arrows (MessageJoiner). The joined recording is
// complete up to the earliest time to which all processes are complete.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "instrumentation/base/result.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/link/round_trip.h"
#include "instrumentation/merge/clock_alignment.h"
#include "instrumentation/merge/message_joiner.h"
#include "instrumentation/merge/process_facts.h"
#include "instrumentation/merge/process_rows.h"
#include "instrumentation/merge/trip_clock.h"
#include "instrumentation/recording/recording.h"

namespace runahead::merge {

// How the clock of a process relates to the reference.
enum class ClockSource : std::uint8_t {
  kReference,
  kShared,       // the processes read one clock of one machine
  kMessages,     // bounds from messages between the processes; see align_clocks()
  kRoundTrips,   // bounds from the link's questions for the time, and their answers; see clock_from_trips()
  kCollectives,  // the ends of common collectives; see clocks_by_collectives()
  kDates,        // the dates of their begins; nothing says how far the machines' dates differ
  kUnknown       // nothing relates them: the process begins at time 0
};
// "reference", "shared", "messages", "round trips", "collectives", "dates", "unknown".
[[nodiscard]] std::string_view clock_word(ClockSource source);

struct ProcessClock {
  ClockSource source = ClockSource::kUnknown;
  AlignedClock aligned;
};

// Only one thread may use it at a time.
class ProcessMerger {
 public:
  // Errors: as RecordingWriter::create().
  [[nodiscard]] static Result<std::unique_ptr<ProcessMerger>> create(const std::filesystem::path& out,
                                                                     recordings::WriterOptions options = {});

  ~ProcessMerger();
  ProcessMerger(const ProcessMerger&) = delete;
  ProcessMerger& operator=(const ProcessMerger&) = delete;

  // What the caller knows of a process.
  struct Known {
    // How its clock relates to the reference. nullopt: shared_clock() says it, or else clock_from_trips().
    std::optional<ProcessClock> clock;
    std::vector<link::RoundTrip> trips;  // between its machine and this one; empty: none
    std::function<bool()> writer_lives;  // see FileFollower
  };
  // Adds the recording of a process, of which the first bytes exist. The first process is the reference.
  // Errors: as FileFollower::open().
  [[nodiscard]] Status add(const std::filesystem::path& recording, Known known);
  [[nodiscard]] Status add(const std::filesystem::path& recording) { return add(recording, Known{}); }
  // The latest round trips of a process (its number in the order of add()); those that are known already are
  // ignored. From now on, the times of all processes with ClockSource::kRoundTrips follow them.
  void add_trips(std::size_t process, const std::vector<link::RoundTrip>& trips);
  // Reads what the processes have added since the last call, and writes it. Returns false if there was
  // nothing new. `all_times_before`: no process that is added later has rows before this time of the
  // reference; nullopt: no process will be added. Errors: the joined recording cannot be written; each later
  // call returns this error too. If a recording of a process can no longer be read, the others go on, and
  // problems() says it.
  Result<bool> poll(std::optional<Timestamp> all_times_before = std::nullopt);
  // True if the joined recording has its clock and the first process.
  [[nodiscard]] bool has_begun() const;
  // True if the joined recording has everything that the recordings had when they were added.
  [[nodiscard]] bool has_caught_up() const;
  // CLOCK_MONOTONIC at time 0 of the joined recording; nullopt: not known (yet).
  [[nodiscard]] std::optional<std::int64_t> reference_origin_ns() const;
  // True if all processes have ended, and everything is written except for finish().
  [[nodiscard]] bool ended() const;
  // Completes the joined recording. Arrows that have only one end are counted as lost. Error: a part of it
  // could not be written.
  Status finish();

  struct Process {
    std::filesystem::path recording;
    ProcessFacts facts;  // empty until the recording has its metadata
    ProcessClock clock;
    bool ended = false;
    bool whole = false;  // the process has ended its recording, and all of it is in the joined one
  };
  [[nodiscard]] std::vector<Process> processes() const;
  // One line for each recording that could not be read to its end.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }

 private:
  struct Source;
  explicit ProcessMerger(std::unique_ptr<recordings::RecordingWriter> writer);
  void read(Source& source);
  [[nodiscard]] bool waits_for_another(const Source& source) const;
  void end(Source& source);
  [[nodiscard]] bool begin(Source& source);
  void join_messages(trace::Batch& batch);
  static void give_up(const std::vector<trace::Flow>& halves, trace::Batch& batch);
  void note(const Status& status);
  [[nodiscard]] LinkedProcess linked(const Source& source) const;
  void state_error(Source& source, Timestamp end);
  void steer(Source& source);
  void name_group(Source& source, trace::Batch& batch);
  [[nodiscard]] Timestamp common_watermark(std::optional<Timestamp> all_times_before) const;
  void write_batches();
  [[nodiscard]] ProcessClock clock_of(const Source& source) const;

  std::unique_ptr<recordings::RecordingWriter> writer_;
  JoinedDefinitions definitions_;
  MessageJoiner messages_;
  std::vector<std::unique_ptr<Source>> sources_;
  std::vector<trace::Batch> batches_;  // converted, and not written yet
  Timestamp watermark_{};
  std::size_t begun_ = 0;  // the number of processes with a group
  Status failure_ = Ok{};  // the first failure to write
  std::vector<std::string> problems_;
  const std::string our_boot_;  // boot_id()
};

}  // namespace runahead::merge
