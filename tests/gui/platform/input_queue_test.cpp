#include "gui/platform/input_queue.h"

#include <gtest/gtest.h>

#include <string_view>

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

void type(InputQueue& queue, std::string_view text) {
  for (const char c : text) {
    const int key = c >= 'a' ? c - 'a' + 'A' : c;  // GLFW names the keys of letters by capital letters
    queue.push(KeyEvent{key, 0, kPress, 0});
    queue.push(CharEvent{static_cast<unsigned int>(c)});
    queue.push(KeyEvent{key, 0, kRelease, 0});
  }
}

TEST(InputQueue, TypedTextArrivesInOneFrame) {
  InputQueue queue;
  type(queue, "aba.");
  EXPECT_EQ(queue.take_frame().size(), 12u);
  EXPECT_TRUE(queue.empty());
}

TEST(InputQueue, AKeyThatWritesNothingIsNotInTheFrameOfText) {
  for (const int key : {257, 341}) {  // Return, Ctrl
    InputQueue queue;
    type(queue, "a");
    queue.push(KeyEvent{key, 0, kPress, 0});
    type(queue, "b");
    queue.push(KeyEvent{key, 0, kRelease, 0});
    EXPECT_EQ(queue.take_frame().size(), 3u) << "a";
    EXPECT_EQ(queue.take_frame().size(), 2u) << "the key, and the press of b, which changes nothing";
    EXPECT_EQ(queue.take_frame().size(), 3u) << "b, and the release of the key";
    EXPECT_TRUE(queue.empty());
  }
}

TEST(InputQueue, ACapitalLetterHasItsShift) {
  constexpr int kShift = 340;
  InputQueue queue;
  type(queue, "a");
  queue.push(KeyEvent{kShift, 0, kPress, 0});
  type(queue, "B");
  queue.push(KeyEvent{kShift, 0, kRelease, 0});
  EXPECT_EQ(queue.take_frame().size(), 7u);
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

TEST(InputQueue, AFieldReadsWhatWasTypedBeforeAClickLeavesIt) {
  InputQueue queue;
  queue.push(CharEvent{'2'});
  queue.push(CursorEvent{10, 10});
  queue.push(ButtonEvent{0, true});
  EXPECT_EQ(queue.take_frame(InputQueue::Keys::kText).size(), 2u) << "the character and the move";
  EXPECT_EQ(queue.take_frame(InputQueue::Keys::kText).size(), 1u) << "the click";

  constexpr int kReturn = 257;
  queue.push(KeyEvent{kReturn, 0, 1, 0});
  queue.push(ButtonEvent{0, true});
  EXPECT_EQ(queue.take_frame(InputQueue::Keys::kText).size(), 1u) << "the key";
  EXPECT_EQ(queue.take_frame(InputQueue::Keys::kText).size(), 1u) << "the click";
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
