#include "gui/core/app_core.h"

#include <algorithm>
#include <utility>

#include "gui/text/text.h"
#include "gui/timeline/glide.h"

namespace runahead::gui {

namespace {

using std::chrono::steady_clock;

// A glide is seen on its way however slow the frames are.
constexpr std::chrono::milliseconds kLongestFrame{60};

Text verb_of(Job::Kind kind) {
  switch (kind) {
    case Job::Kind::kOpen:
      return Text::kOpening;
    case Job::Kind::kSave:
      return Text::kSaving;
    case Job::Kind::kJoin:
      break;
  }
  return Text::kJoining;
}

}  // namespace

AppCore::AppCore(Settings settings, std::filesystem::path settings_file, std::function<void()> wake)
    : wake_(std::move(wake)),
      settings_(std::move(settings)),
      settings_file_(std::move(settings_file)),
      session_(std::make_unique<Session>(session_options())),
      figures_(figures_work(), wake_),
      panels_(wake_),
      comparing_(wake_),
      devices_(engine::list_devices()) {
  show_panels_of_settings();
  keep_panels();
  remembered_ = settings_;
  choose_workload(settings_.workload);
  if (!settings_.device.empty()) choice_.devices = {settings_.device};
  choice_.size = settings_.size;
  const Result<engine::BarrierPolicy> barrier = engine::parse_barrier(settings_.barrier);
  if (barrier.ok()) choice_.barrier = *barrier;
}

SessionOptions AppCore::session_options() const {
  return {.keep_bytes = keep_bytes_, .wake = wake_, .join_later = true};
}

AppCore::~AppCore() {
  job_.reset();
  if (joining_) joining_->wait();
  session_->stop();
  remember();
}

void AppCore::begin(const GuiOptions& options) {
  if (options.light) settings_.light = *options.light;
  if (options.scale) settings_.scale = *options.scale;
  if (options.language) settings_.language = *options.language;
  if (options.size) {
    settings_.width_px = options.size->width_px;
    settings_.height_px = options.size->height_px;
  }
  if (options.keep_bytes) {
    keep_bytes_ = open_options_.memory_bytes = *options.keep_bytes;
    session_ = std::make_unique<Session>(session_options());
  }
  if (options.run) {
    choice_ = *options.run;
    exercise_ = options.exercise;
    if (exercise_ == 0) {
      const int workers = usual_engine_.cpu_workers;
      usual_engine_ = choice_.engine;
      if (!options.workers_asked) usual_engine_.cpu_workers = workers;
    }
  }
  first_range_ = options.range;
  if (options.record) {
    if (const Status asked = session_->start_recording(options.record->file, options.record->limits); !asked)
      first_failure_ = asked.error();
  }
  if (options.file) {
    first_file_ = true;
    file_chosen(FilePurpose::kOpen, *options.file);
  } else if (options.autostart) {
    start(false);
    if (!error_.empty()) first_failure_ = Error{error_};
  }
}

float AppCore::effective_scale(float content_scale) const {
  const float scale = settings_.scale > 0 ? settings_.scale : std::clamp(content_scale, 1.0f, 2.5f);
  return presentation_ ? std::min(scale * 1.3f, 3.0f) : scale;
}

Language AppCore::wanted_language() const { return settings_.language.value_or(environment_language_); }

void AppCore::speak(Language language, bool font_is_here) {
  wide_font_ = font_is_here;
  const bool refused = language != Language::kEnglish && !font_is_here;
  set_language(refused ? Language::kEnglish : language);
  if (!refused || std::exchange(language_refused_, true)) return;
  const std::string why = filled(Text::kLanguageWithoutFont, {english_language_name(language)});
  // Who chose it is told so; whose locale it is has asked for nothing.
  settings_.language ? fail(why) : static_cast<void>(notice_ = why);
}

std::vector<std::string_view> AppCore::other_words() const {
  std::vector<std::string_view> words{error_, notice_, shown_characters_, timeline_.search};
  for (const PanelModule* panel : panels_.all()) panel->add_words(words);
  if (!dialog_) return words;
  words.insert(words.end(), {dialog_->name, dialog_->problem, dialog_->folder.native()});
  for (const FolderEntry& entry : dialog_->entries) words.push_back(entry.name);
  return words;
}

bool AppCore::settled() const {
  if (job_ || joining_ || figures_.busy() || comparing_.busy() || (loader_ && loader_->busy())) return false;
  if (std::ranges::any_of(panels_.all(), &PanelModule::busy)) return false;
  if (trace().extent().empty()) return true;
  return answered_version_ == trace().version() && (!answer_ || answer_->range == timeline_.range);
}

MainTrace AppCore::main_trace() {
  return {trace(), trace_serial_, timeline_, choices_,
          opened_ ? opened_path_.filename().string() : choice_.workload};
}

void AppCore::share_memory() {
  const std::shared_ptr<trace::BlockStore> other = comparing_.other_store();
  const std::size_t for_other = other ? open_options_.memory_bytes / 2 : 0;
  if (other) other->set_limit_bytes(for_other);
  if (opened_ && opened_->store()) opened_->store()->set_limit_bytes(open_options_.memory_bytes - for_other);
  session_->keep_at_most(opened_ ? keep_bytes_ : keep_bytes_ - std::min(for_other, keep_bytes_ / 2));
}

void AppCore::new_trace() {
  ++trace_serial_;
  comparing_.main_replaced();
  share_memory();
  for (PanelModule* panel : panels_.all()) panel->trace_replaced();
  timeline_.pinned_moment.reset();
  answer_.reset();
  answered_version_ = asked_version_ = 0;
  asked_range_.reset();
}

void AppCore::show_opened(std::optional<TimeRange> range) {
  timeline_ = TimelineState{};
  show_whole();
  if (range) timeline_.view = *range;
}

void AppCore::show_whole() {
  timeline_.follow = false;
  const TimeRange all = trace().extent();
  const Duration margin = all.duration() / 100;
  timeline_.view = {all.begin - margin, all.end + margin};
}

void AppCore::show_slices() {
  std::optional<TimeRange> all;
  for (const trace::Track& track : trace().tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      if (lane.empty()) continue;
      const TimeRange of_lane{lane.begin(lane.first_row()), lane.end(lane.end_row() - 1)};
      if (!all) all = of_lane;
      all = TimeRange{std::min(all->begin, of_lane.begin), std::max(all->end, of_lane.end)};
    }
  }
  if (!all) return;
  const Duration margin = std::max(all->duration() / 50, Duration(1000));
  timeline_.follow = false;
  timeline_.view = {all->begin - margin, all->end + margin};
}

