"""Writes a model of the engine `mediround` in the published names: pytorch_model.bin, for the authors' own scripts.

python scripts/publish_checkpoint.py RUN/model --out WEIGHT
"""

import argparse
import sys
from pathlib import Path


def main() -> int:
    """Parse, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="of the model, as training or scripts/convert_checkpoint.py makes it")
    parser.add_argument("--out", type=Path, required=True, help="the folder to write to")
    arguments = parser.parse_args()
    from MultiRoundSegLib.engines.mediround.checkpoint import publish
    from MultiRoundSegLib.errors import MultiRoundSegError

    try:
        publish(arguments.folder, arguments.out)
    except (MultiRoundSegError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    print(arguments.out / "pytorch_model.bin")
    return 0


if __name__ == "__main__":
    sys.exit(main())
