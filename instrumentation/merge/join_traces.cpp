#include "instrumentation/merge/join_traces.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/scratch_folder.h"
#include "instrumentation/causes/collectives.h"
#include "instrumentation/import/common/trace_dates.h"
#include "instrumentation/import/load_any.h"
#include "instrumentation/link/file_follower.h"
#include "instrumentation/merge/collective_clocks.h"
#include "instrumentation/merge/recorded_clocks.h"

namespace runahead::merge {
namespace {

namespace fs = std::filesystem;
using trace::Trace;

constexpr std::string_view kRankKey = "process.rank";

// Reading the files takes about this share of the time.
constexpr double kReading = 0.7;

// A file, and what is known of it after it was read once.
struct Input {
  fs::path recording;  // the file, or its copy as a recording
  std::vector<causes::Collective> collectives;
  std::optional<std::int64_t> started_ns;  // since 1970, at time 0
  TimeRange extent;
};

// The number after the word "rank" in a file name: 3 of "trace_rank-3.json".
std::optional<std::int64_t> rank_in_name(std::string name) {
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (std::size_t at = name.find("rank"); at != std::string::npos; at = name.find("rank", at + 1)) {
    if (at > 0 && std::isalpha(static_cast<unsigned char>(name[at - 1])) != 0) continue;
    const std::size_t digits = std::min(name.find_first_not_of("_-", at + 4), name.size());
    std::int64_t rank = -1;
    std::from_chars(name.data() + digits, name.data() + name.size(), rank);
    if (rank >= 0) return rank;
  }
  return std::nullopt;
}

std::optional<std::int64_t> started_ns(const Metadata& metadata) {
  const auto ns = trace::number_of<std::int64_t>(metadata, "started_ns");
  return ns && importers::is_date(*ns) ? ns : std::nullopt;
}

// False for a recording that was converted from a trace of another tool.
bool names_process(const Metadata& metadata) {
  return metadata.contains("pid") || metadata.contains("process.name");
}
bool is_recording(const fs::path& file) {
  std::string start(kRecordingMagic.size(), '\0');
  std::ifstream(file, std::ios::binary).read(start.data(), static_cast<std::streamsize>(start.size()));
  return start == kRecordingMagic;
}

std::vector<causes::Collective> collectives_of(const Trace& trace) {
  const causes::Execution execution(trace);
  return causes::find_collectives(execution, causes::find_steps(execution));
}

class Joiner {
 public:
  Joiner(std::span<const fs::path> files, const recordings::Progress& progress)
      : files_(files), progress_(progress), scratch_("runahead-join") {}

  Result<std::vector<ProcessMerger::Process>> run(const fs::path& out, const fs::path& shown) {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      for (std::size_t other = 0; other < i; ++other) {
        if (is_same_file(files_[i], files_[other]))
          return Error{"'" + files_[i].string() + "' was given twice: give each trace once"};
      }
      if (const Status read = read_file(i); !read) return read.error();
    }
    Result<std::vector<ProcessClock>> clocks = find_clocks();
    if (!clocks) return clocks.error();
    return merge(*clocks, out, shown);
  }

 private:
  // False: the caller wants to stop.
  [[nodiscard]] bool go_on(double done) {
    done_ = std::max(done_, done);
    return !progress_ || progress_(done_);
  }
  // The progress of one half of reading file i.
  [[nodiscard]] recordings::Progress of_file(std::size_t i, double half) {
    return [this, i, half](double done) {
      return go_on(kReading * (static_cast<double>(i) + half + done / 2) /
                   static_cast<double>(files_.size()));
    };
  }

  Status read_file(std::size_t i) {
    const fs::path& file = files_[i];
    if (link::is_being_written(file))
      return Error{"recording '" + file.string() +
                   "': is still being written; join it when its program has ended"};
    Result<Trace> trace = importers::load_any(file, of_file(i, 0));
    if (!go_on(0)) return Error{"stopped"};
    if (!trace) return trace.error();
    inputs_.push_back({.recording = file,
                       .collectives = collectives_of(*trace),
                       .started_ns = started_ns(trace->metadata()),
                       .extent = trace->extent()});
    if (is_recording(file) && names_process(trace->metadata())) return Ok{};
    if (!scratch_.folder()) return scratch_.folder().error();
    describe(file, *trace);
    inputs_.back().recording = *scratch_.folder() / (std::to_string(i) + ".runahead");
    const Status saved = recordings::save_recording(*trace, inputs_.back().recording, of_file(i, 0.5));
    return go_on(0) ? saved : Error{"stopped"};
  }
  // Says which process the trace is of, as our own recordings do.
  void describe(const fs::path& file, Trace& trace) {
    const auto same_name = [&](const fs::path& other) { return other.filename() == file.filename(); };
    const bool alone = std::ranges::count_if(files_, same_name) == 1;
    const std::string name =
        (alone ? file.filename() : file.parent_path().filename() / file.filename()).string();
    trace.set_metadata("process.name", name);
    const std::string key(kRankKey);
    if (const auto rank = rank_in_name(name); rank && !trace.metadata().contains(key))
      trace.set_metadata(key, std::to_string(*rank));
    const auto rank = trace.metadata().find(key);
    name_devices(rank == trace.metadata().end() ? name : "rank " + rank->second, trace);
  }
  // Each rank has its own "gpu 0".
  static void name_devices(const std::string& rank, Trace& trace) {
    trace::Batch batch;
    batch.watermark = trace.watermark();
    for (const trace::Track& track : trace.tracks()) {
      if (track.info.device.empty()) continue;
      batch.tracks.push_back(track.info);
      batch.tracks.back().device = rank + " " + track.info.device;
    }
    trace.append(std::move(batch));
  }