void AppCore::toggle(PanelModule& panel) {
  panel.show(!panel.shown());
  // One of a place is shown at a time. A comparison that gives way to another goes on when it is back.
  if (panel.shown() && panel.info().place != PanelPlace::kFloating) {
    for (PanelModule* other : panels_.all()) {
      if (other != &panel && other->info().place == panel.info().place) other->show(false);
    }
  }
  if (const std::optional<Command> more = panel.toggled()) apply(*more);
}

void AppCore::show_panels_of_settings() {
  for (PanelModule* panel : panels_.all()) {
    const auto kept = settings_.visible.find(panel->id());
    const bool known = panel->info().remembered && kept != settings_.visible.end();
    panel->show(known ? kept->second : panel->info().shown_at_first);
  }
}

void AppCore::keep_panels() {
  settings_.visible.clear();
  for (PanelModule* panel : panels_.all()) {
    if (panel->info().remembered) settings_.visible[std::string(panel->id())] = panel->shown();
    for (const KeptSize& size : panel->kept_sizes()) settings_.sizes.try_emplace(std::string(size.key), 0.0f);
  }
}

void AppCore::remember() {
  keep_panels();
  settings_.workload = choice_.workload;
  settings_.device = choice_.devices.empty() ? "" : choice_.devices.front();
  settings_.barrier = engine::to_string(choice_.barrier);
  settings_.size = choice_.size;
  if (settings_ == remembered_ || settings_file_.empty()) return;
  remembered_ = settings_;
  const Status saved = save_settings(settings_, settings_file_);
  if (!saved.ok()) fail(saved.error().message);
}

