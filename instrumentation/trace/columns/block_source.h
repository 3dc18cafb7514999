// Loads blocks of an opened recording that are not in memory. BlockSource loads the blocks of one sequence.
// BlockStore limits the memory of all loaded blocks of one recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace runahead::trace {

// A pin: a reference that keeps a block in memory while the block is used. A loaded block stays in memory as
// long as its pin lives, even if the store evicts it.
template <typename Block>
class BlockPin {
 public:
  explicit BlockPin(const Block& block) : block_(&block) {}
  explicit BlockPin(std::shared_ptr<const Block> held) : block_(held.get()), held_(std::move(held)) {}
  [[nodiscard]] const Block& operator*() const { return *block_; }
  [[nodiscard]] const Block* operator->() const { return block_; }
  [[nodiscard]] const Block* get() const { return block_; }  // null: the block was not in memory

 private:
  const Block* block_;
  std::shared_ptr<const Block> held_;  // null: the sequence owns the block
};

// Loads the blocks of one sequence by their numbers. Any thread may use it.
template <typename Block>
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // Reads and decodes a block that is not in memory. Never null: if a block cannot be read, it is counted as
  // unreadable. A stand-in block with the same summary, but without the real rows, replaces it.
  [[nodiscard]] virtual std::shared_ptr<const Block> load(std::uint64_t number) const = 0;
  // Never waits. Null: the block is not in memory; the call requests it (load_wanted() loads it).
  [[nodiscard]] virtual std::shared_ptr<const Block> if_here(std::uint64_t number) const = 0;
};

// The blocks of a sequence that stay in the file: blocks [0, summaries.size()) of `source`. If there are no
// blocks, `source` may be null.
template <typename Block>
struct StoredBlocks {
  std::shared_ptr<const BlockSource<Block>> source;
  std::vector<typename Block::Summary> summaries;
};

// Retains the loaded blocks of one recording, within a memory limit. Any thread may use it. A view is one
// drawing of the recording, for example a frame of the window. A view requests the blocks that it does not
// find in memory, and load_wanted() loads them. Call load_wanted() on a thread that may wait.
class BlockStore {
 public:
  struct Stats {
    std::size_t limit_bytes = 0, used_bytes = 0;
    std::uint64_t loads = 0;       // number of reads of the file
    std::uint64_t unreadable = 0;  // blocks that could not be read, because the file is damaged
    std::size_t wanted = 0;        // requests of blocks or levels of detail that are not loaded yet
  };
  virtual ~BlockStore() = default;
  [[nodiscard]] virtual Stats stats() const = 0;
  // Immediately evicts the blocks that exceed the limit. Blocks in use stay in memory.
  virtual void set_limit_bytes(std::size_t limit) = 0;
  // Starts a view and drops the requests of the previous view. The memory limit must have room for all blocks
  // that a view has found in memory or requested. If a request would exceed the limit, it is ignored, and the
  // view draws that block from its summary. Otherwise the loaded blocks of one view would evict each other,
  // and loading would never end.
  virtual void begin_view() = 0;
  // Loads one requested block or level of detail; false: no request is left.
  virtual bool load_wanted() = 0;
};

}  // namespace runahead::trace
