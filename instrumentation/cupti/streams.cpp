#include "instrumentation/cupti/streams.h"

#include <algorithm>

namespace runahead::cupti {

std::string device_name(std::uint32_t device) { return "cuda:" + std::to_string(device); }

void Streams::context(std::uint32_t context, std::uint32_t device, std::uint32_t null_stream) {
  first_contexts_.try_emplace(device, context);
  null_streams_[context] = null_stream;
  devices_[context] = device;
}

std::string Streams::name_of(std::uint32_t device, StreamKey key) {
  if (const auto named = names_.find({device, key.stream}); named != names_.end()) return named->second;
  const std::uint32_t first = first_contexts_.try_emplace(device, key.context).first->second;
  std::string name = "stream " + std::to_string(key.stream);
  const auto null_stream = null_streams_.find(key.context);
  if (null_stream != null_streams_.end() && null_stream->second == key.stream) name += ", the default one";
  if (first != key.context) name += " of context " + std::to_string(key.context);
  return name;
}

const record::TrackDesc& Streams::track(std::uint32_t device, StreamKey key) {
  Stream& stream = streams_[key];
  if (stream.track == nullptr) {
    devices_[key.context] = device;
    stream.track = &record::intern_track({.kind = trace::TrackKind::kStream,
                                          .group = device_name(device),
                                          .name = name_of(device, key),
                                          .device = device_name(device),
                                          .simulated = simulated_.contains(device),
                                          .sort_order = static_cast<std::int32_t>(key.stream)});
  }
  return *stream.track;
}

const record::TrackDesc* Streams::track_if_known(StreamKey key) {
  if (const auto found = streams_.find(key); found != streams_.end()) return found->second.track;
  const auto device = devices_.find(key.context);
  return device != devices_.end() ? &track(device->second, key) : nullptr;
}

void Streams::finished(StreamKey key, std::int64_t end_ns, std::uint32_t correlation) {
  Stream& stream = streams_[key];
  stream.latest[stream.count++ % kRemembered] = {stream.track, end_ns, correlation};
}

std::optional<Streams::Finished> Streams::last_of(const Stream& stream, std::int64_t begin_ns,
                                                  std::int64_t end_ns) {
  std::optional<Finished> last;
  const std::uint64_t count = std::min<std::uint64_t>(stream.count, kRemembered);
  for (std::uint64_t i = 0; i < count; ++i) {
    const Finished& one = stream.latest[i];
    if (one.end_ns < begin_ns || one.end_ns > end_ns) continue;
    if (!last || one.end_ns > last->end_ns) last = one;
  }
  return last;
}

std::optional<Streams::Finished> Streams::last_within(StreamKey key, std::int64_t begin_ns,
                                                      std::int64_t end_ns) const {
  const auto found = streams_.find(key);
  return found != streams_.end() ? last_of(found->second, begin_ns, end_ns) : std::nullopt;
}

std::optional<Streams::Finished> Streams::last_within(std::uint32_t context, std::int64_t begin_ns,
                                                      std::int64_t end_ns) const {
  std::optional<Finished> last;
  for (auto it = streams_.lower_bound({context, 0}); it != streams_.end() && it->first.context == context;
       ++it) {
    const std::optional<Finished> one = last_of(it->second, begin_ns, end_ns);
    if (one && (!last || one->end_ns > last->end_ns)) last = one;
  }
  return last;
}

}  // namespace runahead::cupti