  Result<std::vector<ProcessClock>> find_clocks() {
    std::vector<fs::path> recordings;
    for (const Input& input : inputs_) recordings.push_back(input.recording);
    Result<std::vector<ProcessClock>> clocks =
        clocks_of_recordings(recordings, [this] { return !go_on(kReading); });
    if (!clocks) return clocks;
    std::vector<std::vector<causes::Collective>> collectives;
    for (Input& input : inputs_) collectives.push_back(std::move(input.collectives));
    const auto by_collectives = clocks_by_collectives(collectives, [this] { return !go_on(kReading); });
    if (!go_on(kReading)) return Error{"stopped"};
    for (std::size_t i = 1; i < inputs_.size(); ++i) {
      ProcessClock& clock = (*clocks)[i];
      if (clock.source != ClockSource::kUnknown) continue;
      if (by_collectives[i] && agrees_with_dates(inputs_[i], *by_collectives[i])) {
        clock = {ClockSource::kCollectives, *by_collectives[i]};
        state_error(inputs_[i].extent, clock.aligned);
      } else if (const auto map = by_date(inputs_[i])) {
        clock = {ClockSource::kDates, {.map = *map}};
      }
    }
    return clocks;
  }
  // The collectives of another run may look alike. The clocks of two machines do not differ by minutes.
  [[nodiscard]] bool agrees_with_dates(const Input& input, const AlignedClock& clock) const {
    constexpr std::int64_t kMostDifferenceNs = 60'000'000'000;
    if (!input.started_ns || !inputs_.front().started_ns) return true;
    const std::int64_t by_dates = *input.started_ns - *inputs_.front().started_ns;
    return std::abs(static_cast<double>(clock.map.to_reference(0)) - static_cast<double>(by_dates)) <
           static_cast<double>(kMostDifferenceNs);
  }
  // The error of the whole trace, also of times without collectives.
  static void state_error(TimeRange extent, AlignedClock& clock) {
    if (extent.empty()) return;
    clock.error_ns = std::max(clock.error_at(ns_from(extent.begin)), clock.error_at(ns_from(extent.end)));
  }
  [[nodiscard]] std::optional<ClockMap> by_date(const Input& input) const {
    constexpr std::int64_t kDayNs = 86'400'000'000'000;
    if (!input.started_ns || !inputs_.front().started_ns) return std::nullopt;
    const std::int64_t offset = *input.started_ns - *inputs_.front().started_ns;  // both are dates
    if (std::abs(offset) > kDayNs) return std::nullopt;
    return ClockMap{.offset_ns = offset};
  }

  Result<std::vector<ProcessMerger::Process>> merge(const std::vector<ProcessClock>& clocks,
                                                    const fs::path& out, const fs::path& shown) {
    recordings::WriterOptions options;
    options.shown_path = shown;
    const Result<std::unique_ptr<ProcessMerger>> merger = ProcessMerger::create(out, options);
    if (!merger) return merger.error();
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const ProcessMerger::Known known{.clock = clocks[i], .trips = {}, .writer_lives = {}};
      if (const Status added = (*merger)->add(inputs_[i].recording, known); !added) return added.error();
    }
    while (!(*merger)->ended()) {
      if (!go_on(kReading)) return Error{"stopped"};
      if (const Result<bool> read = (*merger)->poll(); !read) return read.error();
    }
    if (!(*merger)->problems().empty()) return Error{(*merger)->problems().front()};
    if (const Status finished = (*merger)->finish(); !finished) return finished.error();
    std::vector<ProcessMerger::Process> processes = (*merger)->processes();
    for (std::size_t i = 0; i < processes.size(); ++i) processes[i].recording = files_[i];
    return processes;
  }

  const std::span<const fs::path> files_;
  const recordings::Progress& progress_;
  const ScratchFolder scratch_;
  std::vector<Input> inputs_;
  double done_ = 0;  // 0 to 1
};

}  // namespace

Result<std::vector<ProcessMerger::Process>> join_traces(std::span<const fs::path> files, const fs::path& out,
                                                        const fs::path& shown,
                                                        const recordings::Progress& progress) {
  return Joiner(files, progress).run(out, shown);
}

Result<Trace> open_joined(std::span<const fs::path> files, const recordings::Progress& progress,
                          const recordings::OpenOptions& options) {
  const ScratchFolder scratch("runahead-joined");
  if (!scratch.folder()) return scratch.folder().error();
  const fs::path out = *scratch.folder() / "joined.runahead";
  if (const auto joined = join_traces(files, out, out, progress); !joined) return joined.error();
  return recordings::open_recording(out, {}, options);
}

}  // namespace runahead::merge
