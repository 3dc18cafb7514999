// cupti_replay: sends the activity of real traces through the CUPTI module and its decoder, and compares the
// resulting recordings with the traces, row by row. It needs no GPU. Usage:
//   cupti_replay FILE...
// FILE is a SQLite export of Nsight Systems, or a trace of PyTorch's profiler (.json, .json.gz). The output
// is the table of docs/cupti.md. Exit code 1: a row differs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "instrumentation/import/load_any.h"
#include "tests/cupti/replay/replay.h"
#include "tests/cupti/replay/timeline.h"
#include "tests/support/scratch_folder.h"

namespace runahead::testing {
namespace {

struct Way {
  FillOrder order;
  std::size_t buffer_bytes;
  const char* name;
};
constexpr Way kWays[] = {{FillOrder::kByThread, std::size_t{4} << 10, "by thread, 4 KiB"},
                         {FillOrder::kByThread, std::size_t{128} << 10, "by thread, 128 KiB"},
                         {FillOrder::kByThread, std::size_t{4} << 20, "by thread, 4 MiB"},
                         {FillOrder::kByCompletion, std::size_t{4} << 10, "by completion, 4 KiB"},
                         {FillOrder::kByCompletion, std::size_t{128} << 10, "by completion, 128 KiB"}};

std::string losses_of(const trace::Trace& trace) {
  std::string out;
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (const std::uint64_t count = trace.losses().of(cause); count != 0)
      out += std::string(out.empty() ? "" : ", ") + std::string(trace::loss_key(cause)) + " " +
             std::to_string(count);
  }
  return out;
}

class Report {
 public:
  void row(const std::string& file, const std::string& way, const std::string& kind,
           const Difference& difference) {
    std::printf("| %s | %s | %s | %llu | %llu | %llu |\n", file.c_str(), way.c_str(), kind.c_str(),
                static_cast<unsigned long long>(difference.equal),
                static_cast<unsigned long long>(difference.missing),
                static_cast<unsigned long long>(difference.extra));
    for (const std::string& example : difference.examples) std::fprintf(stderr, "    %s\n", example.c_str());
    differs = differs || difference.missing + difference.extra != 0;
  }
  bool differs = false;
};

bool is_sqlite(const std::filesystem::path& file) { return file.extension() == ".sqlite"; }

// The begin of the first row that has a correlation id.
std::int64_t first_of(const std::vector<Profile>& profiles) {
  std::int64_t first = INT64_MAX;
  const auto see = [&](const auto& rows) {
    for (const auto& row : rows) {
      if (row.correlation != 0) first = std::min(first, row.begin);
    }
  };
  for (const Profile& profile : profiles) see(profile.work), see(profile.calls), see(profile.waits);
  return first;
}

Status replay_file(const std::filesystem::path& path, Report& report) {
  const std::string file = path.filename().string();
  const Result<std::vector<Profile>> profiles = is_sqlite(path) ? read_nsys(path) : read_kineto(path);
  if (!profiles) return profiles.error();
  const ScratchFolder folder;
  for (const Way& way : kWays) {
    Timeline expected, found;
    std::uint64_t muted = 0, records = 0;
    std::string losses;
    for (const Profile& profile : *profiles) {
      const Result<Replayed> replayed =
          replay(profile, way.order, way.buffer_bytes, folder / "replay.runahead");
      if (!replayed) return replayed.error();
      add(expected, timeline_of_profile(profile, Shown::kByUs, replayed->recorded));
      add(found, timeline_of_recording(replayed->trace, replayed->shift_ns));
      muted +=
          static_cast<std::uint64_t>(std::count(replayed->recorded.begin(), replayed->recorded.end(), false));
      records += replayed->records;
      losses += "[" + losses_of(replayed->trace) + "]";
    }
    for (const auto& [kind, difference] : compare(expected, found))
      report.row(file, way.name, kind, difference);
    std::printf("%s, %s: %llu records, %llu calls not recorded, losses %s\n", file.c_str(), way.name,
                static_cast<unsigned long long>(records), static_cast<unsigned long long>(muted),
                losses.c_str());
  }
  const Result<trace::Trace> imported = importers::load_any(path);
  if (!imported) return imported.error();
  Timeline expected;
  for (const Profile& profile : *profiles)
    add(expected, shortened(timeline_of_profile(profile, Shown::kByTheOther, {})));
  for (auto& [kind, difference] : compare(expected, timeline_of_import(*imported, first_of(*profiles)))) {
    if (kind == "memory") continue;  // the counters of the file are those of PyTorch's allocator
    // A trace of PyTorch's profiler has more slices of threads than those that are replayed as ranges.
    if (kind == "ranges" && !is_sqlite(path)) difference.extra = 0;
    report.row(file, "the importer", kind, difference);
  }
  return Ok{};
}

int run(std::span<char*> files) {
  Report report;
  for (const char* const file : files) {
    if (const Status done = replay_file(file, report); !done) {
      std::fprintf(stderr, "%s\n", done.error().message.c_str());
      return 2;
    }
  }
  return report.differs ? 1 : 0;
}

}  // namespace
}  // namespace runahead::testing

int main(int count, char** words) {
  ::testing::InitGoogleTest(&count, words);
  return runahead::testing::run(std::span(words + 1, static_cast<std::size_t>(count - 1)));
}
