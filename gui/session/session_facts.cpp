#include "gui/session/session_facts.h"

#include <unistd.h>

#include <array>
#include <ctime>
#include <vector>

#include "engine/device/device_registry.h"
#include "instrumentation/base/exact_number.h"
#include "samples/report_fields.h"

namespace runahead::gui {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name.data();
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

std::string_view program_version() { return RUNAHEAD_VERSION; }

std::string version_text(std::string_view commit) {
  const auto or_nothing = [](std::string_view names) { return names.empty() ? "nothing" : names; };
  std::string out = "runahead ";
  out += program_version();
  out += "\ncommit: ";
  out += commit.empty() ? "not known" : commit;
  out += "\ncompiler: " RUNAHEAD_COMPILER "\nwith: ";
  out += or_nothing(RUNAHEAD_BUILT_WITH);
  out += "\nwithout: ";
  out += or_nothing(RUNAHEAD_BUILT_WITHOUT);
  return out;
}

std::string iso8601_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text.data();
}

std::string device_names(const samples::RunConfig& config) {
  return joined(samples::names_of_devices(config));
}

std::map<std::string, std::string> capture_facts(const samples::RunConfig& config) {
  std::map<std::string, std::string> facts{
      {"host", host_name()},
      {"started_at", iso8601_now()},
      {"workload", config.workload},
      {"device", device_names(config)},
      {"barrier", to_string(config.barrier)},
      {"engine", config.engine.kind == engine::EngineKind::kNaive ? "naive" : "threaded"},
      {"size", config.size},
      {"runahead.version", std::string(program_version())},
  };
  for (const std::string& name : samples::names_of_devices(config)) {
    if (std::string text = engine::device_description(name); !text.empty()) facts["device." + name] = text;
  }
  for (const auto& [name, value] : samples::engine_settings(config)) facts["engine." + name] = value;
  for (const auto& [name, value] : config.settings) facts["setting." + name] = value;
  return facts;
}

namespace {

constexpr std::string_view kMeasured = "measured.", kResult = "result.", kResultText = "result_text.",
                           kParameter = "parameter.";

// Returns the numeric facts whose keys begin with `prefix`. In the result, the prefix is removed from the
// keys.
std::map<std::string, double> numbers_below(std::string_view prefix,
                                            const std::map<std::string, std::string>& facts) {
  std::map<std::string, double> numbers;
  for (auto fact = facts.lower_bound(std::string(prefix));
       fact != facts.end() && fact->first.starts_with(prefix); ++fact) {
    if (const std::optional<double> value = number_from(fact->second))
      numbers[fact->first.substr(prefix.size())] = *value;
  }
  return numbers;
}

std::string fact_or_nothing(const std::map<std::string, std::string>& facts, const char* key) {
  const auto found = facts.find(key);
  return found != facts.end() ? found->second : std::string();
}

}  // namespace

std::map<std::string, std::string> report_facts(const samples::RunReport& report) {
  std::map<std::string, std::string> facts;
  for (const auto& [name, value] : samples::report_fields(report))
    facts[std::string(kMeasured) + name] = exact_text(value);
  for (const auto& [name, value] : report.params) facts[std::string(kParameter) + name] = exact_text(value);
  for (const auto& [name, value] : report.result) facts[std::string(kResult) + name] = exact_text(value);
  for (const auto& [name, value] : report.result_text) facts[std::string(kResultText) + name] = value;
  return facts;
}

std::optional<samples::RunReport> report_of(const std::map<std::string, std::string>& facts) {
  const std::map<std::string, double> fields = numbers_below(kMeasured, facts);
  if (fields.empty()) return std::nullopt;
  samples::RunReport report;
  report.workload = fact_or_nothing(facts, "workload");
  report.device = fact_or_nothing(facts, "device");
  report.engine = fact_or_nothing(facts, "engine");
  report.barrier = fact_or_nothing(facts, "barrier");
  samples::set_report_fields(report, fields);
  report.params = numbers_below(kParameter, facts);
  report.result = numbers_below(kResult, facts);
  for (auto fact = facts.lower_bound(std::string(kResultText));
       fact != facts.end() && fact->first.starts_with(kResultText); ++fact)
    report.result_text[fact->first.substr(kResultText.size())] = fact->second;
  return report;
}

}  // namespace runahead::gui
