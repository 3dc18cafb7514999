#include <algorithm>

#include "instrumentation/trace/io/block.h"
#include "instrumentation/trace/io/import/carried.h"
#include "instrumentation/trace/io/import/perfetto_file.h"
#include "instrumentation/trace/io/import/protobuf.h"
#include "instrumentation/trace/io/perfetto_fields.h"
#include "instrumentation/trace/io/stream_hash.h"

namespace runahead::trace::io {
namespace {

using namespace perfetto;

// The one field of `message`, if it is field `number` and holds bytes; empty if it is not.
std::string_view only_field(std::string_view message, std::uint32_t number) {
  std::string_view found;
  int fields = 0;
  const bool whole = each_field(message, [&](const Field& field) {
    ++fields;
    if (field.number == number) found = field.bytes;
  });
  return whole && fields == 1 ? found : std::string_view();
}

struct Tail {
  std::uint64_t begin = 0, hash = 0, total = 0;
};

// The last packet of the file; nullopt where it is none of ours.
std::optional<Tail> tail_of(ByteSource& source) {
  if (source.size() < carried::kTailBytes) return std::nullopt;
  const std::string_view bytes = source.view(source.size() - carried::kTailBytes, carried::kTailBytes);
  std::string_view message = only_field(only_field(bytes, file::kPacket), packet::kCarried);
  Tail tail;
  int fields = 0;
  const bool whole = each_field(message, [&](const Field& field) {
    ++fields;
    if (field.number == carried::kBegin) tail.begin = field.bits;
    if (field.number == carried::kHash) tail.hash = field.bits;
    if (field.number == carried::kTotal) tail.total = field.bits;
  });
  if (!whole || fields != 3 || tail.begin > source.size() - carried::kTailBytes) return std::nullopt;
  return tail;
}

class CarriedPerfetto {
 public:
  CarriedPerfetto(ByteSource& source, const Tail& tail, const Progress& progress)
      : source_(source), tail_(tail), progress_(progress) {}

  // False where there is none that can be taken, or it was cancelled.
  [[nodiscard]] bool read() {
    if (tail_.total > kMostCarriedBytes || !hash_events()) return false;
    for (std::uint64_t at = tail_.begin; at < source_.size() - carried::kTailBytes;) {
      if (!keep_going(at)) return false;
      const std::optional<std::uint64_t> end = packet_end(source_, at);
      if (!end) return false;
      const std::string_view whole = source_.view(at, static_cast<std::size_t>(*end - at));
      const std::string_view piece =
          only_field(only_field(only_field(whole, file::kPacket), packet::kCarried), carried::kBytes);
      if (piece.empty()) return false;
      hash_.add(whole);
      bytes_ += piece;
      at = *end;
    }
    return bytes_.size() == tail_.total && hash_.value() == tail_.hash;
  }
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  [[nodiscard]] bool hash_events() {
    constexpr std::size_t kAtOnce = 1u << 20;
    for (std::uint64_t at = 0; at < tail_.begin;) {
      const std::string_view bytes =
          source_.view(at, static_cast<std::size_t>(std::min<std::uint64_t>(kAtOnce, tail_.begin - at)));
      if (bytes.empty() || !keep_going(at)) return false;
      hash_.add(bytes);
      at += bytes.size();
    }
    return true;
  }
  [[nodiscard]] bool keep_going(std::uint64_t at) {
    cancelled_ = progress_ && !progress_(static_cast<double>(at) / static_cast<double>(source_.size()));
    return !cancelled_;
  }

  ByteSource& source_;
  const Tail tail_;
  const Progress& progress_;
  StreamHash hash_;
  std::string bytes_;
  bool cancelled_ = false;
};

}  // namespace

Result<std::optional<Trace>> carried_in_perfetto(ByteSource& source, const Progress& progress) {
  const std::optional<Tail> tail = recordings_supported() ? tail_of(source) : std::nullopt;
  if (!tail) return std::optional<Trace>();
  CarriedPerfetto carried(source, *tail, progress);
  const bool whole = carried.read();
  if (carried.cancelled()) return Error{"was cancelled"};
  if (!whole) return std::optional<Trace>();
  return carried_trace(carried.bytes(), "perfetto");
}

}  // namespace runahead::trace::io
