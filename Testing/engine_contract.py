"""The contract suite: every engine passes it by subclassing `EngineContract` and naming what it can do."""

from collections.abc import Iterator

import numpy as np
import pytest

from MultiRoundSegLib.conversation import Conversation, Question, Reference
from MultiRoundSegLib.conversation.round_json import decode_round, encode_round
from MultiRoundSegLib.engines import Engine, EngineSession
from MultiRoundSegLib.errors import CancelledError, EmptyMaskError, ReferenceNotFoundError
from MultiRoundSegLib.images import Geometry, Mask, Volume
from MultiRoundSegLib.images.packing import pack, unpack


class Told:
    """A progress that remembers what it was told, and can stop the work."""

    def __init__(self, stop: bool = False) -> None:
        self.fractions: list[float] = []
        self.messages: list[str] = []
        self._stop = stop

    def __call__(self, fraction: float, message: str) -> None:
        self.fractions.append(fraction)
        self.messages.append(message)
        if self._stop:
            raise CancelledError("Stopped.")


class EngineContract:
    """Subclasses provide the fixtures `engine`, `volume`, `history`; and the two questions."""

    answerable: Question
    """A question that the engine answers with masks over `volume` and `history`."""
    unanswerable: Question
    """A question about something that is not there."""

    @pytest.fixture
    def session(self, engine: Engine, volume: Volume) -> Iterator[EngineSession]:
        session = engine.open(volume)
        yield session
        session.close()

    def test_an_engine_says_what_it_is(self, engine: Engine) -> None:
        assert engine.info.name
        assert engine.info.version
        assert engine.info.title

    def test_masks_lie_on_the_grid_of_the_volume(
        self, session: EngineSession, volume: Volume, history: Conversation
    ) -> None:
        answer = session.answer(self.answerable, history, progress=Told())
        assert answer.status == "answered"
        for mask in answer.masks:
            assert mask.geometry.matches(volume.geometry)
            assert mask.voxels.shape == volume.geometry.shape
            assert not mask.is_empty
            assert mask.label

    def test_the_answer_says_where_it_comes_from(
        self, engine: Engine, session: EngineSession, history: Conversation
    ) -> None:
        answer = session.answer(self.answerable, history, progress=Told())
        assert (answer.origin.engine, answer.origin.version) == (engine.info.name, engine.info.version)
        assert answer.origin.weights == engine.info.weights
        assert answer.text
        assert answer.seconds > 0

    def test_an_answer_does_not_change_the_history(self, session: EngineSession, history: Conversation) -> None:
        before = (history.rounds, tuple(mask.digest() for mask in history.given))
        session.answer(self.answerable, history, progress=Told())
        assert (history.rounds, tuple(mask.digest() for mask in history.given)) == before

    def test_what_is_not_there_is_said_and_never_painted(self, session: EngineSession, history: Conversation) -> None:
        answer = session.answer(self.unanswerable, history, progress=Told())
        assert answer.status == "none"
        assert answer.masks == ()
        assert answer.text

    def test_a_reference_to_a_missing_round_is_refused(self, session: EngineSession, history: Conversation) -> None:
        missing = Reference(len(history.rounds) + 7)
        with pytest.raises(ReferenceNotFoundError):
            session.answer(_asking(self.answerable, missing), history, progress=Told())

    def test_a_reference_to_a_missing_mask_of_a_round_is_refused(
        self, session: EngineSession, history: Conversation
    ) -> None:
        history.record(self.answerable, session.answer(self.answerable, history, progress=Told()))
        with pytest.raises(ReferenceNotFoundError):
            session.answer(_asking(self.answerable, Reference(1, 99)), history, progress=Told())

    def test_a_reference_to_an_empty_mask_is_refused(self, session: EngineSession, history: Conversation) -> None:
        history.record(self.answerable, session.answer(self.answerable, history, progress=Told()))
        history.replace_mask(Reference(1), Mask.empty(history.geometry, "erased by hand"))
        with pytest.raises(EmptyMaskError):
            session.answer(_asking(self.answerable, Reference(1)), history, progress=Told())

    def test_progress_is_told_from_start_to_end(self, session: EngineSession, history: Conversation) -> None:
        told = Told()
        session.answer(self.answerable, history, progress=told)
        assert told.fractions[0] == 0.0
        assert told.fractions[-1] == 1.0
        assert told.fractions == sorted(told.fractions)
        assert all(told.messages)

    def test_cancelling_stops_the_round_and_the_next_one_works(
        self, session: EngineSession, history: Conversation
    ) -> None:
        with pytest.raises(CancelledError):
            session.answer(self.answerable, history, progress=Told(stop=True))
        assert session.answer(self.answerable, history, progress=Told()).status == "answered"

    def test_two_sessions_do_not_disturb_each_other(
        self, engine: Engine, volume: Volume, session: EngineSession, history: Conversation
    ) -> None:
        alone = session.answer(self.answerable, history, progress=Told())
        other = engine.open(_another(volume))
        other.answer(self.unanswerable, Conversation(other_geometry(volume)), progress=Told())
        other.close()
        assert session.answer(self.answerable, history, progress=Told()).masks == alone.masks

    def test_closing_twice_is_harmless(self, engine: Engine, volume: Volume) -> None:
        session = engine.open(volume)
        session.close()
        session.close()

    def test_writing_a_round_down_and_reading_it_changes_nothing(
        self, session: EngineSession, history: Conversation
    ) -> None:
        round_ = history.record(self.answerable, session.answer(self.answerable, history, progress=Told()))
        masks = [
            unpack(pack(mask), mask.geometry, mask.label).renamed(mask.label, mask.code) for mask in round_.answer.masks
        ]
        assert decode_round(encode_round(round_), masks) == round_


def _asking(question: Question, reference: Reference) -> Question:
    return Question(question.text, question.view, (*question.references, reference), question.frame)


def other_geometry(volume: Volume) -> Geometry:
    """A grid of the same size somewhere else."""
    matrix = volume.geometry.ijk_to_ras.copy()
    matrix[:3, 3] += 100
    return Geometry(volume.geometry.shape, matrix)


def _another(volume: Volume) -> Volume:
    return Volume(np.flip(volume.voxels).copy(), other_geometry(volume), volume.modality, name="another")
