#!/usr/bin/env bash
# Sets everything up, then checks the code and runs the tests: bash scripts/test.sh [arguments for pytest]
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$scripts/setup.sh"
cd "$scripts/.."

check() {
    printf '\n== %s\n' "$1"
    .venv/bin/python "${@:2}" || {
        printf '\n== %s: failed\n' "$1" >&2
        exit 1
    }
}

check "Format" -m ruff format --check
check "Lint" -m ruff check
check "Types" -m mypy
check "Imports" .venv/bin/lint-imports --no-logo
printf '\n== Tests\n'
QT_QPA_PLATFORM=offscreen exec .venv/bin/python -m pytest "$@"
