#include "instrumentation/import/chrome/event_scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace runahead::importers {
namespace {

constexpr std::size_t kWindowBytes = 1u << 20;
constexpr std::size_t kBlockBytes = 64;
constexpr std::size_t kMostMemberBytes = 16u << 10;
constexpr std::size_t kMostMembers = 256;
// How often the scanner tries to continue after a damaged event. Each attempt scans the rest of the window,
// so the number is limited. A file with more damaged events is probably damaged everywhere.
constexpr int kMostResumed = 64;

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// 64 bytes of text. equal() and brackets() return a mask with one bit per byte. equal() finds the bytes that
// equal `c`.
struct Block {
#ifdef __SSE2__
  explicit Block(const char* at) {
    for (int i = 0; i < 4; ++i) parts[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at) + i);
  }
  [[nodiscard]] std::uint64_t equal(char c) const {
    const __m128i wanted = _mm_set1_epi8(c);
    return joined([&](const __m128i& part) { return _mm_cmpeq_epi8(part, wanted); });
  }
  // Finds braces and brackets. [ and { differ only in bit 5, and so do ] and }, so two comparisons find all
  // four.
  [[nodiscard]] std::uint64_t brackets() const {
    const __m128i fold = _mm_set1_epi8(0x20), open = _mm_set1_epi8('{'), close = _mm_set1_epi8('}');
    return joined([&](const __m128i& part) {
      const __m128i folded = _mm_or_si128(part, fold);
      return _mm_or_si128(_mm_cmpeq_epi8(folded, open), _mm_cmpeq_epi8(folded, close));
    });
  }
  // Unrolled by hand: the compiler would keep a loop.
  template <typename Found>
  [[nodiscard]] std::uint64_t joined(Found found) const {
    const auto mask = [&](int i) {
      return std::uint64_t{static_cast<std::uint32_t>(_mm_movemask_epi8(found(parts[i])))};
    };
    return mask(0) | mask(1) << 16 | mask(2) << 32 | mask(3) << 48;
  }
  __m128i parts[4];
#else
  explicit Block(const char* at) : bytes(at) {}
  [[nodiscard]] std::uint64_t equal(char c) const {
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < kBlockBytes; ++i) mask |= std::uint64_t{bytes[i] == c} << i;
    return mask;
  }
  [[nodiscard]] std::uint64_t brackets() const { return equal('{') | equal('}') | equal('[') | equal(']'); }
  const char* bytes;
#endif
};

// Bit i of the result is set if an odd number of the bits 0 to i of `bits` is set.
std::uint64_t odd_until(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

// Returns a mask of the escaped bytes: the bytes directly after a backslash that is not itself escaped.
// `carry`: whether the first byte is escaped; on return, whether the first byte of the next block is escaped.
std::uint64_t escaped_bytes(std::uint64_t backslashes, bool& carry) {
  std::uint64_t escaped = carry ? 1 : 0;
  if (carry) backslashes &= ~std::uint64_t{1};
  carry = false;
  while (backslashes != 0) {
    const int at = std::countr_zero(backslashes);
    backslashes &= backslashes - 1;
    if (at == 63) {
      carry = true;
      break;
    }
    escaped |= std::uint64_t{2} << at;
    backslashes &= ~(std::uint64_t{2} << at);
  }
  return escaped;
}

bool opens(char c) { return c == '{' || c == '['; }

}  // namespace

// ---- the window -------------------------------------------------------------------------------------------

void EventScanner::index_block(const char* block, std::size_t base) {
  const Block bytes(block);
  std::uint64_t quotes = bytes.equal('"');
  const std::uint64_t backslashes = bytes.equal('\\');
  if ((backslashes | static_cast<std::uint64_t>(escaped_)) != 0) {
    quotes &= ~escaped_bytes(backslashes, escaped_);
  }
  const std::uint64_t inside = odd_until(quotes) ^ (in_string_ ? ~std::uint64_t{0} : 0);
  in_string_ = inside >> 63 != 0;
  for (std::uint64_t found = bytes.brackets() & ~inside; found != 0; found &= found - 1) {
    marks_.push_back(base + static_cast<std::size_t>(std::countr_zero(found)));
  }
}

