#include "instrumentation/import/perfetto/perfetto_sched.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace runahead::importers::perfetto {
using namespace trace;
namespace {

// Makes the name and the arguments of a run (a time in which a thread runs on a cpu). Caches the facts of
// each thread, because a thread has many runs.
class RunNames {
 public:
  RunNames(Decoded& out, const TaskBook& tasks)
      : out_(out),
        tasks_(tasks),
        tid_(out.intern("tid")),
        pid_(out.intern("pid")),
        process_(out.intern("process")),
        priority_(out.intern("priority")),
        end_state_(out.intern("end_state")) {}

  [[nodiscard]] StringId name(std::int64_t tid) { return facts(tid).name; }

  // `ended`: the switch that ended the run; null if it is unknown.
  [[nodiscard]] ArgsId args(const SchedSwitch& begun, const SchedSwitch* ended) {
    const TaskFacts& task = facts(begun.next_tid);
    ArgSet set{{tid_, begun.next_tid}};
    if (task.pid != 0) set.push_back({pid_, task.pid});
    if (task.process != kEmptyString) set.push_back({process_, task.process});
    set.push_back({priority_, std::int64_t{begun.next_prio}});
    if (ended != nullptr) set.push_back({end_state_, out_.intern(end_state_text(ended->prev_state))});
    return out_.intern(std::move(set));
  }

 private:
  struct TaskFacts {
    StringId name{}, process{};
    std::int64_t pid = 0;
  };
  const TaskFacts& facts(std::int64_t tid) {
    const auto [found, is_new] = known_.try_emplace(tid);
    if (is_new) {
      std::string name = tasks_.thread_name(tid);
      if (name.empty()) name = "thread " + std::to_string(tid);
      const std::int64_t pid = tasks_.pid(tid);
      found->second = {out_.intern(name), pid == 0 ? kEmptyString : out_.intern(tasks_.process_name(pid)),
                       pid};
    }
    return found->second;
  }

  Decoded& out_;
  const TaskBook& tasks_;
  StringId tid_, pid_, process_, priority_, end_state_;
  std::unordered_map<std::int64_t, TaskFacts> known_;
};

bool comes_before(const SchedSwitch& a, const SchedSwitch& b) {
  return a.time.clock != b.time.clock ? a.time.clock < b.time.clock : a.time.ns < b.time.ns;
}

}  // namespace

std::string end_state_text(std::int64_t bits) {
  // The low bits have the same meaning in all kernels. If no low bit is set, a higher bit means that the
  // thread was still runnable.
  constexpr std::array<std::pair<std::int64_t, char>, 8> kStates{
      {{1, 'S'}, {2, 'D'}, {4, 'T'}, {8, 't'}, {16, 'X'}, {32, 'Z'}, {64, 'P'}, {128, 'I'}}};
  if (bits == 0) return "R";
  std::string text;
  for (const auto& [bit, letter] : kStates) {
    if ((bits & bit) != 0) text += letter;
  }
  return text.empty() ? "R+" : text;
}

void SchedBook::make_runs(Decoded& out, const TaskBook& tasks) {
  RunNames names(out, tasks);
  for (auto& [cpu, switches] : cpus_) {
    std::stable_sort(switches.begin(), switches.end(), comes_before);
    const NodeId track = out.tracks.system_track(SystemGroup::kScheduling, "CPU " + std::to_string(cpu),
                                                 static_cast<std::int32_t>(cpu));
    for (std::size_t i = 0; i < switches.size(); ++i) {
      const SchedSwitch& begun = switches[i];
      const bool last = i + 1 == switches.size() || switches[i + 1].time.clock != begun.time.clock;
      const SchedSwitch* ended = last ? nullptr : &switches[i + 1];
      const bool by_another = ended != nullptr && ended->prev_tid && *ended->prev_tid != begun.next_tid;
      if (by_another) out.lose(LossCause::kUnmatchedEnd);
      if (begun.next_tid == 0) continue;
      Run run{.begin = begun.time, .track = track, .name = names.name(begun.next_tid)};
      if (ended != nullptr) run.end_ns = ended->time.ns;
      run.args = names.args(begun, by_another ? nullptr : ended);
      out.runs.push_back(run);
    }
    switches = {};
  }
  cpus_.clear();
}

}  // namespace runahead::importers::perfetto
