// The window's loop: waits, polls, draws if something changed, and closes on request. An idle window draws
// nothing.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <vector>

#include "gui/app/app.h"
#include "gui/app/stage.h"
#include "gui/background/run_starter.h"
#include "gui/core/app_core.h"
#include "gui/platform/window.h"
#include "imgui.h"
#include "instrumentation/base/posix_file.h"

namespace runahead::gui {

namespace {

using std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

// The shortest time between two frames (60 frames a second). Only frames after user input come this often.
constexpr Seconds kFastest{1.0 / 60};
// While data arrives without user input, frames may use a quarter of one core: the window must not slow the
// program that it measures. (With Mesa's software renderer a frame of 1920x1080 takes tens of milliseconds.)
constexpr double kLiveShare = 4;
// The shortest time between two such frames while the run is paused: then only the memory of the process is
// sampled.
constexpr Seconds kPaused{0.1};
// While a text field has the focus, a frame is drawn at this period, so that the text cursor blinks.
constexpr Seconds kBlink{0.25};
// How often the window looks at what another program has added to the recording on the screen.
constexpr Seconds kFollowPeriod{0.02};
// How often the window looks for new characters in the data, and how often it rasterises the characters that
// were found.
constexpr std::chrono::milliseconds kCharactersPeriod{100};
// After an input, ImGui needs a few frames, because hover and popups take effect one frame later.
constexpr int kFramesAfterInput = 4;

class Loop {
 public:
  Loop(Window& window, AppCore& core, const GuiOptions& options)
      : window_(window), core_(core), options_(options), stage_(window, core) {
    if (options.report) stage_.report_to(*options.report);
  }
  // Returns the exit code.
  Result<int> run();

 private:
  // The shortest time between two frames while data arrives without user input.
  [[nodiscard]] Seconds live_period() const;
  [[nodiscard]] double timeout_s() const;
  [[nodiscard]] bool frame_due() const;
  [[nodiscard]] bool should_close() const;
  void draw(std::optional<Picture>* picture);
  void save_picture();
  void remember_size();

