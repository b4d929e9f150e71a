"""An atlas is registered to a volume and its masks are carried over; bodies here are drawn from ellipsoids."""

import itertools
import time
from pathlib import Path

import numpy as np
import pytest
from engine_contract import Told

from MultiRoundSegLib.anatomy import load_anatomy
from MultiRoundSegLib.conversation import Conversation
from MultiRoundSegLib.engines.reasoner.segmenters import Found
from MultiRoundSegLib.engines.reasoner.segmenters.atlas import Atlas, AtlasSegmenter, read_atlas
from MultiRoundSegLib.engines.reasoner.segmenters.atlas.segmenter import AtlasFinder
from MultiRoundSegLib.errors import CancelledError, OutsideDomainError
from MultiRoundSegLib.images import Code, Geometry, Mask, Volume

LIVER = Code("SCT", "10200004", "Liver")
ELLIPSOIDS = {  # centre and radii (right, anterior, superior), mm, and intensity; a later one covers an earlier one
    "body": ((0, 0, 0), (46, 36, 60), 100),
    "liver": ((18, 5, 22), (22, 22, 20), 160),
    "tumour": ((22, 8, 24), (7, 7, 7), 120),
    "left kidney": ((-22, -8, 0), (9, 10, 16), 190),
    "right kidney": ((22, -10, -14), (9, 10, 15), 190),
    "spine": ((0, -22, 0), (9, 9, 52), 250),
    "bladder": ((0, 12, -40), (15, 12, 10), 60),
}
GRID = Geometry((46, 30, 36), [[3, 0, 0, -52.5], [0, 3, 0, -43.5], [0, 0, 3, -67.5], [0, 0, 0, 1]])
UNMOVED = np.eye(4)


def inside(name: str, geometry: Geometry, placed: np.ndarray) -> np.ndarray:
    """The voxels of one ellipsoid of a body that an affine (4, 4) placed in space."""
    centre, radii, _ = ELLIPSOIDS[name]
    indices = np.stack(np.meshgrid(*map(np.arange, geometry.shape), indexing="ij"), axis=-1)
    to_body = np.linalg.inv(placed)
    ras = geometry.ras(indices) @ to_body[:3, :3].T + to_body[:3, 3]
    return np.asarray((((ras - centre) / radii) ** 2).sum(axis=-1) <= 1)


def body(geometry: Geometry = GRID, placed: np.ndarray = UNMOVED, name: str = "earlier scan") -> Volume:
    """An image of a body with a little noise."""
    voxels = np.zeros(geometry.shape)
    for structure, (*_, intensity) in ELLIPSOIDS.items():
        voxels[inside(structure, geometry, placed)] = intensity
    noise = np.random.default_rng(len(name)).normal(0, 3, geometry.shape)
    return Volume((voxels + noise).astype(np.float32), geometry, "CT", name=name)


def masks(geometry: Geometry = GRID, placed: np.ndarray = UNMOVED) -> list[Mask]:
    """Overlapping masks: the tumour is in the liver."""
    names = ("liver", "tumour", "left kidney", "right kidney", "bladder")
    return [Mask(inside(name, geometry, placed), geometry, name, LIVER if name == "liver" else None) for name in names]


