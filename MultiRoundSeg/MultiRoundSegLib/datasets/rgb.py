"""Pictures of data sets as RGB."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from MultiRoundSegLib.errors import DatasetError


def read_rgb(path: Path) -> NDArray[np.uint8]:
    """(H, W, 3) the picture in a file.

    Raises:
        DatasetError: it is missing, or damaged.
    """
    try:
        with Image.open(path) as image:
            return np.asarray(image.convert("RGB"))
    except (OSError, SyntaxError, ValueError) as error:
        raise DatasetError(f"The picture {path.name} cannot be read: {error}.") from error
