// memcpy() and memset() of the viewer, in place of those of wasi-libc, which move few bytes at a time. A
// trace with a million slices spent half of its opening there. Long runs use the instructions memory.copy and
// memory.fill, which browsers have since 2020; short ones are faster without.
#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t kShort = 64;

struct __attribute__((packed, may_alias)) Unaligned8 {
  std::uint64_t value;
};

}  // namespace

extern "C" __attribute__((no_builtin, target("bulk-memory"))) void* memcpy(void* to, const void* from,
                                                                           std::size_t bytes) {
  if (bytes > kShort) {
    __builtin_memcpy(to, from, bytes);
    return to;
  }
  char* out = static_cast<char*>(to);
  const char* in = static_cast<const char*>(from);
  for (; bytes >= sizeof(Unaligned8); bytes -= sizeof(Unaligned8)) {
    reinterpret_cast<Unaligned8*>(out)->value = reinterpret_cast<const Unaligned8*>(in)->value;
    out += sizeof(Unaligned8);
    in += sizeof(Unaligned8);
  }
  while (bytes-- > 0) *out++ = *in++;
  return to;
}

extern "C" __attribute__((no_builtin, target("bulk-memory"))) void* memset(void* to, int value,
                                                                           std::size_t bytes) {
  if (bytes > kShort) {
    __builtin_memset(to, value, bytes);
    return to;
  }
  char* out = static_cast<char*>(to);
  while (bytes-- > 0) *out++ = static_cast<char>(value);
  return to;
}
