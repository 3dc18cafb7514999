"""Makes the codes of students, as a page of a lesson does (gui/lesson/class_code.h)."""
CHARACTERS = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"


def number_state(value):
    """The number of an answer that is a number, as the student types it: 0, or three digits and a power of ten from -1."""
    if value == 0:
        return 0
    digits, power = f"{value:.2e}".split("e")
    return 1 + (int(power) + 1) * 900 + round(float(digits) * 100) - 100


def class_code(lesson, answers):
    """answers: (state, number of states) of each question."""
    value = 0
    for state, states in answers:
        value = value * states + state
    digits = [lesson] + [value // 31 ** place % 31 for place in range(4, -1, -1)]
    plain = sum(digits) % 31
    weighted = sum((i + 1) * digit for i, digit in enumerate(digits)) % 31
    last = (7 * plain - weighted) % 31
    digits += [(-plain - last) % 31, last]
    return "".join(CHARACTERS[digit] for digit in digits)


def increment_code(ratio, choice):
    """A code of lesson 5: how many times longer, and which of two."""
    return class_code(5, [(number_state(ratio), 9 * 900 + 1), (choice, 2)])
