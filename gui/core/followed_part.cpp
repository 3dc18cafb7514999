#include "gui/core/followed_part.h"

#include <algorithm>
#include <utility>

#include "instrumentation/link/program_link.h"

namespace runahead::gui {

namespace {

// How often the values are read again: another watcher may change them.
constexpr std::chrono::milliseconds kControlsPeriod{300};

// The link to the program that writes a recording. It is kept between two questions.
class LinkOfRecording {
 public:
  ControlAnswer answer(const ControlQuestion& question) {
    ControlAnswer answer{question.recording, {}, {}, {}};
    if (!connect(question.recording)) {
      if (question.set) answer.failure = "'" + question.set->name + "': its program does not answer";
      return answer;
    }
    if (question.set) {
      const Status set = link_->set(question.set->name, question.set->value);
      if (!set) answer.failure = set.error().message;
    }
    Result<std::vector<link::Control>> controls = link_->controls();
    if (controls) {
      answer.controls = std::move(*controls);
      if (Result<std::string> host = link_->broken_host()) answer.broken_host = std::move(*host);
    } else {
      link_.reset();
    }
    return answer;
  }

 private:
  bool connect(const std::filesystem::path& recording) {
    if (link_ && recording_ == recording) return true;
    link_ = link::ProgramLink::to_writer_of(recording);
    recording_ = recording;
    return link_ != nullptr;
  }

  std::filesystem::path recording_;
  std::unique_ptr<link::ProgramLink> link_;
};

ControlAsker::Work controls_work() {
  return [link = std::make_shared<LinkOfRecording>()](const ControlQuestion& question, const auto&) {
    return link->answer(question);
  };
}

}  // namespace

Followed::Followed(Screen& screen) : screen_(screen), asker_(controls_work(), screen.wake) {}

void Followed::apply(const SetControl& command) {
  if (screen_.following()) wanted_.push_back(command);
}

bool Followed::poll() {
  bool changed = false;
  if (!screen_.following() || serial_ != screen_.serial) {
    changed = !controls_.empty() || !broken_host_.empty();
    controls_.clear();
    broken_host_.clear();
    wanted_.clear();
    serial_ = screen_.serial;
  }
  if (std::optional<ControlAnswer> answer = asker_.take();
      answer && answer->recording == screen_.opened_path) {
    if (!answer->failure.empty()) screen_.fail(answer->failure);
    changed = changed || !answer->failure.empty() || controls_ != answer->controls ||
              broken_host_ != answer->broken_host;
    controls_ = std::move(answer->controls);
    broken_host_ = std::move(answer->broken_host);
  }
  if (!screen_.following() || asker_.busy()) return changed;
  const auto now = std::chrono::steady_clock::now();
  if (wanted_.empty() && now < due_) return changed;
  due_ = now + kControlsPeriod;
  ControlQuestion question{screen_.opened_path, std::nullopt};
  if (!wanted_.empty()) {
    question.set = std::move(wanted_.front());
    wanted_.pop_front();
  }
  asker_.ask(std::move(question));
  return changed;
}

}  // namespace runahead::gui
