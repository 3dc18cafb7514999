#include "gui/core/comparing_part.h"

#include <algorithm>
#include <utility>

#include "gui/timeline/glide.h"

namespace runahead::gui {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::duration<double, std::milli> kAskAgain{1000};

TimeRange moved(TimeRange range, Duration by) { return {range.begin + by, range.end + by}; }

}  // namespace

Comparing::Comparing(std::function<void()> wake)
    : wake_(std::move(wake)), comparer_(comparer_work(done_, wake_), wake_), lister_(list_compared, wake_) {}

// ---- commands ---------------------------------------------------------------------------------------------

void Comparing::apply(const MainTrace& main, const CompareCommand& command) {
  struct Apply {
    Comparing& comparing;
    const MainTrace& main;
    void operator()(const OpenComparison&) const { comparing.opened(); }
    void operator()(const Compare& c) const {
      comparing.choose(c.choice);
      comparing.wake_();
    }
    void operator()(const ShowCompared& c) const { comparing.show(main, c.slices); }
    void operator()(const StepCompared& c) const { comparing.step(main, c.side, c.by); }
    void operator()(const AlignCompared&) const { comparing.align(); }
    void operator()(const LinkCompared& c) const { comparing.link(main, c.linked); }
    void operator()(const OnLowerTimeline& c) const { comparing.on_lower(main, c.command); }
    void operator()(const CompareWith& c) const {
      comparing.take_other(c.trace->snapshot(), c.name);
      comparing.choice_.a = c.of.empty() ? std::nullopt : std::optional(c.of);
    }
    void operator()(const CloseComparison&) const { comparing.close(); }
  };
  std::visit(Apply{*this, main}, command);
}

void Comparing::opened() {
  // Another panel may have hidden the comparison. In this case the comparison's timelines are still aligned,
  // and their views do not change.
  align_wanted_ = !aligned_;
  if (!chosen_) choice_ = {.mode = other_ ? CompareMode::kRecording : CompareMode::kChange};
}

void Comparing::choose(const CompareChoice& choice) {
  if (choice_ == choice) return;
  choice_ = choice;
  chosen_ = true;
  align_wanted_ = true;
}

void Comparing::link(const MainTrace& main, bool linked) {
  linked_ = linked;
  if (linked && aligned_) lower_.view = lower_seen_ = moved(main.timeline.view, offset_);
}

void Comparing::on_lower(const MainTrace& main, const TimelineCommand& command) {
  const trace::Trace* trace = lower_trace(main);
  // The details show no statistics of an area of this timeline.
  if (trace == nullptr || std::holds_alternative<SetArea>(command)) return;
  turn_lower_to(*trace, main);
  main.choices.apply(command, *trace, lower_);
}

void Comparing::close() {
  comparer_.cancel();
  lister_.cancel();
  loader_.reset();
  other_.reset();
  other_path_.clear();
  ++other_serial_;
  lower_ = TimelineState{};
  lower_taken_ = {};
  choice_ = CompareChoice{};
  chosen_ = aligned_ = align_wanted_ = false;
  answer_.reset();
  asked_.reset();
  slices_.reset();
  listed_ = {};
}

void Comparing::main_replaced() {
  choice_.a.reset();
  choice_.change.reset();
  if (choice_.mode == CompareMode::kRanges) choice_.b.reset();
  answer_.reset();
  asked_.reset();
  slices_.reset();
  listed_ = {};
  comparer_.cancel();
  lister_.cancel();
  chosen_ = aligned_ = false;  // false, so that advance_view() does not move a view that follows a new run
  align_wanted_ = true;
}

void Comparing::take_other(trace::Trace trace, const std::filesystem::path& path) {
  loader_.reset();
  other_ = std::move(trace);
  other_path_ = path;
  loader_ = other_->store() != nullptr ? std::make_unique<BlockLoader>(other_->store(), wake_) : nullptr;
  ++other_serial_;
  choice_ = {.mode = CompareMode::kRecording, .change = {}, .a = choice_.a, .b = {}};
  chosen_ = true;
  align_wanted_ = true;
}

