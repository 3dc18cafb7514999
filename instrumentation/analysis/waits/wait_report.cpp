#include "instrumentation/analysis/waits/wait_report.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "instrumentation/analysis/waits/frontend_waits.h"

namespace runahead::analysis {
namespace {

WaitPart largest_part(const WaitSplit& split) {
  return static_cast<WaitPart>(std::ranges::max_element(split.parts) - split.parts.begin());
}

std::string name_of(const trace::Trace& trace, OpId op) {
  const auto row = op != kNoOp ? trace.op(op) : std::nullopt;
  return row ? std::string(trace.string(row->name)) : std::string();
}

}  // namespace

std::vector<WaitGroup> wait_report(const trace::Trace& trace, TimeRange range) {
  std::map<std::tuple<std::string, std::string, WaitPart>, WaitGroup> groups;
  each_frontend_wait(trace, range, {.most_listed = 1}, [&](const Wait& wait, const WaitReason& reason) {
    const OpId released_by = reason.chain.empty() ? wait.slice.op : reason.chain.front();
    WaitGroup found{.wait = std::string(trace.string(wait.slice.name)),
                    .op = name_of(trace, released_by),
                    .cause = largest_part(reason.split)};
    WaitGroup& group =
        groups.try_emplace({found.wait, found.op, found.cause}, std::move(found)).first->second;
    ++group.count;
    group.split.add(reason.split);
    if (group.count > 1 && reason.split.total() <= group.longest) return;
    group.longest = reason.split.total();
    group.worst = wait;
    group.worst_for = name_of(trace, reason.longest);
  });
  std::vector<WaitGroup> report;
  for (auto& [key, group] : groups) report.push_back(std::move(group));
  std::ranges::stable_sort(report, std::greater<>(),
                           [](const WaitGroup& group) { return group.split.total(); });
  return report;
}

}  // namespace runahead::analysis
