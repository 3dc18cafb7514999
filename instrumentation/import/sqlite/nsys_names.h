// NsysNames: the names in an export of Nsight Systems: strings by id, processes, threads, devices, and the
// words for the numbers of copies and memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "instrumentation/import/common/import_names.h"
#include "instrumentation/import/sqlite/profiler_tracks.h"
#include "instrumentation/import/sqlite/sqlite_database.h"
#include "instrumentation/import/sqlite/string_table.h"

namespace runahead::importers {

// An id that Nsight Systems calls global has the process number and the thread number in its low 48 bits.
// Higher bits say on which machine the process ran.
[[nodiscard]] constexpr std::int64_t pid_of_global(std::int64_t id) { return id >> 24 & 0xff'ffff; }
[[nodiscard]] constexpr std::int64_t tid_of_global(std::int64_t id) { return id & 0xff'ffff; }

// "cudaLaunchKernel_v7000" -> "cudaLaunchKernel". A suffix such as _v2 stays, because it is part of the name
// of a function of the driver.
[[nodiscard]] std::string_view without_version(std::string_view call);

class NsysNames final : public TrackNames {
 public:
  // Reads the names of processes, threads and devices. The objects must outlive this one.
  NsysNames(SqliteDatabase& database, ImportNames& names);

  // The string with this id of the table StringIds. "": no such string; it is counted.
  [[nodiscard]] StringId string(std::int64_t id) { return strings_.find(id); }
  // The name of a CUDA function, without the version at its end.
  [[nodiscard]] StringId call(std::int64_t id);
  [[nodiscard]] std::uint64_t undefined() const { return strings_.undefined(); }

  [[nodiscard]] std::string process(std::int64_t pid) const override;
  [[nodiscard]] std::string thread(std::int64_t pid, std::int64_t tid) const override;
  [[nodiscard]] std::string device(std::int64_t device) const override;

  // The names that PyTorch's profiler gives to copies and memsets: "Memcpy HtoD (Pinned -> Device)", "Memset
  // (Device)". A kind below 0 is unknown.
  [[nodiscard]] StringId copy(std::int64_t copy_kind, std::int64_t from_kind, std::int64_t to_kind);
  [[nodiscard]] StringId memset(std::int64_t memory_kind);
  [[nodiscard]] std::string memory_kind(std::int64_t kind) const override;
  [[nodiscard]] std::string overhead(std::int64_t type) const;  // "Buffer flush (Profiler)" or "overhead"

 private:
  using Labels = std::map<std::int64_t, std::string>;
  [[nodiscard]] Labels labels(std::string_view table);
  void read_processes();
  void read_threads();
  void read_devices();

  SqliteDatabase& database_;
  ImportNames& names_;
  StringTable strings_;
  SmallIds<StringId> calls_;
  std::map<std::int64_t, std::string> processes_, devices_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::string> threads_;
  Labels memory_kinds_, copy_kinds_, overheads_;
  std::map<std::pair<std::int64_t, std::pair<std::int64_t, std::int64_t>>, StringId> copies_;
};

}  // namespace runahead::importers
