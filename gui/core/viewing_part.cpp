#include "gui/core/viewing_part.h"

#include <algorithm>
#include <utility>

#include "gui/text/text.h"
#include "gui/timeline/glide.h"
#include "instrumentation/analysis/steady_rate.h"

namespace runahead::gui {

namespace {

using std::chrono::steady_clock;

// The time step of an animation is limited, so that the animation is visible even if frames are slow.
constexpr std::chrono::milliseconds kLongestFrame{60};

}  // namespace

void Viewing::apply(const ViewCommand& command) {
  std::visit([this](const auto& c) { on(c); }, command);
}

void Viewing::apply(const TimelineCommand& command) {
  take_choices_of_settings();
  choices_.apply(command, screen_.trace(), screen_.timeline);
  kept_colour() = screen_.timeline.colour_by;
}

void Viewing::on(const SetScale& c) { screen_.settings.scale = std::clamp(c.scale, 1.0f, 2.5f); }

void Viewing::on(const ShowCharacters& c) {
  if (shown_characters_.find(c.utf8) == std::string::npos) shown_characters_ += c.utf8;
}

void Viewing::reset() {
  const Settings defaults;
  Settings& settings = screen_.settings;
  settings.light = defaults.light;
  settings.scale = defaults.scale;
  settings.motion = defaults.motion;
  settings.language = defaults.language;
  presentation_ = false;
  choices_.forget();
  settings.colour_by = defaults.colour_by;
  settings.trace_colour_by = defaults.trace_colour_by;
  screen_.timeline.colour_by = kept_colour();
}

ColourBy& Viewing::kept_colour() {
  return screen_.trace_mode ? screen_.settings.trace_colour_by : screen_.settings.colour_by;
}

float Viewing::effective_scale(float content_scale) const {
  const float set = screen_.settings.scale;
  const float scale = set > 0 ? set : std::clamp(content_scale, 1.0f, 2.5f);
  return presentation_ ? std::min(scale * 1.3f, 3.0f) : scale;
}

Language Viewing::wanted_language() const {
  return screen_.settings.language.value_or(environment_language_);
}

void Viewing::speak(Language language, bool font_is_here) {
  wide_font_ = font_is_here;
  const bool refused = language != Language::kEnglish && !font_is_here;
  set_language(refused ? Language::kEnglish : language);
  if (!refused || std::exchange(language_refused_, true)) return;
  const std::string why = filled(Text::kLanguageWithoutFont, {english_language_name(language)});
  // A missing font is an error only if the user chose the language. If the language comes from the locale, a
  // notice is enough.
  screen_.settings.language ? screen_.fail(why) : static_cast<void>(screen_.notice = why);
}

void Viewing::add_words(std::vector<std::string_view>& words) const {
  words.insert(words.end(), {shown_characters_, screen_.timeline.search});
}

void Viewing::show_range(const std::optional<TimeRange>& range) {
  screen_.timeline = TimelineState{};
  screen_.timeline.follow = false;
  const TimeRange all = screen_.trace().extent();
  const Duration margin = all.duration() / 100;
  screen_.timeline.view = range.value_or(TimeRange{all.begin - margin, all.end + margin});
}

void Viewing::show_slices() {
  std::optional<TimeRange> all;
  for (const trace::Track& track : screen_.trace().tracks()) {
    for (const trace::Lane& lane : track.lanes) {
      if (lane.empty()) continue;
      const TimeRange of_lane{lane.begin(lane.first_row()), lane.end(lane.end_row() - 1)};
      if (!all) all = of_lane;
      all = TimeRange{std::min(all->begin, of_lane.begin), std::max(all->end, of_lane.end)};
    }
  }
  if (!all) return;
  const Duration margin = std::max(all->duration() / 50, Duration(1000));
  screen_.timeline.follow = false;
  screen_.timeline.view = {all->begin - margin, all->end + margin};
}

void Viewing::take_choices_of_settings() {
  screen_.timeline.colour_by = kept_colour();
  screen_.timeline.motion = screen_.settings.motion ? kGlideLength : Duration{0};
  choices_.take(screen_.trace(), screen_.serial, screen_.timeline, choices_taken_);
}

// True if nothing runs, and the trace has the end of the step that the user asked for.
bool Viewing::step_is_in_trace() const {
  if (!screen_.session->live() || screen_.opened) return true;
  const trace::Trace& trace = screen_.trace();
  const double steps = analysis::steps_finished_by(trace, trace.watermark());
  return screen_.stands_still() && steps >= static_cast<double>(*screen_.step_to_show);
}

// Moves the view, without changing its length, so that the last step ends near its right edge.
void Viewing::show_last_step() {
  screen_.step_to_show.reset();
  const trace::Trace& trace = screen_.trace();
  TimeRange& view = screen_.timeline.view;
  const Duration length = view.duration();
  const Timestamp end = analysis::last_step_end(trace, {trace.extent().begin, trace.watermark()});
  view.end = end + length / 20;
  view.begin = view.end - length;
}

Duration Viewing::advance() {
  take_choices_of_settings();
  TimelineState& timeline = screen_.timeline;
  const auto now = steady_clock::now();
  const Duration passed = std::min<Duration>(now - std::exchange(advanced_, now), kLongestFrame);
  advance_glide(passed, timeline);
  const bool still = screen_.stands_still() && !timeline.view.empty();
  const bool follow = timeline.follow;
  if (still) timeline.follow = false;
  advance_timeline(screen_.trace(), timeline);
  if (screen_.step_to_show && step_is_in_trace()) show_last_step();
  timeline.follow = follow;
  return passed;
}

LookFacts Viewing::facts() const {
  return {.light = screen_.settings.light,
          .presentation = presentation_,
          .motion = screen_.settings.motion,
          .chosen_scale = screen_.settings.scale,
          .wide_font = wide_font_};
}

}  // namespace runahead::gui
