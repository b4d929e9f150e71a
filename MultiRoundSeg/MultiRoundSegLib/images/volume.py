"""An image volume with its grid."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .geometry import Geometry


@dataclass(frozen=True, eq=False)
class Volume:
    """One 3-D image; a 2-D image is a volume with K = 1.

    Attributes:
        voxels: (K, J, I) physical values (HU for CT), or (K, J, I, 3) uint8 RGB for a colour image.
        geometry: the voxel grid.
        modality: DICOM modality (0008,0060) such as "CT", "MR", "CR", "US"; "OT" where unknown.
        series_uid: DICOM Series Instance UID, where there is one.
        name: what a person calls it: file or node name.
        frame: which frame of a 4-D image this is, for example "3 of 20"; None for a 3-D image.
    """

    voxels: NDArray[np.generic]
    geometry: Geometry
    modality: str = "OT"
    series_uid: str | None = None
    name: str = field(default="volume", kw_only=True)
    frame: str | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        """Refuse an array that does not lie on the grid.

        Raises:
            ValueError: shape or component count do not fit.
        """
        if self.voxels.shape[:3] != self.geometry.shape:
            raise ValueError(f"voxels {self.voxels.shape} do not fit a grid of {self.geometry.shape}")
        if self.voxels.ndim == 4 and (self.voxels.shape[3] != 3 or self.voxels.dtype != np.uint8):
            raise ValueError("a colour volume needs three uint8 components (red, green, blue)")
        if self.voxels.ndim > 4:
            raise ValueError(f"a volume has three dimensions (and colour), got {self.voxels.ndim}")

    @property
    def is_colour(self) -> bool:
        """Whether each voxel is (red, green, blue)."""
        return self.voxels.ndim == 4
