# SPDX-License-Identifier: Apache-2.0
# Copyright The ikstream authors
#
# Functions that deploy/run and tests/run share. Sourced by bash; needs `root` to name the
# top of the source tree.
# shellcheck shell=bash
: "${root:?}"

program=$(realpath --relative-to="$root" "$0")

say() { printf '%s\n' "$*" >&2; }

die() {
  say "$program: $*"
  exit 1
}

# as_root CMD...: runs CMD as root, by sudo where that is needed.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    say "$program: '$1' needs root: run this as root or install sudo"
    return 1
  fi
}

# missing_packages PURPOSE...: the packages of these purposes that are not there.
missing_packages() {
  local purpose package command wanted=" $* "
  while read -r purpose package command; do
    case "$wanted" in *" $purpose "*) ;; *) continue ;; esac
    if [ -n "$command" ] && command -v "$command" > /dev/null; then continue; fi
    if dpkg-query -W -f '${Status}\n' "$package" 2> /dev/null | grep -q ' installed$'; then
      continue
    fi
    printf '%s\n' "$package"
  done < "$root/deploy/packages" | sort -u
}

apt_install() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends \
    -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 install "$@"
}

# install_packages PURPOSE...: installs what is missing, and nothing else. The package lists
# are fetched anew only where the ones at hand do not do.
install_packages() {
  local missing log
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -eq 0 ] && return 0
  command -v apt-get > /dev/null || die "this is no Debian: install the counterparts of" \
    "${missing[*]} (deploy/packages) and start again"
  say "Installing ${#missing[@]} packages: ${missing[*]}"
  log=$(mktemp)
  if ! apt_install "${missing[@]}" > "$log" 2>&1; then
    as_root apt-get -qq update >> "$log" 2>&1 || true
    if ! apt_install "${missing[@]}" >> "$log" 2>&1; then
      tail -n 15 "$log" >&2
      rm -f "$log"
      die "could not install ${missing[*]}. Without a network, install them by hand and" \
        "start again; otherwise see apt's words above"
    fi
  fi
  rm -f "$log"
}

# pin_packages DATE [FOLDER]: from here on apt installs what Debian 12 held on that date, such as
# 20260601T000000Z; an empty DATE changes nothing. ARCHIVE names where (snapshot.debian.org, or a
# mirror of it). For images: two builds with one date hold the same packages.
pin_packages() {
  local date=$1 folder=${2:-/etc/apt} suite
  local archive=${ARCHIVE:-http://snapshot.debian.org/archive}
  [ -n "$date" ] || return 0
  [[ $date =~ ^[0-9]{8}T[0-9]{6}Z$ ]] || die "'$date' is no date like 20260601T000000Z"
  rm -f "$folder"/sources.list.d/*.sources "$folder"/sources.list.d/*.list
  for suite in debian/DATE:bookworm debian/DATE:bookworm-updates \
    debian-security/DATE:bookworm-security; do
    printf 'deb [check-valid-until=no] %s/%s %s main\n' "$archive" \
      "$(printf '%s' "${suite%%:*}" | sed "s/DATE/$date/")" "${suite#*:}"
  done > "$folder/sources.list"
  rm -rf "${folder%/etc/apt}"/var/lib/apt/lists/*
}

# python_env NAME REQUIREMENT...: a Python environment under build/ that holds these
# packages; prints its folder. Nothing is fetched a second time. One at a time makes it: tests
# that run side by side ask for the same.
python_env() {
  local dir="$root/build/python/$1" wanted
  shift
  wanted="$*"
  mkdir -p "$root/build/python"
  (
    flock 9
    [ "$(cat "$dir/.holds" 2> /dev/null)" = "$wanted" ] && exit 0
    rm -rf "$dir"
    python3 -m venv "$dir" >&2 || exit 1
    "$dir/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >&2 || exit 1
    printf '%s\n' "$wanted" > "$dir/.holds"
  ) 9> "$dir.lock" || return 1
  printf '%s\n' "$dir"
}

# taken HOST:PORT: something listens there. Port 0 is never taken.
taken() {
  local host=${1%:*} port=${1##*:}
  [ "$port" = 0 ] && return 1
  case "$host" in 0.0.0.0 | '' | '[::]') host=127.0.0.1 ;; esac
  (exec 3<> "/dev/tcp/${host//[\[\]]/}/$port") 2> /dev/null
}

# need_free WHAT ADDRESS FLAG: ends with a clear error where ADDRESS is in use.
need_free() {
  case "$2" in unix:*) return 0 ;; esac
  taken "$2" && die "$2 ($1) is taken by another program: end it, or choose another" \
    "address with $3"
  return 0
}