void EventScanner::index(std::size_t end) {
  for (; indexed_ + kBlockBytes <= end; indexed_ += kBlockBytes) {
    index_block(text_.data() + indexed_, indexed_);
  }
  if (!ended_ || indexed_ >= end) return;
  char last[kBlockBytes] = {};
  std::copy(text_.data() + indexed_, text_.data() + end, last);
  index_block(last, indexed_);
  indexed_ = end;
}

bool EventScanner::more() {
  if (ended_) return false;
  if (size_ > keep_) std::memmove(text_.data(), text_.data() + keep_, size_ - keep_);
  size_ -= keep_;
  indexed_ -= keep_;
  marks_.erase(marks_.begin(), marks_.begin() + static_cast<std::ptrdiff_t>(next_mark_));
  for (std::size_t& at : marks_) at -= keep_;
  next_mark_ = 0;
  keep_ = 0;
  // An event larger than the window doubles the window.
  const std::size_t wanted = std::max(kWindowBytes, 2 * size_);
  if (text_.size() < wanted + kPaddingBytes) text_.resize(wanted + kPaddingBytes);
  while (size_ < wanted && !ended_) {
    const std::size_t got = stream_.read(text_.data() + size_, wanted - size_);
    size_ += got;
    ended_ = got == 0;
  }
  std::fill_n(text_.begin() + static_cast<std::ptrdiff_t>(size_), kPaddingBytes, ' ');
  index(size_);
  return true;
}

void EventScanner::drop_long_gap() {
  // There is no bracket in the whole window. Between events, such a text cannot be an event, so it is counted
  // as stray values. Inside an object, such a text is part of a very long string.
  if (state_ == State::kEvents) {
    look_for_strays(indexed_);
    keep_ = indexed_;
  } else if (state_ == State::kDone || indexed_ - keep_ > kMostEventBytes) {
    key_.clear();
    keep_ = indexed_;
  }
}

bool EventScanner::have_mark() {
  while (next_mark_ == marks_.size()) {
    drop_long_gap();
    if (!more()) return false;
  }
  return true;
}

// ---- the outermost object ---------------------------------------------------------------------------------

void EventScanner::open_container(char mark) {
  object_ = mark == '{';
  state_ = object_ ? State::kObject : State::kEvents;
  found_events_ = found_events_ || !object_;
  keep_ = this->mark() + 1;
  ++next_mark_;
}

void EventScanner::keep_member(std::string_view value) {
  while (!value.empty() && is_space(value.back())) value.remove_suffix(1);
  if (value.empty() || value.size() > kMostMemberBytes || members_.size() >= kMostMembers) return;
  members_.insert_or_assign(key_, std::string(value));
}

// Reads members of the outermost object from `gap`, the text between two brackets. If the value of a member
// is an object or array, reads only the member's key.
void EventScanner::take_member_text(std::string_view gap) {
  std::size_t at = 0;
  const auto skip_to = [&](std::string_view any) { at = std::min(gap.find_first_of(any, at), gap.size()); };
  const auto string_end = [&](std::size_t from) {
    while (from < gap.size() && gap[from] != '"') from += gap[from] == '\\' ? 2 : 1;
    return std::min(from, gap.size());
  };
  key_.clear();
  while (true) {
    skip_to("\"");
    if (at == gap.size()) return;
    const std::size_t key_end = string_end(at + 1);
    key_ = gap.substr(at + 1, key_end - at - 1);
    at = key_end;
    skip_to(":");
    if (at == gap.size()) return key_.clear();
    ++at;
    while (at < gap.size() && is_space(gap[at])) ++at;
    if (at == gap.size()) return;  // the value is an object or array: its bracket comes next
    const std::size_t begin = at;
    if (gap[at] == '"') at = std::min(string_end(at + 1) + 1, gap.size());
    skip_to(",");
    keep_member(gap.substr(begin, at - begin));
    key_.clear();
  }
}

bool EventScanner::skip_nested(std::size_t most_kept) {
  std::size_t depth = 0;
  kept_whole_ = true;
  while (true) {
    while (next_mark_ < marks_.size()) {
      const bool open = opens(text_[mark()]);
      ++next_mark_;
      if (open) {
        ++depth;
      } else if (--depth == 0) {
        return true;
      }
    }
    if (indexed_ - keep_ > most_kept) {
      if (most_kept >= kMostEventBytes) return false;
      kept_whole_ = false;
      keep_ = indexed_;
    }
    if (!more()) return false;
  }
}

