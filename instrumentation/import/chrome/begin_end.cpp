#include "instrumentation/import/chrome/begin_end.h"

#include <algorithm>

#include "instrumentation/import/common/nesting.h"

namespace runahead::importers {
using namespace trace;
namespace {

class EdgePairing {
 public:
  EdgePairing(ImportNames& names, std::vector<Slice>& out, LossCounts& losses)
      : names_(names), out_(out), losses_(losses) {}

  void begin(const SliceEdge& edge) {
    Slice slice;
    slice.begin = edge.at;
    slice.end = kNeverClosed;
    slice.name = edge.name;
    slice.kind = edge.kind;
    slice.args = edge.args;
    open_.push_back(slice);
  }

  void end(const SliceEdge& edge) {
    const std::size_t at = place_of(edge);
    if (at == open_.size()) {
      losses_.add(LossCause::kUnmatchedEnd);
      return;
    }
    close(open_[at], edge);
    // The slices inside this slice end at the same time. Exception: slices that begin at exactly this time
    // stay open.
    std::size_t kept = at;
    for (std::size_t i = at + 1; i < open_.size(); ++i) {
      if (open_[i].begin == edge.at) {
        open_[kept++] = open_[i];
        continue;
      }
      open_[i].end = edge.at;
      open_[i].flags |= kSliceUnfinished;
      losses_.add(LossCause::kUnfinishedSlice);
      out_.push_back(open_[i]);
    }
    open_.resize(kept);
  }

  void finish() { out_.insert(out_.end(), open_.begin(), open_.end()); }

 private:
  [[nodiscard]] std::size_t place_of(const SliceEdge& edge) const {
    if (open_.empty()) return open_.size();
    if (edge.name == kEmptyString) return open_.size() - 1;
    for (std::size_t i = open_.size(); i > 0; --i) {
      if (open_[i - 1].name == edge.name) return i - 1;
    }
    // No open slice has this name. If the innermost open slice has no name, an end with any name ends it.
    return open_.back().name == kEmptyString ? open_.size() - 1 : open_.size();
  }

  void close(Slice slice, const SliceEdge& edge) {
    slice.end = edge.at;
    if (edge.args != kNoArgs) slice.args = slice.args == kNoArgs ? edge.args : joined(slice.args, edge.args);
    out_.push_back(slice);
  }

  ArgsId joined(ArgsId first, ArgsId second) {
    const std::span<const Arg> begin = names_.args(first), end = names_.args(second);
    ArgSet all(begin.begin(), begin.end());
    for (const Arg& arg : end) {
      if (std::find(all.begin(), all.end(), arg) == all.end()) all.push_back(arg);
    }
    return names_.add_args(all);
  }

  ImportNames& names_;
  std::vector<Slice>& out_;
  LossCounts& losses_;
  std::vector<Slice> open_;
};

}  // namespace

void pair_edges(std::vector<SliceEdge>& edges, ImportNames& names, std::vector<Slice>& out,
                LossCounts& losses) {
  const auto earlier = [](const SliceEdge& a, const SliceEdge& b) { return a.at < b.at; };
  if (!std::is_sorted(edges.begin(), edges.end(), earlier)) {
    std::stable_sort(edges.begin(), edges.end(), earlier);
  }
  EdgePairing pairing(names, out, losses);
  for (const SliceEdge& edge : edges) {
    if (edge.end) {
      pairing.end(edge);
    } else {
      pairing.begin(edge);
    }
  }
  pairing.finish();
}

}  // namespace runahead::importers
