"""What MRML tests are made of: volumes, segments and logics over engines made beforehand."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import slicer
import vtk

from MultiRoundSegLib.engines import Engine
from MultiRoundSegLib.images import Code, Mask
from MultiRoundSegLib.panel.logic import MultiRoundSegLogic
from MultiRoundSegLib.panel.scene_images import geometry_of
from MultiRoundSegLib.panel.scene_masks import write_mask


def add_volume(
    shape: tuple[int, int, int],
    *,
    spacing: float = 1.0,
    origin: tuple[float, float, float] = (0, 0, 0),
    value: int = 0,
    name: str = "scan",
) -> Any:
    """A volume node of one value, its axes along R, A and S."""
    ijk_to_ras = np.diag([spacing, spacing, spacing, 1.0])
    ijk_to_ras[:3, 3] = origin
    return slicer.util.addVolumeFromArray(np.full(shape, value, dtype=np.int16), ijk_to_ras, name)


def transform(node: Any, *, rotate_y: float, superior: float) -> Any:
    """Put a node under a transform: turned about A, then moved up."""
    motion = vtk.vtkTransform()
    motion.PostMultiply()
    motion.RotateY(rotate_y)
    motion.Translate(0, 0, superior)
    parent = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLLinearTransformNode")
    parent.SetMatrixTransformToParent(motion.GetMatrix())
    node.SetAndObserveTransformNodeID(parent.GetID())
    return parent


def block(volume: Any, k: slice, j: slice, i: slice, label: str, code: Code | None = None) -> Mask:
    """A box of voxels on a volume's grid."""
    voxels = np.zeros(geometry_of(volume).shape, dtype=bool)
    voxels[k, j, i] = True
    return Mask(voxels, geometry_of(volume), label, code)


def asks(*engines: Engine) -> MultiRoundSegLogic:
    """A logic that answers the first question with the first engine, the second with the second ..."""
    answering = OneAfterAnother(engines)
    return MultiRoundSegLogic(lambda name: answering)


class OneAfterAnother:
    """An engine that hands each round to the next of several engines; the last one stays."""

    def __init__(self, engines: tuple[Engine, ...]) -> None:
        self.info = engines[0].info
        self._engines = engines

    def open(self, volume: Any) -> Any:
        return _OneAfterAnotherSession([engine.open(volume) for engine in self._engines])


class _OneAfterAnotherSession:
    def __init__(self, sessions: list[Any]) -> None:
        self._sessions = sessions

    def answer(self, question: Any, history: Any, *, progress: Any) -> Any:
        return self._sessions[min(len(history.rounds), len(self._sessions) - 1)].answer(
            question, history, progress=progress
        )

    def close(self) -> None:
        """Holds nothing."""


def add_segmentation(volume: Any, name: str = "Atlas") -> Any:
    """An empty segmentation of a volume."""
    node = slicer.mrmlScene.AddNewNodeByClass("vtkMRMLSegmentationNode", name)
    node.CreateDefaultDisplayNodes()
    node.SetReferenceImageGeometryParameterFromVolumeNode(volume)
    return node


def add_segment(volume: Any, name: str, voxels: Any, node: Any = None) -> tuple[Any, str]:
    """A segment as a person or another module makes it; the segmentation is made where none is given."""
    node = node or add_segmentation(volume)
    segment_id = node.GetSegmentation().AddEmptySegment("", name)
    write_mask(node, segment_id, Mask(np.asarray(voxels), geometry_of(volume), name), volume)
    return node, segment_id


def voxels_of(node: Any, segment_id: str, volume: Any) -> Any:
    """A segment on the whole grid of a volume, by Slicer's own function."""
    return slicer.util.arrayFromSegmentBinaryLabelmap(node, segment_id, volume) != 0


def counts(node: Any, volume: Any) -> dict[str, int]:
    """Voxels on the volume's grid of each segment, by name."""
    segmentation = node.GetSegmentation()
    return {
        segmentation.GetSegment(s).GetName(): int(np.count_nonzero(voxels_of(node, s, volume)))
        for s in segmentation.GetSegmentIDs()
    }


def names(node: Any) -> list[str]:
    """Names of all segments in order."""
    return [node.GetSegmentation().GetSegment(s).GetName() for s in node.GetSegmentation().GetSegmentIDs()]


def load_terminology(folder: Path, code: str, meaning: str, colour: tuple[int, int, int]) -> None:
    """Give Slicer a terminology with one structure, under the name of its own general list."""
    name = "Segmentation category and type - 3D Slicer General Anatomy list"
    kind = {
        "CodingSchemeDesignator": "SCT",
        "CodeValue": code,
        "CodeMeaning": meaning,
        "recommendedDisplayRGBValue": list(colour),
    }
    category = {
        "CodingSchemeDesignator": "SCT",
        "CodeValue": "123037004",
        "CodeMeaning": "Anatomical Structure",
        "showAnatomy": "false",
        "Type": [kind],
    }
    content = {
        "SegmentationCategoryTypeContextName": name,
        "@schema": "https://raw.githubusercontent.com/qiicr/dcmqi/master/doc/segment-context-schema.json#",
        "SegmentationCodes": {"Category": [category]},
    }
    path = folder / "terminology.json"
    path.write_text(json.dumps(content))
    assert slicer.modules.terminologies.logic().LoadTerminologyFromFile(str(path))
