// The source of an opened recording's blocks that are not in memory: BlockSource, one for each sequence of
// blocks, and BlockStore, one for each recording, which limits the memory of all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace runahead::trace {

// A block in use. A loaded block stays in memory as long as its pin, even if the store evicts it.
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

// The blocks of one sequence, by number. Any thread.
template <typename Block>
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // Reads and decodes a block that is not in memory. Never null: a block that cannot be read is counted, and
  // replaced by one that only matches its summary.
  [[nodiscard]] virtual std::shared_ptr<const Block> load(std::uint64_t number) const = 0;
  // Never waits. Null: the block is not in memory; it is noted as wanted.
  [[nodiscard]] virtual std::shared_ptr<const Block> if_here(std::uint64_t number) const = 0;
};

// Blocks [0, summaries.size()) of `source`. Without blocks source may be null.
template <typename Block>
struct StoredBlocks {
  std::shared_ptr<const BlockSource<Block>> source;
  std::vector<typename Block::Summary> summaries;
};

// Retains the loaded blocks of one recording, within a memory limit. Any thread, except where stated.
// load_wanted() loads the blocks that a view wanted and did not find. Call it on a thread that may wait.
class BlockStore {
 public:
  struct Stats {
    std::size_t limit_bytes = 0, used_bytes = 0;
    std::uint64_t loads = 0;       // reads of the file
    std::uint64_t unreadable = 0;  // blocks found to be damaged
    std::size_t wanted = 0;        // noted as wanted and not loaded yet
  };
  virtual ~BlockStore() = default;
  [[nodiscard]] virtual Stats stats() const = 0;
  // Evicts at once what exceeds the limit. Blocks in use are not touched.
  virtual void set_limit_bytes(std::size_t limit) = 0;
  // Starts a view: forgets the wishes of the previous view. The blocks that a view wants and those it found
  // must fit the limit together; it draws the rest from summaries, so that loading ends.
  virtual void begin_view() = 0;
  // Loads one wanted block; false: nothing is wanted.
  virtual bool load_wanted() = 0;
};

}  // namespace runahead::trace
