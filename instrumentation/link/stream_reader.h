// StreamReader: builds a Trace from the bytes of a recording while the recording grows: from a file that is
// still written, or from a connection. The bytes are the file's bytes, in order (docs/recording-format.md).
//
// After each commit, the trace has all rows before the watermark. The trace also has the slices that are open
// now. Damaged bytes are skipped and counted, as in a file. Bytes from a peer that lies cannot break the
// trace, because RecordingAssembler checks every block; they cannot fill the memory, because the rows are
// bounded by Trace::retain_at_most(), and the definitions by LinkLimits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "instrumentation/base/result.h"
#include "instrumentation/recording/format/block.h"
#include "instrumentation/recording/recording_assembler.h"
#include "instrumentation/trace/trace.h"

namespace runahead::link {

struct LinkLimits {
  // The largest size of all decoded blocks of definitions (strings, tracks, arguments, metadata).
  std::uint64_t definition_bytes = std::uint64_t{1} << 30;
};

// Only one thread may use it at a time.
class StreamReader {
 public:
  // `name`: the name of the source in messages. `see` (may be empty) gets the batches too.
  explicit StreamReader(std::string name, const LinkLimits& limits = {},
                        recordings::RecordingAssembler::SeeBatch see = {});

  // Takes the next bytes of the recording. Returns an error if the bytes are no recording, if a newer version
  // wrote it, if this build lacks the compression, or if the definitions exceed their limit. After an error
  // every call returns this error, and the trace stays as it is.
  Status add(std::string_view bytes);
  // No more bytes follow: the recording ended, or its writer or the connection is gone. Counts the bytes of
  // an incomplete block, and turns the open slices into unfinished slices. Then add() must not be called.
  void finish();

  // Gives back the bytes after the first `size` bytes, because the writer has cut them off. Returns false if
  // they are decoded already.
  [[nodiscard]] bool give_back_to(std::uint64_t size);

  // The trace so far. It changes in add() and finish(). The caller may evict rows of it.
  [[nodiscard]] trace::Trace& trace() { return assembler_.trace(); }
  [[nodiscard]] const trace::Trace& trace() const { return assembler_.trace(); }
  // The number of bytes that add() has taken. A source that continues later continues here.
  [[nodiscard]] std::uint64_t position() const { return begin_ + buffer_.size(); }
  [[nodiscard]] bool ended() const { return ended_; }  // the writer has finished the recording
  [[nodiscard]] std::uint64_t commits() const { return commits_; }

 private:
  enum class Step { kTaken, kNeedsMore, kDamaged };
  [[nodiscard]] Status check_preamble();
  [[nodiscard]] Step take_block();
  [[nodiscard]] Step open_block(const recordings::BlockHeader& header, std::string_view stored);
  void take_blocks();
  void skip_to_magic();
  [[nodiscard]] bool whole_block_at(std::size_t at, std::uint64_t& hashed) const;
  [[nodiscard]] bool skip_to_whole_block();
  void drop(std::size_t n);
  [[nodiscard]] std::string_view rest() const { return std::string_view(buffer_).substr(used_); }

  std::string name_;
  LinkLimits limits_;
  recordings::RecordingAssembler assembler_;
  recordings::BlockOpener opener_;
  std::string buffer_;       // bytes that are not decoded yet, after `used_` bytes that are
  std::size_t used_ = 0;     // bytes of buffer_ that are decoded
  std::uint64_t begin_ = 0;  // offset in the recording of the first byte of buffer_
  bool preamble_read_ = false, last_is_footer_ = false, ended_ = false;
  std::uint64_t raw_total_ = 0, definition_bytes_ = 0, commits_ = 0;
  std::uint64_t damaged_bytes_ = 0;  // not yet counted in the trace
  std::optional<Error> error_;
};

}  // namespace runahead::link
