"""Measures are said in figures that people read: no powers of ten."""

import numpy as np
import pytest

from MultiRoundSegLib.engines.reasoner.measuring import measured
from MultiRoundSegLib.images import Geometry, Mask, Volume

GRID = Geometry((20, 30, 40), np.diag([4.0, 4.0, 4.0, 1.0]))


@pytest.mark.parametrize(
    ("value", "modality", "expected"),
    [
        (12345, "MR", "mean intensity 12345"),
        (-1000, "CT", "mean intensity -1000 HU"),
        (54, "CT", "mean intensity 54 HU"),
    ],
)
def test_large_values_are_written_out(value: int, modality: str, expected: str) -> None:
    mask = Mask(np.ones(GRID.shape, bool), GRID, "liver")
    volume = Volume(np.full(GRID.shape, value, np.int16), GRID, modality)
    said = measured("liver", mask, volume, ("volume", "intensity"), "en")
    assert said == f"liver: 1536 ml, {expected}."
