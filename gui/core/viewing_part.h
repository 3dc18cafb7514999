// Viewing: the timeline's view, its track choices, its colours, the size and language of the window, and the
// presentation mode.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gui/core/screen.h"
#include "gui/model/app_commands.h"
#include "gui/model/model.h"
#include "gui/text/language.h"
#include "gui/timeline/track_choices.h"

namespace runahead::gui {

// One thread (the window's) calls everything.
class Viewing {
 public:
  explicit Viewing(Screen& screen)
      : screen_(screen), choices_(screen.settings.tracks) {}  // `screen` must outlive this object

  void apply(const ViewCommand& command);
  void apply(const TimelineCommand& command);
  // Resets all display settings except the timeline's view.
  void reset();

  // Call once a frame. Advances the animation of a zoom or jump (a glide). If the view follows the trace,
  // moves it to the newest time, except while the run is paused and nothing is in flight. Returns the time
  // since the last frame, but no more than a maximum, so that an animation stays visible if frames are slow.
  Duration advance();
  void show_range(const std::optional<TimeRange>& range);  // shows this range of an opened file; nullopt: the
                                                           // whole file
  void show_slices();  // shows the trace from its first slice to its last; counters may continue long after
                       // the last slice

  [[nodiscard]] float effective_scale(float content_scale) const;
  [[nodiscard]] Language wanted_language() const;
  void speak(Language language, bool font_is_here);
  void add_words(std::vector<std::string_view>& words) const;
  [[nodiscard]] bool presentation() const { return presentation_; }
  [[nodiscard]] bool searching() const { return searching_; }
  void set_searching(bool on) { searching_ = on; }
  [[nodiscard]] SharedChoices& choices() { return choices_; }
  [[nodiscard]] LookFacts facts() const;

 private:
  // Returns the setting that says what the slices' colours mean (kind, name or step). Trace mode has its own
  // setting.
  [[nodiscard]] ColourBy& kept_colour();
  void on(const SetLight& c) { screen_.settings.light = c.light; }
  void on(const SetMotion& c) { screen_.settings.motion = c.on; }
  void on(const SetScale& c);
  void on(const SetLanguage& c) { screen_.settings.language = c.language; }
  void on(const ShowCharacters& c);
  void on(const SetPresentation& c) { presentation_ = c.on; }
  void on(const SetSearch& c) { screen_.timeline.search = c.words; }
  // Copies the settings for colours, animation and tracks into the timeline of the trace on the screen.
  void take_choices_of_settings();

  [[nodiscard]] bool step_is_in_trace() const;
  void show_last_step();

  Screen& screen_;
  const Language environment_language_ = language_of_environment();
  SharedChoices choices_;
  SharedChoices::Taken choices_taken_;
  std::chrono::steady_clock::time_point advanced_{};
  std::string shown_characters_;  // set by ShowCharacters
  bool language_refused_ = false, wide_font_ = true, presentation_ = false, searching_ = false;
};

}  // namespace runahead::gui
