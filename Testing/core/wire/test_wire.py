"""What travels arrives as it was, and nothing that is damaged is taken for something else."""

import hashlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from MultiRoundSegLib import errors
from MultiRoundSegLib.conversation import Answer, Conversation, Origin, Question, Reference
from MultiRoundSegLib.errors import AmbiguousReferenceError, EngineBusyError, PackageMissingError, WireError
from MultiRoundSegLib.images import Code, Geometry, Mask, SliceView, Volume, Window
from MultiRoundSegLib.wire.faults import decode_fault, encode_fault
from MultiRoundSegLib.wire.masks import decode_mask, encode_mask
from MultiRoundSegLib.wire.message import MAGIC, Message
from MultiRoundSegLib.wire.rounds import decode_answer, decode_ask, encode_answer, encode_ask
from MultiRoundSegLib.wire.volumes import chunks, describe, restore, size_of, travelling_voxels

GRID = Geometry((4, 5, 6), [[0, 2, 0.1, 3], [1.5, 0, 0, -7], [0, 0.2, -3, 4], [0, 0, 0, 1]])


def blob(name: str, seed: int = 0, code: Code | None = None) -> Mask:
    mask = Mask(np.random.default_rng(seed).random(GRID.shape) < 0.2, GRID, name, code)
    mask.source = "Segmentation 肝"
    return mask


def a_dialogue() -> Conversation:
    """A given mask, a corrected one, a deleted one, a renamed one."""
    history = Conversation(GRID, [blob("liver", 1, Code("SCT", "10200004", "Liver")), Mask.empty(GRID, "empty")])
    view = SliceView("coronal", 3, Window(-160, 240, "abdomen"))
    first = Answer("Here.", Origin("fake", "1", "abc", ("labels",)), "answered", (blob("a", 2), blob("b", 3)), 0.5, 1.5)
    history.record(Question("two things", view, (Reference(0, 0),), "3 of 20"), first)
    history.record(Question("没有"), Answer("not there", Origin("fake", "1"), "none", choices=("x", "y")))
    used = Answer("Again.", Origin("fake", "1"), "answered", (blob("c", 4),), used=(Reference(1, 0),))
    history.record(Question("again"), used)
    history.replace_mask(Reference(1, 0), blob("a, by hand", 5))
    history.remove_mask(Reference(1, 1))
    return history


def test_a_dialogue_arrives_as_it_is_now() -> None:
    history = a_dialogue()
    question = Question("and now [1]?", SliceView("axial", 2), (Reference(3, 0),))
    message = Message.decode(encode_ask(question, history).encode())
    arrived, conversation = decode_ask(message, GRID, history.latest)
    assert arrived == question
    assert conversation.references() == history.references()
    for reference in history.references():
        assert conversation.latest(reference) == history.latest(reference)
        assert conversation.latest(reference).source == history.latest(reference).source
        assert conversation.is_removed(reference) == history.is_removed(reference)
        assert conversation.names(reference) == history.names(reference)
        assert conversation.name(reference) == history.name(reference)
    assert conversation.stale_rounds() == history.stale_rounds() == (3,)
    assert [r.answer.text for r in conversation.rounds] == [r.answer.text for r in history.rounds]
    assert [r.digests for r in conversation.rounds] == [r.digests for r in history.rounds]


def test_no_voxel_of_the_dialogue_travels_before_it_is_looked_at() -> None:
    history, asked = a_dialogue(), []

    def read(reference: Reference) -> Mask:
        asked.append(reference)
        return history.latest(reference)

    message = Message.decode(encode_ask(Question("?"), history).encode())
    assert message.blobs == ()
    _, conversation = decode_ask(message, GRID, read)
    conversation.name(Reference(0, 0))
    assert asked == []
    for _ in range(2):
        assert conversation.mask(Reference(1, 0)) == history.mask(Reference(1, 0))
    assert asked == [Reference(1, 0)]


def test_an_answer_arrives_with_its_masks() -> None:
    answer = a_dialogue().rounds[0].answer
    arrived = decode_answer(Message.decode(encode_answer(answer).encode()), GRID)
    assert arrived == answer
    assert len(encode_answer(answer).encode()) < 3000


@given(seed=st.integers(0, 1000), density=st.sampled_from([0.0, 0.01, 0.5, 1.0]))
@settings(max_examples=30, deadline=None)
def test_any_mask_arrives(seed: int, density: float) -> None:
    mask = Mask(np.random.default_rng(seed).random(GRID.shape) < density, GRID, "m", Code("SCT", "1", "x"))
    assert decode_mask(Message.decode(encode_mask(mask).encode()), GRID) == mask


@pytest.mark.parametrize("dtype", ["u1", "i1", "<u2", ">i2", "<i4", ">f4", "f8", "i8", "f2", "?"])
def test_a_volume_arrives_voxel_for_voxel(dtype: str) -> None:
    voxels = (np.arange(120).reshape(GRID.shape) - 3).astype(dtype)
    volume = Volume(voxels[:, ::-1], GRID, "MR", "1.2.3", name="Jane Doe", frame="2 of 3")
    travelling = travelling_voxels(volume)
    description = describe(volume, travelling)
    data = b"".join(chunks(travelling))
    assert "Doe" not in json.dumps(description)
    assert size_of(description) == len(data)
    assert hashlib.sha256(data).hexdigest() == description["sha256"]
    arrived = restore(json.loads(json.dumps(description)), data)
    assert np.array_equal(arrived.voxels.astype(np.float64), volume.voxels.astype(np.float64))
    assert arrived.geometry.matches(GRID)
    assert (arrived.modality, arrived.frame, arrived.series_uid) == ("MR", "2 of 3", None)


