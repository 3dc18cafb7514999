// The code of a student: the lesson and the answers, as a short word that can be read aloud and typed.
//
// A code has 8 characters. The alphabet has 31: no 0 and O, no 1, I and L. The first character is the number
// of the lesson. Five are the answers, as one number to the base 31: a choice by its index, a number by three
// digits and a power of ten. Two are check characters: with the characters as the numbers d1 .. d8, both the
// sum of d_i and the sum of i * d_i are 0 modulo 31. Any one or two changed characters, and any two swapped
// characters, break one of the sums.
//
// Two students with the same answers have the same code.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "samples/lessons/prediction.h"

namespace runahead::gui {

inline constexpr std::string_view kCodeCharacters = "23456789ABCDEFGHJKMNPQRSTUVWXYZ";
inline constexpr std::size_t kCodeLength = 8;

// The numbers that a code can hold, as the user types them (typed_unit()): 0, and from `least` to `most` with
// three digits. More questions leave less room for each number.
struct AnswerRange {
  double least = 0, most = 0;
};
[[nodiscard]] AnswerRange answer_range(std::span<const samples::Prediction> asked);
// True if a code can hold the answer: an index of a choice, or a number in the range.
[[nodiscard]] bool code_holds(std::span<const samples::Prediction> asked, std::size_t index, double answer);

// The code of these answers: for each question an index of a choice, or a number in base units (a share 0..1,
// bytes). nullopt: there is no answer to a question, or code_holds() is false, or the lesson's number is not
// in 1..30.
[[nodiscard]] std::optional<std::string> class_code(int lesson, std::span<const samples::Prediction> asked,
                                                    std::span<const std::optional<double>> answers);

enum class CodeFault { kForm, kMistyped, kOtherLesson, kAnswers };
// Reads a code; lower case is read as upper case, '-' is skipped. `code_lesson` returns its lesson.
[[nodiscard]] std::variant<int, CodeFault> lesson_of_code(std::string_view code);
// Returns the answers of a code of this lesson.
[[nodiscard]] std::variant<std::vector<double>, CodeFault> read_code(
    std::string_view code, int lesson, std::span<const samples::Prediction> asked);
// One line in the language of the window, such as "code 7K3: a code has 8 characters of ...".
[[nodiscard]] std::string fault_words(CodeFault fault, std::string_view code, int lesson);

// The words of a text that are divided by blanks, line ends, commas or semicolons.
[[nodiscard]] std::vector<std::string> codes_in(std::string_view text);

}  // namespace runahead::gui
