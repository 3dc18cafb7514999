#include "instrumentation/recording/format/block.h"

#include <algorithm>

#include "instrumentation/base/check.h"
#include "instrumentation/files/stream_hash.h"
#include "instrumentation/recording/format/bytes.h"

#ifdef RUNAHEAD_HAVE_ZSTD
#include <zstd.h>
#endif

namespace runahead::recordings {
namespace {

constexpr std::size_t kHashedHeaderBytes = 16;

std::uint64_t hash_of(std::string_view head, std::string_view body) {
  files::StreamHash hash;
  hash.add(head);
  hash.add(body);
  return hash.value();
}

}  // namespace

bool recordings_supported() { return files::StreamHash::supported(); }

std::string make_preamble(std::uint32_t version) {
  ByteWriter out;
  out.raw(kFileMagic);
  out.u32(version);
  out.u32(static_cast<std::uint32_t>(hash_of(out.view(), {})));
  return out.take();
}

std::optional<std::uint32_t> preamble_version(std::string_view preamble) {
  RUNAHEAD_CHECK_OP(preamble.size(), >=, kPreambleBytes);
  ByteReader in(preamble.substr(kFileMagic.size(), 8));
  const std::uint32_t version = in.u32();
  const std::uint32_t check = in.u32();
  if (!preamble.starts_with(kFileMagic)) return std::nullopt;
  if (check != static_cast<std::uint32_t>(hash_of(preamble.substr(0, 12), {}))) return std::nullopt;
  return version;
}

std::optional<BlockHeader> parse_block_header(std::string_view bytes) {
  RUNAHEAD_CHECK_OP(bytes.size(), >=, kBlockHeaderBytes);
  ByteReader in(bytes);
  if (in.u32() != kBlockMagic) return std::nullopt;
  BlockHeader header;
  header.kind = in.u8();
  header.codec = in.u8();
  if (in.u8() != 0 || in.u8() != 0) return std::nullopt;
  header.stored_bytes = in.u32();
  header.raw_bytes = in.u32();
  header.hash = in.u64();
  return header;
}

std::optional<BlockHeader> parse_possible_header(std::string_view bytes) {
  std::optional<BlockHeader> header = parse_block_header(bytes);
  if (!header || header->stored_bytes > kMaxBlockRawBytes || header->raw_bytes > kMaxBlockRawBytes) return {};
  const bool stored_raw = header->codec == static_cast<std::uint8_t>(Codec::kNone);
  return !stored_raw || header->raw_bytes == header->stored_bytes ? header : std::nullopt;
}

bool block_hash_holds(std::string_view header_bytes, const BlockHeader& header, std::string_view stored) {
  return hash_of(header_bytes.substr(0, kHashedHeaderBytes), stored) == header.hash;
}

// ---- sealing -------------------------------------------------------------------------------------------

#ifdef RUNAHEAD_HAVE_ZSTD
struct BlockSealer::Context {
  ZSTD_CCtx* zstd = ZSTD_createCCtx();
  std::string compressed;
  ~Context() { ZSTD_freeCCtx(zstd); }

  // Returns the compressed payload; empty if compression does not make it smaller.
  std::string_view compress(const Payload& payload) {
    const std::string& bytes = payload.bytes;
    // Below this size the header of a zstd frame costs more than compression saves.
    if (bytes.size() < 64 || zstd == nullptr) return {};
    // Each cut (see Payload) starts a new zstd block. If the data does not compress better in the new block,
    // the header and table of that block cost about this many bytes.
    constexpr std::size_t kCutBytes = 16;
    compressed.resize(ZSTD_compressBound(bytes.size()) + payload.cuts.size() * kCutBytes);
    ZSTD_CCtx_reset(zstd, ZSTD_reset_session_only);
    // Level 1: columns are packed already, and a live recording shares the cores with the measured program.
    ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, 1);
    ZSTD_CCtx_setPledgedSrcSize(zstd, bytes.size());
    ZSTD_outBuffer out{compressed.data(), compressed.size(), 0};
    std::size_t at = 0;
    // a flush ends a zstd block: the next block gets its own entropy tables
    for (const std::size_t cut : payload.cuts) {
      if (!add(out, bytes, at, cut, ZSTD_e_flush)) return {};
      at = cut;
    }
    if (!add(out, bytes, at, bytes.size(), ZSTD_e_end) || out.pos >= bytes.size()) return {};
    return std::string_view(compressed).substr(0, out.pos);
  }

