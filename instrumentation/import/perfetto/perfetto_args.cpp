// Arguments of TrackEvents: debug annotations, flat or nested, and the arguments that our own exports use for
// fields of a slice.
#include <algorithm>

#include "instrumentation/import/perfetto/perfetto_facts.h"
#include "instrumentation/recording/format/payload.h"
#include "instrumentation/trace/labels.h"

namespace runahead::importers::perfetto {
using namespace trace;
namespace {

// Limits of arguments: dictionaries and lists that are nested deeper are omitted, and longer names are cut
// off. No known program writes arguments beyond these limits.
constexpr int kMostArgDepth = 16;
constexpr std::size_t kMostKeyBytes = 512;

}  // namespace

void Decoder::read_annotation(std::string_view message, const Sequence& sequence, std::string_view prefix,
                              int depth, ArgSet& out) {
  std::string key(prefix);
  std::optional<ArgValue> value;
  // The entries of a dictionary or list. For each entry: true if it is from a list, and its message.
  std::vector<std::pair<bool, std::string_view>> parts;
  std::string_view nested;
  std::size_t items = 0;
  const auto add_key = [&](std::string_view name) {
    if (!key.empty() && !name.empty()) key += '.';
    key += name.substr(0, kMostKeyBytes - std::min(kMostKeyBytes, key.size()));
  };
  const bool whole = each_field(message, [&](const Field& field) {
    switch (field.number) {
      case annotation::kNameIid:
        add_key(out_.strings[raw(look_up(sequence.keys, field.bits))]);
        break;
      case annotation::kName:
        add_key(field.bytes);
        break;
      case annotation::kBool:
      case annotation::kUint:
      case annotation::kInt:
      case annotation::kPointer:
        value = field.integer();
        break;
      case annotation::kDouble:
        value = field.real();
        break;
      case annotation::kString:
      case annotation::kLegacyJson:
        value = intern(field.bytes);
        break;
      case annotation::kStringIid:
        value = look_up(sequence.texts, field.bits);
        break;
      case annotation::kDictEntries:
        parts.emplace_back(false, field.bytes);
        break;
      case annotation::kArrayValues:
        parts.emplace_back(true, field.bytes);
        break;
      case annotation::kNested:
        nested = field.bytes;
        break;
      default:
        break;
    }
  });
  if (!whole) lose(LossCause::kImportBroken);
  if (value) out.push_back({intern(key), *value});
  if (!nested.empty()) read_nested(nested, key, depth, out);
  if (depth == kMostArgDepth) {
    if (!parts.empty()) out_.skip("argument", "too_deep");
    return;
  }
  for (const auto& [in_list, part] : parts) {
    const std::string name = in_list ? key + "[" + std::to_string(items++) + "]" : key;
    read_annotation(part, sequence, name, depth + 1, out);
  }
}

// The older form of dictionaries and lists: all keys first, then the same number of values.
void Decoder::read_nested(std::string_view message, const std::string& key, int depth, ArgSet& out) {
  std::vector<std::string_view> keys, values, items;
  const bool whole = each_field(message, [&](const Field& field) {
    switch (field.number) {
      case nested::kDictKeys:
        keys.push_back(field.bytes);
        break;
      case nested::kDictValues:
        values.push_back(field.bytes);
        break;
      case nested::kArrayValues:
        items.push_back(field.bytes);
        break;
      case nested::kInt:
      case nested::kBool:
        out.push_back({intern(key), field.integer()});
        break;
      case nested::kDouble:
        out.push_back({intern(key), field.real()});
        break;
      case nested::kString:
        out.push_back({intern(key), intern(field.bytes)});
        break;
      default:
        break;
    }
  });
  if (!whole) lose(LossCause::kImportBroken);
  const bool too_deep = depth == kMostArgDepth || key.size() > kMostKeyBytes;
  if (too_deep && !(values.empty() && items.empty())) return out_.skip("argument", "too_deep");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string_view name = i < keys.size() ? keys[i] : std::string_view("?");
    read_nested(values[i], key + "." + std::string(name.substr(0, kMostKeyBytes)), depth + 1, out);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    read_nested(items[i], key + "[" + std::to_string(i) + "]", depth + 1, out);
  }
}

