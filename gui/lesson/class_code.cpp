#include "gui/lesson/class_code.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "gui/lesson/answer_words.h"
#include "instrumentation/base/visible_text.h"

namespace runahead::gui {

namespace {

using samples::Prediction;

constexpr std::int64_t kBase = static_cast<std::int64_t>(kCodeCharacters.size());
constexpr std::size_t kAnswerDigits = 5;
constexpr std::int64_t kAnswerStates = kBase * kBase * kBase * kBase * kBase;
constexpr int kMostDecades = 9, kLeastPower = -1;
constexpr std::int64_t kPerDecade = 900;  // 100 to 999
constexpr std::int64_t kMostLesson = kBase - 1;

using Digits = std::array<std::int64_t, kCodeLength>;

std::int64_t number_states(int decades) { return decades * kPerDecade + 1; }

// The number of answers to a question.
std::int64_t states_of(const Prediction& asked, int decades) {
  return asked.choices.empty() ? number_states(decades) : static_cast<std::int64_t>(asked.choices.size());
}

// The most decades with which the answers to all questions fit; 0: they never fit.
int decades_of(std::span<const Prediction> asked) {
  for (int decades = kMostDecades; decades > 0; --decades) {
    std::int64_t states = 1;
    for (const Prediction& one : asked) {
      states *= states_of(one, decades);
      if (states > kAnswerStates) break;
    }
    if (states <= kAnswerStates) return decades;
  }
  return 0;
}

// The state of a number as the user types it; nullopt: a code cannot hold it. State 0 is the number 0. The
// others count the three digits, decade by decade.
std::optional<std::int64_t> state_of_number(double typed, int decades) {
  if (typed == 0) return 0;
  if (!(typed > 0) || !std::isfinite(typed)) return std::nullopt;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2e", typed);  // "1.23e+04"
  const int power = std::atoi(text.data() + 5);
  const std::int64_t digits = (text[0] - '0') * 100 + (text[2] - '0') * 10 + (text[3] - '0');
  if (power < kLeastPower || power >= kLeastPower + decades) return std::nullopt;
  return 1 + (power - kLeastPower) * kPerDecade + digits - 100;
}

double number_of_state(std::int64_t state) {
  if (state == 0) return 0;
  const std::int64_t digits = 100 + (state - 1) % kPerDecade;
  const int power = kLeastPower + static_cast<int>((state - 1) / kPerDecade);
  const double scale = std::pow(10.0, std::abs(power - 2));
  return power < 2 ? static_cast<double>(digits) / scale : static_cast<double>(digits) * scale;
}

std::optional<std::int64_t> state_of(const Prediction& asked, double answer, int decades) {
  if (asked.choices.empty()) return state_of_number(answer / typed_unit(asked.unit), decades);
  const bool index =
      answer >= 0 && answer < static_cast<double>(asked.choices.size()) && answer == std::floor(answer);
  return index ? std::optional(static_cast<std::int64_t>(answer)) : std::nullopt;
}

double answer_of(const Prediction& asked, std::int64_t state) {
  if (!asked.choices.empty()) return static_cast<double>(state);
  return number_of_state(state) * typed_unit(asked.unit);
}

// The two sums that are 0 in a code (class_code.h).
struct Sums {
  std::int64_t plain = 0, weighted = 0;
};
Sums sums_of(const Digits& digits) {
  Sums sums;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    sums.plain = (sums.plain + digits[i]) % kBase;
    sums.weighted = (sums.weighted + static_cast<std::int64_t>(i + 1) * digits[i]) % kBase;
  }
  return sums;
}

// Sets the two check digits: 7 a + 8 b = -weighted and a + b = -plain, modulo 31.
void add_checks(Digits& digits) {
  digits[6] = digits[7] = 0;
  const Sums sums = sums_of(digits);
  const std::int64_t b = ((7 * sums.plain - sums.weighted) % kBase + kBase) % kBase;
  digits[7] = b;
  digits[6] = ((-sums.plain - b) % kBase + kBase) % kBase;
}

std::variant<Digits, CodeFault> digits_of(std::string_view code) {
  Digits digits{};
  std::size_t count = 0;
  for (const char c : code) {
    if (c == '-') continue;
    const char upper = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    const std::size_t at = kCodeCharacters.find(upper);
    if (at == std::string_view::npos || count == kCodeLength) return CodeFault::kForm;
    digits[count++] = static_cast<std::int64_t>(at);
  }
  if (count != kCodeLength) return CodeFault::kForm;
  const Sums sums = sums_of(digits);
  if (sums.plain != 0 || sums.weighted != 0 || digits[0] == 0) return CodeFault::kMistyped;
  return digits;
}

}  // namespace