  bool add(ZSTD_outBuffer& out, const std::string& bytes, std::size_t from, std::size_t to,
           ZSTD_EndDirective how) {
    ZSTD_inBuffer in{bytes.data() + from, to - from, 0};
    for (;;) {
      const std::size_t left = ZSTD_compressStream2(zstd, &out, &in, how);
      if (left == 0) return true;
      if (ZSTD_isError(left) != 0 || out.pos == out.size) return false;
    }
  }
};
#else
struct BlockSealer::Context {
  std::string_view compress(const Payload&) { return {}; }
};
#endif

BlockSealer::BlockSealer() : context_(std::make_unique<Context>()) {}
BlockSealer::~BlockSealer() = default;

void BlockSealer::seal(BlockKind kind, const Payload& of, std::uint64_t out_offset, std::string& out) {
  const std::string_view payload = of.bytes;
  RUNAHEAD_CHECK_OP(payload.size(), <=, kMaxBlockRawBytes);
  std::string_view stored = compression_ ? context_->compress(of) : std::string_view{};
  const std::uint64_t start = out_offset + out.size() + kBlockHeaderBytes;
  raw_total_ += payload.size();
  const bool compressed = !stored.empty() && raw_total_ <= raw_bytes_allowed(start + stored.size());
  if (!compressed) stored = payload;
  ByteWriter header;
  header.u32(kBlockMagic);
  header.u8(static_cast<std::uint8_t>(kind));
  header.u8(static_cast<std::uint8_t>(compressed ? Codec::kZstd : Codec::kNone));
  header.u8(0);
  header.u8(0);
  header.u32(static_cast<std::uint32_t>(stored.size()));
  header.u32(static_cast<std::uint32_t>(payload.size()));
  header.u64(hash_of(header.view(), stored));
  out.append(header.view());
  out.append(stored);
}

// ---- opening -------------------------------------------------------------------------------------------

#ifdef RUNAHEAD_HAVE_ZSTD
struct BlockOpener::Context {
  ZSTD_DCtx* zstd = ZSTD_createDCtx();
  ~Context() { ZSTD_freeDCtx(zstd); }
};
#else
struct BlockOpener::Context {};
#endif

BlockOpener::BlockOpener() : context_(std::make_unique<Context>()) {}
BlockOpener::~BlockOpener() = default;

bool BlockOpener::can_decode(std::uint8_t codec) {
#ifdef RUNAHEAD_HAVE_ZSTD
  if (codec == static_cast<std::uint8_t>(Codec::kZstd)) return true;
#endif
  return codec == static_cast<std::uint8_t>(Codec::kNone);
}

std::optional<std::string_view> BlockOpener::open(const BlockHeader& header, std::string_view stored) {
  if (header.raw_bytes > kMaxBlockRawBytes) return std::nullopt;
  if (header.codec == static_cast<std::uint8_t>(Codec::kNone)) {
    if (header.raw_bytes != stored.size()) return std::nullopt;
    return stored;
  }
#ifdef RUNAHEAD_HAVE_ZSTD
  if (header.codec == static_cast<std::uint8_t>(Codec::kZstd)) {
    raw_.resize(header.raw_bytes);
    const std::size_t size =
        ZSTD_decompressDCtx(context_->zstd, raw_.data(), raw_.size(), stored.data(), stored.size());
    if (ZSTD_isError(size) != 0 || size != raw_.size()) return std::nullopt;
    return std::string_view(raw_);
  }
#endif
  return std::nullopt;
}

}  // namespace runahead::recordings
