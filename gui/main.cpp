// The program: the command line, and the window if it is built in.
#include "gui/cli/cli.h"
#include "gui/cli/out_of_memory.h"
#include "runahead_commit.h"  // generated: cmake/RunaheadCommit.cmake

#if RUNAHEAD_WITH_WINDOW
#include "gui/app/app.h"
#endif

namespace {

using namespace runahead::gui;

// gui/cli and gui/app do not depend on each other. This function connects them.
WindowEntry window_entry() {
#if RUNAHEAD_WITH_WINDOW
  return {
      .open =
          [](const WindowRequest& asked) {
            GuiOptions options{.files = asked.files,
                               .next_file = asked.next_file,
                               .run = asked.run,
                               .exercise = asked.exercise,
                               .workers_asked = asked.workers_asked,
                               .autostart = asked.autostart,
                               .duration = asked.duration,
                               .screenshot = asked.screenshot};
            if (asked.size) options.size = WindowSize{asked.size->width_px, asked.size->height_px};
            options.scale = asked.scale;
            options.light = asked.light;
            options.language = asked.language;
            options.range = asked.range;
            options.report = asked.report;
            options.retain_bytes = asked.retain_bytes;
            options.remember = asked.remember;
            options.forecasts = asked.forecasts;
            options.record = asked.record;
            options.about = about_text(RUNAHEAD_COMMIT);
            return run_gui(options);
          },
      .draw_picture =
          [](const PictureRequest& asked) {
            return render_screenshot({.file = asked.file,
                                      .png = asked.png,
                                      .size = {asked.size.width_px, asked.size.height_px},
                                      .range = asked.range,
                                      .scale = asked.scale,
                                      .light = asked.light,
                                      .language = asked.language});
          },
  };
#else
  return {};
#endif
}

}  // namespace

int main(int argc, char** argv) {
  prepare_for_out_of_memory();
  const WindowEntry window = window_entry();
  return run_command_line(argc, argv, window, RUNAHEAD_COMMIT);
}
