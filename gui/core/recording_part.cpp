#include "gui/core/recording_part.h"

#include <utility>

#include "gui/text/text.h"

namespace runahead::gui {

void Recording::wait_for_joining() {
  if (joining_) joining_->wait();
}

void Recording::apply(const RecordingCommand& command) {
  std::visit([this](const auto& c) { on(c); }, command);
}

void Recording::on(const SetRetention& command) { screen_.settings.retention = within_bounds(command.keep); }

void Recording::on(const StopRecording&) {
  if (screen_.session->recording_to_file()) end();
}

void Recording::start(const std::filesystem::path& path) {
  if (joining_)
    return screen_.fail(
        filled(Text::kStillJoining, {path.filename().string(), joining_->path().filename().string()}));
  const Status begun = screen_.session->start_recording(path, limits_of(screen_.settings.retention));
  if (!begun.ok()) screen_.fail(begun.error().message);
}

void Recording::begin_session() {
  const bool recorded = screen_.session->live() && screen_.session->recording_to_file();
  screen_.session->stop();
  if (recorded) end();
  was_recording_ = false;
  screen_.end_session();
}

void Recording::end() {
  Session& session = *screen_.session;
  const Status ended = session.stop_recording();
  was_recording_ = false;
  joined_keeps_ = limits_words(session.recording_limits());
  if (std::optional<record::EndedFile> parts = session.take_unjoined()) {
    joining_ = Job::join(*std::move(parts), screen_.wake);
  } else {
    tell(session.recording_path(), ended);
  }
}

void Recording::tell(const std::filesystem::path& path, const Status& ended) {
  if (!ended.ok()) {
    if (closing_) closing_failure_ = ended.error();
    return screen_.fail(ended.error().message);
  }
  screen_.notice = std::string(text(Text::kRecorded)) + " " + path.string() +
                   (joined_keeps_.empty() ? "" : " (" + joined_keeps_ + ")");
}

bool Recording::poll_joining(bool shown) {
  if (!joining_) return false;
  if (!joining_->finished()) return shown;
  const std::unique_ptr<Job> job = std::move(joining_);
  if (job->cancelled() && !job->status().ok() && !closing_) {
    screen_.notice = job->status().error().message;  // the message says where the recording's parts are
  } else {
    tell(job->path(), job->status());
  }
  return true;
}

bool Recording::poll_end() {
  const bool ended = was_recording_ && !screen_.session->recording_to_file();
  if (ended) end();
  was_recording_ = screen_.session->recording_to_file();
  return ended;
}

void Recording::poll_bytes() { bytes_ = screen_.session->recording_bytes(); }

bool Recording::ready_to_close() {
  closing_ = true;
  if (screen_.session->live() && screen_.session->recording_to_file()) end();
  return !joining_;
}

RecordingFacts Recording::facts() const {
  RecordingFacts facts{
      .bytes = bytes_, .limits = screen_.session->recording_limits(), .keep = screen_.settings.retention};
  if (screen_.session->recording_to_file()) facts.path = screen_.session->recording_path();
  return facts;
}

}  // namespace runahead::gui
