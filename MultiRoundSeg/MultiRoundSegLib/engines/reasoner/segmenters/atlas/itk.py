"""The bridge to SimpleITK: images, and filters that tell their progress and can be stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from MultiRoundSegLib.engines.engine import Progress
from MultiRoundSegLib.images import Geometry


def itk_image(voxels: NDArray[np.generic], geometry: Geometry) -> Any:
    """A SimpleITK image in a physical space that is RAS, mm.

    ITK itself does not mind which way an axis points; only its file formats mean LPS.

    Args:
        voxels: (K, J, I), or (K, J, I, 3) for vectors (right, anterior, superior), mm.
        geometry: a grid whose axes run along RAS.
    """
    import SimpleITK

    image = SimpleITK.GetImageFromArray(voxels, isVector=voxels.ndim == 4)
    image.SetSpacing(geometry.spacing)
    image.SetOrigin(geometry.ijk_to_ras[:3, 3].tolist())
    return image


@contextmanager
def told(process: Any, progress: Progress, message: str, iterations: int) -> Iterator[None]:
    """Tell the progress of an iterating filter while it runs, and stop it when `progress` raises.

    ITK swallows what is raised inside its callbacks; so it is kept, and raised once the filter has stopped.

    Args:
        process: a SimpleITK filter that is executed inside the `with` block.
        progress: is told 0 to 1.
        message: what is being done.
        iterations: how many the filter will do at most.
    """
    import SimpleITK

    raised: list[Exception] = []
    done = 0

    def tell() -> None:
        nonlocal done
        done += 1
        if raised:
            return
        try:
            progress(min(done / iterations, 1.0), message)
        except Exception as error:
            raised.append(error)
            process.Abort()

    process.AddCommand(SimpleITK.sitkIterationEvent, tell)
    try:
        yield
    except RuntimeError:
        if not raised:
            raise
    finally:
        process.RemoveAllCommands()
    if raised:
        raise raised[0]


def part(progress: Progress, begin: float, end: float) -> Progress:
    """The share of a progress from `begin` to `end`, told from 0 to 1."""

    def tell(fraction: float, message: str) -> None:
        progress(begin + (end - begin) * fraction, message)

    return tell