DebugFacts AppCore::debug_facts() const {
  DebugFacts facts{.poll = frame_times_.poll.part(),
                   .build = frame_times_.build.part(),
                   .paint = frame_times_.paint.part(),
                   .total = frame_times_.total.part()};
  facts.frames = frame_times_.total.count();
  facts.events_per_s = session_->live() ? events_per_s_ : 0;
  facts.trace_bytes = trace().size_bytes();
  if (const auto store = trace().store()) facts.loaded = store->stats();
  facts.figures_ms = answer_ ? answer_->cost_ms : 0;
  if (const auto stats = session_->recorder_stats()) {
    facts.threads = stats->threads;
    facts.events = stats->events;
    facts.lost = stats->lost;
    facts.fullest_buffer_ratio = stats->fullest_buffer_ratio;
  }
  if (const auto stats = session_->collector_stats()) {
    const auto ms = [](Duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
    facts.slices = stats->slices;
    facts.last_drain_ms = ms(stats->last_drain);
    facts.longest_drain_ms = ms(stats->longest_drain);
  }
  return facts;
}

bool AppCore::stands_still() const {
  samples::Runner* const runner = session_->runner();
  return !opened_ && runner != nullptr && runner->state() == samples::RunState::kPaused &&
         runner->engine_stats().in_flight_ops == 0;
}

void AppCore::take_choices_of_settings() {
  timeline_.colour_by = settings_.colour_by;
  timeline_.motion = settings_.motion ? kGlideLength : Duration{0};
  choices_.take(trace(), trace_serial_, timeline_, choices_taken_);
}

void AppCore::advance_view() {
  take_choices_of_settings();
  const auto now = steady_clock::now();
  const Duration passed = std::min<Duration>(now - std::exchange(view_advanced_, now), kLongestFrame);
  advance_glide(passed, timeline_);
  const bool still = stands_still() && !timeline_.view.empty();
  const bool follow = timeline_.follow;
  if (still) timeline_.follow = false;
  advance_timeline(trace(), timeline_);
  timeline_.follow = follow;
  comparing_.advance_view(main_trace(), panels_.shows(kComparePanel) && !presentation_, passed);
  if (loader_) loader_->begin_view();
}

void AppCore::frame_drawn() {
  if (loader_) loader_->end_view();
  comparing_.frame_drawn();
}

PanelModel AppCore::model() {
  PanelModel model{.trace = trace(),
                   .timeline = timeline_,
                   .workloads = samples::list_workloads(),
                   .devices = devices_,
                   .workload = chosen_workload(),
                   .choice = choice_};
  if (model.workload != nullptr) {
    Result<samples::Parameters> parameters =
        samples::make_parameters(*model.workload, choice_.size, choice_.settings);
    if (parameters.ok()) model.parameters = *parameters;
  }
  model.exercise = samples::find_exercise(exercise_);
  model.lesson = lesson_facts_of_screen();
  add_results(model);
  model.run = run_facts();
  const bool answered = answer_.has_value() && !trace().extent().empty();
  if (answered && answer_->strip) {
    model.before_after = answer_->strip->figures;
    model.draining = answer_->strip->draining;
  }
  if (answered && timeline_.range && answer_->range == timeline_.range) model.range = answer_->range_facts;
  if (const Job* const job = job_ ? job_.get() : joining_.get()) {
    const std::string label = std::string(text(verb_of(job->kind()))) + " " + job->path().filename().string();
    model.job = JobFacts{label, job->done()};
  }
  model.error = error_;
  model.notice = notice_;
  model.opened = opened_path_;
  model.recent = settings_.recent;
  if (session_->recording_to_file()) model.recording = session_->recording_path();
  model.recording_bytes = recording_bytes_;
  model.recording_limits = session_->recording_limits();
  model.record_keep = settings_.record_keep;
  if (panels_.shows(kDebugPanel)) model.debug = debug_facts();
  model.panels = panels_.all();
  if (panels_.shows(kComparePanel)) model.compare = comparing_.facts(main_trace());
  model.light = settings_.light;
  model.motion = settings_.motion;
  model.presentation = presentation_;
  model.chosen_scale = settings_.scale;
  model.wide_font = wide_font_;
  return model;
}

}  // namespace runahead::gui