def placement(degrees: float = 0, scale: float = 1, shift: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    """A turn around the body's length, a scaling, and a shift, mm."""
    turn = np.deg2rad(degrees)
    matrix = np.eye(4)
    matrix[:2, :2] = [[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]
    matrix[:3, :3] *= scale
    matrix[:3, 3] = shift
    return matrix


def oblique_grid() -> Geometry:
    """Sheared like a tilted gantry, with thick slices counted from above, columns from left to right."""
    axes = np.array([[-2.5, 0, 0], [0, 3, -1], [0, 0.3, -4]])
    shape = (38, 36, 46)
    matrix = np.eye(4)
    matrix[:3, :3] = axes
    matrix[:3, 3] = (10, -20, 30) - axes @ (np.array(shape[::-1]) - 1) / 2
    return Geometry(shape, matrix)


def atlas_of(volume: Volume, labels: list[Mask]) -> AtlasSegmenter:
    return AtlasSegmenter(Atlas(volume, lambda: labels), load_anatomy())


def find_all(finder: AtlasFinder, volume: Volume) -> list[Found]:
    history = Conversation(volume.geometry)
    return [finder.segment(candidate, history, progress=Told()) for candidate in finder.candidates(history)]


def dice(one: Mask, other: Mask) -> float:
    common = np.count_nonzero(one.voxels & other.voxels)
    return 2 * common / (one.voxel_count + other.voxel_count)


PLACED = placement(12, 1.1, (10, -20, 30))


@pytest.fixture(scope="module")
def follow_up() -> Volume:
    """The body turned, grown and shifted, on an oblique grid, with the contrast of a negative."""
    seen = body(oblique_grid(), PLACED, "follow-up")
    return Volume(300 - seen.voxels, seen.geometry, "MR", name="follow-up")


@pytest.fixture(scope="module")
def found(follow_up: Volume) -> list[Found]:
    return find_all(atlas_of(body(), masks()).open(follow_up), follow_up)


def test_masks_are_carried_to_a_turned_grown_and_shifted_body_on_an_oblique_grid(found: list[Found]) -> None:
    truth = masks(oblique_grid(), PLACED)
    agreement = [dice(one.mask, other) for one, other in zip(found, truth, strict=True)]
    assert min(agreement) > 0.75
    assert np.mean(agreement) > 0.85


def test_masks_lie_on_the_grid_of_the_volume(found: list[Found]) -> None:
    assert all(one.mask.geometry.matches(oblique_grid()) for one in found)


def test_masks_keep_their_names_and_codes(found: list[Found]) -> None:
    assert [one.mask.label for one in found] == [mask.label for mask in masks()]
    assert found[0].mask.code == LIVER


def test_masks_that_overlap_still_do(found: list[Found]) -> None:
    liver, tumour = found[0].mask, found[1].mask
    assert np.count_nonzero(liver.voxels & tumour.voxels) > 0.9 * tumour.voxel_count


def test_every_mask_has_a_score_of_how_well_the_atlas_fits_there(found: list[Found]) -> None:
    assert all(one.score is not None and 0.7 < one.score <= 1 for one in found)


def test_two_registrations_are_equal(follow_up: Volume, found: list[Found]) -> None:
    again = find_all(atlas_of(body(), masks()).open(follow_up), follow_up)
    assert [one.mask for one in again] == [one.mask for one in found]
    assert [one.score for one in again] == [one.score for one in found]


def test_a_whole_atlas_fits_a_part_of_the_body_elsewhere_in_space() -> None:
    upper = Geometry((22, 30, 36), GRID.ijk_to_ras + np.array([[0] * 4, [0] * 4, [0, 0, 0, 72], [0] * 4]))
    scan = body(upper, name="upper part")
    elsewhere = Geometry(upper.shape, placement(shift=(30, 50, -90)) @ upper.ijk_to_ras)
    volume = Volume(scan.voxels, elsewhere, "CT", name="upper part")
    liver, tumour, left_kidney, _, bladder = find_all(atlas_of(body(), masks()).open(volume), volume)
    for one, other in zip((liver, tumour, left_kidney), masks(elsewhere, placement(shift=(30, 50, -90))), strict=False):
        assert dice(one.mask, other) > 0.85
    assert bladder.mask.is_empty
    assert bladder.score is None


def test_an_empty_mask_stays_empty() -> None:
    volume = body(name="today")
    (nothing,) = find_all(atlas_of(body(), [Mask.empty(GRID, "nothing")]).open(volume), volume)
    assert nothing.mask.is_empty
    assert nothing.mask.label == "nothing"


def test_the_atlas_is_registered_once(follow_up: Volume) -> None:
    finder = atlas_of(body(), masks()).open(follow_up)
    history = Conversation(follow_up.geometry)
    first, second = Told(), Told()
    finder.segment(finder.candidates(history)[0], history, progress=first)
    finder.segment(finder.candidates(history)[2], history, progress=second)
    assert "aligning the atlas" in first.messages
    assert "aligning the atlas" not in second.messages
    assert all(earlier <= later for earlier, later in itertools.pairwise(first.fractions))


class StopsAt(Told):
    """Stops the work once it is so far, and remembers when."""

    def __init__(self, fraction: float) -> None:
        super().__init__()
        self._stop_at = fraction
        self.stopped = 0.0

    def __call__(self, fraction: float, message: str) -> None:
        super().__call__(fraction, message)
        if fraction >= self._stop_at:
            self.stopped = self.stopped or time.perf_counter()
            raise CancelledError("Stopped.")


@pytest.mark.parametrize("fraction", [0.0, 0.1, 0.3, 0.6, 0.9])
def test_cancelling_works_at_once_wherever_the_work_is(follow_up: Volume, fraction: float) -> None:
    finder = atlas_of(body(), masks()).open(follow_up)
    history = Conversation(follow_up.geometry)
    stop = StopsAt(fraction)
    with pytest.raises(CancelledError):
        finder.segment(finder.candidates(history)[0], history, progress=stop)
    assert time.perf_counter() - stop.stopped < 2


def test_after_cancelling_the_next_try_works(follow_up: Volume, found: list[Found]) -> None:
    finder = atlas_of(body(), masks()).open(follow_up)
    history = Conversation(follow_up.geometry)
    with pytest.raises(CancelledError):
        finder.segment(finder.candidates(history)[0], history, progress=StopsAt(0.2))
    again = finder.segment(finder.candidates(history)[0], history, progress=Told())
    assert again.mask == found[0].mask


def another_body_part() -> Volume:
    """Two limbs with bones, which look nothing like the body."""
    indices = np.stack(np.meshgrid(*map(np.arange, GRID.shape), indexing="ij"), axis=-1)
    ras = GRID.ras(indices)
    voxels = np.random.default_rng(5).normal(0, 3, GRID.shape)
    for middle in (-24, 26):
        across = np.hypot(ras[..., 0] - middle, ras[..., 1])
        voxels += np.where(across < 20, 100, 0) + np.where(across < 6, 200, 0)
    return Volume(voxels.astype(np.float32), GRID, "CT", name="limbs")


def noise() -> Volume:
    return Volume(np.random.default_rng(1).normal(0, 1, GRID.shape).astype(np.float32), GRID, "MR", name="noise")


def a_constant_image() -> Volume:
    return Volume(np.zeros(GRID.shape, np.int16), GRID, "CT", name="nothing")


def a_thin_slab() -> Volume:
    return Volume(body().voxels[:8], Geometry((8, *GRID.shape[1:]), GRID.ijk_to_ras), "CT", name="slab")


def a_colour_image() -> Volume:
    return Volume(np.zeros((*GRID.shape, 3), np.uint8), GRID, name="photograph")


@pytest.mark.parametrize("image", [another_body_part, noise, a_constant_image, a_thin_slab, a_colour_image])
def test_an_image_that_the_atlas_does_not_fit_is_refused_in_one_sentence(image) -> None:
    volume = image()
    finder = atlas_of(body(), masks()).open(volume)
    history = Conversation(volume.geometry)
    with pytest.raises(OutsideDomainError) as refusal:
        finder.segment(finder.candidates(history)[0], history, progress=Told())
    assert str(refusal.value).endswith(".")


def test_a_refused_image_is_refused_again_at_once() -> None:
    volume = another_body_part()
    finder = atlas_of(body(), masks()).open(volume)
    history = Conversation(volume.geometry)
    candidate, told = finder.candidates(history)[0], Told()
    with pytest.raises(OutsideDomainError):
        finder.segment(candidate, history, progress=Told())
    with pytest.raises(OutsideDomainError):
        finder.segment(candidate, history, progress=told)
    assert told.messages == []


def test_candidates_are_known_by_name_and_by_code() -> None:
    hepar = Mask.empty(GRID, "Hepar of the patient", LIVER)
    named, coded, own = (
        atlas_of(body(), [Mask.empty(GRID, "kidney_left"), hepar, Mask.empty(GRID, "my odd thing")])
        .open(body())
        .candidates(Conversation(GRID))
    )
    assert named.entity is not None
    assert (named.entity.structure.key, named.entity.side) == ("kidney", "left")
    assert coded.entity is not None
    assert coded.entity.structure.key == "liver"
    assert own.entity is None
    assert own.title == "my odd thing (earlier scan)"


def test_masks_on_another_grid_than_the_atlas_are_refused() -> None:
    finder = atlas_of(body(), [Mask.empty(oblique_grid(), "liver")]).open(body())
    with pytest.raises(ValueError, match="does not lie on the grid"):
        finder.candidates(Conversation(GRID))


def test_an_atlas_is_read_from_its_files(tmp_path: Path) -> None:
    import SimpleITK

    image = SimpleITK.GetImageFromArray(np.arange(64, dtype=np.int16).reshape(4, 4, 4))
    labels = np.zeros((4, 4, 4), np.uint8)
    labels[0, 0], labels[2, 2] = 1, 2
    SimpleITK.WriteImage(image, str(tmp_path / "scan.nrrd"))
    SimpleITK.WriteImage(SimpleITK.GetImageFromArray(labels), str(tmp_path / "labels.nrrd"))
    (tmp_path / "names.csv").write_text("1,liver\n2,spleen\n")
    atlas = read_atlas(tmp_path / "scan.nrrd", tmp_path / "labels.nrrd", tmp_path / "names.csv")
    assert atlas.volume.name == "scan.nrrd"
    assert [mask.label for mask in atlas.masks()] == ["liver", "spleen"]
    assert AtlasSegmenter(atlas, load_anatomy()).info.title == "atlas scan.nrrd"


def test_a_mask_that_was_corrected_after_the_registration_counts_as_it_is_now() -> None:
    volume, labels = body(name="follow-up"), masks()
    finder = AtlasSegmenter(Atlas(body(), lambda: labels), load_anatomy()).open(volume)
    history = Conversation(volume.geometry)
    finder.segment(finder.candidates(history)[0], history, progress=Told())
    labels = [Mask(inside("bladder", GRID, UNMOVED), GRID, "my lesion")]
    told = Told()
    (candidate,) = finder.candidates(history)
    found = finder.segment(candidate, history, progress=told)
    assert candidate.label == "my lesion"
    assert dice(found.mask, labels[0]) > 0.8
    assert "aligning" not in " ".join(told.messages)
