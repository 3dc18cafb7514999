// The subcommands. Each add_ function adds one subcommand, with its options, to `app`. If the user typed this
// subcommand, a callback stores its action in `chosen`. The caller runs the action after the whole command
// line is parsed.
#pragma once

#include <functional>

#include "gui/cli/cli.h"
#include "gui/cli/outcome.h"

namespace CLI {
class App;
}

namespace runahead::gui {

using Action = std::function<Outcome()>;

void add_list_command(CLI::App& app, Action& chosen);
void add_devices_command(CLI::App& app, Action& chosen);
void add_run_command(CLI::App& app, Action& chosen);
void add_info_command(CLI::App& app, Action& chosen);
void add_stats_command(CLI::App& app, Action& chosen);
void add_explain_command(CLI::App& app, Action& chosen);
void add_predict_command(CLI::App& app, Action& chosen);
void add_compare_command(CLI::App& app, Action& chosen);
void add_query_command(CLI::App& app, Action& chosen);
void add_export_command(CLI::App& app, Action& chosen);
void add_serve_command(CLI::App& app, Action& chosen);
void add_codes_command(CLI::App& app, Action& chosen);
void add_convert_command(CLI::App& app, Action& chosen);
void add_merge_command(CLI::App& app, Action& chosen);
void add_record_command(CLI::App& app, Action& chosen);
void add_python_command(CLI::App& app, Action& chosen);
void add_live_command(CLI::App& app, const WindowEntry& window,
                      Action& chosen);  // window must outlive the action
void add_attach_command(CLI::App& app, const WindowEntry& window,
                        Action& chosen);  // window must outlive the action
void add_control_command(CLI::App& app, Action& chosen);
void add_agent_command(CLI::App& app, Action& chosen);
void add_reference_command(CLI::App& app, Action& chosen);  // app must outlive the action
void add_gui_command(CLI::App& app, const WindowEntry& window,
                     Action& chosen);  // window must outlive the action
void add_screenshot_command(CLI::App& app, const WindowEntry& window,
                            Action& chosen);  // window must outlive the action

}  // namespace runahead::gui
