#include "gui/cli/memory_lines.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "instrumentation/analysis/memory_report.h"
#include "instrumentation/base/format.h"

namespace runahead::gui {
namespace {

using analysis::MemoryHolder;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostHolders = 20, kHoldersInLine = 3;

template <typename Tell>
void each_device(const trace::Trace& trace, TimeRange range, Tell tell) {
  for (const TrackId counter : analysis::memory_counters(trace)) {
    const trace::Track& track = trace.track(counter);
    const auto peak = analysis::memory_peak(track.counter, range);
    if (peak) tell(track.info, *peak, analysis::memory_report(trace, counter, peak->at));
  }
}

Json holders_json(const std::vector<MemoryHolder>& holders) {
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(holders.size(), kMostHolders); ++i) {
    const MemoryHolder& holder = holders[i];
    rows.push_back({{"op", holder.op},
                    {"category", holder.category},
                    {"bytes", holder.bytes},
                    {"blocks", holder.blocks},
                    {"since_ns", ns_from(holder.since)}});
  }
  return rows;
}

}  // namespace

Json memory_json(const trace::Trace& trace, TimeRange range) {
  Json devices = Json::array();
  each_device(trace, range,
              [&](const trace::TrackInfo& info, const analysis::MemoryPeak& peak,
                  const analysis::MemoryReport& report) {
                Json categories = Json::object();
                for (const analysis::MemoryShare& share : report.by_category)
                  categories[share.category] = share.bytes;
                devices.push_back({{"device", info.device.empty() ? info.name : info.device},
                                   {"peak_bytes", peak.bytes},
                                   {"at_ns", ns_from(peak.at)},
                                   {"named_bytes", report.named_bytes},
                                   {"lifetimes", report.lifetimes},
                                   {"by_category", categories},
                                   {"holders", holders_json(report.holders)}});
              });
  return devices;
}

std::string memory_lines(const trace::Trace& trace, TimeRange range) {
  std::string lines;
  each_device(trace, range,
              [&](const trace::TrackInfo& info, const analysis::MemoryPeak& peak,
                  const analysis::MemoryReport& report) {
                const std::vector<MemoryHolder>& holders = report.holders;
                lines += (info.device.empty() ? info.name : info.device) + ": peak " +
                         format_bytes(peak.bytes) + " at " + format_axis_time(peak.at, Duration{1000});
                for (std::size_t i = 0; i < std::min(holders.size(), kHoldersInLine); ++i) {
                  lines += (i == 0 ? ", held by " : ", ") +
                           (holders[i].op.empty() ? "no op" : holders[i].op) +
                           (holders[i].category.empty() ? "" : " (" + holders[i].category + ")") + " " +
                           format_bytes(static_cast<double>(holders[i].bytes));
                }
                if (holders.size() > kHoldersInLine)
                  lines += " and " + std::to_string(holders.size() - kHoldersInLine) + " more";
                lines += "\n";
              });
  return lines;
}

}  // namespace runahead::gui
