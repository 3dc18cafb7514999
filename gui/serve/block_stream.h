// The blocks of a recording that a program is still writing, without compression, as viewer.wasm reads them.
// They only grow: a browser that has the first N bytes asks for the rest. A file keeps them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

#include "instrumentation/base/posix_file.h"
#include "instrumentation/base/result.h"
#include "instrumentation/recording/format/block.h"

namespace runahead::gui {

// One thread at a time.
class BlockStream {
 public:
  // `kept`: the file for the blocks. The number of the stream is added to its name.
  BlockStream(std::filesystem::path recording, std::filesystem::path kept)
      : recording_(std::move(recording)), kept_(std::move(kept)) {}
  ~BlockStream() { drop(); }  // removes the file
  BlockStream(const BlockStream&) = delete;
  BlockStream& operator=(const BlockStream&) = delete;

  // Takes the whole blocks that the writer has added. If the recording is another file now, or has become
  // shorter, a new stream begins, with another number. Error: no recording, a damaged block, a full disk.
  [[nodiscard]] Status grow();
  // The number of the stream, from 1. Bytes of one number never change.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  [[nodiscard]] std::filesystem::path path() const;  // has the first bytes() bytes

 private:
  void drop();
  [[nodiscard]] Status begin(const OpenFile& file, std::uint64_t inode);
  [[nodiscard]] Status take_blocks(const OpenFile& file);
  [[nodiscard]] Status put(std::string_view text);

  const std::filesystem::path recording_, kept_;
  FileDescriptor out_;
  std::uint64_t number_ = 0, bytes_ = 0, inode_ = 0;
  std::uint64_t taken_ = 0;  // bytes of the recording that are in the stream
  recordings::BlockOpener opener_;
  recordings::BlockSealer sealer_;
};

}  // namespace runahead::gui
