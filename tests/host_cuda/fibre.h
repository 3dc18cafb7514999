// Fibre: a function with a stack of its own, which pauses in the middle and goes on later. The threads of a
// simulated CUDA block are fibres of one operating-system thread. A switch takes a few nanoseconds on x86-64;
// on other processors <ucontext.h> makes it. The address and the thread sanitizer are told of each switch.
#pragma once

#include <cstddef>

namespace runahead::host_cuda {

class Fibre {
 public:
  // body(argument) must never return: it calls pause() when it has nothing to do.
  Fibre(void (*body)(void* argument), void* argument);
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  // Runs the fibre until it pauses. REQUIRES: the caller is the thread that made the fibre, and is no fibre.
  void resume();
  void pause();    // REQUIRES: the caller is this fibre
  void restart();  // forgets where the fibre paused: the next resume() calls body again

 private:
  struct Sides;
  static void enter();
  void* sides_;  // Sides: the two contexts, and what the sanitizers need
  void (*const body_)(void*);
  void* const argument_;
  std::byte* const stack_;
};

}  // namespace runahead::host_cuda
