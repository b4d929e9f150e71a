#!/usr/bin/env bash
# Sets up an environment with torch, then tests the training of models: bash scripts/test_training.sh [arguments for pytest]
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$scripts/setup.sh" training
cd "$scripts/.."
printf '\n== Tests of training\n'
exec .venv-training/bin/python -m pytest Testing/torch "$@"
