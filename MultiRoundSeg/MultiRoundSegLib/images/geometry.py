"""The voxel grid of a volume: its shape and where it lies in the patient."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Geometry:
    """A voxel grid in patient space.

    Attributes:
        shape: number of voxels along (K, J, I); slices, rows, columns.
        ijk_to_ras: (4, 4) affine from voxel indices (i, j, k) to RAS, mm. Any invertible affine is
            allowed: oblique, flipped, left-handed, sheared (gantry tilt).
    """

    shape: tuple[int, int, int]
    ijk_to_ras: FloatArray

    def __post_init__(self) -> None:
        """Copy and freeze the matrix.

        Raises:
            ValueError: the shape or the matrix describes no grid.
        """
        shape = tuple(int(n) for n in self.shape)
        matrix = np.array(self.ijk_to_ras, dtype=np.float64)
        if len(shape) != 3 or min(shape) < 1:
            raise ValueError(f"a geometry needs three positive sizes (K, J, I), got {self.shape}")
        if matrix.shape != (4, 4) or not np.isfinite(matrix).all():
            raise ValueError(f"ijk_to_ras must be a finite (4, 4) matrix, got {matrix!r}")
        if not np.allclose(matrix[3], (0, 0, 0, 1)) or abs(np.linalg.det(matrix[:3, :3])) < 1e-12:
            raise ValueError("ijk_to_ras must be an invertible affine matrix")
        matrix.setflags(write=False)
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "ijk_to_ras", matrix)

    @property
    def spacing(self) -> tuple[float, float, float]:
        """Distance between neighbouring voxels along (i, j, k), mm."""
        si, sj, sk = np.linalg.norm(self.ijk_to_ras[:3, :3], axis=0)
        return float(si), float(sj), float(sk)

    @property
    def voxel_volume_mm3(self) -> float:
        """Volume of one voxel, mm³ (the parallelepiped's, so shear is respected)."""
        return float(abs(np.linalg.det(self.ijk_to_ras[:3, :3])))

    def ras(self, kji: ArrayLike) -> FloatArray:
        """Patient position of voxel indices.

        Args:
            kji: (..., 3) continuous indices in array order (k, j, i).

        Returns:
            (..., 3) RAS positions, mm.
        """
        ijk = np.asarray(kji, dtype=np.float64)[..., ::-1]
        return np.asarray(ijk @ self.ijk_to_ras[:3, :3].T + self.ijk_to_ras[:3, 3])

    def kji(self, ras: ArrayLike) -> FloatArray:
        """Continuous voxel indices (..., 3) in array order (k, j, i) of RAS positions (..., 3), mm."""
        inverse = np.linalg.inv(self.ijk_to_ras)
        ijk = np.asarray(ras, dtype=np.float64) @ inverse[:3, :3].T + inverse[:3, 3]
        return np.asarray(ijk[..., ::-1])

    def matches(self, other: Geometry, *, tolerance_mm: float = 1e-3) -> bool:
        """Whether both grids have the same voxels.

        The corners of both grids must agree within `tolerance_mm`, so that a tiny error in a
        direction counts as much as it moves a voxel.
        """
        if self.shape != other.shape:
            return False
        corners = np.stack(np.meshgrid(*[(0, n - 1) for n in self.shape], indexing="ij"), axis=-1)
        return bool(np.abs(self.ras(corners) - other.ras(corners)).max() <= tolerance_mm)
