#include "gui/core/screen.h"

#include <algorithm>
#include <utility>

#include "gui/answers/figure_facts.h"
#include "gui/text/text.h"
#include "instrumentation/analysis/segment.h"

namespace runahead::gui {

// Decoding this much takes a few milliseconds.
constexpr std::size_t kMostBytesOfAFrame = std::size_t{4} << 20;

Screen::Screen(Settings kept, std::function<void()> wake_up, CallOn start_on)
    : wake(std::move(wake_up)), settings(std::move(kept)), start_on_(std::move(start_on)) {
  end_session();  // not in the initialiser list: uses start_on_ and keep_bytes_, later members
}

SessionOptions Screen::session_options() const {
  return {.retain_bytes = keep_bytes_, .wake = wake, .join_later = true, .start_on = start_on_};
}

bool Screen::stands_still() const {
  samples::Runner* const runner = session->runner();
  return !opened && runner != nullptr && runner->state() == samples::RunState::kPaused &&
         runner->engine_stats().in_flight_ops == 0;
}

void Screen::show_session() {
  loader.reset();
  opened = nullptr;
  file_.reset();
  follower_.reset();
  opened_path.clear();
  trace_mode = false;
  compares = true;
  timeline = TimelineState{};
  replace_trace();
}

void Screen::show_file(trace::Trace trace, const std::filesystem::path& path) {
  loader.reset();
  follower_.reset();
  file_ = std::move(trace);
  opened = &*file_;
  show_opened(path);
}

void Screen::show_followed(std::unique_ptr<link::FileFollower> follower, const std::filesystem::path& path) {
  loader.reset();
  file_.reset();
  follower_ = std::move(follower);
  opened = &follower_->reader().trace();
  show_opened(path);
}

void Screen::show_opened(const std::filesystem::path& path) {
  opened_path = path;
  trace_mode = !is_run(*opened);
  look_for_changes();
  loader = opened->store() != nullptr ? std::make_unique<BlockLoader>(opened->store(), wake) : nullptr;
  replace_trace();
}

void Screen::look_for_changes() { compares = compares_changes(*opened); }

bool Screen::poll_followed() {
  if (!following()) return false;
  const Result<bool> changed = follower_->poll(kMostBytesOfAFrame);
  if (!changed) {
    fail(changed.error().message);
    file_ = std::move(*opened);  // the rows so far stay on the screen
    opened = &*file_;
    follower_.reset();
    return true;
  }
  opened->retain_at_most(keep_bytes_);
  if (*changed && !compares) look_for_changes();
  if (follower_->ended()) tell_followed_ended();
  return *changed;
}

void Screen::tell_followed_ended() {
  notice = filled(Text::kFollowedEnded, {opened_path.filename().string()});
  // A short recording would be a sliver at the edge of a view that has followed it.
  if (timeline.follow && opened->extent().duration() < timeline.view.duration()) {
    timeline.follow = false;
    timeline.view = {};
  }
}

void Screen::replace_trace() {
  ++serial;
  step_to_show.reset();
  timeline.pinned_time.reset();
  if (trace_replaced) trace_replaced();
}

void Screen::end_session() { session = std::make_unique<Session>(session_options()); }

void Screen::retain_at_most(std::size_t bytes) {
  keep_bytes_ = open_options.memory_bytes = bytes;
  end_session();
}

void Screen::share_memory(const std::shared_ptr<trace::BlockStore>& other) {
  const std::size_t for_other = other ? open_options.memory_bytes / 2 : 0;
  if (other) other->set_limit_bytes(for_other);
  if (opened && opened->store()) opened->store()->set_limit_bytes(open_options.memory_bytes - for_other);
  session->retain_at_most(opened ? keep_bytes_ : keep_bytes_ - std::min(for_other, keep_bytes_ / 2));
}

}  // namespace runahead::gui
