"""Engines at work on volumes of the scene: what is costly is done once per volume."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import Any

import slicer

from MultiRoundSegLib.engines import Engine, EngineSession
from MultiRoundSegLib.engines.reasoner import Atlas
from MultiRoundSegLib.errors import EngineUnavailableError
from MultiRoundSegLib.images import Volume

from .scene_images import volume_of
from .transcript import Transcript

_KEPT = 4
"""Going back and forth between a few scans costs nothing."""

_Key = tuple[Any, ...]


class Sessions:
    """The sessions that were used last."""

    def __init__(self, create: Callable[..., Engine]) -> None:
        """Start with none; `create` makes an engine from its name and settings."""
        self._create = create
        self._sessions: dict[_Key, EngineSession] = {}

    def open(
        self, volume_node: Any, volume: Volume, engine: str, settings: dict[str, Any], atlas_node: Any = None
    ) -> EngineSession:
        """The session of this volume, opened anew when the image, the engine or the atlas changed.

        Args:
            volume_node: the node of the volume.
            volume: what it shows now.
            engine: one of `engine_names()`.
            settings: the engine's own settings.
            atlas_node: a volume whose masks the engine may carry over.

        Raises:
            EngineUnavailableError: the engine cannot be made, or cannot use an atlas.
        """
        asked = sha256(repr(sorted(settings.items())).encode()).hexdigest()  # a token is not kept as it is
        key: _Key = (_state(volume_node, volume), _atlas_state(atlas_node), engine, asked)
        session = self._sessions.pop(key, None)
        self._close_outdated(volume_node, key)
        if session is None:
            if atlas_node and engine != "reasoner":
                raise EngineUnavailableError(
                    "Only the engine in Slicer can carry masks over from an atlas; choose that engine, or no atlas."
                )
            atlas = {"atlas": atlas_of(atlas_node)} if atlas_node else {}
            session = self._create(engine, **settings, **atlas).open(volume)
        self._sessions[key] = session  # at the end: used last
        while len(self._sessions) > _KEPT:
            self._sessions.pop(next(iter(self._sessions))).close()
        return session

    def close(self) -> None:
        """Release all of them."""
        while self._sessions:
            self._sessions.popitem()[1].close()

    def _close_outdated(self, volume_node: Any, key: _Key) -> None:
        """Close those of volumes that were removed, and of an earlier state of this one."""
        for other in list(self._sessions):
            node = other[0][0]
            if not slicer.mrmlScene.IsNodePresent(node) or (node is volume_node and other[0] != key[0]):
                self._sessions.pop(other).close()


def atlas_of(volume_node: Any) -> Atlas:
    """A volume of the scene with every mask of it that is there, as an atlas.

    Raises:
        ImageReadError: the volume holds no image.
    """

    def masks() -> list[Any]:
        conversation = Transcript(volume_node).conversation()
        return [conversation.latest(r) for r in conversation.references() if not conversation.is_removed(r)]

    return Atlas(volume_of(volume_node), masks)


def _state(volume_node: Any, volume: Volume) -> _Key:
    return volume_node, volume_node.GetImageData().GetMTime(), volume.geometry.ijk_to_ras.tobytes(), volume.frame


def _atlas_state(atlas_node: Any) -> _Key:
    return _state(atlas_node, volume_of(atlas_node)) if atlas_node else ()