// Reads the arguments with which our own exports describe a slice. True: `arg` is such an argument.
bool Decoder::take_own(const Arg& arg, Event& event, std::uint64_t& engine) const {
  const std::string& key = out_.strings[raw(arg.key)];
  const auto* number = std::get_if<std::int64_t>(&arg.value);
  const auto* text = std::get_if<StringId>(&arg.value);
  if (number != nullptr && key == "op" && event.op == kNoOp) {
    event.op = OpId{op_number(OpId{static_cast<std::uint64_t>(*number)})};
  } else if (number != nullptr && key == "engine" && event.op != kNoOp) {
    engine = static_cast<std::uint64_t>(*number) & 0xffff;
  } else if (number != nullptr && key == "step" && event.op != kNoOp) {
    return true;  // the step of the slice's op; a slice has no field for it
  } else if (number != nullptr && key == "bytes" && event.size_bytes == 0) {
    event.size_bytes = *number;
  } else if (text != nullptr && key == "flags" && event.flags == 0) {
    const std::optional<std::uint8_t> flags = slice_flags_of(out_.strings[raw(*text)]);
    if (!flags) return false;
    event.flags = *flags;
  } else {
    return false;
  }
  return true;
}

void ToldFlow::add_to(Flow& flow) const {
  flow.name = name;
  flow.kind = kind.value_or(flow.kind);
  flow.op = op.value_or(flow.op);
  flow.from_time = from_time.value_or(flow.from_time);
  flow.to_time = to_time.value_or(flow.to_time);
}

bool Decoder::take_own_flows(std::string_view message, const Sequence& sequence) {
  if (!out_.tracks.is_own()) return false;
  bool own = false;
  std::vector<std::string_view> items;
  each_field(message, [&](const Field& field) {
    if (field.number == annotation::kArrayValues) items.push_back(field.bytes);
    if (field.number != annotation::kNameIid) return;
    const auto key = sequence.keys.find(field.bits);
    if (key == sequence.keys.end()) return;
    const std::string& name = out_.strings[raw(key->second)];
    own = name == flow_key::kAtBegin || name == flow_key::kAtEnd;
  });
  if (!own || items.empty()) return false;
  for (const std::string_view item : items) take_own_flow(item);
  return true;
}

void Decoder::take_own_flow(std::string_view message) {
  ToldFlow told;
  std::uint64_t number = 0;
  const auto take = [&](std::string_view key, const Field& value) {
    const bool time_fits =
        value.integer() >= -recordings::kMaxTimeNs && value.integer() <= recordings::kMaxTimeNs;
    const std::uint64_t op = told.op ? raw(*told.op) : 0;
    if (key == flow_key::kNumber) number = value.bits;
    if (key == flow_key::kName) told.name = intern(value.bytes);
    if (key == flow_key::kKind) told.kind = flow_kind_of(value.bytes);
    if (key == flow_key::kOp) told.op = OpId{op | op_number(OpId{value.bits})};
    if (key == flow_key::kEngine) told.op = OpId{op | value.bits << 48};
    if (key == flow_key::kFrom && time_fits) told.from_time = timestamp_from_ns(value.integer());
    if (key == flow_key::kTo && time_fits) told.to_time = timestamp_from_ns(value.integer());
  };
  const auto each_entry = [&](const Field& field) {
    if (field.number != annotation::kDictEntries) return;
    std::string_view key;
    Field value;
    const bool whole = each_field(field.bytes, [&](const Field& part) {
      (part.number == annotation::kName ? key : value.bytes) = part.bytes;
      if (part.is_number()) value.bits = part.bits;
    });
    if (!whole) return lose(LossCause::kImportBroken);
    take(key, value);
  };
  if (!each_field(message, each_entry)) return lose(LossCause::kImportBroken);
  out_.told_flows.insert_or_assign(flow_number(kById, kEmptyString, kEmptyString, number), told);
}

void Decoder::fill_args(const Facts& facts, Event& event) {
  ArgSet args = facts.args;
  std::string categories;
  for (const StringId category : facts.categories) {
    const std::string& text = out_.strings[raw(category)];
    if (!categories.empty()) categories += ',';
    categories += text;
  }
  if (out_.tracks.is_own()) {
    std::uint64_t engine = 1;
    const auto taken = [&](const Arg& arg) { return take_own(arg, event, engine); };
    args.erase(std::remove_if(args.begin(), args.end(), taken), args.end());
    if (event.op != kNoOp) event.op = OpId{raw(event.op) | engine << 48};
    event.slice_kind = slice_kind_of(categories).value_or(SliceKind::kZone);
  } else if (!categories.empty()) {
    args.push_back({intern("category"), intern(categories)});
  }
  event.args = intern(std::move(args));
}

}  // namespace runahead::importers::perfetto
