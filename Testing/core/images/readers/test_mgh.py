"""FreeSurfer's MGH and MGZ give the voxels and the grid they store."""

import gzip
import struct

import numpy as np
import pytest

from MultiRoundSegLib.errors import ImageReadError
from MultiRoundSegLib.images.readers import read_volume

STORED = np.arange(24, dtype=np.int16).reshape(4, 3, 2)


def mgh_bytes(voxels=STORED, *, oriented=1, frames=1, kind=4):
    header = struct.pack(">7i", 1, 2, 3, 4, frames, kind, 0)
    # Columns run to the left, rows to the foot, slices to the front; the centre lies at (1, 2, 3).
    header += struct.pack(">h15f", oriented, 0.5, 2, 4, -1, 0, 0, 0, 0, -1, 0, 1, 0, 1, 2, 3)
    return header.ljust(284, b"\0") + voxels.astype(voxels.dtype.newbyteorder(">")).tobytes()


@pytest.mark.parametrize(("name", "pack"), [("t1.mgh", bytes), ("t1.mgz", gzip.compress)])
def test_voxels_and_grid_are_as_stored(tmp_path, name, pack):
    (tmp_path / name).write_bytes(pack(mgh_bytes()))

    volume = read_volume(tmp_path / name)

    assert np.array_equal(volume.voxels, STORED)
    assert volume.voxels.dtype == np.int16
    # The centre is the voxel (1, 1.5, 2): 0.5 mm, 3 mm and 8 mm from the first one.
    assert np.array_equal(volume.geometry.ijk_to_ras, [[-0.5, 0, 0, 1.5], [0, 0, 4, -6], [0, -2, 0, 6], [0, 0, 0, 1]])


def test_a_file_without_orientation_is_coronal_with_voxels_of_1_mm(tmp_path):
    (tmp_path / "t1.mgh").write_bytes(mgh_bytes(oriented=0))
    assert np.array_equal(
        read_volume(tmp_path / "t1.mgh").geometry.ijk_to_ras,
        [[-1, 0, 0, 1], [0, 0, 1, -2], [0, -1, 0, 1.5], [0, 0, 0, 1]],
    )


def test_frames_need_a_choice(tmp_path):
    (tmp_path / "bold.mgh").write_bytes(mgh_bytes(np.stack([STORED, STORED + 1]), frames=2))
    with pytest.raises(ImageReadError, match="holds 2 frames"):
        read_volume(tmp_path / "bold.mgh")
    assert np.array_equal(read_volume(tmp_path / "bold.mgh", frame=2).voxels, STORED + 1)


@pytest.mark.parametrize(
    ("content", "cause"),
    [
        (mgh_bytes()[:-1], "is cut short"),
        (b"short", "is cut short or no MGH file"),
        (mgh_bytes(kind=9), "is not an MGH file that can be read"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, content, cause):
    (tmp_path / "t1.mgh").write_bytes(content)
    with pytest.raises(ImageReadError, match=rf"t1\.mgh {cause}"):
        read_volume(tmp_path / "t1.mgh")
