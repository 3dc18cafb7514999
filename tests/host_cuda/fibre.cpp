#include "tests/host_cuda/fibre.h"

#include <sys/mman.h>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#include <cstdint>
#include <cstdlib>

namespace runahead::host_cuda {
namespace {

// Code with sanitizers needs larger stack frames. The memory is taken page by page, when it is used.
constexpr std::size_t kStackBytes = std::size_t{256} << 10, kGuardBytes = 4096;

std::byte* new_stack() {
  void* const memory = ::mmap(nullptr, kStackBytes + kGuardBytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || ::mprotect(memory, kGuardBytes, PROT_NONE) != 0) std::abort();
  return static_cast<std::byte*>(memory) + kGuardBytes;
}

#if defined(__x86_64__)
struct Context {
  void* stack_pointer = nullptr;
};

// runahead_switch_stack(save, to): pushes the registers that a function must preserve, stores the stack
// pointer in *save, and goes on at `to`, where an earlier call stored its registers.
extern "C" __attribute__((visibility("hidden"))) void runahead_switch_stack(void** save, void* to);
asm(R"(
  .text
  .p2align 4
  .globl runahead_switch_stack
  .hidden runahead_switch_stack
  .type runahead_switch_stack, @function
runahead_switch_stack:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size runahead_switch_stack, .-runahead_switch_stack
)");

void switch_context(Context& from, Context& to) {
  runahead_switch_stack(&from.stack_pointer, to.stack_pointer);
}
// The first switch pops six registers and returns to `enter`. A function begins with a stack pointer that is
// 8 above a multiple of 16.
void prepare(Context& context, std::byte* stack, void (*enter)()) {
  std::byte* const top = stack + kStackBytes;
  auto** const slots = reinterpret_cast<void**>(top - 64);
  for (int i = 0; i < 8; ++i) slots[i] = nullptr;
  slots[6] = reinterpret_cast<void*>(enter);
  context.stack_pointer = slots;
}
#else
using Context = ucontext_t;
void switch_context(Context& from, Context& to) { ::swapcontext(&from, &to); }
void prepare(Context& context, std::byte* stack, void (*enter)()) {
  ::getcontext(&context);
  context.uc_stack.ss_sp = stack;
  context.uc_stack.ss_size = kStackBytes;
  context.uc_link = nullptr;
  ::makecontext(&context, enter, 0);
}
#endif

thread_local Fibre* starting = nullptr;  // the fibre that enter() begins

}  // namespace

struct Fibre::Sides {
  Context inside, outside;
#if defined(__SANITIZE_ADDRESS__)
  void* inside_frames = nullptr;
  const void* outside_stack = nullptr;
  std::size_t outside_bytes = 0;
#endif
#if defined(__SANITIZE_THREAD__)
  void* inside_fibre = nullptr;
  void* outside_fibre = nullptr;
#endif
};

Fibre::Fibre(void (*body)(void*), void* argument)
    : sides_(new Sides), body_(body), argument_(argument), stack_(new_stack()) {
  restart();
}

Fibre::~Fibre() {
  auto* const sides = static_cast<Sides*>(sides_);
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(sides->inside_fibre);
#endif
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(stack_, kStackBytes);
#endif
  ::munmap(stack_ - kGuardBytes, kStackBytes + kGuardBytes);
  delete sides;
}

void Fibre::restart() {
  auto* const sides = static_cast<Sides*>(sides_);
#if defined(__SANITIZE_ADDRESS__)
  ASAN_UNPOISON_MEMORY_REGION(stack_, kStackBytes);
  sides->inside_frames = nullptr;
#endif
#if defined(__SANITIZE_THREAD__)
  if (sides->inside_fibre != nullptr) __tsan_destroy_fiber(sides->inside_fibre);
  sides->inside_fibre = __tsan_create_fiber(0);
#endif
  prepare(sides->inside, stack_, &Fibre::enter);
}

void Fibre::resume() {
  auto* const sides = static_cast<Sides*>(sides_);
  starting = this;
#if defined(__SANITIZE_ADDRESS__)
  void* frames = nullptr;
  __sanitizer_start_switch_fiber(&frames, stack_, kStackBytes);
#endif
#if defined(__SANITIZE_THREAD__)
  sides->outside_fibre = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(sides->inside_fibre, 0);
#endif
  switch_context(sides->outside, sides->inside);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(frames, nullptr, nullptr);
#endif
}

void Fibre::pause() {
  auto* const sides = static_cast<Sides*>(sides_);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(&sides->inside_frames, sides->outside_stack, sides->outside_bytes);
#endif
#if defined(__SANITIZE_THREAD__)
  __tsan_switch_to_fiber(sides->outside_fibre, 0);
#endif
  switch_context(sides->inside, sides->outside);
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(sides->inside_frames, &sides->outside_stack, &sides->outside_bytes);
#endif
}

void Fibre::enter() {
  Fibre* const self = starting;
#if defined(__SANITIZE_ADDRESS__)
  auto* const sides = static_cast<Sides*>(self->sides_);
  __sanitizer_finish_switch_fiber(nullptr, &sides->outside_stack, &sides->outside_bytes);
#endif
  self->body_(self->argument_);
  std::abort();  // the body returned
}

}  // namespace runahead::host_cuda
