"""Every error a caller may want to tell apart; each message is one sentence that says what to do.

MultiRoundSegError
├── ImageReadError            the file cannot be used: pick another, or name a frame or series
├── GeometryMismatchError     a mask and a volume do not share one grid
├── ReferenceNotFoundError    the question refers to a round or mask that is not there
├── AmbiguousReferenceError   the question's words fit several masks: ask the user which
├── EmptyMaskError            the mask referred to holds no voxel
├── RecordError               a saved conversation cannot be read
├── CancelledError            the user stopped it
└── EngineError               the engine could not answer
    └── EngineUnavailableError    no such engine, or what it needs is missing
"""

from __future__ import annotations


class MultiRoundSegError(Exception):
    """Base of all errors that carry a sentence for the user."""


class ImageReadError(MultiRoundSegError):
    """A file is not an image that can be used; the message names the file and the cause."""


class GeometryMismatchError(MultiRoundSegError):
    """Two things that must lie on the same voxel grid do not."""


class ReferenceNotFoundError(MultiRoundSegError):
    """A reference points to a round or mask that does not exist (any more)."""


class AmbiguousReferenceError(MultiRoundSegError):
    """Words refer to several masks equally well.

    Attributes:
        choices: what the user can pick from, one line each.
    """

    def __init__(self, message: str, choices: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.choices = choices


class EmptyMaskError(MultiRoundSegError):
    """A referenced mask holds no voxel, so nothing can be said relative to it."""


class RecordError(MultiRoundSegError):
    """A saved conversation is damaged or was written by a newer version."""


class CancelledError(MultiRoundSegError):
    """The user stopped the work; nothing was changed."""


class EngineError(MultiRoundSegError):
    """An engine could not carry out the round."""


class EngineUnavailableError(EngineError):
    """No engine has this name, or what it needs is not installed or not running."""


class PackageMissingError(EngineUnavailableError):
    """A Python package is needed that is not installed.

    Attributes:
        package: its name for pip.
        megabytes: about how much is downloaded.
    """

    def __init__(self, message: str, package: str, megabytes: int) -> None:
        super().__init__(message)
        self.package = package
        self.megabytes = megabytes


class WeightsMissingError(EngineError):
    """The weights of a network are not where they should be."""


class OutsideDomainError(EngineError):
    """The image is nothing that this engine or segmenter can work on: another modality, region or content."""
