"""A dialogue about one volume: its rounds, and the current state of every mask in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from MultiRoundSegLib.errors import EmptyMaskError, GeometryMismatchError, ReferenceNotFoundError
from MultiRoundSegLib.images import Geometry, Mask

from .rounds import GIVEN, Answer, Question, Reference, Round


class Conversation:
    """The rounds of a dialogue, the masks given before it, and corrections made by hand.

    It belongs to the client, never to an engine: an engine is handed the whole conversation and
    takes masks from it. `Round.answer` is what the engine said; `mask` is what the mask is now.
    """

    def __init__(self, geometry: Geometry, given: Sequence[Mask] = ()) -> None:
        """Start a dialogue.

        Args:
            geometry: the volume's grid; every mask lies on it.
            given: masks that are there before the first round (`Reference(0, n)`).

        Raises:
            GeometryMismatchError: a given mask lies on another grid.
        """
        self.geometry = geometry
        self._rounds: list[Round] = []
        self._current: dict[Reference, Mask] = {}
        self._removed: set[Reference] = set()
        self._alike: Counter[tuple[str, str | None]] | None = None
        for index, mask in enumerate(given):
            self._place(Reference(GIVEN, index), mask)

    @property
    def rounds(self) -> tuple[Round, ...]:
        """All rounds in order."""
        return tuple(self._rounds)

    @property
    def given(self) -> tuple[Mask, ...]:
        """The masks that were there before the dialogue."""
        return tuple(mask for reference, mask in self._current.items() if reference.round_number == GIVEN)

    def record(self, question: Question, answer: Answer) -> Round:
        """Add a round.

        The digests of the masks it used are kept, so that `stale_rounds` can tell later changes.

        Raises:
            GeometryMismatchError: a mask lies on another grid.
            ReferenceNotFoundError: the answer used a mask that is not there.
        """
        digests = {reference: self._at(reference).digest() for reference in answer.used}
        return self.restore(Round(len(self._rounds) + 1, question, answer, digests))

    def restore(self, round_: Round) -> Round:
        """Add a round that was recorded before, with the digests it has.

        Raises:
            ValueError: its number is not the next one.
            GeometryMismatchError: a mask lies on another grid.
        """
        if round_.number != len(self._rounds) + 1:
            raise ValueError(f"round {round_.number} cannot follow round {len(self._rounds)}")
        for index, mask in enumerate(round_.answer.masks):
            self._place(Reference(round_.number, index), mask)
        self._rounds.append(round_)
        return round_

    def references(self) -> tuple[Reference, ...]:
        """All masks there are or were, deleted ones too, oldest first; the given ones come first."""
        return tuple(sorted(self._current))

    def mask(self, reference: Reference) -> Mask:
        """The mask as it is now, with corrections made by hand.

        Raises:
            ReferenceNotFoundError: no such round or mask, or it was deleted.
            EmptyMaskError: the mask has no voxels.
        """
        mask = self._at(reference)
        if mask.is_empty:
            raise EmptyMaskError(f"{self.name(reference)} is empty, so nothing can be found from it.")
        return mask

    def made(self) -> tuple[Reference, ...]:
        """The masks that rounds made and that are still there, oldest first."""
        return tuple(r for r in self.references() if r.round_number != GIVEN and not self.is_removed(r))

    def references_of(self, number: int) -> tuple[Reference, ...]:
        """The masks of one round that are still there.

        Raises:
            ReferenceNotFoundError: there is no such round, it has no mask, or they were all deleted.
        """
        of_round = [r for r in self.references() if r.round_number == number]
        living = tuple(r for r in of_round if not self.is_removed(r))
        if number == GIVEN or not of_round:
            raise ReferenceNotFoundError(self._missing(Reference(number)))
        if not living:
            self._at(of_round[0])
        return living

    def names(self, reference: Reference) -> tuple[str, ...]:
        """What the mask is and was called: its present label first, then the engine's.

        A deleted mask keeps its names, so that one can say what was deleted.
        """
        names = [self._current[reference].label]
        if reference.round_number != GIVEN:
            names.append(self._rounds[reference.round_number - 1].answer.masks[reference.mask_index].label)
        return tuple(dict.fromkeys(names))

    def name(self, reference: Reference) -> str:
        """How to speak of one mask and no other: "[2] liver", "liver (Atlas)", "liver (Atlas, 7)".

        Given masks carry their segmentation, and their number where that alone is not enough.
        """
        mask = self._current[reference]
        if reference.round_number != GIVEN:
            several = Reference(reference.round_number, 1) in self._current
            part = f".{reference.mask_index + 1}" if several else ""
            return f"[{reference.round_number}{part}] {mask.label}"
        qualifiers = [mask.source] if mask.source else []
        if self._count_alike()[mask.label, mask.source] > 1:
            qualifiers.append(str(reference.mask_index + 1))
        return f"{mask.label} ({', '.join(qualifiers)})" if qualifiers else mask.label

    def latest(self, reference: Reference) -> Mask:
        """The mask in its latest state, even where it is empty or was deleted.

        Raises:
            ReferenceNotFoundError: there never was such a mask.
        """
        if reference not in self._current:
            raise ReferenceNotFoundError(self._missing(reference))
        return self._current[reference]

    def is_removed(self, reference: Reference) -> bool:
        """Whether the user deleted the mask."""
        return reference in self._removed

    def replace_mask(self, reference: Reference, mask: Mask) -> None:
        """Put a hand-corrected (or renamed) mask in the place of an earlier one.

        Raises:
            ReferenceNotFoundError: there is nothing to replace.
            GeometryMismatchError: the mask lies on another grid.
        """
        if reference not in self._current:
            raise ReferenceNotFoundError(self._missing(reference))
        self._place(reference, mask)
        self._removed.discard(reference)

    def remove_mask(self, reference: Reference) -> None:
        """Note that the user deleted a mask; its round stays."""
        self._at(reference)
        self._removed.add(reference)

    def stale_rounds(self) -> tuple[int, ...]:
        """Numbers of the rounds that were made from a mask which is no longer as it was.

        A round made from a mask of a stale round is stale too.
        """
        stale: list[int] = []
        for round_ in self._rounds:
            if any(
                reference.round_number in stale or self._changed(reference, digest)
                for reference, digest in round_.digests.items()
            ):
                stale.append(round_.number)
        return tuple(stale)

    def truncate(self, number: int) -> tuple[Round, ...]:
        """Undo: drop the round of this number and all later ones.

        Returns:
            The dropped rounds.

        Raises:
            ReferenceNotFoundError: there is no such round.
        """
        if not 1 <= number <= len(self._rounds):
            raise ReferenceNotFoundError(self._missing(Reference(number)))
        dropped = tuple(self._rounds[number - 1 :])
        del self._rounds[number - 1 :]
        for reference in [r for r in self._current if r.round_number >= number]:
            del self._current[reference]
            self._removed.discard(reference)
        return dropped

    def __eq__(self, other: object) -> bool:
        """Same rounds, and every round's mask in the same state; given masks are the caller's."""
        if not isinstance(other, Conversation):
            return NotImplemented
        return self._state() == other._state() and self.geometry.matches(other.geometry)

    __hash__ = None  # type: ignore[assignment]

    def _state(self) -> tuple[object, ...]:
        current = {r: mask for r, mask in self._current.items() if r.round_number != GIVEN}
        return self._rounds, current, self._removed

    def _place(self, reference: Reference, mask: Mask) -> None:
        if not mask.geometry.matches(self.geometry):
            raise GeometryMismatchError(
                f"The mask {mask.label!r} lies on another voxel grid than the image; resample it first."
            )
        self._current[reference] = mask
        if reference.round_number == GIVEN:
            self._alike = None

    def _count_alike(self) -> Counter[tuple[str, str | None]]:
        """How many given masks share a label and a source; counted once until one changes."""
        if self._alike is None:
            self._alike = Counter((mask.label, mask.source) for mask in self.given)
        return self._alike

    def _at(self, reference: Reference) -> Mask:
        if reference not in self._current:
            raise ReferenceNotFoundError(self._missing(reference))
        if reference in self._removed:
            label = self._current[reference].label
            raise ReferenceNotFoundError(
                f"The segment {label!r} of round {reference.round_number} was deleted; refer to another one."
            )
        return self._current[reference]

    def _changed(self, reference: Reference, digest: str) -> bool:
        present = self._current.get(reference)
        if present is not None and reference not in self._removed and present.digest() == digest:
            return False
        return reference.round_number != GIVEN or all(mask.digest() != digest for mask in self.given)

    def _missing(self, reference: Reference) -> str:
        number = reference.round_number
        if 1 <= number <= len(self._rounds):
            return f"Round {number} has no mask to refer to."
        many = f"there are {len(self._rounds)} rounds so far" if self._rounds else "there is no round yet"
        return f"There is no round {number}: {many}."
