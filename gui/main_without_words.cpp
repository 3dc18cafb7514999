// The program if the libraries of the command line are missing: it prints that.
#include <cstdio>

int main() {
  std::fputs(
      "runahead: this program was built without its command line: install libcli11-dev and "
      "nlohmann-json3-dev and build again\n",
      stderr);
  return 1;
}
