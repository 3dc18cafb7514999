#include <algorithm>
#include <charconv>
#include <functional>
#include <utility>

#include "instrumentation/export/embedded_recording.h"
#include "instrumentation/files/base64.h"
#include "instrumentation/files/stream_hash.h"
#include "instrumentation/import/chrome/chrome_import.h"
#include "instrumentation/import/chrome/text_stream.h"
#include "instrumentation/import/common/embedded.h"
#include "instrumentation/recording/format/block.h"

namespace runahead::importers {
using namespace trace;
namespace {

using namespace exporters::embedded_json;

// A window on a stream. It shows the bytes from the current offset on, and computes the hash of all bytes
// before that offset.
class TextWindow {
 public:
  explicit TextWindow(TextStream& stream) : stream_(stream) {}

  // Returns at least the next `n` bytes; fewer only at the end of the stream. The view is valid until the
  // next call.
  [[nodiscard]] std::string_view view(std::size_t n) {
    if (text_.size() - at_ < n && !ended_) read(n);
    return std::string_view(text_).substr(at_);
  }
  void drop(std::size_t n) {  // REQUIRES: the bytes are in the window
    hash_.add(std::string_view(text_).substr(at_, n));
    at_ += n;
  }
  [[nodiscard]] std::uint64_t hash() const { return hash_.value(); }

  [[nodiscard]] bool take(std::string_view words) {
    if (!view(words.size()).starts_with(words)) return false;
    drop(words.size());
    return true;
  }
  [[nodiscard]] bool take(std::uint64_t& number) {
    constexpr std::size_t kMostDigits = 20;
    const std::string_view text = view(kMostDigits + 1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    drop(static_cast<std::size_t>(end - text.data()));
    return error == std::errc();
  }

 private:
  static constexpr std::size_t kBytes = 1u << 20;
  void read(std::size_t n) {
    text_.erase(0, std::exchange(at_, 0));
    std::size_t size = text_.size();
    text_.resize(std::max(n, kBytes));
    while (size < text_.size() && !ended_) {
      const std::size_t got = stream_.read(text_.data() + size, text_.size() - size);
      size += got;
      ended_ = got == 0;
    }
    text_.resize(size);
  }

  TextStream& stream_;
  std::string text_;
  std::size_t at_ = 0;
  bool ended_ = false;
  files::StreamHash hash_;
};

class EmbeddedJson {
 public:
  EmbeddedJson(TextStream& stream, const recordings::Progress& progress)
      : stream_(stream), progress_(progress), window_(stream) {}

  // False: there is no usable embedded recording, or the import was cancelled.
  [[nodiscard]] bool read() {
    if (!window_.view(kStart.size()).starts_with(kStart)) return false;
    return skip_events() && read_size() && read_lines() && hash_fits() && window_.take(kEnd) &&
           window_.take(kObjectEnd) && window_.view(1).empty() && bytes_.size() == total_;
  }
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  // Moves the window past the events and past the name of the member that contains the recording.
  [[nodiscard]] bool skip_events() {
    constexpr std::size_t kAtOnce = 1u << 19;
    const std::boyer_moore_horspool_searcher member(kMember.begin(), kMember.end());
    while (keep_going()) {
      const std::string_view text = window_.view(kAtOnce);
      const auto found = std::search(text.begin(), text.end(), member);
      const auto before = static_cast<std::size_t>(found - text.begin());
      if (before != text.size()) {
        window_.drop(before + kMember.size());
        return true;
      }
      if (text.size() < kAtOnce) return false;
      // the last bytes may be the start of the member's name, so more text is needed
      const std::size_t sure = text.size() - (kMember.size() - 1);
      window_.drop(sure);
    }
    return false;
  }
  [[nodiscard]] bool read_size() {
    return window_.take(kBytes) && window_.take(total_) && window_.take(kBase64) &&
           total_ <= kMostEmbeddedBytes;
  }
  [[nodiscard]] bool read_lines() {
    std::string_view between = "\n\"";
    while (bytes_.size() < total_) {
      if (!keep_going() || !window_.take(std::exchange(between, ",\n\""))) return false;
      const std::string_view text = window_.view(kLineChars + 1).substr(0, kLineChars + 1);
      const std::size_t size = text.find('"');
      if (size == std::string_view::npos || !files::decode_base64(text.substr(0, size), bytes_)) return false;
      if (size == 0) return false;
      window_.drop(size + 1);
    }
    return window_.take(kBase64End);
  }
  [[nodiscard]] bool hash_fits() {
    const std::uint64_t read = window_.hash();
    std::uint64_t written = 0;
    return window_.take(kHash) && window_.take(written) && written == read;
  }
  [[nodiscard]] bool keep_going() {
    cancelled_ = progress_ && !progress_(stream_.done());
    return !cancelled_;
  }

  TextStream& stream_;
  const recordings::Progress& progress_;
  TextWindow window_;
  std::uint64_t total_ = 0;
  std::string bytes_;
  bool cancelled_ = false;
};

}  // namespace

Result<std::optional<Trace>> embedded_in_json(files::ByteSource& source,
                                              const recordings::Progress& progress) {
  Result<std::unique_ptr<TextStream>> stream = open_text_stream(source);
  if (!stream || !recordings::recordings_supported()) return std::optional<Trace>();
  EmbeddedJson embedded(**stream, progress);
  const bool whole = embedded.read();
  if (embedded.cancelled()) return Error{"was not opened: cancelled"};
  if (!whole) return std::optional<Trace>();
  std::optional<Trace> trace = embedded_trace(embedded.bytes(), chrome_json_format((*stream)->container()));
  if (trace) say_which_file((*stream)->picked(), *trace);
  return trace;
}

}  // namespace runahead::importers