std::shared_ptr<trace::BlockStore> Comparing::other_store() const {
  return other_ ? other_->store() : nullptr;
}

// ---- polling ----------------------------------------------------------------------------------------------

bool Comparing::current(const MainTrace& main) const {
  return answer_ && answer_->a_serial == main.serial && answer_->b_serial == other_serial_;
}

bool Comparing::take_answer(const MainTrace& main) {
  std::optional<CompareAnswer> answer = comparer_.take();
  if (!answer) return false;
  const bool of_these = answer->a_serial == main.serial && answer->b_serial == other_serial_;
  if (answer->cancelled || !of_these) {
    asked_.reset();  // allows the same question to be asked again
    return true;
  }
  // While the trace grows, the comparison is repeated. Before each repetition there is a pause of at least
  // nine times the cost of the last comparison. Thus the worker computes for at most a tenth of the time.
  const std::chrono::duration<double, std::milli> cost{answer->cost_ms};
  ask_again_ = steady_clock::now() +
               std::chrono::duration_cast<std::chrono::milliseconds>(std::max(kAskAgain, 9 * cost));
  answer->number = ++answers_;
  answer_ = std::move(answer);
  if (answer_->problem != CompareAnswer::Problem::kNone) {
    aligned_ = false;
    return true;
  }
  const Duration offset = answer_->comparison.b_range.begin - answer_->comparison.a_range.begin;
  if (std::exchange(offset_, offset) != offset) link(main, linked_);
  return true;
}

bool Comparing::take_list(const MainTrace& main) {
  std::optional<ListAnswer> list = lister_.take();
  if (!list) return false;
  if (list->cancelled || !current(main) || slices_ != list->slices) return true;
  listed_ = std::move(list->listed);
  const bool in_a = !listed_[0].slices.empty();
  if (in_a || !listed_[1].slices.empty()) show_listed(main, in_a ? CompareSide::kA : CompareSide::kB);
  return true;
}

void Comparing::ask(const MainTrace& main) {
  const Asked now{choice_, main.serial, other_serial_};
  const bool other_missing = choice_.mode == CompareMode::kRecording && !other_;
  if (main.trace.extent().empty() || other_missing) return;
  const bool grown = asked_version_ != main.trace.version() && steady_clock::now() >= ask_again_;
  if (asked_ == now && !grown) return;
  if (comparer_.busy()) {
    if (asked_ != now) comparer_.cancel();
    return;
  }
  CompareQuestion question{choice_, main.trace.snapshot(), {}, main.serial, other_serial_};
  if (choice_.mode == CompareMode::kRecording) question.b = other_->snapshot();
  if (asked_ != now) {
    slices_.reset();
    listed_ = {};
  }
  comparer_.ask(std::move(question));
  asked_ = now;
  asked_version_ = main.trace.version();
}

bool Comparing::poll(const MainTrace& main, bool shown) {
  bool changed = take_answer(main);
  changed = take_list(main) || changed;
  changed = (loader_ && loader_->take_progress()) || changed;
  if (!shown) {
    comparer_.cancel();
    return changed;
  }
  ask(main);
  const double done = done_->load(std::memory_order_relaxed);
  return std::exchange(told_, done) != done || changed;
}

// ---- slices of a bar --------------------------------------------------------------------------------------

void Comparing::show(const MainTrace& main, const CompareSlices& slices) {
  if (!current(main) || answer_->problem != CompareAnswer::Problem::kNone || lister_.busy()) return;
  slices_ = slices;
  listed_ = {};
  ListQuestion question{
      slices,         main.trace.snapshot(), {}, answer_->comparison.a_range, answer_->comparison.b_range,
      answer_->number};
  if (answer_->asked.mode == CompareMode::kRecording) question.b = other_->snapshot();
  lister_.ask(std::move(question));
}

void Comparing::step(const MainTrace& main, CompareSide side, int by) {
  ListedSlices& listed = listed_[static_cast<std::size_t>(side)];
  if (listed.slices.empty()) return;
  const auto count = static_cast<std::ptrdiff_t>(listed.slices.size());
  const auto at = static_cast<std::ptrdiff_t>(listed.at) + by;
  listed.at = static_cast<std::size_t>((at % count + count) % count);
  show_listed(main, side);
}

