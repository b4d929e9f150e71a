"""The engine `reasoner`: understand, plan, segment, and say it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from functools import cached_property

from MultiRoundSegLib import __version__
from MultiRoundSegLib.anatomy import Anatomy, Knowledge, load_knowledge
from MultiRoundSegLib.conversation import Answer, Conversation, Origin, Question
from MultiRoundSegLib.engines.engine import EngineInfo, Progress
from MultiRoundSegLib.errors import EngineUnavailableError
from MultiRoundSegLib.images import Volume
from MultiRoundSegLib.wire.chat import ChatEndpoint

from .language_model import LanguageModel
from .reply import Replier
from .segmenters import LabelsSegmenter, Segmenter, SeveralFinders
from .segmenters.atlas import Atlas, AtlasSegmenter, read_atlas
from .segmenters.brain import BrainSegmenter


class ReasonerEngine:
    """Decides from knowledge of anatomy WHAT is meant; a segmenter finds WHERE it is."""

    def __init__(
        self, knowledge: Knowledge, segmenters: Sequence[Segmenter], language_model: LanguageModel | None = None
    ) -> None:
        """Reason with this knowledge over what these segmenters find; those named first are asked first."""
        self._language_model = language_model
        self._knowledge = knowledge
        self._segmenters = segmenters

    @cached_property
    def info(self) -> EngineInfo:
        """What this engine is; its weights are those of its network, where it has one."""
        weights = next((s.info.weights for s in self._segmenters if s.info.weights), None)
        return EngineInfo("reasoner", __version__, "Reasoner (offline)", weights)

    def open(self, volume: Volume) -> ReasonerSession:
        """Take in a volume; nothing is computed yet."""
        finders = SeveralFinders.open(self._segmenters, volume)
        return ReasonerSession(self.info, self._knowledge, finders, volume, self._language_model)


def create(
    *,
    segmenters: str = "labels,brain",
    atlas: Atlas | None = None,
    atlas_image: str | None = None,
    atlas_labels: str | None = None,
    atlas_names: str | None = None,
    llm: str | None = None,
    llm_model: str = "default",
    llm_timeout: float = 20.0,
) -> ReasonerEngine:
    """The reasoner over what these segmenters find.

    Args:
        segmenters: names, asked in this order: "labels" takes what a segmentation already has, "brain"
            labels brain MRs by a network.
        atlas: another scan whose masks are carried over by registration; asked last.
        atlas_image: the same as a file.
        atlas_labels: the segmentation of that image.
        atlas_names: the names of its values, where it is a label map that does not carry them.
        llm: address of a language model that plans ("http://localhost:11434/v1"); None for the built-in
            planner, which also takes over where the model does not answer. See `language_model`.
        llm_model: its name there.
        llm_timeout: seconds to wait for it.

    Raises:
        EngineUnavailableError: there is no segmenter of this name, the atlas has only one of its two files, or
            the address of the language model is none.
        WeightsMissingError: the network's file is missing.
        ImageReadError: a file of the atlas cannot be used.
        GeometryMismatchError: the atlas's two files do not share their voxels.
    """
    knowledge = load_knowledge()
    anatomy = knowledge.anatomy
    names = [name.strip() for name in segmenters.split(",") if name.strip()]
    unknown = [name for name in names if name not in _SEGMENTERS]
    if unknown or not names:
        known = ", ".join(_SEGMENTERS)
        raise EngineUnavailableError(f"There is no segmenter {unknown[0] if unknown else ''!r}; choose of: {known}.")
    chosen = [_SEGMENTERS[name](anatomy) for name in names]
    if bool(atlas_image) != bool(atlas_labels):
        raise EngineUnavailableError("An atlas needs two files: set both atlas_image and atlas_labels.")
    if atlas_image and atlas_labels:
        atlas = read_atlas(atlas_image, atlas_labels, atlas_names)
    if atlas:
        chosen.append(AtlasSegmenter(atlas, anatomy))
    model = LanguageModel(ChatEndpoint(llm, llm_model, float(llm_timeout))) if llm else None
    return ReasonerEngine(knowledge, chosen, model)


_SEGMENTERS: dict[str, Callable[[Anatomy], Segmenter]] = {"labels": LabelsSegmenter, "brain": BrainSegmenter}


class ReasonerSession:
    """One volume in the hands of the reasoner."""

    def __init__(
        self,
        info: EngineInfo,
        knowledge: Knowledge,
        finders: SeveralFinders,
        volume: Volume,
        language_model: LanguageModel | None = None,
    ) -> None:
        """Hold what a round needs."""
        self._language_model = language_model
        self._volume = volume
        self._info = info
        self._knowledge = knowledge
        self._finders = finders

    def answer(self, question: Question, history: Conversation, *, progress: Progress) -> Answer:
        """See `EngineSession.answer`; troubles with references in the words are answered in words."""
        started = time.perf_counter()
        progress(0.0, question.text)
        for reference in question.references:
            history.mask(reference)
        replier = Replier(self._volume, history, self._knowledge, self._finders, progress, self._language_model)
        reply = replier.reply(question)
        progress(1.0, reply.text)
        return Answer(
            text=reply.text,
            origin=Origin(self._info.name, self._info.version, self._info.weights, reply.segmenters),
            status=reply.status,
            masks=reply.masks,
            score=reply.score,
            seconds=time.perf_counter() - started,
            used=reply.used,
            choices=reply.choices,
        )

    def close(self) -> None:
        """Nothing is held."""
