"""Every error a caller may want to tell apart; each message is one sentence that says what to do.

MultiRoundSegError
├── ImageReadError            the file cannot be used: pick another, or name a frame or series
├── GeometryMismatchError     a mask and a volume do not share one grid
├── ReferenceNotFoundError    the question refers to a round or mask that is not there
├── AmbiguousReferenceError   the question's words fit several masks: ask the user which
├── EmptyMaskError            the mask referred to holds no voxel
├── RecordError               a saved conversation cannot be read
├── DatasetError              a file of a data set is damaged: the message says which item and field
├── WireError                 bytes from the other side of a connection are not what they should be
├── CancelledError            the user stopped it
└── EngineError               the engine could not answer
    ├── OutsideDomainError        the image is nothing it can work on
    ├── OutOfMemoryError          the work does not fit into memory: smaller
    ├── EngineBusyError           too many are waiting: later
    ├── SessionExpiredError       the worker has forgotten the session: open it again
    ├── VolumeUnknownError        the worker does not have the voxels: send them
    ├── LoginError                the worker wants another token
    ├── WeightsMissingError       the weights of a network are not where they should be
    └── EngineUnavailableError    no such engine, or what it needs is missing or not running
        └── PackageMissingError       a Python package is not installed
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


class DatasetError(MultiRoundSegError):
    """A file of a data set is damaged or missing."""


class WireError(MultiRoundSegError):
    """What came over a connection is damaged, cut off, or not of this protocol."""


class CancelledError(MultiRoundSegError):
    """The user stopped the work; nothing was changed."""


class EngineError(MultiRoundSegError):
    """An engine could not carry out the round."""


class OutOfMemoryError(EngineError):
    """The work does not fit into the device's memory."""


class EngineBusyError(EngineError):
    """Too many questions are waiting for the engine.

    Attributes:
        retry_after_s: when to ask again, seconds from now.
    """

    def __init__(self, message: str, retry_after_s: float = 5.0) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class SessionExpiredError(EngineError):
    """A worker does not know the session (any more); the client opens it again."""


class VolumeUnknownError(EngineError):
    """A worker does not have the voxels of a volume (any more); the client sends them."""


class LoginError(EngineError):
    """A worker wants a token, or another one."""


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
