"""How physical values become grey values: named CT windows, percentiles for MR."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .volume import Volume


@dataclass(frozen=True)
class Window:
    """The range of values shown from black to white.

    Attributes:
        lower: value shown as 0.
        upper: value shown as 255.
        name: how it was chosen, for the record: "abdomen", "displayed", "percentiles 0.5-99.5" ...
    """

    lower: float
    upper: float
    name: str = "custom"

    def __post_init__(self) -> None:
        """Refuse an empty range.

        Raises:
            ValueError: upper is not above lower.
        """
        if not self.upper > self.lower:
            raise ValueError(f"a window needs upper > lower, got {self.lower} to {self.upper}")

    @classmethod
    def from_level(cls, width: float, level: float, name: str = "custom") -> Window:
        """The window of a given width around a level (DICOM 0028,1051 and 0028,1050)."""
        return cls(level - width / 2, level + width / 2, name)

    def apply(self, values: NDArray[np.generic]) -> NDArray[np.uint8]:
        """Grey values 0 to 255 of any shape; halves go to the even value, whatever the type of the input."""
        scaled = (values.astype(np.float64) - self.lower) * 255.0 / (self.upper - self.lower)
        return np.rint(np.clip(scaled, 0.0, 255.0)).astype(np.uint8)


# Width and level in HU as radiology departments commonly set them.
CT_WINDOWS = {
    name: Window.from_level(width, level, name)
    for name, width, level in (
        ("abdomen", 400, 40),
        ("lung", 1500, -600),
        ("brain", 80, 40),
        ("bone", 1800, 400),
        ("mediastinum", 350, 50),
        ("liver", 150, 30),
    )
}

_LUMA = (0.299, 0.587, 0.114)  # weights of red, green and blue, ITU-R BT.601


def grey_of(rgb: NDArray[np.generic]) -> NDArray[np.uint8]:
    """Grey values of a colour image, (..., 3) uint8 to (...), rounded."""
    grey: NDArray[np.float64] = rgb.astype(np.float64) @ np.array(_LUMA)
    return np.rint(grey).astype(np.uint8)


PERCENTILES = (0.5, 99.5)
"""Lower and upper percentile of the non-zero voxels for MR, nuclear medicine and unknown modalities."""

_LOOKED_AT = 2_000_000
"""About how many voxels of a large volume the percentiles are taken from, evenly spread over it."""


def default_window(volume: Volume) -> Window | None:
    """The stated rule of a modality: CT the abdomen window, colour none, others percentiles.

    X-ray and other 8-bit single images are shown as they are (0 to 255). The rule never depends on
    how the image happens to be displayed.
    """
    if volume.is_colour:
        return None
    if volume.modality == "CT":
        return CT_WINDOWS["abdomen"]
    if volume.voxels.dtype == np.uint8:
        return Window(0, 255, "as stored")
    return _percentile_window(volume.voxels)


def _percentile_window(voxels: NDArray[np.generic]) -> Window:
    step = voxels.size // _LOOKED_AT | 1  # odd, so that it does not run along the rows of a grid of even size
    looked_at = voxels.reshape(-1)[::step]
    foreground = looked_at[looked_at != 0]
    if foreground.size == 0:
        return Window(0, 1, "constant image")
    lower, upper = (float(p) for p in np.percentile(foreground, PERCENTILES))
    if upper <= lower:
        return Window(lower, lower + 1, "constant image")
    return Window(lower, upper, f"percentiles {PERCENTILES[0]}-{PERCENTILES[1]}")
