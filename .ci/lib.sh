# SPDX-License-Identifier: MIT
# Shared by bin/run, bin/test and .ci/run: install what is missing, build, and the environment of the uninstalled driver.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

say() { printf '%s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# Installs Debian packages of .ci/packages that are missing; on other systems only says so.
install_missing() {
    command -v dpkg-query >/dev/null || return 0
    local wanted missing=() p
    wanted=$(grep -v '^#' "$root/.ci/packages")
    for p in $wanted; do
        [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing+=("$p")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    local as_root=()
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || die "not root and no sudo; missing packages: ${missing[*]}"
        as_root=(sudo)
    fi
    say "installing: ${missing[*]}"
    "${as_root[@]}" apt-get update -qq >&2 || say "apt-get update failed; trying with the lists at hand"
    # One unknown package must not keep the others away.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${missing[@]}" >&2 && return 0
    for p in "${missing[@]}"; do
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$p" >&2 ||
            say "cannot install $p"
    done
}

# build FOLDER [meson options]: configures once and builds; the output appears only when something fails. BUILD_COMPILER is
# gcc or clang where CC and CXX say nothing, NINJA_ARGS what is built.
build() {
    local folder=$1; shift
    local log=$folder.log
    # A second clone, in another folder, finds what the first one compiled.
    export CCACHE_BASEDIR="${CCACHE_BASEDIR:-$root}" CCACHE_NOHASHDIR=1
    if [ ! -f "$folder/build.ninja" ]; then
        local cc=gcc cxx=g++ cache=
        [ "${BUILD_COMPILER:-gcc}" = gcc ] || cc=clang cxx=clang++
        ! command -v ccache >/dev/null || cache='ccache '
        [ -z "$cache${BUILD_COMPILER:-}" ] || export CC="${CC:-$cache$cc}" CXX="${CXX:-$cache$cxx}"
        meson setup "$folder" "$root" "$@" >"$log" 2>&1 || { cat "$log" >&2; die "meson setup failed"; }
    fi
    ninja -C "$folder" ${NINJA_ARGS:-} >"$log" 2>&1 || { grep -vE '^\[[0-9]+/' "$log" | head -60 >&2; die "build failed; see $log"; }
}

# Points glvnd, the loader and the form spawn at what lies in FOLDER.
use_build() {
    local targets=$1/src/targets
    export __EGL_VENDOR_LIBRARY_FILENAMES=$targets/uninstalled.json
    export LD_LIBRARY_PATH=$targets${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export MGPIPE_SERVER=${MGPIPE_SERVER:-$targets/mgpiped}
    if [ -z "${XDG_RUNTIME_DIR:-}" ]; then
        XDG_RUNTIME_DIR=/tmp/mgpipe-runtime-$(id -u)
        mkdir -p -m 700 "$XDG_RUNTIME_DIR"
        [ -O "$XDG_RUNTIME_DIR" ] || die "$XDG_RUNTIME_DIR belongs to another user; XDG_RUNTIME_DIR names another folder"
        export XDG_RUNTIME_DIR
    fi
}
