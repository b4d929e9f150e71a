#!/usr/bin/env bash
# Puts in place what the tests and the demo need: the libraries offscreen pictures need, and a Python environment in .venv.
# With the argument "training" the environment .venv-training instead, which has torch.
# Needs git, and Python 3.10 to 3.13 with venv and pip. Run again, it changes nothing and needs no network.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

heading() { printf '\n== %s\n' "$*"; }

fail() {
    printf '%s\n' "$@" >&2
    exit 1
}

# slicer-core, Slicer's scene without its window, comes for these versions of Python.
is_fitting() {
    "$1" -c 'import sys, venv, ensurepip; sys.exit(not (3, 10) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null
}

find_python() {
    local candidate
    for candidate in python3 python3.13 python3.12 python3.11 python3.10; do
        if is_fitting "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    fail "No Python 3.10 to 3.13 with its venv module was found (python3: $(python3 --version 2>/dev/null || echo not installed))." \
        "Install one, on Debian or Ubuntu with: sudo apt-get install python3 python3-venv"
}

# The Debian package of each shared library or file that is not there: Python loads the libraries by name,
# which finds them wherever a system keeps them, and the names are the same in all releases.
missing_packages() {
    "$1" - <<'PYTHON'
import ctypes
import pathlib

LIBRARIES = {
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libX11.so.6": "libx11-6",
    "libfontconfig.so.1": "libfontconfig1",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libdbus-1.so.3": "libdbus-1-3",
}
# Software rendering, a Latin font, and a small font for Chinese.
FILES = {
    "/usr/lib/*/dri/swrast_dri.so": "libgl1-mesa-dri",
    "/usr/share/fonts/**/DejaVuSans.ttf": "fonts-dejavu-core",
    "/usr/share/fonts/**/wqy-microhei.ttc": "fonts-wqy-microhei",
}


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


missing = [package for library, package in LIBRARIES.items() if not loads(library)]
missing += [package for pattern, package in FILES.items() if not any(pathlib.Path("/").glob(pattern[1:]))]
print(*missing)
PYTHON
}

install_libraries() {
    local packages
    read -r -a packages <<<"$(missing_packages "$1")"
    if [ "${#packages[@]}" -eq 0 ]; then
        return
    fi
    if ! command -v apt-get >/dev/null; then
        echo "Libraries for offscreen pictures seem to be missing; should pictures fail, install what Debian calls:"
        echo "    ${packages[*]}"
        return
    fi
    if [ "$(id -u)" -ne 0 ]; then
        fail "Libraries for offscreen pictures are missing; install them, then run this again:" \
            "    sudo apt-get update && sudo apt-get install -y --no-install-recommends ${packages[*]}"
    fi
    heading "Installing libraries for offscreen pictures: ${packages[*]}"
    apt-get update -qq || echo "apt-get update reported an error; going on with the package lists at hand."
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
}

# Whatever asks for a new installation changes this line: the place, the Python, the list of packages.
describe_environment() {
    "$1" -c 'import hashlib, os, pathlib, sys
print(os.getcwd(), sys.version_info[:2], hashlib.sha256(pathlib.Path("pyproject.toml").read_bytes()).hexdigest())'
}

python_version() { "$1" -c 'import sys; print(sys.version_info[:2])'; }

make_environment() {
    local python=$1 folder=$2 extra=$3 size=$4 stamp=$2/complete wanted
    wanted=$(describe_environment "$python")
    if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
        return
    fi
    heading "Installing Python packages into $folder: $size"
    if ! "$folder/bin/python" -c 'import pip' 2>/dev/null ||
        [ "$(python_version "$folder/bin/python")" != "$(python_version "$python")" ]; then
        "$python" -m venv --clear "$folder"
    fi
    rm -f "$stamp"
    "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --editable ".[$extra]"
    printf '%s\n' "$wanted" >"$stamp"
}

python=$(find_python)
if [ "${1:-}" = training ]; then
    make_environment "$python" .venv-training train "torch, transformers and what they need, up to 7 GB"
    exit
fi
if [ "$(uname -s)" = Linux ]; then
    install_libraries "$python"
fi
make_environment "$python" .venv test "almost 2 GB, a minute or two the first time"
