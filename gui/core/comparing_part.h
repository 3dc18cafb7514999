// Comparing holds the state of a comparison: the ranges A and B, the other recording if there is one, the
// result, and the lower timeline, which shows side B. No ImGui. AppCore owns Comparing and passes it the
// trace on the screen, which is side A.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "gui/background/block_loader.h"
#include "gui/core/comparer.h"
#include "gui/model/app_commands.h"
#include "gui/model/comparison_model.h"
#include "gui/timeline/timeline_commands.h"
#include "gui/timeline/track_choices.h"
#include "instrumentation/trace/trace.h"

namespace runahead::gui {

// The trace on the screen, owned by AppCore.
struct MainTrace {
  const trace::Trace& trace;
  std::uint64_t serial = 0;  // identifies the trace
  TimelineState& timeline;
  SharedChoices& choices;  // shared by the upper and the lower timeline
  std::string name;
};

// One thread (the window's) calls everything.
class Comparing {
 public:
  explicit Comparing(std::function<void()> wake);

  // Takes finished results from the worker threads, and requests the results that are missing. `shown`:
  // whether the panel is shown. Returns true if there is something new to see.
  [[nodiscard]] bool poll(const MainTrace& main, bool shown);
  [[nodiscard]] bool busy() const { return comparer_.busy() || lister_.busy(); }

  // ---- commands -----------------------------------------------------------------------------------------
  void apply(const MainTrace& main, const CompareCommand& command);
  // call when the panel was opened: chooses the sides to compare if the user has not chosen them
  void opened();
  void choose(const CompareChoice& choice);
  void show(const MainTrace& main, const CompareSlices& slices);
  void step(const MainTrace& main, CompareSide side, int by);
  void align() { align_wanted_ = chosen_ = true; }
  void link(const MainTrace& main, bool linked);
  void on_lower(const MainTrace& main, const TimelineCommand& command);
  void close();  // closes the other recording
  // Call when another trace is shown on the screen. Drops the ranges of the previous trace.
  void main_replaced();

  // ---- the other recording ------------------------------------------------------------------------------
  void take_other(trace::Trace trace, const std::filesystem::path& path);
  // Returns the store that loads rows of the other recording within a memory limit. nullptr: there is no
  // other recording, or it is completely in memory.
  [[nodiscard]] std::shared_ptr<trace::BlockStore> other_store() const;

  // ---- a frame ------------------------------------------------------------------------------------------
  // `passed`: time since the previous frame.
  void advance_view(const MainTrace& main, bool shown, Duration passed = {});
  [[nodiscard]] bool gliding() const { return aligned_ && lower_.glide.has_value(); }
  void frame_drawn();
  [[nodiscard]] CompareFacts facts(const MainTrace& main) const;

 private:
  [[nodiscard]] const trace::Trace* lower_trace(const MainTrace& main) const;
  // Makes the lower timeline show `trace` with the current track choices. If the lower timeline showed a
  // different trace before, its state is reset. Only the visible time range of the lower timeline is kept.
  void turn_lower_to(const trace::Trace& trace, const MainTrace& main);
  void ask(const MainTrace& main);
  bool take_answer(const MainTrace& main);
  bool take_list(const MainTrace& main);
  void align_views(const MainTrace& main);
  void show_listed(const MainTrace& main, CompareSide side);
  // True if there is an answer, and it is about the traces that are compared now.
  [[nodiscard]] bool current(const MainTrace& main) const;

  const std::function<void()> wake_;
  std::shared_ptr<std::atomic<double>> done_ =
      std::make_shared<std::atomic<double>>(0);  // written by the worker
  double told_ = 0;                              // the value of done_ at the last poll
  CompareChoice choice_;
  bool chosen_ = false;  // true if the user has chosen what to compare
  std::optional<trace::Trace> other_;
  std::filesystem::path other_path_;
  std::unique_ptr<BlockLoader> loader_;
  std::uint64_t other_serial_ = 0, answers_ = 0;
  std::optional<CompareAnswer> answer_;
  struct Asked {
    CompareChoice choice;
    std::uint64_t a_serial = 0, b_serial = 0;
    friend bool operator==(const Asked&, const Asked&) = default;
  };
  std::optional<Asked> asked_;
  std::uint64_t asked_version_ = 0;
  std::chrono::steady_clock::time_point ask_again_{};
  std::optional<CompareSlices> slices_;
  std::array<ListedSlices, 2> listed_;

  TimelineState lower_;
  // Identifies the trace of the lower timeline. first: true if the trace is the other recording, false if it
  // is A's trace. second: the serial of the trace.
  std::pair<bool, std::uint64_t> lower_of_{};
  SharedChoices::Taken lower_taken_;
  bool linked_ = true, aligned_ = false, align_wanted_ = false;
  Duration offset_{};  // the lower view's offset from the upper view
  // The time ranges that the two views showed in the last frame. advance_view() compares them with the
  // present time ranges, to find out which view has moved. If the views are linked, the other view then
  // follows.
  TimeRange upper_seen_, lower_seen_;

  // The last members are destroyed first, so their threads end while the members that the threads use still
  // exist.
  Comparer comparer_;
  Lister lister_;
};

}  // namespace runahead::gui
