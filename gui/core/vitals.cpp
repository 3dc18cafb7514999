#include "gui/core/vitals.h"

namespace runahead::gui {

bool Vitals::poll() {
  const auto now = std::chrono::steady_clock::now();
  const double elapsed_s = std::chrono::duration<double>(now - rates_at_).count();
  if (elapsed_s < 0.5) return false;
  rates_at_ = now;
  if (const auto stats = screen_.session->recorder_stats()) {
    const std::uint64_t events = stats->events;
    events_per_s_ = events >= events_before_ ? static_cast<double>(events - events_before_) / elapsed_s : 0;
    events_before_ = events;
  }
  return true;
}

DebugFacts Vitals::facts(double figures_ms) const {
  DebugFacts facts{.poll = frame_times_.poll.part(),
                   .build = frame_times_.build.part(),
                   .paint = frame_times_.paint.part(),
                   .total = frame_times_.total.part()};
  facts.frames = frame_times_.total.count();
  facts.events_per_s = screen_.session->live() ? events_per_s_ : 0;
  facts.trace_bytes = screen_.trace().size_bytes();
  if (const auto store = screen_.trace().store()) facts.loaded = store->stats();
  facts.figures_ms = figures_ms;
  if (const auto stats = screen_.session->recorder_stats()) {
    facts.threads = stats->threads;
    facts.events = stats->events;
    facts.lost = stats->lost;
    facts.fullest_buffer_ratio = stats->fullest_buffer_ratio;
  }
  if (const auto stats = screen_.session->collector_stats()) {
    const auto ms = [](Duration d) { return std::chrono::duration<double, std::milli>(d).count(); };
    facts.slices = stats->slices;
    facts.last_drain_ms = ms(stats->last_drain);
    facts.longest_drain_ms = ms(stats->longest_drain);
  }
  return facts;
}

}  // namespace runahead::gui