void Comparing::show_listed(const MainTrace& main, CompareSide side) {
  const ListedSlices& listed = listed_[static_cast<std::size_t>(side)];
  const ShowSlice command{listed.slices[listed.at]};
  if (side == CompareSide::kA) {
    apply_timeline(command, main.trace, main.timeline);
    main.timeline.follow = false;
  } else {
    if (!aligned_) align_views(main);
    on_lower(main, command);
  }
}

// ---- the timelines ----------------------------------------------------------------------------------------

const trace::Trace* Comparing::lower_trace(const MainTrace& main) const {
  if (!current(main) || answer_->problem != CompareAnswer::Problem::kNone) return nullptr;
  if (answer_->asked.mode != CompareMode::kRecording) return &main.trace;
  return other_ ? &*other_ : nullptr;
}

void Comparing::turn_lower_to(const trace::Trace& trace, const MainTrace& main) {
  const bool other = &trace != &main.trace;
  const std::pair<bool, std::uint64_t> now{other, other ? other_serial_ : main.serial};
  if (std::exchange(lower_of_, now) != now) {
    const TimeRange view = lower_.view;
    lower_ = TimelineState{.view = view, .follow = false};
    lower_taken_ = {};
  }
  main.choices.take(trace, now.second, lower_, lower_taken_);
}

void Comparing::align_views(const MainTrace& main) {
  const analysis::Comparison& both = answer_->comparison;
  const Duration length = std::max(both.a_range.duration(), both.b_range.duration());
  const Duration margin = length / 50;
  const TimeRange view{both.a_range.begin - margin, both.a_range.begin + length + margin};
  main.timeline.view = upper_seen_ = view;
  main.timeline.follow = false;
  lower_.view = lower_seen_ = moved(view, offset_);
  lower_.follow = false;
  aligned_ = true;
}

void Comparing::advance_view(const MainTrace& main, bool shown, Duration passed) {
  const trace::Trace* trace = lower_trace(main);
  if (loader_) loader_->begin_view();
  if (trace == nullptr || !shown) {
    lower_.glide.reset();
    return;
  }
  turn_lower_to(*trace, main);
  // While the upper view follows a run, it is not moved to the compared range automatically. It is moved only
  // when the user chooses what to compare or presses the button Align.
  const bool asked_for = asked_ && asked_->choice == answer_->asked && answer_->asked == choice_;
  if (align_wanted_ && asked_for) {
    align_wanted_ = false;
    if (!main.timeline.follow || aligned_ || chosen_) align_views(main);
  }
  if (!aligned_) return;
  lower_.colour_by = main.timeline.colour_by;
  lower_.motion = main.timeline.motion;
  advance_glide(passed, lower_);
  advance_timeline(*trace, lower_);
  if (linked_ && main.timeline.view != upper_seen_) {
    lower_.view = moved(main.timeline.view, offset_);
  } else if (linked_ && lower_.view != lower_seen_) {
    main.timeline.view = moved(lower_.view, -offset_);
    main.timeline.follow = false;
  }
  upper_seen_ = main.timeline.view;
  lower_seen_ = lower_.view;
}

void Comparing::frame_drawn() {
  if (loader_) loader_->end_view();
}

CompareFacts Comparing::facts(const MainTrace& main) const {
  CompareFacts facts{.choice = choice_, .running = comparer_.busy()};
  facts.done = done_->load(std::memory_order_relaxed);
  facts.answer = current(main) ? &*answer_ : nullptr;
  facts.a_name = main.name;
  facts.b_name = other_ ? other_path_.filename().string() : "";
  facts.other = other_ ? &*other_ : nullptr;
  facts.b_trace = aligned_ ? lower_trace(main) : nullptr;
  facts.b_timeline = &lower_;
  facts.linked = linked_;
  facts.aligned = aligned_;
  facts.asked_slices = slices_;
  facts.listed = listed_;
  return facts;
}

}  // namespace runahead::gui
