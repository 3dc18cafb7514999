#include "instrumentation/import/sqlite/nsys_names.h"

#include <algorithm>
#include <array>
#include <cstddef>

namespace runahead::importers {
namespace {

// By number of copyKind. The numbers are CUPTI's; the last three are Nsight Systems' own.
constexpr std::array<std::string_view, 14> kCopyWords{"Unknown", "HtoD", "DtoH", "HtoA", "AtoH",
                                                      "AtoA",    "AtoD", "DtoA", "DtoD", "HtoH",
                                                      "PtoP",    "HtoD", "DtoH", "DtoD"};
constexpr std::array<std::string_view, 8> kMemoryWords{
    "Pageable", "Pinned", "Device", "Array", "Managed", "Device Static", "Managed Static", "Unknown"};

template <std::size_t kCount>
std::string word_of(const std::array<std::string_view, kCount>& words, std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(kCount)) return "kind " + std::to_string(number);
  return std::string(words[static_cast<std::size_t>(number)]);
}

std::string with_name(std::string text, std::string_view name) {
  return name.empty() ? text : text + " (" + std::string(name) + ")";
}

}  // namespace

std::string_view without_version(std::string_view call) {
  const std::size_t at = call.rfind("_v");
  if (at == std::string_view::npos || at == 0) return call;
  const std::string_view version = call.substr(at + 2);
  const bool digits = std::ranges::all_of(version, [](char c) { return c >= '0' && c <= '9'; });
  return digits && version.size() >= 4 ? call.substr(0, at) : call;
}

NsysNames::NsysNames(SqliteDatabase& database, ImportNames& names)
    : database_(database),
      names_(names),
      strings_(database, database.table("StringIds"), "id", "value", names) {
  read_processes();
  read_threads();
  read_devices();
  memory_kinds_ = labels("ENUM_CUDA_MEM_KIND");
  copy_kinds_ = labels("ENUM_CUDA_MEMCPY_OPER");
  overheads_ = labels("ENUM_CUPTI_OVERHEAD_TYPE");
}

void NsysNames::read_processes() {
  const SqliteTable* const table = database_.table("PROCESSES");
  if (table == nullptr) return;
  SqliteStatement rows = database_.select(*table, {"globalPid", "pid", "name"});
  while (rows.step()) {
    const auto global = rows.integer(0), pid = rows.integer(1);
    if (global || pid) processes_[global ? pid_of_global(*global) : *pid] = rows.text(2);
  }
}

void NsysNames::read_threads() {
  const SqliteTable* const table = database_.table("ThreadNames");
  if (table == nullptr) return;
  SqliteStatement rows = database_.select(*table, {"globalTid", "nameId"});
  while (rows.step()) {
    const auto global = rows.integer(0), name = rows.integer(1);
    if (global && name)
      threads_[{pid_of_global(*global), tid_of_global(*global)}] = strings_.text_of(*name).value_or("");
  }
}

void NsysNames::read_devices() {
  const SqliteTable* const table = database_.table("TARGET_INFO_GPU");
  if (table == nullptr) return;
  SqliteStatement rows = database_.select(*table, {"cuDevice", "id", "name"});
  while (rows.step()) {
    const auto cuda = rows.integer(0), id = rows.integer(1);
    if (cuda || id) devices_[cuda ? *cuda : *id] = rows.text(2);
  }
}

NsysNames::Labels NsysNames::labels(std::string_view name) {
  Labels out;
  const SqliteTable* const table = database_.table(name);
  if (table == nullptr) return out;
  SqliteStatement rows = database_.select(*table, {"id", "label"});
  while (rows.step()) {
    if (const auto id = rows.integer(0); id && !rows.text(1).empty()) out[*id] = rows.text(1);
  }
  return out;
}

// ---- strings ----------------------------------------------------------------------------------------------

StringId NsysNames::call(std::int64_t id) {
  const auto [call, is_new] = calls_.try_emplace(id);
  const StringId name = strings_.find(id);  // also counts an id without a string
  if (is_new) call = names_.intern(without_version(std::string(names_.text(name))));
  return call;
}

// ---- words ------------------------------------------------------------------------------------------------

std::string NsysNames::process(std::int64_t pid) const {
  const auto found = processes_.find(pid);
  const std::string number = std::to_string(pid);
  return found == processes_.end() || found->second.empty() ? "process " + number
                                                            : with_name(found->second, number);
}

std::string NsysNames::thread(std::int64_t pid, std::int64_t tid) const {
  const auto found = threads_.find({pid, tid});
  return with_name("thread " + std::to_string(tid), found == threads_.end() ? "" : found->second);
}

std::string NsysNames::device(std::int64_t device) const {
  const auto found = devices_.find(device);
  return with_name("gpu " + std::to_string(device), found == devices_.end() ? "" : found->second);
}

std::string NsysNames::memory_kind(std::int64_t kind) const {
  const auto found = memory_kinds_.find(kind);
  return found == memory_kinds_.end() ? word_of(kMemoryWords, kind) : found->second;
}

std::string NsysNames::overhead(std::int64_t type) const {
  const auto found = overheads_.find(type);
  return found == overheads_.end() ? "overhead" : found->second;
}

StringId NsysNames::copy(std::int64_t copy_kind, std::int64_t from_kind, std::int64_t to_kind) {
  const auto [entry, is_new] = copies_.try_emplace({copy_kind, {from_kind, to_kind}});
  if (!is_new) return entry->second;
  const bool is_known = copy_kind < 0 || copy_kind < static_cast<std::int64_t>(kCopyWords.size());
  const auto label = copy_kinds_.find(copy_kind);
  std::string name = "Memcpy";
  if (copy_kind >= 0)
    name += " " + (is_known || label == copy_kinds_.end() ? word_of(kCopyWords, copy_kind) : label->second);
  if (from_kind >= 0 && to_kind >= 0)
    name += " (" + memory_kind(from_kind) + " -> " + memory_kind(to_kind) + ")";
  return entry->second = names_.intern(name);
}

StringId NsysNames::memset(std::int64_t memory_kind_number) {
  return names_.intern(with_name("Memset", memory_kind_number < 0 ? "" : memory_kind(memory_kind_number)));
}

}  // namespace runahead::importers
