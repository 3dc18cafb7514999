// Where the blocks of an opened recording come from when they are not in memory: BlockSource, one for each
// sequence of blocks, and BlockStore, one for a recording, which bounds what all of them keep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace runahead::trace {

// A block in use. One that was loaded is held as long as this is, whatever the store lets go meanwhile.
template <typename Block>
class BlockPin {
 public:
  explicit BlockPin(const Block& block) : block_(&block) {}
  explicit BlockPin(std::shared_ptr<const Block> held) : block_(held.get()), held_(std::move(held)) {}
  [[nodiscard]] const Block& operator*() const { return *block_; }
  [[nodiscard]] const Block* operator->() const { return block_; }
  [[nodiscard]] const Block* get() const { return block_; }  // null: it was not here

 private:
  const Block* block_;
  std::shared_ptr<const Block> held_;  // null: the sequence owns it
};

// The blocks of one sequence, by number. Any thread.
template <typename Block>
class BlockSource {
 public:
  virtual ~BlockSource() = default;
  // Reads and decodes what is not here. Never null: for a block that cannot be read, which is counted, one
  // that agrees with its summary and says nothing more.
  [[nodiscard]] virtual std::shared_ptr<const Block> load(std::uint64_t number) const = 0;
  // Never waits: null where the block is not here, which is noted as wanted.
  [[nodiscard]] virtual std::shared_ptr<const Block> if_here(std::uint64_t number) const = 0;
};

// Blocks [0, summaries.size()) of `source`; none: source may be null.
template <typename Block>
struct StoredBlocks {
  std::shared_ptr<const BlockSource<Block>> source;
  std::vector<typename Block::Summary> summaries;
};

// What keeps the loaded blocks of one recording, within a bound. Any thread, but for what is said below.
// What a view wanted and did not find is loaded by load_wanted(), on a thread that may wait.
class BlockStore {
 public:
  struct Stats {
    std::size_t limit_bytes = 0, used_bytes = 0;
    std::uint64_t loads = 0;       // reads of the file
    std::uint64_t unreadable = 0;  // blocks that turned out to be damaged
    std::size_t wanted = 0;        // noted and not loaded yet
  };
  virtual ~BlockStore() = default;
  [[nodiscard]] virtual Stats stats() const = 0;
  // Lets go at once what is beyond it. What is in use is not touched.
  virtual void set_limit_bytes(std::size_t limit) = 0;
  // A view begins: what the one before wanted is forgotten. A view may want only as much as stays within the
  // limit together with what it found; the rest it draws from summaries, so that loading comes to an end.
  virtual void begin_view() = 0;
  // Loads one thing that is wanted; false when there is nothing.
  virtual bool load_wanted() = 0;
};

}  // namespace runahead::trace
