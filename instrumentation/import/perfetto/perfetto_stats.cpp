#include "instrumentation/import/perfetto/perfetto_stats.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/import/perfetto/perfetto_ftrace_fields.h"
#include "instrumentation/import/perfetto/perfetto_kinds.h"

namespace runahead::importers::perfetto {
using namespace trace;
using namespace exporters::perfetto;
namespace {

constexpr double kBytesPerKb = 1024;
// /proc/diskstats counts in units of 512 bytes, even if the disk's own sectors have another size
constexpr double kBytesPerSector = 512;
// Maximum number of cpus and of orders (an order is a size of free memory blocks) in one message. Each cpu
// and each order becomes a track, so a message with more cpus or orders is treated as damaged. kMostCpus is
// the kernel's NR_CPUS; kMostOrders is far above the kernel's MAX_ORDER.
constexpr std::uint32_t kMostCpus = 1u << 13;
constexpr std::size_t kMostOrders = 64;

// Counters of a process and their field numbers. Counters that ftrace also reports have the same names here,
// so both sources share a track.
struct ProcessCounter {
  std::uint32_t field = 0;
  std::string_view name;
};
constexpr ProcessCounter kProcessMemory[] = {
    {2, "mem.virt"},      {3, "mem.rss"},  {4, "mem.rss.anon"}, {5, "mem.rss.file"},
    {6, "mem.rss.shmem"}, {7, "mem.swap"}, {8, "mem.locked"},   {9, "mem.rss.watermark"},
};

// Names of the states in which a cpu spends its time. The message has one field for each state, with the time
// spent in that state. The name at index 0 belongs to field 2 of the message.
constexpr std::array<std::string_view, 8> kCpuTimes{"user",    "user (nice)", "system",  "idle",
                                                    "io wait", "irq",         "softirq", "steal"};

constexpr std::array<std::string_view, 7> kPsi{"",        "cpu some",    "cpu full",   "io some",
                                               "io full", "memory some", "memory full"};

std::string number_label(const SmallMessage& told) { return std::to_string(told.int32(1)); }
std::string text_label(const SmallMessage& told) { return std::string(told.text(1)); }
std::string meminfo_label(const SmallMessage& told) { return meminfo_name(told.uint32(1)); }
std::string vmstat_label(const SmallMessage& told) { return vmstat_name(told.uint32(1)); }
std::string psi_label(const SmallMessage& told) {
  return told.uint32(1) < kPsi.size() ? std::string(kPsi[told.uint32(1)]) : number_label(told);
}

// Counters of the machine that the file stores as messages with a key (field 1) and a value (field 2).
struct PairCounter {
  std::uint32_t field = 0;
  SystemGroup group = SystemGroup::kSystem;
  std::string (*key)(const SmallMessage&) = nullptr;
  std::string_view before, after;  // the name is before + key + after
  Unit unit = Unit::kNone;
  double factor = 1;
};
constexpr PairCounter kPairs[] = {
    {sys_stats::kMeminfo, SystemGroup::kMemory, meminfo_label, "", "", Unit::kBytes, kBytesPerKb},
    {sys_stats::kVmstat, SystemGroup::kMemory, vmstat_label, "", "", Unit::kCount},
    {sys_stats::kIrq, SystemGroup::kSystem, number_label, "IRQ ", "", Unit::kCount},
    {sys_stats::kSoftirq, SystemGroup::kSystem, number_label, "softirq ", "", Unit::kCount},
    {sys_stats::kDevfreq, SystemGroup::kSystem, text_label, "", " frequency (kHz)"},
    {sys_stats::kThermalZone, SystemGroup::kSystem, text_label, "", " temperature (m°C)"},
    {sys_stats::kPsi, SystemGroup::kSystem, psi_label, "pressure, ", "", Unit::kNanoseconds},
};
struct TotalCounter {
  std::uint32_t field = 0;
  std::string_view name;
};
constexpr TotalCounter kTotals[] = {
    {sys_stats::kForks, "forks"}, {sys_stats::kIrqTotal, "IRQs"}, {sys_stats::kSoftirqTotal, "softirqs"}};

std::string of_cpu(std::uint32_t cpu, std::string_view what) {
  return "CPU " + std::to_string(cpu) + " " + std::string(what);
}

// Returns the rank (sort order) of a cpu's counter that this file reads. The cpu's counters from ftrace have
// the ranks 0 and 1, so they come first.
std::int32_t stats_rank(std::uint32_t cpu, std::int32_t within) { return cpu_rank(cpu, 2 + within); }

double real(std::uint64_t bits) { return static_cast<double>(bits); }

}  // namespace

// The state while one sys_stats message is read. The message does not say to which cpu or GPU a frequency
// belongs, so frequencies are numbered by their position in the message.
struct StatsReader::Sys {
  ClockTime time;
  std::uint32_t cpus = 0, gpus = 0;
  bool whole = true;
};

SmallMessage StatsReader::read(std::string_view message) {
  SmallMessage told(message);
  if (!told.whole()) out_.lose(LossCause::kImportBroken);
  return told;
}

// ---- processes --------------------------------------------------------------------------------------------

void StatsReader::process_tree(std::string_view message) {
  const bool whole = each_field(message, [this](const Field& field) {
    if (field.number == process_tree::kProcesses) process(field.bytes);
    if (field.number == process_tree::kThreads) thread(field.bytes, 0);
  });
  if (!whole) out_.lose(LossCause::kImportBroken);
}

void StatsReader::process(std::string_view message) {
  std::int64_t pid = 0, parent = 0;
  std::string_view name;
  std::vector<std::string_view> threads;
  const bool whole = each_field(message, [&](const Field& field) {
    if (field.number == process_tree::kPid) pid = field.int32();
    if (field.number == process_tree::kParentPid) parent = field.int32();
    if (field.number == process_tree::kCmdline && name.empty()) name = field.bytes;
    if (field.number == process_tree::kThreadsOfOld) threads.push_back(field.bytes);
  });
  if (!whole) out_.lose(LossCause::kImportBroken);
  if (pid == 0) return;
  tasks_.set_process(pid, parent, name);
  for (const std::string_view told : threads) thread(told, pid);
}

void StatsReader::thread(std::string_view message, std::int64_t pid) {
  const SmallMessage told = read(message);
  const std::int64_t tid = told.int32(process_tree::kTid);
  if (tid == 0) return;
  if (told.has(process_tree::kTgid)) pid = told.int32(process_tree::kTgid);
  tasks_.set_thread(tid, pid, told.text(process_tree::kName));
}

void StatsReader::process_stats(std::string_view message, ClockTime time) {
  const bool whole = each_field(message, [&](const Field& field) {
    if (field.number == process_stats::kProcesses) memory_of_process(field.bytes, time);
  });
  if (!whole) out_.lose(LossCause::kImportBroken);
}

void StatsReader::memory_of_process(std::string_view message, ClockTime time) {
  const SmallMessage told = read(message);
  const std::int64_t pid = told.int32(process_stats::kPid);
  for (const ProcessCounter& counter : kProcessMemory) {
    if (!told.has(counter.field)) continue;
    out_.samples.push_back({time, out_.tracks.named_counter(pid, counter.name, Unit::kBytes),
                            real(told.bits(counter.field)) * kBytesPerKb});
  }
  if (told.has(process_stats::kOomScoreAdj)) {
    out_.samples.push_back({time, out_.tracks.named_counter(pid, "oom_score_adj"),
                            static_cast<double>(told.integer(process_stats::kOomScoreAdj))});
  }
}

// ---- the machine ------------------------------------------------------------------------------------------

void StatsReader::sys_stats(std::string_view message, ClockTime time) {
  Sys sys{.time = time};
  const bool whole = each_field(message, [&](const Field& field) { act_on_sys(field, sys); });
  if (!whole || !sys.whole) out_.lose(LossCause::kImportBroken);
}

void StatsReader::act_on_sys(const Field& field, Sys& sys) {
  if (const auto* counter = std::ranges::find(kPairs, field.number, &PairCounter::field);
      counter != std::end(kPairs)) {
    const SmallMessage told = read(field.bytes);
    return add(counter->group,
               std::string(counter->before) + counter->key(told) + std::string(counter->after), counter->unit,
               real(told.bits(2)) * counter->factor, sys.time);
  }
  if (const auto* counter = std::ranges::find(kTotals, field.number, &TotalCounter::field);
      counter != std::end(kTotals)) {
    return add(SystemGroup::kSystem, counter->name, Unit::kCount, real(field.bits), sys.time);
  }
  switch (field.number) {
    case sys_stats::kCpuStat:
      return cpu_times(read(field.bytes), sys.time);
    case sys_stats::kCpufreqKhz:
    case sys_stats::kGpufreqMhz:
      return frequencies(field, sys);
    case sys_stats::kBuddyInfo:
      return buddies(field.bytes, sys.time);
    case sys_stats::kDiskStat:
      return disk(read(field.bytes), sys.time);
    case sys_stats::kCpuidleState:
      return idle_states(field.bytes, sys.time);
    case sys_stats::kEndTimestamp:
      return;  // the time at which the probe finished reading
    default:
      return out_.skip("event", "sys_stats_" + std::to_string(field.number));
  }
}

void StatsReader::frequencies(const Field& field, Sys& sys) {
  const bool whole = each_number(field, false, [&](std::uint64_t value) {
    if (sys.cpus + sys.gpus >= kMostCpus) {
      sys.whole = false;
    } else if (field.number == sys_stats::kCpufreqKhz) {
      const std::uint32_t cpu = sys.cpus++;
      add(SystemGroup::kCpu, of_cpu(cpu, "frequency (kHz)"), Unit::kNone, real(value), sys.time,
          cpu_rank(cpu, 0));
    } else {
      add(SystemGroup::kSystem, "GPU " + std::to_string(sys.gpus++) + " frequency (MHz)", Unit::kNone,
          real(value), sys.time);
    }
  });
  sys.whole = sys.whole && whole;
}

void StatsReader::cpu_times(const SmallMessage& told, ClockTime time) {
  const std::uint32_t cpu = told.uint32(1);
  for (std::uint32_t i = 0; i < kCpuTimes.size(); ++i) {
    if (!told.has(i + 2)) continue;
    add(SystemGroup::kCpu, of_cpu(cpu, std::string(kCpuTimes[i]) + " time"), Unit::kNanoseconds,
        real(told.bits(i + 2)), time, stats_rank(cpu, static_cast<std::int32_t>(i)));
  }
}

void StatsReader::disk(const SmallMessage& told, ClockTime time) {
  struct Value {
    std::uint32_t field;
    std::string_view name;
    Unit unit;
    double factor;
  };
  constexpr double kNsPerMs = 1e6;
  constexpr Value kValues[] = {
      {2, " read", Unit::kBytes, kBytesPerSector},
      {3, " read time", Unit::kNanoseconds, kNsPerMs},
      {4, " written", Unit::kBytes, kBytesPerSector},
      {5, " write time", Unit::kNanoseconds, kNsPerMs},
      {6, " discarded", Unit::kBytes, kBytesPerSector},
      {7, " discard time", Unit::kNanoseconds, kNsPerMs},
      {8, " flushes", Unit::kCount, 1},
      {9, " flush time", Unit::kNanoseconds, kNsPerMs},
  };
  const std::string name = "disk " + std::string(told.text(1));
  for (const Value& value : kValues) {
    if (!told.has(value.field)) continue;
    add(SystemGroup::kSystem, name + std::string(value.name), value.unit,
        real(told.bits(value.field)) * value.factor, time);
  }
}

void StatsReader::buddies(std::string_view message, ClockTime time) {
  std::string node, zone;
  std::vector<std::uint64_t> pages;
  bool numbers_whole = true;
  const auto visit = [&](const Field& field) {
    if (field.number == 1) node = field.bytes;
    if (field.number == 2) zone = field.bytes;
    if (field.number != 3) return;
    const bool ended = each_number(field, false, [&](std::uint64_t n) { pages.push_back(n); });
    numbers_whole = numbers_whole && ended && pages.size() <= kMostOrders;
  };
  const bool whole = each_field(message, visit);
  if (!whole || !numbers_whole) out_.lose(LossCause::kImportBroken);
  pages.resize(std::min(pages.size(), kMostOrders));
  for (std::size_t order = 0; order < pages.size(); ++order) {
    add(SystemGroup::kMemory, "free blocks of node " + node + " " + zone + ", order " + std::to_string(order),
        Unit::kCount, real(pages[order]), time);
  }
}

void StatsReader::idle_states(std::string_view message, ClockTime time) {
  std::uint32_t cpu = 0;
  std::vector<std::string_view> states;
  const bool whole = each_field(message, [&](const Field& field) {
    if (field.number == 1) cpu = field.uint32();
    if (field.number == 2) states.push_back(field.bytes);
  });
  if (!whole) out_.lose(LossCause::kImportBroken);
  constexpr double kNsPerUs = 1e3;
  for (const std::string_view state : states) {
    const SmallMessage told = read(state);
    add(SystemGroup::kCpu, of_cpu(cpu, "idle time in " + std::string(told.text(1))), Unit::kNanoseconds,
        real(told.bits(2)) * kNsPerUs, time, stats_rank(cpu, 13));
  }
}

// ---- power and gpu ----------------------------------------------------------------------------------------

void StatsReader::battery(std::string_view message, ClockTime time) {
  const SmallMessage told = read(message);
  const auto whole_number = [&](std::uint32_t field, std::string_view name) {
    if (told.has(field))
      add(SystemGroup::kSystem, name, Unit::kNone, static_cast<double>(told.integer(field)), time);
  };
  whole_number(1, "battery charge (µAh)");
  if (told.has(2)) add(SystemGroup::kSystem, "battery", Unit::kRatio, double{told.real32(2)} / 100, time);
  whole_number(3, "battery current (µA)");
  whole_number(4, "battery current, mean (µA)");
  whole_number(6, "battery energy (µWh)");
  whole_number(7, "battery voltage (µV)");
}

void StatsReader::power_rails(std::string_view message, std::uint64_t sequence, ClockTime time) {
  std::vector<std::string_view> energies;
  const bool whole = each_field(message, [&](const Field& field) {
    if (field.number == 2) energies.push_back(field.bytes);
    if (field.number != 1) return;
    const SmallMessage rail = read(field.bytes);
    rails_[{sequence, rail.uint32(1)}] = rail.text(2);
  });
  if (!whole) out_.lose(LossCause::kImportBroken);
  for (const std::string_view energy : energies) {
    const SmallMessage told = read(energy);
    const auto rail = rails_.find({sequence, told.uint32(1)});
    const std::string name = rail != rails_.end() ? rail->second : std::to_string(told.uint32(1));
    constexpr std::uint64_t kUsPerMs = 1000, kMostMs = std::uint64_t{1} << 50;
    const ClockTime at =
        told.has(2) ? out_.clocks.read_us(clocks::kBoottime, std::min(told.bits(2), kMostMs) * kUsPerMs)
                    : time;
    add(SystemGroup::kSystem, "energy of " + name + " (µWs)", Unit::kNone, real(told.bits(3)), at);
  }
}

void StatsReader::gpu_mem_total(std::string_view message, ClockTime time) {
  const SmallMessage told = read(message);
  out_.samples.push_back({time, out_.tracks.gpu_memory(told.uint32(2)), real(told.bits(3))});
}

}  // namespace runahead::importers::perfetto
