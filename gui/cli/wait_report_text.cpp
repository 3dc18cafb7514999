#include "gui/cli/wait_report_text.h"

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <set>

#include "gui/cli/output.h"
#include "instrumentation/base/format.h"
#include "instrumentation/base/median.h"

namespace runahead::gui {
namespace {

using analysis::WaitPart;
using analysis::WaitSite;
using analysis::WaitSplit;
using analysis::WaitTotals;
using Json = nlohmann::ordered_json;

struct PartWords {
  WaitPart part;
  const char* key;   // key in JSON
  const char* word;  // name in the table
};
// The parts of the waits of our engine.
constexpr PartWords kParts[] = {
    {WaitPart::kExecuting, "executing_s", "executing"}, {WaitPart::kCopying, "copying_s", "copying"},
    {WaitPart::kQueueing, "queueing_s", "queueing"},    {WaitPart::kDispatch, "dispatch_s", "dispatch"},
    {WaitPart::kEnqueue, "enqueue_s", "enqueueing"},    {WaitPart::kWakeUp, "wake_up_s", "wake-up"},
    {WaitPart::kLimit, "limit_s", "safety limit"},      {WaitPart::kOther, "other_s", "not known"},
};

double seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

void add_parts(const WaitSplit& split, Json& out) {
  for (const PartWords& words : kParts) out[words.key] = seconds(split.of(words.part));
}

// Returns the share of the wait time that each part has, such as "executing 71 %, wake-up 3 %".
std::string shares(const WaitSplit& split) {
  const double total = seconds(split.total());
  std::string text;
  for (const PartWords& words : kParts) {
    const Duration part = split.of(words.part);
    if (part <= Duration{}) continue;
    text +=
        (text.empty() ? "" : ", ") + std::string(words.word) + " " + format_percent(seconds(part) / total);
  }
  return text;
}

template <typename Get>
auto median_of(const std::vector<WaitTotals>& runs, const Get& get) {
  std::vector<decltype(get(runs.front()))> values;
  for (const WaitTotals& run : runs) values.push_back(get(run));
  return median(std::move(values));
}

const WaitSite* find_site(const WaitTotals& waits, const std::string& name) {
  const auto found = std::find_if(waits.by_site.begin(), waits.by_site.end(),
                                  [&](const WaitSite& site) { return site.name == name; });
  return found == waits.by_site.end() ? nullptr : &*found;
}

WaitSite median_site(const std::vector<WaitTotals>& runs, const std::string& name) {
  WaitSite out;
  out.name = name;
  out.count = median_of(runs, [&](const WaitTotals& run) {
    const WaitSite* site = find_site(run, name);
    return site == nullptr ? std::uint64_t{0} : site->count;
  });
  out.chain_ops = median_of(runs, [&](const WaitTotals& run) {
    const WaitSite* site = find_site(run, name);
    return site == nullptr ? std::uint64_t{0} : site->chain_ops;
  });
  for (std::size_t i = 0; i < analysis::kWaitPartCount; ++i) {
    out.split.parts[i] = median_of(runs, [&](const WaitTotals& run) {
      const WaitSite* site = find_site(run, name);
      return site == nullptr ? Duration{} : site->split.parts[i];
    });
  }
  return out;
}

}  // namespace

Json waits_json(const WaitTotals& waits) {
  Json out{{"count", waits.count}, {"chain_ops", waits.chain_ops}, {"total_s", seconds(waits.split.total())}};
  add_parts(waits.split, out);
  Json rows = Json::array();
  for (const WaitSite& site : waits.by_site) {
    Json row{{"site", site.name},
             {"count", site.count},
             {"chain_ops", site.chain_ops},
             {"stopwatch_s", seconds(site.split.total())},
             {"ops_before_s", seconds(site.split.ops_before())}};
    add_parts(site.split, row);
    rows.push_back(std::move(row));
  }
  out["by_site"] = std::move(rows);
  return out;
}

std::string waits_text(const WaitTotals& waits) {
  if (waits.by_site.empty()) return "";
  constexpr std::size_t kMostSites = 8;
  std::vector<std::vector<std::string>> rows{{"waits", "count", "stopwatch", "ops before", "wake-up", ""}};
  for (std::size_t i = 0; i < waits.by_site.size() && i < kMostSites; ++i) {
    const WaitSite& site = waits.by_site[i];
    rows.push_back({"  " + site.name, std::to_string(site.count), format_duration(site.split.total()),
                    format_duration(site.split.ops_before()),
                    format_duration(site.split.of(WaitPart::kWakeUp)), shares(site.split)});
  }
  std::string text = aligned(rows, {true, false, false, false, false, true});
  if (waits.by_site.size() > kMostSites) {
    text += "  and " + std::to_string(waits.by_site.size() - kMostSites) + " more places that waited less\n";
  }
  return text;
}

WaitTotals median_waits(const std::vector<WaitTotals>& runs) {
  WaitTotals out;
  out.count = median_of(runs, [](const WaitTotals& run) { return run.count; });
  out.chain_ops = median_of(runs, [](const WaitTotals& run) { return run.chain_ops; });
  for (std::size_t i = 0; i < analysis::kWaitPartCount; ++i) {
    out.split.parts[i] = median_of(runs, [&](const WaitTotals& run) { return run.split.parts[i]; });
  }
  std::set<std::string> names;
  for (const WaitTotals& run : runs) {
    for (const WaitSite& site : run.by_site) names.insert(site.name);
  }
  for (const std::string& name : names) out.by_site.push_back(median_site(runs, name));
  std::stable_sort(out.by_site.begin(), out.by_site.end(),
                   [](const WaitSite& a, const WaitSite& b) { return a.split.total() > b.split.total(); });
  return out;
}

}  // namespace runahead::gui