def test_a_colour_picture_arrives() -> None:
    voxels = np.random.default_rng(0).integers(0, 255, (*GRID.shape, 3), np.uint8)
    volume = Volume(voxels, GRID)
    travelling = travelling_voxels(volume)
    arrived = restore(describe(volume, travelling), b"".join(chunks(travelling)))
    assert arrived.is_colour
    assert np.array_equal(arrived.voxels, voxels)


@pytest.mark.parametrize(
    "wrong",
    [
        {"shape": [4, 5]}, {"shape": [4, 5, 0]}, {"shape": [4, 5, -6]}, {"shape": [4, 5, 6.0]}, {"shape": "456"},
        {"shape": [2**31, 1, 1]}, {"components": 2}, {"components": 3}, {"dtype": "|O"}, {"dtype": ">i2"}, {"dtype": 3},
        {"ijk_to_ras": None}, {"ijk_to_ras": [[1, 0], [0, 1]]}, {"ijk_to_ras": np.zeros((4, 4)).tolist()},
        {"ijk_to_ras": [["a"] * 4] * 4}, {"ijk_to_ras": [[1e999] * 4] * 4}, {"modality": 7}, {"frame": 1},
    ],
)  # fmt: skip
def test_a_wrong_description_of_a_volume_is_refused(wrong: dict) -> None:
    volume = Volume(np.zeros(GRID.shape, np.int16), GRID, "CT")
    travelling = travelling_voxels(volume)
    with pytest.raises(WireError):
        restore(describe(volume, travelling) | wrong, b"".join(chunks(travelling)))


def test_too_few_or_too_many_voxels_are_refused() -> None:
    volume = Volume(np.zeros(GRID.shape, np.int16), GRID, "CT")
    description = describe(volume, travelling_voxels(volume))
    for size in (0, 239, 241, 480):
        with pytest.raises(WireError):
            restore(description, bytes(size))


def test_a_message_that_is_cut_anywhere_is_refused() -> None:
    data = encode_answer(a_dialogue().rounds[0].answer).encode()
    for size in range(len(data)):
        with pytest.raises(WireError):
            Message.decode(data[:size])
    with pytest.raises(WireError, match="longer"):
        Message.decode(data + b"x")


def test_a_byte_that_was_changed_anywhere_is_noticed_or_changes_no_voxel() -> None:
    answer = a_dialogue().rounds[0].answer
    data = encode_answer(answer).encode()
    for place in range(len(data)):
        damaged = bytearray(data)
        damaged[place] ^= 1
        try:
            arrived = decode_answer(Message.decode(bytes(damaged)), GRID)
        except WireError:
            continue
        assert len(arrived.masks) == len(answer.masks)


@given(data=st.binary(max_size=200))
@settings(max_examples=200, deadline=None)
def test_anything_else_is_no_message(data: bytes) -> None:
    for received in (data, MAGIC + data, MAGIC + struct.pack("<I", len(data)) + data):
        with pytest.raises(WireError):
            decode_ask(Message.decode(received), GRID, lambda reference: Mask.empty(GRID))


@pytest.mark.parametrize("header", [{}, {"question": 1}, {"question": {}, "history": {}}, {"history": {"given": [3]}}])
def test_a_question_that_lacks_something_is_refused(header: dict) -> None:
    with pytest.raises(WireError):
        decode_ask(Message(header), GRID, lambda reference: Mask.empty(GRID))


@pytest.mark.parametrize(
    "wrong",
    [{"corner": [9, 0, 0]}, {"shape": [1, 1, 1]}, {"shape": [4, 5, 7]}, {"blob": 1}, {"blob": True}, {"name": 0}],
)
def test_a_mask_that_does_not_fit_is_refused(wrong: dict) -> None:
    message = encode_mask(Mask(np.ones(GRID.shape), GRID, "all"))
    if wrong == {"name": 0}:
        del message.header["mask"]["name"]
    else:
        message.header["mask"].update(wrong)
    with pytest.raises(WireError):
        decode_mask(message, GRID)


def test_a_small_blob_cannot_grow_large() -> None:
    import zlib

    mask = Mask(np.ones(GRID.shape), GRID, "all")
    message = Message(encode_mask(mask).header, [zlib.compress(bytes(10**8))])
    with pytest.raises(WireError):
        decode_mask(message, GRID)


def test_nan_does_not_travel() -> None:
    with pytest.raises(ValueError, match="JSON"):
        Message({"score": float("nan")}).encode()
    with pytest.raises(WireError):
        Message.decode(MAGIC + struct.pack("<I", 14) + b'{"score": NaN}')


def test_errors_arrive_as_what_they_are() -> None:
    for error in (
        AmbiguousReferenceError("Which?", ("a", "b")),
        EngineBusyError("Later.", 7.5),
        PackageMissingError("It needs x.", "x", 20),
        errors.OutsideDomainError("No brain."),
    ):
        arrived = decode_fault(json.loads(json.dumps(encode_fault(error))))
        assert type(arrived) is type(error)
        assert str(arrived) == str(error)
        assert vars(arrived) == vars(error)


@pytest.mark.parametrize("data", [{}, {"error": "ValueError", "message": "x"}, {"error": "EngineError", "message": 3}])
def test_what_is_no_error_of_ours_is_refused(data: dict) -> None:
    with pytest.raises(WireError):
        decode_fault(data)
