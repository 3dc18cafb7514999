// A ring of MPI ranks. In each round a rank computes, sends a message to the next rank, and waits for the
// message of the rank before it. Each rank is a process with its own recording. A message carries its id, so
// both ranks record their half of the arrow. A switch of rank 0 lets all ranks wait for each other in every
// round.
//
//   runahead record -o ring.runahead -- mpirun -n 4 mpi_ring
//   mpi_ring ROUNDS                      ends after this number of rounds (default: 2000)
//
// It shows what a program of several processes does to be recorded: messages, zones, waits, steps and a
// Switch, all from <runahead/runahead.h>.
#include <mpi.h>
#include <runahead/runahead.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

namespace {

using std::chrono::steady_clock;

// Uses the processor for some time, as real work does.
void work_for(std::chrono::microseconds time) {
  for (const auto end = steady_clock::now() + time; steady_clock::now() < end;) {
  }
}

class Ring {
 public:
  Ring() {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
    // One rank decides for all, so only one has the switch.
    if (rank_ == 0) barrier_.emplace("barrier", std::initializer_list<const char*>{"none", "every round"});
    runahead::name_frontend(("rank " + std::to_string(rank_)).c_str());
  }

  void run(std::uint32_t rounds) {
    for (std::uint32_t round = 0; round < rounds; ++round) {
      compute();
      pass_message(round);
      meet_if_asked();
      RUNAHEAD_FRAME("round");
    }
  }

 private:
  // About 1 ms. The first rank has the least work, and the last rank the most.
  void compute() const {
    RUNAHEAD_ZONE("compute");
    work_for(std::chrono::microseconds(800 + 400 * (rank_ + 1) / ranks_));
  }

  // The send does not block: if every rank first waited until its message is received, all would wait
  // forever.
  void pass_message(std::uint32_t round) const {
    const std::uint64_t sent = (static_cast<std::uint64_t>(rank_) + 1) << 32 | round;  // never 0
    std::uint64_t received = 0;
    MPI_Request sending = MPI_REQUEST_NULL;
    {
      RUNAHEAD_ZONE("send");
      RUNAHEAD_MESSAGE_OUT("token", sent);
      MPI_Isend(&sent, 1, MPI_UINT64_T, (rank_ + 1) % ranks_, 0, MPI_COMM_WORLD, &sending);
    }
    {
      RUNAHEAD_ZONE("receive");
      {
        static const runahead::Site& site = runahead::wait_site("wait for the token");
        const runahead::Wait waiting(site);
        MPI_Recv(&received, 1, MPI_UINT64_T, (rank_ + ranks_ - 1) % ranks_, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
      }
      RUNAHEAD_MESSAGE_IN(received);
    }
    MPI_Wait(&sending, MPI_STATUS_IGNORE);
  }

  // A barrier needs every rank. Therefore all ranks use the choice that rank 0 reads in this round.
  void meet_if_asked() const {
    int meet = barrier_ && barrier_->choice() != 0 ? 1 : 0;
    MPI_Bcast(&meet, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (meet == 0) return;
    static const runahead::Site& site = runahead::wait_site("barrier");
    const runahead::Wait waiting(site);
    MPI_Barrier(MPI_COMM_WORLD);
  }

  int rank_ = 0, ranks_ = 1;
  std::optional<runahead::Switch> barrier_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const long rounds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2000;
  const bool good = rounds >= 1 && rounds <= 1'000'000'000;
  if (good) {
    Ring().run(static_cast<std::uint32_t>(rounds));
  } else {
    std::fprintf(stderr, "mpi_ring: '%s': give a number of rounds from 1 to 1000000000\n", argv[1]);
  }
  MPI_Finalize();
  return good ? 0 : 2;
}
