#include "instrumentation/record/controls.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "instrumentation/base/format.h"
#include "instrumentation/base/mutex.h"
#include "instrumentation/base/parse_number.h"
#include "instrumentation/record/hooks/hooks.h"

namespace runahead::record {
namespace {

struct ControlTable {
  Mutex mutex;
  std::vector<std::unique_ptr<Control>> all RUNAHEAD_GUARDED_BY(mutex);
};

// Never destroyed, because threads may read controls while the process ends.
ControlTable& table() {
  static auto* const the_table = new ControlTable;
  return *the_table;
}

// Tabs and line breaks separate the fields of the link's messages.
std::string one_field(std::string_view text) {
  std::string field(text.substr(0, 200));
  for (char& c : field) {
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  }
  return field;
}

Control* find_locked(ControlTable& table, std::string_view name) RUNAHEAD_REQUIRES(table.mutex) {
  const auto found = std::ranges::find(table.all, name, [](const auto& control) { return control->name; });
  return found == table.all.end() ? nullptr : found->get();
}

const Control& make(std::unique_ptr<Control> control, double first) {
  control->value.store(
      std::clamp(std::isfinite(first) ? first : control->least, control->least, control->most),
      std::memory_order_relaxed);
  ControlTable& all = table();
  const MutexLock lock(all.mutex);
  if (const Control* const made = find_locked(all, control->name)) return *made;
  return *all.all.emplace_back(std::move(control));
}

std::string text_of(const Control& control, double value) {
  if (control.choices.empty()) return format_exact(value);
  return control.choices[static_cast<std::size_t>(value)];
}

std::string possible_values(const Control& control) {
  if (control.choices.empty())
    return "a number from " + format_exact(control.least) + " to " + format_exact(control.most);
  std::string words = "one of: ";
  for (const std::string& choice : control.choices)
    words += (&choice == control.choices.data() ? "" : ", ") + choice;
  return words;
}

std::optional<double> parsed(const Control& control, std::string_view text) {
  if (!control.choices.empty()) {
    const auto found = std::ranges::find(control.choices, text);
    if (found == control.choices.end()) return std::nullopt;
    return static_cast<double>(found - control.choices.begin());
  }
  const std::optional<double> number = parse_real(text);
  const bool fits = number && *number >= control.least && *number <= control.most;
  return fits ? number : std::nullopt;
}

void mark_change(const Control& control, double before, double after) {
  if (!recording() || before == after) return;
  const TrackDesc& track = intern_track({.kind = trace::TrackKind::kMarkers, .name = "switches"});
  const std::string words = control.name + ": " + text_of(control, before) + " -> " + text_of(control, after);
  instant(track, intern_site(words, trace::SliceKind::kZone), now_ticks());
}

}  // namespace

const Control& make_switch(std::string_view name, std::vector<std::string> choices, std::size_t first) {
  auto control = std::make_unique<Control>();
  control->name = one_field(name);
  for (const std::string& choice : choices) control->choices.push_back(one_field(choice));
  if (control->choices.empty()) control->choices.emplace_back("on");
  control->most = static_cast<double>(control->choices.size() - 1);
  return make(std::move(control), static_cast<double>(first));
}

const Control& make_number(std::string_view name, double first, double least, double most) {
  auto control = std::make_unique<Control>();
  control->name = one_field(name);
  control->least = std::min(least, most);
  control->most = std::max(least, most);
  return make(std::move(control), first);
}

std::vector<const Control*> list_controls() {
  ControlTable& all = table();
  const MutexLock lock(all.mutex);
  std::vector<const Control*> controls;
  for (const auto& control : all.all) controls.push_back(control.get());
  return controls;
}

std::string value_text(const Control& control) {
  return text_of(control, control.value.load(std::memory_order_relaxed));
}

Status set_control(std::string_view name, std::string_view value) {
  ControlTable& all = table();
  const MutexLock lock(all.mutex);
  Control* const control = find_locked(all, name);
  if (control == nullptr) return Error{"'" + std::string(name) + "': the program has no such control"};
  const std::optional<double> wanted = parsed(*control, value);
  if (!wanted)
    return Error{"'" + control->name + "=" + std::string(value) + "': give " + possible_values(*control)};
  const double before = control->value.exchange(*wanted, std::memory_order_relaxed);
  mark_change(*control, before, *wanted);
  return Ok{};
}

}  // namespace runahead::record
