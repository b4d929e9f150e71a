"""`python -m MultiRoundSegLib.worker` is the command `multiroundseg-worker`."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
