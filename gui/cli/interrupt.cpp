#include "gui/cli/interrupt.h"

#include <array>
#include <csignal>
#include <string>

namespace runahead::gui {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// A signal handler can safely do little more than set a variable of this type. The handler writes the
// variable; signal() reads it.
volatile std::sig_atomic_t noted_signal = 0;

extern "C" void runahead_note_signal(int number) { noted_signal = number; }

}  // namespace

InterruptNote::InterruptNote() {
  noted_signal = 0;
  for (const int number : kSignals) {
    struct sigaction before {};
    sigaction(number, nullptr, &before);
    if (before.sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    action.sa_handler = runahead_note_signal;
    // SA_RESETHAND: a second signal gets the default action and therefore ends the process.
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigaction(number, &action, nullptr);
  }
}

InterruptNote::~InterruptNote() {
  for (const int number : kSignals) {
    struct sigaction now {};
    sigaction(number, nullptr, &now);
    if (now.sa_handler == runahead_note_signal) std::signal(number, SIG_DFL);
  }
}

int InterruptNote::signal() const { return noted_signal; }

recordings::Progress until_interrupted(const InterruptNote& note) {
  return [&note](double) { return note.signal() == 0; };
}

Outcome not_written(const InterruptNote& note, std::string_view file) {
  return {128 + note.signal(),
          "interrupted: '" + std::string(file) + "' was not written, and nothing is left of it"};
}

}  // namespace runahead::gui
