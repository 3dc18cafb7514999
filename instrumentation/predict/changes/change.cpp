#include "instrumentation/predict/changes/change.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "instrumentation/base/parse_number.h"
#include "instrumentation/predict/changes/change_bulk.h"
#include "instrumentation/predict/changes/change_devices.h"
#include "instrumentation/predict/changes/change_launches.h"
#include "instrumentation/predict/changes/change_loading.h"
#include "instrumentation/predict/changes/change_waits.h"

namespace runahead::predict {
namespace {

constexpr std::string_view kOfOp = "op:", kOfSync = "sync:";
// A larger number of workers is a mistake, and would need much memory.
constexpr std::int64_t kMostServers = 1024;

Error wrong(const Change& change, const std::string& wanted) { return wrong_change(change, wanted); }

Result<std::int64_t> count_of(const Change& change) {
  const auto count = parse_positive_bytes(change.value);
  if (!count) return wrong(change, "the value must be a number above 0");
  return *count;
}

Result<double> factor_of(const Change& change) {
  const auto factor = parse_real(change.value);
  if (!factor || !std::isfinite(*factor) || *factor < 0 || *factor > 1000)
    return wrong(change, "the value must be a factor from 0 to 1000");
  return *factor;
}

Status choose(const Change& change, std::string_view no, std::string_view yes, bool& out) {
  if (change.value != no && change.value != yes)
    return wrong(change, "the value must be " + std::string(no) + " or " + std::string(yes));
  out = change.value == yes;
  return Ok{};
}

Result<std::int64_t> worker_count_of(const Change& change) {
  const Result<std::int64_t> count = count_of(change);
  if (count && *count > kMostServers)
    return wrong(change, "at most " + std::to_string(kMostServers) + " workers");
  return count;
}

Status set_servers(const Change& change, std::string_view queue_name, Program& program) {
  const Result<std::int64_t> count = worker_count_of(change);
  if (!count) return count.error();
  const auto queue = std::ranges::find(program.queues, queue_name, &Queue::name);
  if (queue == program.queues.end())
    return wrong(change, "no op of the run was executed by a worker of this kind");
  queue->servers = static_cast<int>(*count);
  return Ok{};
}

Status scale_frontends(const Change& change, Program& program) {
  const Result<double> factor = factor_of(change);
  if (!factor) return factor.error();
  for (Frontend& frontend : program.frontends) {
    for (Event& event : frontend.events) {
      event.before = scaled(event.before, *factor);
      event.slow_start = scaled(event.slow_start, *factor);
    }
  }
  program.waits.slow_start = scaled(program.waits.slow_start, *factor);
  return Ok{};
}

Status scale_ops(const Change& change, const trace::Trace& trace, Program& program) {
  const Result<double> factor = factor_of(change);
  if (!factor) return factor.error();
  std::string_view name = std::string_view(change.key).substr(kOfOp.size());
  const bool is_beginning = name.ends_with('*');
  if (is_beginning) name.remove_suffix(1);
  bool any = false;
  for (Op& op : program.ops) {
    const std::string_view own = trace.string(op.name);
    if (is_beginning ? !own.starts_with(name) : own != name) continue;
    op.duration = scaled(op.duration, *factor);
    op.new_time = scaled(op.new_time, *factor);
    any = true;
  }
  if (any) return Ok{};
  std::set<std::string_view> names;
  for (const Op& op : program.ops) names.insert(trace.string(op.name));
  return wrong(change, "no op has this name; the run has " +
                           some_of(std::vector<std::string>(names.begin(), names.end())));
}

Status set_barrier(const Change& change, Program& program) {
  const Result<BarrierPolicy> policy = parse_barrier(change.value);
  if (!policy) return policy.error();
  if (program.settings.of_graph && policy->kind == BarrierKind::kBytes)
    return wrong(change, "the trace does not say how large the outputs of its kernels are");
  program.settings.barrier = *policy;
  program.settings.barrier_chosen = true;
  if (program.settings.of_graph && waits_at_points(policy->kind))
    program.notes.emplace_back(
        "the trace does not say where in a step this barrier would wait: it waits at the end of the step, "
        "and "
        "copies nothing");
  return Ok{};
}

Status set_limit(const Change& change, std::int64_t& out) {
  const Result<std::int64_t> count = count_of(change);
  if (!count) return count.error();
  out = *count;
  return Ok{};
}

Status change_bandwidth(const Change& change, Program& program) {
  const Result<double> factor = factor_of(change);
  return factor ? scale_bandwidth(change, *factor, program) : Status(factor.error());
}

// Another tool's trace has neither memory nor queues that the program could choose.
bool needs_engine(std::string_view key) {
  return key == "alloc" || key == "order" || key == "limit_bytes" || key == "workers" ||
         key == "copy_workers" || key == "bulk";
}

bool counts_all_ops(const Change& change) {
  return change.key == "limit_ops" ||
         (change.key == "barrier" && (change.value.starts_with("ops") || change.value == "waitall"));
}

bool has_several_ranks(const Program& program) {
  return std::ranges::any_of(program.frontends, [](const Frontend& frontend) { return frontend.rank > 0; });
}

// What can be said without the run, of the changes that one word or number describes. apply() checks all.
Status check_value(const Change& change) {
  const auto status = [](const auto& result) { return result ? Status(Ok{}) : Status(result.error()); };
  bool ignored = false;
  if (change.key == "barrier") return status(parse_barrier(change.value));
  if (change.key == "alloc") return choose(change, "enqueue", "execute", ignored);
  if (change.key == "order") return choose(change, "fifo", "oldest", ignored);
  if (change.key == "limit_ops" || change.key == "limit_bytes") return status(count_of(change));
  if (change.key == "workers" || change.key == "copy_workers") return status(worker_count_of(change));
  if (change.key == "frontend" || change.key == "bandwidth" || change.key.starts_with(kOfOp))
    return status(factor_of(change));
  return Ok{};
}

bool is_known(std::string_view key) {
  if (key.starts_with(kOfOp)) return key.size() > kOfOp.size();
  if (key.starts_with(kOfSync)) return key.size() > kOfSync.size();
  return std::ranges::find(change_keys(), key, &ChangeKey::key) != change_keys().end();
}

}  // namespace

const std::vector<ChangeKey>& change_keys() {
  static const std::vector<ChangeKey> keys{
      {"barrier", "POLICY", "where the frontend waits in each step: none, wait_to_read, window:2, ..."},
      {"limit_ops", "N", "the most ops in flight"},
      {"limit_bytes", "SIZE", "the most bytes of outputs in flight"},
      {"alloc", "enqueue|execute", "when the memory of an op is allocated"},
      {"order", "fifo|oldest", "which ready op goes first"},
      {"workers", "N", "workers of device cpu that compute"},
      {"copy_workers", "N", "workers of device cpu that copy"},
      {"frontend", "FACTOR", "the frontends' own time, multiplied"},
      {"op:NAME", "FACTOR",
       "the time of the ops with this name, multiplied; 0.5: twice as fast. NAME*: all names with this "
       "beginning"},
      {"sync:PLACE", "drop|end",
       "a synchronisation of another tool's trace: left out, or at the end of its step"},
      {"bandwidth", "FACTOR", "the rate of copies between host and device, multiplied"},
      {"pinned", "1|RATE", "copies of pageable memory as fast as pinned ones of the run, without waiting"},
      {"graph", "1", "the kernels and copies of each step of another tool's trace are launched as one graph"},
      {"bulk", "N", "up to N ops are enqueued as one, and run one after the other"},
      {"streams", "N", "streams of each device that compute: an upper bound"},
      {"device", "+N", "N more devices for each one: an upper bound"},
      {"loading", "ahead", "a thread of its own loads the data, one step ahead"},
  };
  return keys;
}

Result<Change> parse_change(std::string_view text) {
  const std::size_t equals = text.rfind('=');
  if (equals == text.npos || equals == 0)
    return Error{"a change is KEY=VALUE, such as barrier=none; this is '" + std::string(text) + "'"};
  Change change{std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
  if (is_known(change.key)) {
    if (const Status status = check_value(change); !status) return status.error();
    return change;
  }
  std::string known;
  for (const ChangeKey& key : change_keys()) known += (known.empty() ? "" : ", ") + std::string(key.key);
  return Error{"unknown change '" + change.key + "'; a change is one of " + known};
}

std::vector<Change> in_order(std::vector<Change> changes) {
  std::ranges::stable_sort(changes, {}, [](const Change& change) {
    if (change.key == "loading") return 0;
    return change.key == "graph" || change.key == "bulk" ? 2 : 1;
  });
  return changes;
}

std::string to_string(const Change& change) { return change.key + "=" + change.value; }

Status apply(const Change& change, const trace::Trace& trace, Program& program) {
  Settings& settings = program.settings;
  if (settings.of_graph && needs_engine(change.key))
    return wrong(change, "this can be changed only in a run of our engine");
  if (counts_all_ops(change) && has_several_ranks(program))
    return wrong(change, "it would count the ops of all ranks: give the trace of one rank");
  if (change.key == "barrier") return set_barrier(change, program);
  if (change.key == "limit_ops") return set_limit(change, settings.limit_ops);
  if (change.key == "limit_bytes") return set_limit(change, settings.limit_bytes);
  if (change.key == "alloc") return choose(change, "enqueue", "execute", settings.allocates_at_execution);
  if (change.key == "order") return choose(change, "fifo", "oldest", settings.oldest_first);
  if (change.key == "workers") return set_servers(change, "cpu", program);
  if (change.key == "copy_workers") return set_servers(change, "cpu copy", program);
  if (change.key == "frontend") return scale_frontends(change, program);
  if (change.key.starts_with(kOfOp)) return scale_ops(change, trace, program);
  if (change.key == "bandwidth") return change_bandwidth(change, program);
  if (change.key == "pinned") return pin_copies(change, program);
  if (change.key == "graph") return launch_as_graph(change, program);
  if (change.key == "bulk") return make_bulks(change, trace, program);
  if (change.key == "streams") return set_streams(change, program);
  if (change.key == "device") return add_devices(change, program);
  if (change.key == "loading") return load_ahead(change, program);
  if (change.key.starts_with(kOfSync))
    return change_sync(change, std::string_view(change.key).substr(kOfSync.size()), program);
  return Error{"unknown change '" + change.key + "'"};
}

}  // namespace runahead::predict
