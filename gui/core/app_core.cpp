#include "gui/core/app_core.h"

#include <algorithm>
#include <utility>

#include "gui/text/text.h"
#include "instrumentation/analysis/notes.h"

namespace runahead::gui {

AppCore::AppCore(Settings settings, std::filesystem::path settings_file, std::function<void()> wake,
                 CallOn start_on)
    : settings_file_(std::move(settings_file)),
      screen_(std::move(settings), std::move(wake), std::move(start_on)),
      running_(
          screen_, viewing_, [this] { lessons_.note_facts(); }, [this] { remember(); }) {
  screen_.trace_replaced = [this] { trace_replaced(); };
  show_panels_of_settings();
  keep_panels();
  remembered_ = screen_.settings;
}

AppCore::~AppCore() {
  files_.give_up();
  recording_.wait_for_joining();
  screen_.session->stop();
  remember();
}

void AppCore::begin(const GuiOptions& options) {
  about_ = options.about;
  Settings& settings = screen_.settings;
  if (options.light) settings.light = *options.light;
  if (options.scale) settings.scale = *options.scale;
  if (options.language) settings.language = *options.language;
  if (options.size) {
    settings.width_px = options.size->width_px;
    settings.height_px = options.size->height_px;
  }
  forecasts_wanted_ = options.forecasts;
  if (options.retain_bytes) screen_.retain_at_most(*options.retain_bytes);
  if (options.run) running_.choose(*options.run, options.exercise, options.workers_asked);
  if (options.record) {
    const Status asked = screen_.session->start_recording(options.record->file, options.record->limits);
    if (!asked) screen_.first_failure = asked.error();
  }
  if (!options.files.empty()) {
    files_.open_first(options.files, options.range);
  } else if (options.autostart) {
    running_.start(false);
    if (!screen_.error.empty()) screen_.first_failure = Error{screen_.error};
  }
}

// ---- polling ----------------------------------------------------------------------------------------------

bool AppCore::poll() {
  bool changed = screen_.session->poll() && !screen_.opened;
  changed = screen_.poll_followed() || changed;
  changed = followed_.poll() || changed;
  changed = files_.poll() || changed;
  if (files_.take_new_script()) show_script();
  changed = recording_.poll_joining(!files_.busy()) || changed;
  if (const samples::RunReport* const report = running_.take_ended()) lessons_.note(*report);
  if (measuring_.poll()) {
    lessons_.take_figures(measuring_.strip());
    changed = true;
  }
  changed = poll_forecasts() || changed;
  changed = lessons_.poll() || changed;
  changed = poll_panels() || changed;
  changed = comparing_.poll(main_trace(), panels_.shows(kComparePanel)) || changed;
  changed = (screen_.loader && screen_.loader->take_progress()) || changed;
  changed = running_.poll_failure() || changed;
  changed = recording_.poll_end() || changed;
  if (changed && vitals_.poll()) recording_.poll_bytes();
  return changed;
}

// Shows the lines of the script that has begun, unless another panel has the place.
void AppCore::show_script() {
  PanelModule* const script = panels_.find(kScriptPanel);
  const bool taken = std::ranges::any_of(panels_.all(), [&](const PanelModule* panel) {
    return panel->shown() && panel->info().place == script->info().place;
  });
  if (!taken) script->show(true);
}

bool AppCore::poll_panels() {
  bool changed = false;
  for (PanelModule* panel : panels_.all())
    changed = panel->poll({screen_.trace(), screen_.serial, screen_.timeline}) || changed;
  return changed;
}

bool AppCore::poll_forecasts() {
  if (!forecasts_wanted_) return false;
  std::vector<BarrierPolicy> offered;
  for (const BarrierChoice& choice : barrier_row(samples::find_workload(running_.started().workload)))
    offered.push_back(choice.policy);
  if (!forecasts_.poll(measuring_.strip(), offered)) return false;
  lessons_.take_forecast(forecasts_.facts().pressed);
  return true;
}

void AppCore::trace_replaced() {
  comparing_.main_replaced();
  screen_.share_memory(comparing_.other_store());
  for (PanelModule* panel : panels_.all()) panel->trace_replaced();
  measuring_.trace_replaced();
  forecasts_.trace_replaced();
  lessons_.trace_replaced();
  vitals_.trace_replaced();
}

bool AppCore::idle() const {
  if (files_.busy() || recording_.joining() != nullptr || comparing_.busy()) return false;
  if (screen_.loader && screen_.loader->busy()) return false;
  if (forecasts_.busy() || lessons_.busy()) return false;
  return std::ranges::none_of(panels_.all(), &PanelModule::busy) && measuring_.up_to_date();
}

// ---- a frame ----------------------------------------------------------------------------------------------

MainTrace AppCore::main_trace() {
  return {screen_.trace(), screen_.serial, screen_.timeline, viewing_.choices(),
          screen_.opened ? screen_.opened_path.filename().string() : running_.choice().workload};
}

void AppCore::advance_view() {
  screen_.timeline.about = running_.counters();
  const Duration passed = viewing_.advance();
  const bool shown = panels_.shows(kComparePanel) && !viewing_.presentation();
  comparing_.advance_view(main_trace(), shown, passed);
  if (screen_.loader) screen_.loader->begin_view();
}

void AppCore::frame_drawn() {
  if (screen_.loader) screen_.loader->end_view();
  comparing_.frame_drawn();
}

PanelModel AppCore::model() {
  PanelModel model{.trace = screen_.trace(),
                   .timeline = screen_.timeline,
                   .panels = panels_.all(),
                   .start = running_.start_facts(),
                   .run = running_.facts(),
                   .lesson = lessons_.facts(),
                   .figures = measuring_.facts(),
                   .forecasts = forecasts_.facts(),
                   .files = files_.facts(),
                   .recording = recording_.facts(),
                   .look = viewing_.facts(),
                   .error = screen_.error,
                   .notice = screen_.notice,
                   .about = about_};
  model.files.controls = followed_.controls();
  model.files.broken_host = followed_.broken_host();
  if (panels_.shows(kComparePanel)) model.compare = comparing_.facts(main_trace());
  if (panels_.shows(kDebugPanel)) model.debug = vitals_.facts(measuring_.cost_ms());
  return model;
}

std::vector<std::string_view> AppCore::other_words() const {
  std::vector<std::string_view> words{screen_.error, screen_.notice};
  viewing_.add_words(words);
  files_.add_words(words);
  for (const link::Control& control : followed_.controls()) {
    words.push_back(control.name);
    words.insert(words.end(), control.choices.begin(), control.choices.end());
  }
  for (const PanelModule* panel : panels_.all()) panel->add_words(words);
  return words;
}

// ---- commands ---------------------------------------------------------------------------------------------

void AppCore::apply(const Command& command) {
  std::visit([this](const auto& group) { on(group); }, command);
}

void AppCore::on(const WindowCommand& command) {
  std::visit([this](const auto& c) { on(c); }, command);
}

void AppCore::on(const CompareCommand& command) {
  comparing_.apply(main_trace(), command);
  const bool with = std::holds_alternative<CompareWith>(command);
  if (!with && !std::holds_alternative<CloseComparison>(command)) return;
  if (!with) panels_.find(kComparePanel)->show(false);
  if (with && !panels_.shows(kComparePanel)) on(TogglePanel{kComparePanel});
  screen_.share_memory(comparing_.other_store());
}

void AppCore::on(const TogglePanel& command) {
  PanelModule* const panel = panels_.find(command.id);
  if (panel == nullptr) return;
  panel->show(!panel->shown());
  // Each place (PanelPlace) shows only one panel at a time. If another panel hides the comparison, the
  // comparison keeps its state.
  if (panel->shown() && panel->info().place != PanelPlace::kFloating) {
    for (PanelModule* other : panels_.all()) {
      if (other != panel && other->info().place == panel->info().place) other->show(false);
    }
  }
  if (const std::optional<Command> more = panel->toggled()) apply(*more);
}

void AppCore::on(const SetNote& command) {
  const std::string key = analysis::note_key(command.at);
  if (!screen_.opened) return screen_.session->add_fact(key, command.words);
  screen_.opened->set_metadata(key, command.words);
  screen_.notice = text(Text::kNoteNotSaved);
}

void AppCore::on(const ResetClass&) {
  screen_.tell_nothing();
  recording_.begin_session();
  files_.stop_opening();
  screen_.show_session();
  lessons_.forget_all();
  panels_.get<ClassPanel>().codes.clear();
  running_.reset();
}

void AppCore::on(const ResetSettings&) {
  const Settings defaults;
  Settings& settings = screen_.settings;
  settings.folder = defaults.folder;
  settings.recent = defaults.recent;
  settings.retention = defaults.retention;
  settings.sizes = defaults.sizes;
  settings.visible.clear();
  show_panels_of_settings();
  keep_panels();
  viewing_.reset();
}

// ---- settings ---------------------------------------------------------------------------------------------

void AppCore::show_panels_of_settings() {
  for (PanelModule* panel : panels_.all()) {
    const auto kept = screen_.settings.visible.find(panel->id());
    const bool known = panel->info().remembered && kept != screen_.settings.visible.end();
    panel->show(known ? kept->second : panel->info().shown_at_first);
  }
}

void AppCore::keep_panels() {
  Settings& settings = screen_.settings;
  settings.visible.clear();
  for (PanelModule* panel : panels_.all()) {
    if (panel->info().remembered) settings.visible[std::string(panel->id())] = panel->shown();
    for (const KeptSize& size : panel->kept_sizes()) settings.sizes.try_emplace(std::string(size.key), 0.0f);
  }
}

void AppCore::remember() {
  keep_panels();
  running_.keep_choice(screen_.settings);
  if (screen_.settings == remembered_ || settings_file_.empty()) return;
  remembered_ = screen_.settings;
  const Status saved = save_settings(screen_.settings, settings_file_);
  if (!saved.ok()) screen_.fail(saved.error().message);
}

}  // namespace runahead::gui
