#include "gui/timeline/paint/cause_colours.h"

namespace runahead::gui {

using causes::IdleCause;
using causes::PathClass;
using trace::SliceKind;

namespace {
// Indices of Theme::categories: colours that no kind of slice has.
constexpr std::uint32_t kGreen = 8, kTeal = 10, kPurple = 7, kBrown = 11;
}  // namespace

Colour idle_colour(const Theme& theme, IdleCause cause) {
  switch (cause) {
    case IdleCause::kSynchronisation:
      return theme.of(SliceKind::kWait);
    case IdleCause::kDataLoading:
      return theme.category(kBrown);
    case IdleCause::kOperator:
      return theme.of(SliceKind::kEnqueue);
    case IdleCause::kPython:
      return theme.category(kPurple);
    case IdleCause::kAllocation:
      return theme.of(SliceKind::kAllocation);
    case IdleCause::kHost:
      return theme.of(SliceKind::kZone);
    case IdleCause::kLaunchCall:
      return theme.of(SliceKind::kStep);
    case IdleCause::kLaunchLatency:
      return theme.category(kTeal);
    case IdleCause::kQueued:
      return theme.of(SliceKind::kCopyToDevice);
    case IdleCause::kOtherStream:
      return theme.category(kGreen);
    case IdleCause::kCopy:
      return theme.of(SliceKind::kCopyToHost);
    case IdleCause::kShort:
    case IdleCause::kNoMoreWork:
    case IdleCause::kUnknown:
      break;
  }
  return theme.of(SliceKind::kPause);
}

Colour path_colour(const Theme& theme, PathClass path_class) {
  switch (path_class) {
    case PathClass::kHost:
      return theme.of(SliceKind::kEnqueue);
    case PathClass::kLaunch:
      return theme.of(SliceKind::kStep);
    case PathClass::kKernel:
      return theme.of(SliceKind::kExecute);
    case PathClass::kCopy:
      return theme.of(SliceKind::kCopyToHost);
    case PathClass::kCommunication:
      return theme.category(kPurple);
    case PathClass::kWaiting:
      return theme.of(SliceKind::kWait);
    case PathClass::kUnknown:
      break;
  }
  return theme.of(SliceKind::kPause);
}

}  // namespace runahead::gui