AnswerRange answer_range(std::span<const Prediction> asked) {
  const int decades = decades_of(asked);
  return {number_of_state(1), number_of_state(decades * kPerDecade)};
}

bool code_holds(std::span<const Prediction> asked, std::size_t index, double answer) {
  return index < asked.size() && state_of(asked[index], answer, decades_of(asked)).has_value();
}

std::optional<std::string> class_code(int lesson, std::span<const Prediction> asked,
                                      std::span<const std::optional<double>> answers) {
  const int decades = decades_of(asked);
  if (lesson < 1 || lesson > kMostLesson || answers.size() != asked.size() || decades == 0)
    return std::nullopt;
  std::int64_t value = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const auto state = answers[i] ? state_of(asked[i], *answers[i], decades) : std::nullopt;
    if (!state) return std::nullopt;
    value = value * states_of(asked[i], decades) + *state;
  }
  Digits digits{};
  digits[0] = lesson;
  for (std::size_t i = kAnswerDigits; i > 0; --i, value /= kBase) digits[i] = value % kBase;
  add_checks(digits);
  std::string code;
  for (const std::int64_t digit : digits) code += kCodeCharacters[static_cast<std::size_t>(digit)];
  return code;
}

std::variant<int, CodeFault> lesson_of_code(std::string_view code) {
  const std::variant<Digits, CodeFault> digits = digits_of(code);
  if (const auto* const fault = std::get_if<CodeFault>(&digits)) return *fault;
  return static_cast<int>(std::get<Digits>(digits)[0]);
}

std::variant<std::vector<double>, CodeFault> read_code(std::string_view code, int lesson,
                                                       std::span<const Prediction> asked) {
  const std::variant<Digits, CodeFault> read = digits_of(code);
  if (const auto* const fault = std::get_if<CodeFault>(&read)) return *fault;
  const Digits& digits = std::get<Digits>(read);
  if (digits[0] != lesson) return CodeFault::kOtherLesson;
  const int decades = decades_of(asked);
  std::int64_t value = 0;
  for (std::size_t i = 1; i <= kAnswerDigits; ++i) value = value * kBase + digits[i];
  std::vector<double> answers(asked.size());
  for (std::size_t i = asked.size(); i > 0; --i) {
    const std::int64_t states = states_of(asked[i - 1], decades);
    answers[i - 1] = answer_of(asked[i - 1], value % states);
    value /= states;
  }
  if (value != 0) return CodeFault::kAnswers;
  return answers;
}

std::string fault_words(CodeFault fault, std::string_view code, int lesson) {
  constexpr std::size_t kMostShown = 40;  // the word may be any text that was pasted
  const std::string shown = visible_text(code.substr(0, kMostShown));
  switch (fault) {
    case CodeFault::kForm:
      return filled(Text::kCodeForm, {shown, std::to_string(kCodeLength), kCodeCharacters});
    case CodeFault::kMistyped:
      return filled(Text::kCodeMistyped, {shown});
    case CodeFault::kOtherLesson:
      if (const auto other = lesson_of_code(code); const int* const of = std::get_if<int>(&other))
        return filled(Text::kCodeOfLesson, {shown, std::to_string(*of), std::to_string(lesson)});
      break;
    case CodeFault::kAnswers:
      break;
  }
  return filled(Text::kCodeAnswers, {shown});
}

std::vector<std::string> codes_in(std::string_view text) {
  constexpr std::string_view kBetween = " \t\r\n,;";
  std::vector<std::string> codes;
  for (std::size_t at = text.find_first_not_of(kBetween); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    codes.emplace_back(text.substr(at, end - at));
    at = text.find_first_not_of(kBetween, end);
  }
  return codes;
}

}  // namespace runahead::gui
