// Reads the data of Perfetto's machine probes other than ftrace (the kernel's tracer): process and thread
// lists, process memory, the machine's memory and cpus, battery and power. The importer makes counters from
// this data, and takes the names of processes and threads from it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "instrumentation/import/common/small_message.h"
#include "instrumentation/import/perfetto/perfetto_decoded.h"
#include "instrumentation/import/perfetto/perfetto_tasks.h"

namespace runahead::importers::perfetto {
using namespace trace;

class StatsReader {
 public:
  StatsReader(Decoded& out, TaskBook& tasks) : out_(out), tasks_(tasks) {}  // both must outlive this

  void process_tree(std::string_view message);
  // `time` is the time of the packet. If a power rail states its own time, that time is used instead.
  void process_stats(std::string_view message, ClockTime time);
  void sys_stats(std::string_view message, ClockTime time);
  void battery(std::string_view message, ClockTime time);
  void power_rails(std::string_view message, std::uint64_t sequence, ClockTime time);
  void gpu_mem_total(std::string_view message, ClockTime time);

 private:
  struct Sys;

  void process(std::string_view message);
  void thread(std::string_view message, std::int64_t pid);
  void memory_of_process(std::string_view message, ClockTime time);
  void act_on_sys(const Field& field, Sys& sys);
  void frequencies(const Field& field, Sys& sys);
  void cpu_times(const SmallMessage& told, ClockTime time);
  void disk(const SmallMessage& told, ClockTime time);
  void buddies(std::string_view message, ClockTime time);
  void idle_states(std::string_view message, ClockTime time);
  // Parses the message. Counts the message as broken if the message is incomplete or damaged.
  SmallMessage read(std::string_view message);
  void add(SystemGroup group, std::string_view name, Unit unit, double value, ClockTime time,
           std::int32_t rank = 0) {
    out_.samples.push_back({time, out_.tracks.system_counter(group, name, unit, rank), value});
  }

  Decoded& out_;
  TaskBook& tasks_;
  // key: sequence and index of a power rail; value: the name of the rail
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::string> rails_;
};

}  // namespace runahead::importers::perfetto
