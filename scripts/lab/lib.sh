# shellcheck shell=bash disable=SC2154  # $script is the caller's name
# Functions that several scripts share: install missing packages, configure, build. Sourced, not run.
# Callers use `set -euo pipefail`, and their working folder is the root of the repository.

say() { printf '%s: %s\n' "$script" "$*"; }
fail() { printf '%s: %s\n' "$script" "$*" >&2; exit 1; }

# explain_if_asked WORD...: if one of the words is --help or -h, prints the comment at the top of the script and ends.
explain_if_asked() {
  local word
  for word in "$@"; do
    case $word in
      -h | --help)
        awk 'NR > 1 && !/^#/ { exit } NR > 1 { sub(/^# ?/, ""); print }' "$script"
        exit 0
        ;;
    esac
  done
}

# parallel_jobs: how many compilers run at the same time: at most one per processor and one per GB of free memory.
parallel_jobs() {
  local processors room_gb
  processors=$(nproc)
  room_gb=$(awk '/^MemAvailable:/ { print int($2 / 1000000) }' /proc/meminfo 2>/dev/null || true)
  room_gb=${room_gb:-1}
  [ "$room_gb" -ge 1 ] || room_gb=1
  if [ "$room_gb" -lt "$processors" ]; then echo "$room_gb"; else echo "$processors"; fi
}

# missing_packages PURPOSE...: the packages of scripts/lab/packages for these purposes that are not installed.
missing_packages() {
  local purpose package
  while read -r purpose package; do
    case " $* " in *" $purpose "*) ;; *) continue ;; esac
    # "ii ": the package is selected and installed, without an error.
    if [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)" != "ii " ]; then
      printf '%s\n' "$package"
    fi
  done < <(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' scripts/lab/packages) | sort -u
}

# as_root COMMAND-LINE: runs the command as root: directly, with sudo, or with su. Returns 1 if none of these works.
as_root() {
  local line=$1
  if [ "$(id -u)" = 0 ]; then
    bash -c "$line"
    return
  fi
  if command -v sudo >/dev/null && { [ -t 0 ] || sudo -n true 2>/dev/null; } && sudo -v; then
    sudo bash -c "$line"
    return
  fi
  if command -v su >/dev/null && [ -t 0 ]; then
    say "root's password is needed"
    su -c "$line"
    return
  fi
  return 1
}

# install_missing PURPOSE...: installs the missing packages. If this fails, says what to type, and ends the script.
install_missing() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "this is not a Debian system: scripts/lab/packages lists the needed packages by their names in Debian 12"
    return
  fi
  local missing
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  [ -n "$missing" ] || return 0
  local log="$PWD/build/install.log"
  mkdir -p build
  say "installing: $missing  (log: build/install.log)"
  local apt="DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends install $missing"
  # The package list is always updated first, because an old list names files that the mirror no longer has.
  if ! as_root "{ apt-get update && $apt; } >'$log' 2>&1 </dev/null"; then
    [ ! -s "$log" ] || tail -n 5 "$log" >&2
    fail "could not install the missing packages; as root, type: apt-get update && apt-get install --no-install-recommends $missing"
  fi
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [ -z "$missing" ] || fail "still missing after the installation: $missing(see build/install.log)"
}

# install_if_possible PURPOSE WITHOUT: installs the missing packages of a purpose. If this fails, one line says so, and
# what that means (WITHOUT); the script goes on. Call install_missing before, which updates the package list.
install_if_possible() {
  local missing began=$SECONDS
  command -v dpkg-query >/dev/null && command -v apt-get >/dev/null || return 0
  missing=$(missing_packages "$1" | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  mkdir -p build
  local log=build/install-$1.log
  local apt="DEBIAN_FRONTEND=noninteractive apt-get -y -o Acquire::http::Timeout=20 -o DPkg::Lock::Timeout=120"
  apt="$apt --no-install-recommends install $missing"
  if as_root "{ $apt || { apt-get update && $apt; }; } >'$PWD/$log' 2>&1 </dev/null"; then
    say "installed ${missing% } in $((SECONDS - began)) s"
  elif [ -f "$log" ]; then
    say "could not install ${missing% } (log: $log): $2"
  else
    say "could not install ${missing% }, which needs root: $2"
  fi
}

# logged LOG COMMAND...: runs the command with its output in LOG. If the command fails, shows the end of the log.
logged() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1; then
    tail -n 40 "$log" >&2
    fail "failed: $*  (log: $log)"
  fi
}

# build PRESET [configure arguments]: configures and builds, and says which features are off. It builds the targets in
# the array build_targets; without this array, or if it is empty: all.
build() {
  local preset=$1 target targets=()
  shift
  for target in "${build_targets[@]:-}"; do
    [ -z "$target" ] || targets+=(--target "$target")
  done
  mkdir -p "build/$preset"
  local began=$SECONDS
  # With this setting glibc asks the kernel for large pages. clang allocates much memory, so large pages save an
  # eighth of its time.
  local -x GLIBC_TUNABLES=glibc.malloc.hugetlb=1
  say "building build/$preset on $(parallel_jobs) processors  (log: build/$preset/build.log)"
  logged "build/$preset/configure.log" cmake --preset "$preset" "$@"
  sed -n 's/^-- *OFF  /  without /p' "build/$preset/configure.log"
  if [ -t 1 ]; then
    # At a terminal, the output is not sent to the log, so that the user sees ninja's progress.
    cmake --build --preset "$preset" --parallel "$(parallel_jobs)" "${targets[@]}" ||
      fail "the build failed: cmake --build --preset $preset shows it again"
  else
    logged "build/$preset/build.log" \
      cmake --build --preset "$preset" --parallel "$(parallel_jobs)" "${targets[@]}"
  fi
  say "built in $((SECONDS - began)) s"
}
