// The program in a build without the libraries that the command line needs. It prints a message that says so.
#include <cstdio>

int main() {
  std::fputs(
      "runahead: this program was built without its command line: install libcli11-dev and "
      "nlohmann-json3-dev and build again\n",
      stderr);
  return 1;
}
