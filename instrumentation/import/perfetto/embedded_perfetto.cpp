#include <algorithm>

#include "instrumentation/export/perfetto_fields.h"
#include "instrumentation/files/stream_hash.h"
#include "instrumentation/import/common/embedded.h"
#include "instrumentation/import/common/protobuf.h"
#include "instrumentation/import/perfetto/perfetto_file.h"
#include "instrumentation/recording/format/block.h"

namespace runahead::importers {
using namespace trace;
namespace {

using namespace perfetto;
using namespace exporters::perfetto;

// If `message` has exactly one field and this field has the number `number`, returns the field's bytes;
// otherwise empty.
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

// Reads the tail: the last packet of our own exports. The tail states the begin and the size of the embedded
// recording, and the hash of the bytes before the tail. nullopt: the file does not end with such a packet.
std::optional<Tail> tail_of(files::ByteSource& source) {
  if (source.size() < embedded::kTailBytes) return std::nullopt;
  const std::string_view bytes = source.view(source.size() - embedded::kTailBytes, embedded::kTailBytes);
  std::string_view message = only_field(only_field(bytes, file::kPacket), packet::kEmbedded);
  Tail tail;
  int fields = 0;
  const bool whole = each_field(message, [&](const Field& field) {
    ++fields;
    if (field.number == embedded::kBegin) tail.begin = field.bits;
    if (field.number == embedded::kHash) tail.hash = field.bits;
    if (field.number == embedded::kTotal) tail.total = field.bits;
  });
  if (!whole || fields != 3 || tail.begin > source.size() - embedded::kTailBytes) return std::nullopt;
  return tail;
}

class EmbeddedPerfetto {
 public:
  EmbeddedPerfetto(files::ByteSource& source, const Tail& tail, const recordings::Progress& progress)
      : source_(source), tail_(tail), progress_(progress) {}

  // False: there is no usable embedded recording, or the import was cancelled.
  [[nodiscard]] bool read() {
    if (tail_.total > kMostEmbeddedBytes || !hash_events()) return false;
    for (std::uint64_t at = tail_.begin; at < source_.size() - embedded::kTailBytes;) {
      if (!keep_going(at)) return false;
      const std::optional<std::uint64_t> end = packet_end(source_, at);
      if (!end) return false;
      const std::string_view whole = source_.view(at, static_cast<std::size_t>(*end - at));
      const std::string_view chunk =
          only_field(only_field(only_field(whole, file::kPacket), packet::kEmbedded), embedded::kBytes);
      if (chunk.empty()) return false;
      hash_.add(whole);
      bytes_ += chunk;
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

  files::ByteSource& source_;
  const Tail tail_;
  const recordings::Progress& progress_;
  files::StreamHash hash_;
  std::string bytes_;
  bool cancelled_ = false;
};

}  // namespace

Result<std::optional<Trace>> embedded_in_perfetto(files::ByteSource& source,
                                                  const recordings::Progress& progress) {
  const std::optional<Tail> tail = recordings::recordings_supported() ? tail_of(source) : std::nullopt;
  if (!tail) return std::optional<Trace>();
  EmbeddedPerfetto embedded(source, *tail, progress);
  const bool whole = embedded.read();
  if (embedded.cancelled()) return Error{"was cancelled"};
  if (!whole) return std::optional<Trace>();
  return embedded_trace(embedded.bytes(), "perfetto");
}

}  // namespace runahead::importers
