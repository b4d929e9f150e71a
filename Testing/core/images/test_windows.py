"""Grey values computed independently from the definition of a window (width, level)."""

import numpy as np
import pytest

from MultiRoundSegLib.images import CT_WINDOWS, Geometry, Volume, Window, default_window

HU = np.array([-1024, -1000, -160, -100, 0, 40, 100, 240, 1000, 3071])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("abdomen", [0, 0, 0, 38, 102, 128, 166, 255, 255, 255]),
        ("lung", [55, 60, 202, 212, 230, 236, 246, 255, 255, 255]),
        ("brain", [0, 0, 0, 0, 0, 128, 255, 255, 255, 255]),
    ],
)
@pytest.mark.parametrize("dtype", [np.int16, np.float32, np.float64, np.int32])
def test_named_ct_windows_give_exact_grey_values(name: str, expected: list[int], dtype: type) -> None:
    assert CT_WINDOWS[name].apply(HU.astype(dtype)).tolist() == expected


def test_unsigned_storage_does_not_wrap_around() -> None:
    stored = np.array([0, 40, 100, 240, 1000, 65535], dtype=np.uint16)
    assert CT_WINDOWS["abdomen"].apply(stored).tolist() == [102, 128, 166, 255, 255, 255]


def test_a_metal_voxel_does_not_change_the_others() -> None:
    with_metal = volume(np.append(HU[:9], 30000), "CT")
    window = default_window(with_metal)
    assert window == CT_WINDOWS["abdomen"]
    assert window.apply(with_metal.voxels).ravel().tolist() == [0, 0, 0, 38, 102, 128, 166, 255, 255, 255]


def test_mr_uses_percentiles_of_the_voxels_that_are_not_zero() -> None:
    values = np.concatenate([np.zeros(5000), np.arange(1, 1001)])
    window = default_window(volume(values, "MR"))
    assert (window.lower, window.upper) == pytest.approx((5.995, 995.005))
    assert "0.5" in window.name


def test_a_constant_image_still_has_a_window() -> None:
    assert default_window(volume(np.zeros(4), "MR")).apply(np.zeros(4)).tolist() == [0, 0, 0, 0]
    assert default_window(volume(np.full(4, 7.0), "MR")).apply(np.full(4, 7.0)).tolist() == [0, 0, 0, 0]


def test_eight_bit_images_are_shown_as_they_are() -> None:
    values = np.array([0, 1, 127, 128, 254, 255], dtype=np.uint8)
    xray = volume(values, "CR")
    assert default_window(xray).apply(values).tolist() == values.tolist()


def test_an_empty_window_is_refused() -> None:
    with pytest.raises(ValueError, match="upper > lower"):
        Window(10, 10)


def volume(values: np.ndarray, modality: str) -> Volume:
    return Volume(values.reshape(1, 1, -1), Geometry((1, 1, values.size), np.eye(4)), modality)


def test_of_a_large_volume_evenly_spread_voxels_give_nearly_the_same_window() -> None:
    values = np.random.default_rng(0).gamma(2.0, 100.0, (30, 400, 400)).astype(np.float32)
    scan = Volume(values, Geometry(values.shape, np.eye(4)), "MR")
    window = default_window(scan)
    lower, upper = np.percentile(values, (0.5, 99.5))
    assert (window.lower, window.upper) == pytest.approx((lower, upper), rel=0.02)