void EventScanner::leave_object() {
  state_ = State::kDone;
  keep_ = mark() + 1;
  ++next_mark_;
}

void EventScanner::in_object(char mark) {
  const std::string_view gap(text_.data() + keep_, this->mark() - keep_);
  take_member_text(gap);
  if (!opens(mark)) return leave_object();
  if (mark == '[' && key_ == "traceEvents") {
    found_events_ = true;
    state_ = State::kEvents;
    keep_ = this->mark() + 1;
    ++next_mark_;
    return;
  }
  keep_ = this->mark();
  if (skip_nested(kMostMemberBytes)) {
    const std::size_t end = marks_[next_mark_ - 1] + 1;
    if (kept_whole_ && !key_.empty()) keep_member(std::string_view(text_.data() + keep_, end - keep_));
    keep_ = end;
  } else {
    keep_ = indexed_;
  }
}

// ---- events -----------------------------------------------------------------------------------------------

void EventScanner::look_for_strays(std::size_t end) {
  bool word = false;
  for (std::size_t i = keep_; i < end; ++i) {
    const bool nothing = is_space(text_[i]) || text_[i] == ',';
    if (!nothing && !word) ++strays_;
    word = !nothing;
  }
}

std::optional<std::string_view> EventScanner::in_events(char mark) {
  look_for_strays(this->mark());
  keep_ = this->mark();
  if (!opens(mark)) {
    if (mark == '}' || !object_) {
      leave_object();
    } else {
      state_ = State::kObject;
      keep_ = this->mark() + 1;
      ++next_mark_;
    }
    return std::nullopt;
  }
  if (!skip_nested(kMostEventBytes)) {
    if (!resume_behind_damage()) {
      cut_bytes_ += indexed_ - keep_;
      keep_ = indexed_;
      next_mark_ = marks_.size();
      while (more()) {
        cut_bytes_ += indexed_ - keep_;
        keep_ = indexed_;
        next_mark_ = marks_.size();
      }
    }
    return std::nullopt;
  }
  const std::size_t begin = keep_;
  keep_ = marks_[next_mark_ - 1] + 1;
  if (mark == '[') {
    ++strays_;
    return std::nullopt;
  }
  return std::string_view(text_.data() + begin, keep_ - begin);
}

// An event began at keep_ and never ended. Continues at the next brace that looks like the start of an event:
// before that brace is a comma, a brace or a line end, and after it is a quote.
bool EventScanner::resume_behind_damage() {
  if (++resumed_ > kMostResumed) return false;
  const std::string_view text(text_.data(), size_);
  for (std::size_t at = text.find('{', keep_ + 1); at != text.npos; at = text.find('{', at + 1)) {
    std::size_t before = at - 1, behind = at + 1;
    while (before > keep_ && (text[before] == ' ' || text[before] == '\t')) --before;
    while (behind < size_ && is_space(text[behind])) ++behind;
    const bool looks_right = std::string_view(",}\n\r").find(text[before]) != std::string_view::npos &&
                             behind < size_ && text[behind] == '"';
    if (!looks_right) continue;
    cut_bytes_ += at - keep_;
    keep_ = indexed_ = at;
    marks_.clear();
    next_mark_ = 0;
    in_string_ = escaped_ = false;
    index(size_);
    return true;
  }
  return false;
}

std::optional<std::string_view> EventScanner::next() {
  while (have_mark()) {
    const char mark = text_[this->mark()];
    switch (state_) {
      case State::kStart:
        if (opens(mark)) {
          open_container(mark);
        } else {
          ++next_mark_;
        }
        break;
      case State::kObject:
        in_object(mark);
        break;
      case State::kEvents:
        if (auto event = in_events(mark)) return event;
        break;
      case State::kDone:
        // Some writers put several arrays one after another, or an event after the end.
        if (found_events_ && opens(mark) && !object_) {
          if (mark == '[') {
            open_container(mark);
          } else {
            state_ = State::kEvents;
          }
        } else {
          ++next_mark_;
          keep_ = marks_[next_mark_ - 1] + 1;
        }
        break;
    }
  }
  if (state_ == State::kObject) take_member_text(std::string_view(text_.data() + keep_, size_ - keep_));
  return std::nullopt;
}

}  // namespace runahead::importers
