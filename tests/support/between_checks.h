// The pause between two checks of a condition that another thread or process will fulfil.
#pragma once

#include <chrono>
#include <thread>

// This function is not in runahead::testing, because some tests write `testing` for GoogleTest's ::testing.
namespace runahead {

// Without this pause, a loop that checks a condition keeps a processor busy. On a machine with two
// processors, such a loop delays the threads that it waits for, and the tests that run at the same time.
inline void between_checks() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

}  // namespace runahead
