#include "gui/platform/input_queue.h"

#include <gtest/gtest.h>

namespace runahead::gui {
namespace {

constexpr int kPress = 1, kRelease = 0, kRepeat = 2;

TEST(InputQueue, APressAndItsReleaseBetweenTwoFramesAreSeenInTwoFrames) {
  InputQueue queue;
  queue.push(KeyEvent{65, 0, kPress, 0});
  queue.push(CharEvent{'a'});
  queue.push(KeyEvent{65, 0, kRelease, 0});
  EXPECT_EQ(queue.take_frame(InputQueue::Keys::kShortcuts).size(), 2u);
  EXPECT_FALSE(queue.empty());
  const std::vector<InputEvent> second = queue.take_frame(InputQueue::Keys::kShortcuts);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(std::get<KeyEvent>(second[0]).action, kRelease);
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueue, AFrameActsOnOneShortcut) {
  InputQueue queue;
  for (const char c : {'t', 'm'}) {
    queue.push(KeyEvent{c, 0, kPress, 0});
    queue.push(CharEvent{static_cast<unsigned int>(c)});
  }
  const std::vector<InputEvent> first = queue.take_frame(InputQueue::Keys::kShortcuts);
  EXPECT_EQ(std::get<CharEvent>(first.at(1)).codepoint, 't');
  EXPECT_EQ(first.size(), 3u) << "the press of m changes no state that t needs";
  EXPECT_EQ(std::get<CharEvent>(queue.take_frame(InputQueue::Keys::kShortcuts).at(0)).codepoint, 'm');
}

TEST(InputQueue, TypedTextArrivesInOneFrameAndTheKeyThatAcceptsItStaysInOrder) {
  constexpr int kReturn = 257;
  InputQueue queue;
  for (const char c : {'a', 'b', 'a', '.'}) {
    queue.push(KeyEvent{c == '.' ? 46 : c - 'a' + 65, 0, kPress, 0});
    queue.push(CharEvent{static_cast<unsigned int>(c)});
    queue.push(KeyEvent{c == '.' ? 46 : c - 'a' + 65, 0, kRelease, 0});
  }
  queue.push(KeyEvent{kReturn, 0, kPress, 0});
  queue.push(KeyEvent{kReturn, 0, kRelease, 0});
  EXPECT_EQ(queue.take_frame().size(), 13u) << "four characters, and the press of Return";
  EXPECT_EQ(queue.take_frame().size(), 1u);
}

TEST(InputQueue, KeysWaitForTheFieldThatAShortcutOpens) {
  InputQueue queue;
  queue.push(CursorEvent{10, 10});
  queue.push(KeyEvent{'m', 0, kPress, 0});
  queue.push(CharEvent{'m'});
  queue.push(CharEvent{'a'});
  EXPECT_EQ(queue.take_frame(InputQueue::Keys::kHeld).size(), 1u) << "the mouse goes on";
  EXPECT_TRUE(queue.take_frame(InputQueue::Keys::kHeld).empty());
  EXPECT_FALSE(queue.empty());
  EXPECT_EQ(queue.take_frame(InputQueue::Keys::kText).size(), 3u) << "a field takes all characters at once";
}

TEST(InputQueue, AClickHappensWhereTheMouseWasThen) {
  InputQueue queue;
  queue.push(CursorEvent{10, 10});
  queue.push(ButtonEvent{0, true});
  queue.push(ButtonEvent{0, false});
  queue.push(CursorEvent{500, 500});
  const std::vector<InputEvent> first = queue.take_frame();
  ASSERT_EQ(first.size(), 2u);
  EXPECT_TRUE(std::get<ButtonEvent>(first[1]).down);
  const std::vector<InputEvent> second = queue.take_frame();
  ASSERT_EQ(second.size(), 1u);
  EXPECT_FALSE(std::get<ButtonEvent>(second[0]).down);
  EXPECT_EQ(std::get<CursorEvent>(queue.take_frame().at(0)).x_px, 500);
}

TEST(InputQueue, TheEndOfAQuickDragIsSeenWithTheButtonDown) {
  InputQueue queue;
  queue.push(CursorEvent{10, 10});
  queue.push(ButtonEvent{0, true});
  queue.push(CursorEvent{60, 10});
  queue.push(CursorEvent{90, 10});
  queue.push(ButtonEvent{0, false});
  EXPECT_EQ(queue.take_frame().size(), 2u);
  const std::vector<InputEvent> drag = queue.take_frame();
  ASSERT_EQ(drag.size(), 2u);
  EXPECT_EQ(std::get<CursorEvent>(drag[1]).x_px, 90);
  EXPECT_EQ(queue.take_frame().size(), 1u);
}

TEST(InputQueue, MovesAndTurnsOfTheWheelWithoutClicksCrowdIntoOneFrame) {
  InputQueue queue;
  for (int i = 0; i < 100; ++i) queue.push(CursorEvent{static_cast<double>(i), 0});
  for (int i = 0; i < 5; ++i) queue.push(WheelEvent{0, 1});
  EXPECT_EQ(queue.take_frame().size(), 105u);
}

TEST(InputQueue, AHeldKeyRepeatsWithinItsFrame) {
  InputQueue queue;
  queue.push(KeyEvent{65, 0, kPress, 0});
  for (int i = 0; i < 3; ++i) queue.push(KeyEvent{65, 0, kRepeat, 0});
  EXPECT_EQ(queue.take_frame().size(), 4u);
}

TEST(InputQueue, KeysOfAChordAreOfOneFrameAndTheirReleasesOfTheNext) {
  InputQueue queue;
  queue.push(KeyEvent{341, 0, kPress, 0});
  queue.push(KeyEvent{83, 0, kPress, 2});
  queue.push(KeyEvent{83, 0, kRelease, 2});
  queue.push(KeyEvent{341, 0, kRelease, 0});
  EXPECT_EQ(queue.take_frame().size(), 2u);
  EXPECT_EQ(queue.take_frame().size(), 2u);
}

TEST(InputQueue, AModifierLetGoFirstStillCountsForTheKeyBeforeIt) {
  InputQueue queue;
  queue.push(KeyEvent{341, 0, kPress, 0});
  EXPECT_EQ(queue.take_frame().size(), 1u);
  queue.push(KeyEvent{83, 0, kPress, 2});
  queue.push(KeyEvent{341, 0, kRelease, 2});
  queue.push(KeyEvent{83, 0, kRelease, 0});
  EXPECT_EQ(queue.take_frame().size(), 1u);
  EXPECT_EQ(queue.take_frame().size(), 2u);
}

TEST(InputQueue, AModifierLetGoAfterAClickCountsForTheClick) {
  InputQueue queue;
  queue.push(KeyEvent{340, 0, kPress, 0});
  queue.push(ButtonEvent{0, true});
  queue.push(KeyEvent{340, 0, kRelease, 1});
  EXPECT_EQ(queue.take_frame().size(), 2u);
  EXPECT_EQ(queue.take_frame().size(), 1u);
}

}  // namespace
}  // namespace runahead::gui
