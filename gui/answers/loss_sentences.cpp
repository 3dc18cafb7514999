#include "gui/answers/loss_sentences.h"

#include "gui/text/text.h"
#include "instrumentation/base/format.h"
#include "instrumentation/trace/skipped_kinds.h"

namespace runahead::gui {
namespace {

// Puts the count into the sentence, in place of its word "these". A sentence without this word, or about one
// row only, follows the count.
std::string counted_sentence(std::uint64_t count, std::string sentence) {
  const std::string number = format_count(static_cast<double>(count));
  for (const char* const word : {text(Text::kLossThese), text(Text::kLossTheseFirst)}) {
    const std::size_t at = sentence.find(word);
    if (count == 1 || at == std::string::npos) continue;
    return sentence.replace(at, std::string_view(word).size(), filled(Text::kLossCounted, {number}));
  }
  return number + ": " + sentence;
}

std::vector<std::string> sentences_of(const trace::LossCounts& losses, const std::string& skipped) {
  std::vector<std::string> sentences;
  for (int i = 0; i < trace::kLossCauseCount; ++i) {
    const auto cause = static_cast<trace::LossCause>(i);
    if (losses.of(cause) == 0) continue;
    sentences.push_back(counted_sentence(losses.of(cause), translated(trace::loss_sentence(cause))));
    if (cause == trace::LossCause::kImportSkipped && !skipped.empty())
      sentences.back() += " (" + skipped + ")";
  }
  return sentences;
}

}  // namespace

std::vector<std::string> loss_sentences(const trace::LossCounts& losses) { return sentences_of(losses, {}); }

std::vector<std::string> loss_sentences(const trace::Trace& trace) {
  constexpr std::size_t kMostKinds = 5;
  const bool skipped = trace.losses().of(trace::LossCause::kImportSkipped) != 0;
  return sentences_of(
      trace.losses(),
      skipped ? trace::skipped_text(trace::skipped_kinds(trace.metadata()), kMostKinds) : std::string());
}

}  // namespace runahead::gui