  Window& window_;
  AppCore& core_;
  const GuiOptions& options_;
  Stage stage_;
  const steady_clock::time_point begin_ = steady_clock::now();
  steady_clock::time_point frame_at_{};
  Seconds frame_cost_{0};
  int frames_owed_ = kFramesAfterInput;  // frames still to draw after the last input
  int frames_drawn_ = 0;
  int idle_frames_ = 0;
  bool data_waits_ = true;
  double poll_ms_ = 0;
};

bool Loop::frame_due() const {
  const Seconds since = steady_clock::now() - frame_at_;
  if (frames_owed_ > 0) return since >= kFastest;
  if (!data_waits_) return false;
  return since >= live_period();
}

Seconds Loop::live_period() const {
  return std::max(core_.stands_still() ? kPaused : kFastest, frame_cost_ * kLiveShare);
}

double Loop::timeout_s() const {
  double timeout = 0.5;
  if (ImGui::GetIO().WantTextInput) timeout = kBlink.count();
  const Seconds since = steady_clock::now() - frame_at_;
  if (frames_owed_ > 0 || window_.input_waiting()) {
    timeout = (kFastest - since).count();
  } else if (data_waits_) {
    timeout = (live_period() - since).count();
  }
  if (const auto after = stage_.more_after()) timeout = std::min(timeout, (Seconds(*after) - since).count());
  if (stage_.characters_wait()) timeout = std::min(timeout, (Seconds(kCharactersPeriod) - since).count());
  if (core_.following()) timeout = std::min(timeout, kFollowPeriod.count());
  if (stage_.report_waits()) timeout = std::min(timeout, 0.05);
  if (options_.duration) {
    timeout = std::min(timeout, (Seconds(*options_.duration) - (steady_clock::now() - begin_)).count());
  }
  return std::clamp(timeout, 0.0, 0.5);
}

bool Loop::should_close() const {
  if (window_.close_requested() || core_.quit_asked() || core_.first_failure()) return true;
  if (options_.duration) return steady_clock::now() - begin_ >= *options_.duration;
  if (!options_.screenshot) return false;
  // Without --duration: take the screenshot when the file is completely drawn, or when a run has been drawn
  // for 1 s.
  const bool long_enough = !options_.files.empty() || steady_clock::now() - begin_ >= std::chrono::seconds(1);
  return long_enough && idle_frames_ >= kFramesAfterInput;
}

void Loop::draw(std::optional<Picture>* picture) {
  frame_at_ = steady_clock::now();
  data_waits_ = false;
  frame_cost_ = Seconds(stage_.draw(poll_ms_, picture) / 1000);
  frames_owed_ = std::max(frames_owed_ - 1, window_.input_waiting() ? 1 : 0);
  if (core_.gliding() || stage_.behind()) frames_owed_ = std::max(frames_owed_, 1);
  // While a run goes on, other slices move below the mouse, and there are always counters to refine. The next
  // live frame does both. An immediate frame each time would never let the window rest.
  if (stage_.hover_changed()) data_waits_ = true;
  if (stage_.counters_refine()) {
    if (core_.grows()) {
      data_waits_ = true;
    } else {
      frames_owed_ = std::max(frames_owed_, 1);
    }
  }
  ++frames_drawn_;
  const bool live = options_.autostart && options_.files.empty();
  const bool idle = core_.idle() && !stage_.characters_wait() && !stage_.counters_refine();
  idle_frames_ = idle || live ? idle_frames_ + 1 : 0;
}

// First draws some frames, so that the menu or dialog in which the user requested the picture is closed.
void Loop::save_picture() {
  for (int i = 0; i < kFramesAfterInput; ++i) draw(nullptr);
  std::optional<Picture> picture;
  draw(&picture);
  const std::filesystem::path path = core_.take_picture_wanted();
  core_.tell_saved(path, picture ? write_png(*picture, path) : Status(Error{"there is no picture"}));
  frames_owed_ = kFramesAfterInput;
}

void Loop::remember_size() {
  const WindowOptions now = window_.size();
  if (now.width_px <= 0 || now.height_px <= 0) return;
  core_.settings().width_px = now.width_px;
  core_.settings().height_px = now.height_px;
}

Result<int> Loop::run() {
  // Closing must wait while the parts of a recording are joined into one file. The loop continues to draw
  // during this time, so that the user sees the progress and can cancel the joining.
  while (!should_close() || !core_.ready_to_close()) {
    if (window_.wait_for_events(timeout_s()) || window_.input_waiting()) frames_owed_ = kFramesAfterInput;
    if (ImGui::GetIO().WantTextInput && steady_clock::now() - frame_at_ >= kBlink) data_waits_ = true;
    // a screenshot: draw more frames until nothing changes
    if (options_.screenshot && !options_.duration) data_waits_ = true;
    const auto more_after = stage_.more_after();
    if (more_after && steady_clock::now() - frame_at_ >= *more_after) data_waits_ = true;
    if (const auto dropped = window_.take_dropped(); !dropped.empty()) core_.apply(FilesDropped{dropped});
    if (options_.next_file) {
      if (const auto file = options_.next_file()) core_.apply(FilesDropped{{*file}});
    }
    if (stage_.characters_wait() && steady_clock::now() - frame_at_ >= kCharactersPeriod) data_waits_ = true;
    const auto begin = steady_clock::now();
    data_waits_ = core_.poll() || data_waits_;
    poll_ms_ = std::chrono::duration<double, std::milli>(steady_clock::now() - begin).count();
    if (core_.picture_wanted()) {
      save_picture();
    } else if (frame_due()) {
      draw(nullptr);
    }
    if (!data_waits_) stage_.write_waiting_report(false);
  }
  if (core_.first_failure()) return *core_.first_failure();
  remember_size();
  std::optional<Picture> picture;
  if (options_.screenshot) draw(&picture);
  stage_.write_waiting_report(true);
  const Status written = picture ? write_png(*picture, *options_.screenshot) : Status(Ok{});
  if (core_.closing_failure()) return *core_.closing_failure();
  if (!written.ok()) return written.error();
  return 0;
}

Result<std::unique_ptr<Window>> open_for(const GuiOptions& options, const WindowOptions& size) {
  Result<std::unique_ptr<Window>> window = Window::open(size);
  // Without a display, a screenshot is still possible: it is drawn off screen, and the command ends by
  // itself.
  if (!window.ok() && options.screenshot) return Window::open_off_screen(size);
  return window;
}

}  // namespace

// Checks the output paths at the start, so that a wrong path fails before the work starts.
static Status places_are_good(const GuiOptions& options) {
  if (options.screenshot) {
    if (Status good = check_writable(Destination::kPicture, *options.screenshot); !good) return good;
  }
  return options.report ? check_writable(Destination::kReport, *options.report) : Status(Ok{});
}

Result<int> run_gui(const GuiOptions& options) {
  if (const Status good = places_are_good(options); !good) return good.error();
  const std::filesystem::path settings_file = options.remember ? settings_path() : std::filesystem::path{};
  const Settings settings = load_settings(settings_file);
  WindowOptions size;
  size.width_px = options.size ? options.size->width_px : settings.width_px;
  size.height_px = options.size ? options.size->height_px : settings.height_px;
  size.fit_to_screen = !options.size;  // a size that the user requested may exceed the screen
  const std::vector<int> not_painting = threads_of_process();
  Result<std::unique_ptr<Window>> window = open_for(options, size);
  if (!window.ok()) return window.error();
  RunStarter starter((*window)->draws_in_software() ? this_and_new_threads(not_painting)
                                                    : std::vector<int>{});
  // Declared after the window, so that the core is destroyed first: threads of the core call Window::wake.
  AppCore core(settings, settings_file, &Window::wake,
               [&starter](const std::function<void()>& start) { starter.call(start); });
  core.begin(options);
  return Loop(**window, core, options).run();
}

Status render_screenshot(const ScreenshotOptions& options) {
  GuiOptions gui;
  gui.files = {options.file};
  gui.screenshot = options.png;
  gui.size = options.size;
  gui.range = options.range;
  gui.scale = options.scale;
  gui.light = options.light;
  gui.language = options.language;
  gui.remember = false;
  if (Status good = places_are_good(gui); !good) return good;
  Result<std::unique_ptr<Window>> window =
      Window::open_off_screen({"Runahead", options.size.width_px, options.size.height_px});
  if (!window.ok()) return window.error();
  AppCore core(Settings{}, {}, &Window::wake);
  core.begin(gui);
  const Result<int> drawn = Loop(**window, core, gui).run();
  if (!drawn.ok()) return drawn.error();
  return Ok{};
}

}  // namespace runahead::gui
