#include "engine/sync/failures.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdlib>
#include <new>

namespace runahead::engine {
namespace {

TEST(FailureBook, AFailureWithoutMemoryIsToldOnceAndNamedByItsNumber) {
  FailureBook book;
  const FailurePtr failure = book.add_without_memory(7);
  EXPECT_EQ(book.add_without_memory(9), failure);
  EXPECT_EQ(failure->origin, 7u);
  book.note_outcome(7, failure);
  EXPECT_EQ(book.outcome(7), failure);
  const Status told = book.tell_all(9);
  ASSERT_FALSE(told.ok());
  EXPECT_NE(told.error().message.find("out of memory: "), std::string::npos);
  EXPECT_TRUE(book.tell_all(9).ok());
  EXPECT_EQ(book.outcome(7), nullptr);
}

TEST(FailureBook, AFailureWithoutMemoryAfterThatIsAnother) {
  FailureBook book;
  const FailurePtr first = book.add_without_memory(1);
  EXPECT_FALSE(book.tell(first, 1).ok());
  const FailurePtr second = book.add_without_memory(2);
  EXPECT_NE(first, second);
  EXPECT_FALSE(book.tell(second, 2).ok());
}

// These tests leave no address space, but sanitizers need some.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

// After this call the process cannot allocate any memory.
void use_up_memory() {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_AS, &none);
  setrlimit(RLIMIT_DATA, &none);
  for (std::size_t size = std::size_t{1} << 30; size >= 16; size /= 2) {
    while (void* const taken = std::malloc(size)) asm volatile("" : : "r"(taken) : "memory");
  }
}

// Returns 0 if the FailureBook gave every answer without allocating memory.
int failures_without_memory() {
  FailureBook book;
  use_up_memory();
  const FailurePtr failure = book.add_without_memory(3);
  book.note_outcome(3, failure);
  book.note_outcome(4, failure);
  if (book.outcome(3) != failure || book.outcome(4) != failure || book.outcome(5)) return 1;
  for (std::uint64_t number = 5; number < 1000; ++number) book.note_outcome(number, failure);
  try {  // shows that allocation really fails
    (void)book.add(5, "a message that is longer than what a string holds within itself");
    return 2;
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

TEST(FailureBook, NotesFailuresWhereThereIsNoMemoryForThem) {
  EXPECT_EXIT(_exit(failures_without_memory()), ::testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace runahead::engine
