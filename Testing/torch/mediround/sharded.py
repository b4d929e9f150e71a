"""Trains with shared weights on processors, which accelerate does on GPUs alone: it is told that these are some."""

import sys

from accelerate import DistributedType, PartialState
from train_mediround import main

if __name__ == "__main__":
    PartialState(cpu=True).distributed_type = DistributedType.MULTI_GPU
    sys.exit(main())
