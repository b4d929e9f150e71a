"""The readers and writers behind `slicer.util.load*` and `save*`, for the file types used here."""

# ruff: noqa: N802 - the names are those of Slicer

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import slicer


class CoreIOManager:
    """What `slicer.app.coreIOManager()` is to `slicer.util`: loads and saves by file type.

    Methods return False where Slicer's do, and `slicer.util` turns that into its own errors.
    """

    def fileType(self, filename: str) -> str:
        """Return Slicer's name of the file type, told from the file's name.

        Raises:
            ValueError: the file is of a type that is not known here.
        """
        name = filename.lower()
        for ending, file_type in _FILE_TYPES.items():
            if name.endswith(ending):
                return file_type
        raise ValueError(f"Cannot tell what {filename} holds; known endings are {', '.join(_FILE_TYPES)}.")

    def loadNodes(self, file_type: str, properties: dict[str, Any], loaded: Any, messages: Any) -> bool:
        """Read the file named in `properties` into the scene and append what was loaded to `loaded`.

        Args:
            file_type: a name that `fileType` returns.
            properties: "fileName"; "name" of the node loaded; "clear" to empty the scene before one is read.
            loaded: `vtkCollection` that receives the node, none for a scene.
            messages: `vtkMRMLMessageCollection` that receives what the readers complain of.
        """
        if file_type == "SceneFile":
            return _load_scene(properties["fileName"], properties.get("clear", False), messages)
        node = _READERS[file_type](properties["fileName"])
        if node is None:
            return False
        if "name" in properties:
            node.SetName(properties["name"])
        loaded.AddItem(node)
        return True

    def fileWriterFileType(self, node: Any) -> str:
        """Return the file type that `saveNodes` writes a node as."""
        return "NodeFile"

    def saveNodes(self, file_type: str, properties: dict[str, Any], messages: Any) -> bool:
        """Write the scene, or the node whose "nodeID" is in `properties`, to "fileName"."""
        if file_type == "SceneFile":
            return _save_scene(properties["fileName"], messages)
        node = slicer.mrmlScene.GetNodeByID(properties["nodeID"])
        if node.GetStorageNode() is None:
            node.AddDefaultStorageNode()
        node.GetStorageNode().SetFileName(str(properties["fileName"]))
        return bool(node.GetStorageNode().WriteData(node))


def _load_scene(filename: str, clear: bool, messages: Any) -> bool:
    if filename.lower().endswith(".mrb"):
        here = Path.cwd()
        try:
            return bool(slicer.mrmlScene.ReadFromMRB(filename, clear, messages))
        finally:
            os.chdir(here)  # a bundle that cannot be unpacked leaves Slicer in a folder that is gone
    slicer.mrmlScene.SetURL(filename)
    return bool(slicer.mrmlScene.Connect(messages) if clear else slicer.mrmlScene.Import(messages))


def _save_scene(filename: Any, messages: Any) -> bool:
    name = str(filename)
    if name.lower().endswith(".mrb"):
        return bool(slicer.mrmlScene.WriteToMRB(name, None, messages))
    if name.lower().endswith(".mrml"):
        return bool(slicer.mrmlScene.Commit(name, messages))
    raise ValueError(f"A scene is saved as .mrb or .mrml, not as {name}.")


def _load_volume(filename: str) -> Any:
    return slicer.modules.volumes.logic().AddArchetypeVolume(filename, Path(filename).name.split(".")[0])


def _load_label_volume(filename: str) -> Any:
    name = Path(filename).name.split(".")[0]
    return slicer.modules.volumes.logic().AddArchetypeVolume(filename, name, _LABELMAP_OPTION)


def _load_segmentation(filename: str) -> Any:
    return slicer.modules.segmentations.logic().LoadSegmentationFromFile(filename, True)


_LABELMAP_OPTION = 1  # vtkSlicerVolumesLogic::LoadingOptions::LabelMap

_READERS: dict[str, Callable[[str], Any]] = {
    "VolumeFile": _load_volume,
    "LabelMapFile": _load_label_volume,
    "SegmentationFile": _load_segmentation,
}

# Longer endings first: a segmentation is an .nrrd file too.
_FILE_TYPES = {
    ".mrb": "SceneFile",
    ".mrml": "SceneFile",
    ".seg.nrrd": "SegmentationFile",
    ".nrrd": "VolumeFile",
    ".nii.gz": "VolumeFile",
    ".nii": "VolumeFile",
    ".mha": "VolumeFile",
}
