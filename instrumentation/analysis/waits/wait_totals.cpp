#include "instrumentation/analysis/waits/wait_totals.h"

#include <algorithm>
#include <map>
#include <utility>

#include "instrumentation/analysis/waits/frontend_waits.h"

namespace runahead::analysis {

WaitTotals wait_totals(const trace::Trace& trace, TimeRange range) {
  WaitTotals totals;
  std::map<std::string, WaitSite, std::less<>> sites;
  each_frontend_wait(trace, range, {.most_listed = 0}, [&](const Wait& wait, const WaitReason& reason) {
    ++totals.count;
    totals.chain_ops += reason.op_count;
    totals.split.add(reason.split);
    WaitSite& site = sites.try_emplace(std::string(trace.string(wait.slice.name))).first->second;
    ++site.count;
    site.chain_ops += reason.op_count;
    site.split.add(reason.split);
  });
  for (auto& [name, site] : sites) {
    site.name = name;
    totals.by_site.push_back(std::move(site));
  }
  std::stable_sort(totals.by_site.begin(), totals.by_site.end(),
                   [](const WaitSite& a, const WaitSite& b) { return a.split.total() > b.split.total(); });
  return totals;
}

}  // namespace runahead::analysis
