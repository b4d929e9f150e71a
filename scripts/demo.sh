#!/usr/bin/env bash
# Sets everything up, downloads the sample scans, then shows the product on them: bash scripts/demo.sh [arguments for demo.py]
set -euo pipefail
scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bash "$scripts/setup.sh"
python=$scripts/../.venv/bin/python

printf '\n== Sample scans\n'
"$python" "$scripts/sample_data.py" ct_chest ct_chest_segments ct_abdomen ct_abdomen_labels

printf '\n== Demo\n'
QT_QPA_PLATFORM=offscreen exec "$python" "$scripts/demo.py" "$@"
